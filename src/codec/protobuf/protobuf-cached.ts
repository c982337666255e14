import type { Cached } from '../../api/cached.ts';
import { objectKey } from '../../api/key.ts';
import type { Labels } from '../../api/label-selector.ts';
import type { KubernetesObject } from '../../api/metadata.ts';
import { DecodeError } from '../decode-error.ts';
import type { MetadataScanner } from './metadata-scanner.ts';
import type { ObjectDecoder } from './object-decoder.ts';

/** A `Cached` that keeps the bytes; every `view` decodes them anew, so that no reader sees what another has changed. */
export class ProtobufCached<T extends KubernetesObject> implements Cached<T> {
  readonly key: string;
  readonly namespace: string;
  readonly name: string;
  readonly uid: string;
  readonly resourceVersion: string;
  readonly labels: Labels;
  readonly #bytes: Uint8Array;
  readonly #decoder: ObjectDecoder;

  /** `metadata` is what was found in the bytes; it is not kept. */
  constructor(metadata: MetadataScanner, bytes: Uint8Array, decoder: ObjectDecoder) {
    this.key = objectKey(metadata.namespace, metadata.name);
    this.namespace = metadata.namespace;
    this.name = metadata.name;
    this.uid = metadata.uid;
    this.resourceVersion = metadata.resourceVersion;
    this.labels = metadata.labels;
    this.#bytes = bytes;
    this.#decoder = decoder;
  }

  /** Throws `DecodeError` when the bytes are damaged somewhere below the metadata. */
  view(): T {
    try {
      return this.#decoder.decode(this.#bytes) as T;
    } catch (cause) {
      if (!(cause instanceof DecodeError)) throw cause;
      throw new DecodeError(cause.kind, `${this.key} cannot be decoded: ${cause.message}`, { cause });
    }
  }
}
