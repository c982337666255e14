import type { FieldChange } from './protocol.ts';

/** More of them in one change are counted, and not shown. */
const MAX_CHANGES = 200;
const MAX_SHOWN = 400;

/** Changes with every write and says nothing. */
const NOISE = new Set(['metadata.resourceVersion']);

/** What differs between two values that JSON could hold, by path, in the order of the fields. */
export function objectDifference(before: unknown, after: unknown): { changes: FieldChange[]; more: number } {
  const changes: FieldChange[] = [];
  let more = 0;
  const compare = (path: string, a: unknown, b: unknown): void => {
    if (a === b || NOISE.has(path)) return;
    if (isContainer(a) && isContainer(b) && Array.isArray(a) === Array.isArray(b)) {
      for (const key of new Set([...Object.keys(a), ...Object.keys(b)])) {
        compare(path === '' ? key : `${path}${step(key, Array.isArray(a))}`, own(a, key), own(b, key));
      }
      return;
    }
    if (changes.length >= MAX_CHANGES) more++;
    else
      changes.push({ path, ...(a !== undefined && { before: shown(a) }), ...(b !== undefined && { after: shown(b) }) });
  };
  compare('', before, after);
  return { changes, more };
}

function step(key: string, isIndex: boolean): string {
  if (isIndex) return `[${key}]`;
  return /^[\w-]+$/.test(key) ? `.${key}` : `["${key}"]`;
}

function own(container: Record<string, unknown>, key: string): unknown {
  return Object.hasOwn(container, key) ? container[key] : undefined;
}

function shown(value: unknown): string {
  const text = typeof value === 'string' ? value : (JSON.stringify(value) ?? String(value));
  return text.length > MAX_SHOWN ? `${text.slice(0, MAX_SHOWN)}…` : text;
}

function isContainer(value: unknown): value is Record<string, unknown> {
  return typeof value === 'object' && value !== null;
}
