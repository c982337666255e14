import { asArray, asObject, asString, isObject, type JsonObject, type JsonValue } from '../values/json.ts';
import { jsonText } from '../values/json-text.ts';

/**
 * One state of one object, immutable. What is kept is its JSON as bytes, without `kind` and `apiVersion` (these depend
 * on the version that a reader asks for), with `metadata` first, so that a reader of metadata needs no decoding.
 */
export class StoredObject {
  /** `namespace/name`, or `name` for cluster-scoped objects. */
  readonly key: string;
  readonly namespace: string;
  readonly name: string;
  readonly uid: string;
  /** 0 for a state that is answered but not stored (dry run); it then carries no resourceVersion. */
  readonly revision: number;
  readonly labels: Readonly<Record<string, string>> | undefined;
  /** Values of the kind's selectable fields, in the order that the kind declares them. */
  readonly fields: readonly string[];
  /** `example.com/v1` that a custom resource is stored as; empty for built-in kinds. */
  readonly apiVersion: string;
  /** The uids of the owners, for the garbage collector. */
  readonly owners: readonly string[];
  /** `{"metadata":{…},…}` */
  readonly body: Buffer;
  /** Where the value of `metadata` ends in `body`. */
  readonly metadataEnd: number;

  constructor(object: JsonObject, revision: number, fields: readonly string[], apiVersion = '') {
    const { kind: _kind, apiVersion: _apiVersion, metadata: given, ...rest } = object;
    const { resourceVersion: _version, ...others } = asObject(given);
    const metadata: JsonObject = revision === 0 ? others : { ...others, resourceVersion: String(revision) };
    this.namespace = asString(metadata.namespace);
    this.name = asString(metadata.name);
    this.key = this.namespace === '' ? this.name : `${this.namespace}/${this.name}`;
    this.uid = asString(metadata.uid);
    this.revision = revision;
    this.labels = isObject(metadata.labels) ? (metadata.labels as Record<string, string>) : undefined;
    this.fields = fields;
    this.apiVersion = apiVersion;
    this.owners = ownersOf(metadata);
    const head = `{"metadata":${jsonText(metadata)}`;
    const tail = jsonText(rest);
    this.metadataEnd = Buffer.byteLength(head);
    this.body = Buffer.from(tail === '{}' ? `${head}}` : `${head},${tail.slice(1)}`);
  }

  /** A fresh copy without `kind` and `apiVersion`, the caller's to change. */
  decode(): JsonObject {
    return JSON.parse(this.body.toString()) as JsonObject;
  }

  metadata(): JsonObject {
    return JSON.parse(this.body.toString('utf8', METADATA_START, this.metadataEnd)) as JsonObject;
  }

  /** The JSON text of `metadata` alone. */
  metadataBytes(): Buffer {
    return this.body.subarray(METADATA_START, this.metadataEnd);
  }

  /** The same state as another revision: what DELETED events carry. */
  at(revision: number): StoredObject {
    return new StoredObject(this.decode(), revision, this.fields, this.apiVersion);
  }
}

const METADATA_START = '{"metadata":'.length;
const NONE: readonly string[] = [];

function ownersOf(metadata: JsonObject): readonly string[] {
  const references = asArray(metadata.ownerReferences as JsonValue | undefined);
  return references.length === 0 ? NONE : references.map((reference) => asString(asObject(reference).uid));
}

/** `{"kind":"Pod","apiVersion":"v1",`: goes before `body` without its brace. */
export function typePrefix(kind: string, apiVersion: string, custom: boolean): Buffer {
  const [k, v] = [JSON.stringify(kind), JSON.stringify(apiVersion)];
  return Buffer.from(custom ? `{"apiVersion":${v},"kind":${k},` : `{"kind":${k},"apiVersion":${v},`);
}
