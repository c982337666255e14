import { collect, type ObjectPath, valueAt } from '../../api/object-path.ts';
import { DecodeError } from '../decode-error.ts';
import { BACKSLASH, BRACE_OPEN, BRACKET_OPEN, JsonElements, JsonMembers, QUOTE } from '../json/json-bytes.ts';

/** The value whose text lies from `start` to `end`. Throws `DecodeError`. */
export function parseJson(bytes: Buffer, start: number, end: number): unknown {
  try {
    return JSON.parse(bytes.toString('utf8', start, end));
  } catch {
    // Without the parser's message, which quotes the text: it may be a secret.
    throw new DecodeError('malformed', 'its JSON is damaged');
  }
}

/** Whether the key with its quotes from `start` to `end` is `name`. */
export function isKey(bytes: Buffer, start: number, end: number, name: string): boolean {
  const length = end - start - 2;
  for (let i = 0; i < length; i++) {
    const byte = bytes[start + 1 + i] as number;
    // Written in another way than servers write names; they may still be the same.
    if (byte === BACKSLASH || byte >= 0x80) return parseJson(bytes, start, end) === name;
    if (byte !== name.charCodeAt(i)) return false;
  }
  return length === name.length;
}

/** Follows paths in the text of values: only what lies at the end of a path is decoded. */
export class JsonPaths {
  #valueStart = 0;
  #valueEnd = 0;

  /** From segment `depth` on in the value from `start` to `end`. Throws `DecodeError`. */
  read(bytes: Buffer, start: number, end: number, path: ObjectPath, depth: number): unknown {
    if (path.isPlural) return this.#readAll(bytes, start, end, path.segments, depth, []);
    const { segments } = path;
    this.#valueStart = start;
    this.#valueEnd = end;
    for (let i = depth; i < segments.length; i++) {
      if (bytes[this.#valueStart] !== BRACE_OPEN || !this.#enter(bytes, segments[i] as string)) {
        return valueAt(parseJson(bytes, this.#valueStart, this.#valueEnd), path, i);
      }
      if (this.#valueEnd === 0) return undefined;
    }
    return parseJson(bytes, this.#valueStart, this.#valueEnd);
  }

  #readAll(
    bytes: Buffer,
    start: number,
    end: number,
    segments: readonly string[],
    depth: number,
    found: unknown[],
  ): unknown[] {
    const segment = segments[depth];
    const first = bytes[start];
    if (segment !== undefined && segment !== '*' && first === BRACE_OPEN) {
      this.#valueStart = start;
      this.#valueEnd = end;
      if (this.#enter(bytes, segment)) {
        if (this.#valueEnd === 0) return found;
        return this.#readAll(bytes, this.#valueStart, this.#valueEnd, segments, depth + 1, found);
      }
    } else if (segment === '*' && first === BRACKET_OPEN) {
      const ranges = elementsOf(bytes, start, end);
      if (ranges !== undefined) {
        for (let i = 0; i < ranges.length; i += 2) {
          this.#readAll(bytes, ranges[i] as number, ranges[i + 1] as number, segments, depth + 1, found);
        }
        return found;
      }
    }
    return collect(parseJson(bytes, start, end), segments, depth, found);
  }

  /**
   * Goes on in the member of that name: of two with one name the last counts, and without one the value ends at 0. False when the
   * object is not written as servers do it.
   */
  #enter(bytes: Buffer, name: string): boolean {
    const members = new JsonMembers(bytes, this.#valueStart, this.#valueEnd);
    let start = 0;
    let end = 0;
    while (members.next()) {
      members.skip();
      if (isKey(bytes, members.keyStart, members.keyEnd, name)) {
        start = members.valueStart;
        end = members.valueEnd;
      }
    }
    if (members.end !== this.#valueEnd) return false;
    this.#valueStart = start;
    this.#valueEnd = end;
    return true;
  }
}

/** Where the elements of a list begin and end, by turns; undefined when it is not written as servers do it. */
export function elementsOf(bytes: Buffer, start: number, end: number): number[] | undefined {
  const elements = new JsonElements(bytes, start, end);
  const ranges: number[] = [];
  while (elements.next()) {
    elements.skip();
    ranges.push(elements.valueStart, elements.valueEnd);
  }
  return elements.end === end ? ranges : undefined;
}

const SPACE = 0x20;
const MINUS = 0x2d;
const ZERO = 0x30;
const NINE = 0x39;
/** A number with more digits may not fit into a double without an error. */
const MAX_DIGITS = 15;

/** A text, number, boolean or null; most need no parser. `textOf` decodes what lies between quotes. Throws `DecodeError`. */
export function parseScalar(
  bytes: Buffer,
  start: number,
  end: number,
  textOf: (bytes: Buffer, start: number, end: number) => string,
): unknown {
  const first = bytes[start] as number;
  if (first === QUOTE) {
    for (let i = start + 1; i < end - 1; i++) {
      const byte = bytes[i] as number;
      if (byte === BACKSLASH || byte < SPACE) return parseJson(bytes, start, end);
    }
    return textOf(bytes, start + 1, end - 1);
  }
  if (first === MINUS || end - start > MAX_DIGITS || (first === ZERO && end - start > 1))
    return parseJson(bytes, start, end);
  let number = 0;
  for (let i = start; i < end; i++) {
    const byte = bytes[i] as number;
    if (byte < ZERO || byte > NINE) return parseJson(bytes, start, end);
    number = number * 10 + byte - ZERO;
  }
  return number;
}
