/** How deeply JSON may nest; Go's decoder stops at the same depth. */
export const MAX_DEPTH = 10_000;

/** A text that nests more deeply than Go's decoder goes, in its words. */
export class TooDeep extends Error {}

interface Frame {
  /** Unset for arrays. */
  readonly keys: Set<string> | undefined;
  readonly path: string;
  index: number;
}

/**
 * The paths of keys that stand twice in one object of a JSON text that is known to parse, which `JSON.parse` would
 * silently merge: `data.a`, `spec.containers[0].name`. Throws `TooDeep`.
 */
export function duplicateKeys(text: string): string[] {
  const found: string[] = [];
  walkKeys(text, (path, isDuplicate) => {
    if (isDuplicate) found.push(path);
  });
  return found;
}

/**
 * The complaints of Go's strict decoder about a text, in the order in which it comes to them. What stands below a field that
 * it does not know it does not read.
 */
export function strictProblems(text: string, unknown: readonly string[]): string[] {
  const problems = new Set<string>();
  const known = new Set(unknown);
  walkKeys(text, (path, isDuplicate) => {
    if (known.has(path)) problems.add(`unknown field ${JSON.stringify(path)}`);
    else if (isDuplicate && !unknown.some((field) => path.startsWith(`${field}.`) || path.startsWith(`${field}[`))) {
      problems.add(`duplicate field ${JSON.stringify(path)}`);
    }
  });
  return [...problems];
}

function walkKeys(text: string, visit: (path: string, isDuplicate: boolean) => void): void {
  const stack: Frame[] = [];
  let path = '';
  let at = 0;
  while (at < text.length) {
    const char = text.charCodeAt(at);
    if (char === QUOTE) {
      const end = endOfString(text, at);
      const top = stack[stack.length - 1];
      const colon = top?.keys ? nextNonSpace(text, end) : -1;
      if (top?.keys && text.charCodeAt(colon) === COLON) {
        const key = JSON.parse(text.slice(at, end)) as string;
        path = top.path === '' ? key : `${top.path}.${key}`;
        visit(path, top.keys.has(key));
        top.keys.add(key);
        at = colon + 1;
      } else at = end;
      continue;
    }
    if (char === OPEN_OBJECT || char === OPEN_ARRAY) {
      const top = stack[stack.length - 1];
      const own = top && !top.keys ? `${top.path}[${top.index}]` : path;
      stack.push({ keys: char === OPEN_OBJECT ? new Set() : undefined, path: own, index: 0 });
      if (stack.length > MAX_DEPTH) throw new TooDeep(`invalid character '${text[at]}' exceeded max depth`);
    } else if (char === CLOSE_OBJECT || char === CLOSE_ARRAY) stack.pop();
    else if (char === COMMA) {
      const top = stack[stack.length - 1];
      if (top && !top.keys) top.index++;
    }
    at++;
  }
}

const [QUOTE, COLON, COMMA, BACKSLASH] = [34, 58, 44, 92];
const [OPEN_OBJECT, CLOSE_OBJECT, OPEN_ARRAY, CLOSE_ARRAY] = [123, 125, 91, 93];

function endOfString(text: string, start: number): number {
  for (let at = text.indexOf('"', start + 1); ; at = text.indexOf('"', at + 1)) {
    let backslashes = 0;
    while (text.charCodeAt(at - 1 - backslashes) === BACKSLASH) backslashes++;
    if (backslashes % 2 === 0) return at + 1;
  }
}

function nextNonSpace(text: string, start: number): number {
  let at = start;
  while (at < text.length && text.charCodeAt(at) <= 32) at++;
  return at;
}
