import type { BrokenObject, Cached } from '../../api/cached.ts';
import type { KubernetesObject } from '../../api/metadata.ts';
import { DecodeError } from '../decode-error.ts';
import type { ProtobufKeeper, Where } from '../keeping.ts';
import { IdentityScanner } from './identity-scanner.ts';
import type { WireReader } from './wire-reader.ts';

/** Finds out who an object is before anything else, so that damage can be told with its name; how it is kept is left open. */
export abstract class IdentifyingKeeper<T extends KubernetesObject> implements ProtobufKeeper<T> {
  /** Holds what was found in the object at hand. */
  protected readonly scanner: IdentityScanner;

  constructor(reader: WireReader) {
    this.scanner = new IdentityScanner(reader);
  }

  take(bytes: Buffer, start: number, end: number, where: Where): Cached<T> | BrokenObject {
    const { scanner } = this;
    try {
      scanner.scan(bytes, start, end);
      if (scanner.key === '') throw new DecodeError('malformed', 'it has no metadata.name');
      return this.keep(bytes, start, end);
    } catch (cause) {
      if (!(cause instanceof DecodeError)) throw cause;
      const { key } = scanner;
      const which = key === '' ? '' : ` (${key})`;
      const problem = new DecodeError('malformed', `${where()} cannot be used${which}: ${cause.message}`, { cause });
      return key === '' ? { problem } : { problem, key };
    }
  }

  /** Of an object that has been scanned. Throws `DecodeError`. */
  protected abstract keep(bytes: Buffer, start: number, end: number): Cached<T>;
}
