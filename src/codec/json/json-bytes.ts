export const QUOTE = 0x22;
export const BACKSLASH = 0x5c;
export const BRACE_OPEN = 0x7b;
export const BRACE_CLOSE = 0x7d;
export const BRACKET_OPEN = 0x5b;
export const BRACKET_CLOSE = 0x5d;
export const COLON = 0x3a;
export const COMMA = 0x2c;
const SPACE = 0x20;
const ZERO = 0x30;
const NINE = 0x39;

/*
 * All of these know JSON as servers write it, without blanks between its parts, and return -1 when the bytes are not so.
 */

/**
 * The quote that closes the string whose inside begins at `start`, looked for from `from` on; -1 when it does not lie before
 * `end`. Nothing else in the string is looked at.
 */
export function closingQuote(bytes: Buffer, start: number, end: number, from = start): number {
  let i = from;
  const lastFour = end - 4;
  for (;;) {
    // Most of JSON is inside strings: four bytes at a time this takes half the time.
    while (i <= lastFour) {
      if (bytes[i] === QUOTE) break;
      if (bytes[i + 1] === QUOTE) {
        i++;
        break;
      }
      if (bytes[i + 2] === QUOTE) {
        i += 2;
        break;
      }
      if (bytes[i + 3] === QUOTE) {
        i += 3;
        break;
      }
      i += 4;
    }
    while (i < end && bytes[i] !== QUOTE) i++;
    if (i >= end) return -1;
    if (bytes[i - 1] !== BACKSLASH || !isEscaped(bytes, i, start)) return i;
    i++;
  }
}

/** Whether an odd number of backslashes stands before `position`, back to `start`. */
function isEscaped(bytes: Buffer, position: number, start: number): boolean {
  let first = position;
  while (first > start && bytes[first - 1] === BACKSLASH) first--;
  return (position - first) % 2 === 1;
}

/** Where the string ends that begins with the quote at `start`: behind its closing quote. */
export function skipString(bytes: Buffer, start: number, end: number): number {
  const quote = closingQuote(bytes, start + 1, end);
  return quote < 0 ? -1 : quote + 1;
}

/** Where the value ends that begins at `start`. Brackets are counted and nothing else inside is checked. */
export function skipValue(bytes: Buffer, start: number, end: number): number {
  const first = bytes[start] as number;
  if (first === QUOTE) return skipString(bytes, start, end);
  if (first !== BRACE_OPEN && first !== BRACKET_OPEN) return skipScalar(bytes, start, end);
  let depth = 1;
  let i = start + 1;
  while (i < end) {
    const byte = bytes[i++] as number;
    if (byte === QUOTE) {
      i = closingQuote(bytes, i, end) + 1;
      if (i === 0) return -1;
      const next = bytes[i];
      if (next === COLON || next === COMMA) i++;
    } else if (byte === BRACE_OPEN || byte === BRACKET_OPEN) {
      depth++;
    } else if ((byte === BRACE_CLOSE || byte === BRACKET_CLOSE) && --depth === 0) {
      return i;
    }
  }
  return -1;
}

/**
 * As `skipValue`, for the list of managed fields. There are no lists in it, so the first closing bracket should be its own. If
 * that one was in a text, what follows makes no sense as JSON.
 */
export function skipManagedFields(bytes: Buffer, start: number, end: number): number {
  const at = bytes[start] === BRACKET_OPEN ? bytes.indexOf(BRACKET_CLOSE, start) : -1;
  if (at < 0 || at + 2 >= end || bytes[at - 1] !== BRACE_CLOSE) return skipValue(bytes, start, end);
  const next = bytes[at + 1];
  const isEnd = next === BRACE_CLOSE || (next === COMMA && bytes[at + 2] === QUOTE);
  return isEnd ? at + 1 : skipValue(bytes, start, end);
}

function skipScalar(bytes: Buffer, start: number, end: number): number {
  let i = start;
  for (; i < end; i++) {
    const byte = bytes[i] as number;
    if (byte === COMMA || byte === BRACE_CLOSE || byte === BRACKET_CLOSE) break;
    if (byte <= SPACE || byte === QUOTE || byte === COLON) return -1;
  }
  return i === start ? -1 : i;
}

/** As `skipValue`, and -1 also when anything inside is not JSON. */
export function skipValidValue(bytes: Buffer, start: number, end: number, depth = 0): number {
  const first = bytes[start];
  if (first === QUOTE) return skipValidString(bytes, start, end);
  if (first === BRACE_OPEN) {
    if (depth > 100) return -1;
    let isValid = true;
    const members = new JsonMembers(bytes, start, end);
    while (isValid && members.next()) {
      members.valueEnd = skipValidValue(bytes, members.valueStart, end, depth + 1);
      isValid = skipValidString(bytes, members.keyStart, members.keyEnd) > 0;
    }
    return isValid ? members.end : -1;
  }
  if (first === BRACKET_OPEN) {
    if (depth > 100) return -1;
    const elements = new JsonElements(bytes, start, end);
    while (elements.next()) elements.valueEnd = skipValidValue(bytes, elements.valueStart, end, depth + 1);
    return elements.end;
  }
  const scalarEnd = skipScalar(bytes, start, end);
  return scalarEnd > 0 && (isNatural(bytes, start, scalarEnd) || isJson(bytes, start, scalarEnd)) ? scalarEnd : -1;
}

function skipValidString(bytes: Buffer, start: number, end: number): number {
  let hasEscapes = false;
  for (let i = start + 1; i < end; i++) {
    const byte = bytes[i] as number;
    if (byte === QUOTE) return !hasEscapes || isJson(bytes, start, i + 1) ? i + 1 : -1;
    if (byte < SPACE) return -1;
    if (byte === BACKSLASH) {
      hasEscapes = true;
      i++;
    }
  }
  return -1;
}

/** Most numbers are, and need no parser. */
function isNatural(bytes: Buffer, start: number, end: number): boolean {
  if (bytes[start] === ZERO) return end === start + 1;
  for (let i = start; i < end; i++) {
    const byte = bytes[i] as number;
    if (byte < ZERO || byte > NINE) return false;
  }
  return true;
}

function isJson(bytes: Buffer, start: number, end: number): boolean {
  try {
    JSON.parse(bytes.toString('utf8', start, end));
    return true;
  } catch {
    return false;
  }
}

/** The text of the string whose quotes are at `start` and before `end`; throws `SyntaxError`. */
export function stringAt(bytes: Buffer, start: number, end: number): string {
  for (let i = start + 1; i < end - 1; i++) {
    if (bytes[i] === BACKSLASH) return JSON.parse(bytes.toString('utf8', start, end)) as string;
  }
  return bytes.toString('utf8', start + 1, end - 1);
}

/**
 * Goes through the parts of the object or list at `start`. After each `next` the caller skips the value, by `skip` or by setting `valueEnd`;
 * a negative one ends it as malformed.
 */
abstract class JsonParts {
  valueStart: number;
  valueEnd = -1;
  /** Behind the object or list, once `next` has returned false; -1 when it is malformed. */
  end = -1;
  protected readonly bytes: Buffer;
  protected readonly limit: number;
  #isFirst = true;

  constructor(bytes: Buffer, start: number, limit: number) {
    this.bytes = bytes;
    this.limit = limit;
    this.valueStart = start;
  }

  skip(): void {
    this.valueEnd = skipValue(this.bytes, this.valueStart, this.limit);
  }

  /** Where the next part begins, behind the opening bracket or a comma; -1 when there is none. */
  protected partStart(open: number, close: number): number {
    const { bytes, limit } = this;
    let at = this.valueEnd;
    if (this.#isFirst) {
      this.#isFirst = false;
      at = this.valueStart;
      if (bytes[at] !== open || at >= limit) return -1;
      if (bytes[++at] !== close) return at;
    }
    if (at < 0 || at >= limit) return -1;
    if (bytes[at] === close) this.end = at + 1;
    return bytes[at] === COMMA ? at + 1 : -1;
  }
}

export class JsonMembers extends JsonParts {
  keyStart = 0;
  keyEnd = 0;

  next(): boolean {
    const { bytes, limit } = this;
    this.keyStart = this.partStart(BRACE_OPEN, BRACE_CLOSE);
    if (this.keyStart < 0 || bytes[this.keyStart] !== QUOTE) return false;
    this.keyEnd = skipString(bytes, this.keyStart, limit);
    if (this.keyEnd < 0 || bytes[this.keyEnd] !== COLON) return false;
    this.valueStart = this.keyEnd + 1;
    this.valueEnd = -1;
    return true;
  }

  get key(): string {
    return stringAt(this.bytes, this.keyStart, this.keyEnd);
  }
}

export class JsonElements extends JsonParts {
  next(): boolean {
    const start = this.partStart(BRACKET_OPEN, BRACKET_CLOSE);
    if (start < 0) return false;
    this.valueStart = start;
    this.valueEnd = -1;
    return true;
  }
}
