import { MalformedResponseError } from './http1-error.ts';

/** Where the body of a response ends. */
export type BodyFraming =
  | { readonly kind: 'none' }
  | { readonly kind: 'length'; readonly bytes: number }
  | { readonly kind: 'chunked' }
  /** With the connection, so that a broken connection cannot be told from the end. */
  | { readonly kind: 'close' };

export interface Http1Head {
  readonly status: number;
  /** Names in lower case; the values of a name that came several times are joined by a comma. */
  readonly headers: Map<string, string>;
  readonly framing: BodyFraming;
  /** Whether the connection can serve another request after this response. */
  readonly persistent: boolean;
}

/** What every response begins with. */
export const STATUS_LINE_START = 'HTTP/1.';

const STATUS_LINE = /^HTTP\/1\.([01]) ([1-9]\d\d)(?: [\t\x20-\x7e\x80-\xff]*)?$/;
/** The name and the value, with the blanks around it. */
export const HEADER_LINE = /^([!#$%&'*+\-.^_`|~0-9A-Za-z]+):([\t\x20-\x7e\x80-\xff]*)$/;
const BEYOND_ASCII = /[\x80-\xff]/;

/** The head of one response, line by line, by the rules of RFC 9112; what the RFC lets a client repair is refused. */
export class Http1HeadBuilder {
  readonly #method: string;
  readonly #headers = new Map<string, string>();
  #status = 0;
  #minorVersion = 1;

  /** @param method of the request, since the answer to a HEAD has no body. */
  constructor(method: string) {
    this.#method = method;
  }

  /** Whether the status line has been added. */
  get begun(): boolean {
    return this.#status !== 0;
  }

  /** Takes the next line as Latin-1, without its CRLF, and gives the head with the empty line that ends it. */
  add(line: string): Http1Head | undefined {
    if (!this.begun) this.#addStatus(line);
    else if (line === '') return this.#build();
    else this.#addHeader(line);
    return undefined;
  }

  #addStatus(line: string): void {
    const match = STATUS_LINE.exec(line);
    if (match === null) throw new MalformedResponseError('it does not begin with a status line');
    this.#minorVersion = Number(match[1]);
    this.#status = Number(match[2]);
  }

  #addHeader(line: string): void {
    const match = HEADER_LINE.exec(line);
    if (match === null) throw new MalformedResponseError('a header line is malformed');
    const name = (match[1] as string).toLowerCase();
    const value = decoded(trimmed(match[2] as string));
    const before = this.#headers.get(name);
    this.#headers.set(name, before === undefined ? value : `${before}, ${value}`);
  }

  #build(): Http1Head {
    const framing = this.#framing();
    const connection = listOf(this.#headers.get('connection'));
    const wanted = this.#minorVersion === 1 ? !connection.includes('close') : connection.includes('keep-alive');
    return {
      status: this.#status,
      headers: this.#headers,
      framing,
      persistent: wanted && framing.kind !== 'close',
    };
  }

  #framing(): BodyFraming {
    const coding = this.#headers.get('transfer-encoding');
    const length = contentLength(this.#headers.get('content-length'));
    // Somebody on the way may see another end of the response than we do.
    if (coding !== undefined && length !== undefined) {
      throw new MalformedResponseError('it has both Content-Length and Transfer-Encoding');
    }
    if (coding !== undefined && this.#minorVersion === 0) {
      throw new MalformedResponseError('it has a Transfer-Encoding, which HTTP/1.0 does not know');
    }
    if (this.#method === 'HEAD' || this.#status < 200 || this.#status === 204 || this.#status === 304) {
      return { kind: 'none' };
    }
    if (coding !== undefined) {
      if (coding.toLowerCase() === 'chunked') return { kind: 'chunked' };
      throw new MalformedResponseError('its Transfer-Encoding is not "chunked"');
    }
    if (length === undefined) return { kind: 'close' };
    return length === 0 ? { kind: 'none' } : { kind: 'length', bytes: length };
  }
}

/** Several equal lengths are one. */
function contentLength(header: string | undefined): number | undefined {
  if (header === undefined) return undefined;
  const [first, ...others] = header.split(',').map(trimmed);
  if (first === undefined || !/^\d+$/.test(first) || others.some((other) => other !== first)) {
    throw new MalformedResponseError('its Content-Length is not one number');
  }
  const length = Number(first);
  if (!Number.isSafeInteger(length)) throw new MalformedResponseError('its Content-Length is too large');
  return length;
}

function listOf(header: string | undefined): string[] {
  return header === undefined ? [] : header.toLowerCase().split(',').map(trimmed);
}

/** Without the white space that may stand around a value; `trim` takes more than that away. */
function trimmed(value: string): string {
  let start = 0;
  let end = value.length;
  while (start < end && isBlank(value.charCodeAt(start))) start += 1;
  while (end > start && isBlank(value.charCodeAt(end - 1))) end -= 1;
  return value.slice(start, end);
}

function isBlank(code: number): boolean {
  return code === 0x20 || code === 0x09;
}

/** Values are ASCII by the RFC and UTF-8 by custom, as in the warnings of the API server. */
function decoded(latin1: string): string {
  return BEYOND_ASCII.test(latin1) ? Buffer.from(latin1, 'latin1').toString('utf8') : latin1;
}
