import { DecodeError } from '../decode-error.ts';

/** The bytes of one protobuf message are not what its schema says, or not protobuf at all. */
export class WireError extends DecodeError {
  /** The message without the place. */
  readonly what: string;
  /** From the beginning of the message that was being read. */
  readonly offset: number;
  /** The field that was being read, as far as it is known: `spec.containers[1].image`. "" at the top. */
  readonly path: string;

  constructor(what: string, offset: number, path = '') {
    super('malformed', `${what} (at byte ${offset}${path === '' ? '' : `, in ${path}`})`);
    this.what = what;
    this.offset = offset;
    this.path = path;
  }

  /** The same, with the field that lies at its offset. */
  at(path: string): WireError {
    return new WireError(this.what, this.offset, path);
  }
}
