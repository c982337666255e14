import type { Cached } from '../../api/cached.ts';
import { objectKey } from '../../api/key.ts';
import type { Labels } from '../../api/label-selector.ts';
import type { KubernetesObject } from '../../api/metadata.ts';
import { DecodeError } from '../decode-error.ts';
import { lazyView, type ViewSource } from '../lazy-view.ts';
import type { MetadataScanner } from './metadata-scanner.ts';
import type { ObjectDecoder } from './object-decoder.ts';

/**
 * A `Cached` that keeps the bytes. Every `view` starts from them, so that no reader sees what another has changed, and
 * decodes each top-level field when it is first read.
 */
export class ProtobufCached<T extends KubernetesObject> implements Cached<T>, ViewSource {
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

  /** Its fields throw `DecodeError` when the bytes are damaged somewhere below the metadata. */
  view(): T {
    return lazyView(this.#decoder.fieldNames(this.#bytes), this) as T;
  }

  decodeField(name: string): unknown {
    try {
      return this.#decoder.decodeField(this.#bytes, 0, this.#bytes.length, name);
    } catch (cause) {
      if (!(cause instanceof DecodeError)) throw cause;
      throw new DecodeError(cause.kind, `${this.key} cannot be decoded: ${cause.message}`, { cause });
    }
  }
}
