import type { BrokenObject, Cached } from '../../api/cached.ts';
import { objectKey } from '../../api/key.ts';
import type { KubernetesObject } from '../../api/metadata.ts';
import { DecodeError } from '../decode-error.ts';
import { MetadataScanner } from './metadata-scanner.ts';
import type { ObjectDecoder } from './object-decoder.ts';
import { ProtobufCached } from './protobuf-cached.ts';
import type { WireReader } from './wire-reader.ts';

export interface ObjectKeeperOptions {
  decoder: ObjectDecoder;
  reader: WireReader;
  keepManagedFields: boolean;
}

/** Judges the bytes of an object: those of a usable one are copied, and become a `Cached`. */
export class ObjectKeeper<T extends KubernetesObject> {
  readonly #options: ObjectKeeperOptions;
  readonly #scanner: MetadataScanner;

  constructor(options: ObjectKeeperOptions) {
    this.#options = options;
    this.#scanner = new MetadataScanner(options.reader);
  }

  /** `where` is the beginning of the sentence that says what is wrong: "item 3 of the list of pods.v1". */
  take(bytes: Buffer, start: number, end: number, where: () => string): Cached<T> | BrokenObject {
    const scanner = this.#scanner;
    try {
      scanner.scan(bytes, start, end);
      if (scanner.name === '') throw new DecodeError('malformed', 'it has no metadata.name');
    } catch (cause) {
      if (!(cause instanceof DecodeError)) throw cause;
      const key = scanner.name === '' ? undefined : objectKey(scanner.namespace, scanner.name);
      const which = key === undefined ? '' : ` (${key})`;
      const problem = new DecodeError('malformed', `${where()} cannot be used${which}: ${cause.message}`, { cause });
      return key === undefined ? { problem } : { problem, key };
    }
    return new ProtobufCached<T>(scanner, this.#copy(bytes, start, end), this.#options.decoder);
  }

  /** In memory of its own, so that nothing else is kept alive by it. */
  #copy(bytes: Buffer, start: number, end: number): Uint8Array {
    if (this.#options.keepManagedFields) {
      const whole = Buffer.allocUnsafeSlow(end - start);
      bytes.copy(whole, 0, start, end);
      return whole;
    }
    const kept = Buffer.allocUnsafeSlow(this.#scanner.sizeWithoutManagedFields);
    this.#scanner.copyWithoutManagedFields(kept);
    return kept;
  }
}
