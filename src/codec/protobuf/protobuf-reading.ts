import { apiVersionOf, type Resource } from '../../api/resource.ts';
import type { TypeSchema } from '../../api/type-schema.ts';
import { schemaOfKind } from '../../generated/type-schemas.ts';
import type { EnvelopeType } from './envelope.ts';
import { FrameHead } from './frame-reader.ts';
import { schemaNamed } from './message-plan.ts';
import { ObjectDecoder } from './object-decoder.ts';
import { type StringTable, WireReader } from './wire-reader.ts';

const META = 'io.k8s.apimachinery.pkg.apis.meta.v1';
const METADATA_TYPE: EnvelopeType = { kind: 'PartialObjectMetadata', apiVersion: 'meta.k8s.io/v1' };

/** What reads the protobuf of one resource. Codecs share it, as nothing of it waits in the middle of an object. */
export class ProtobufReading {
  /** What the objects are. */
  readonly type: EnvelopeType;
  readonly schema: TypeSchema;
  readonly reader: WireReader;
  readonly head: FrameHead;
  readonly decoder: ObjectDecoder;
  readonly statusDecoder: ObjectDecoder;
  readonly listMetaDecoder: ObjectDecoder;

  private constructor(type: EnvelopeType, schema: TypeSchema, strings: StringTable | undefined) {
    const reader = new WireReader(strings);
    this.type = type;
    this.schema = schema;
    this.reader = reader;
    this.head = new FrameHead(type);
    this.decoder = new ObjectDecoder(schema, { type, reader });
    this.statusDecoder = statusDecoder(reader);
    this.listMetaDecoder = new ObjectDecoder(schemaNamed(`${META}.ListMeta`), { reader });
  }

  /** Undefined when no schema is known, so that there is nothing but JSON. */
  static of(resource: Resource, metadataOnly: boolean, strings?: StringTable): ProtobufReading | undefined {
    if (metadataOnly) return new ProtobufReading(METADATA_TYPE, schemaNamed(`${META}.PartialObjectMetadata`), strings);
    const schema = schemaOfKind(resource.group, resource.version, resource.kind);
    if (schema === undefined) return undefined;
    return new ProtobufReading(
      { kind: resource.kind, apiVersion: apiVersionOf(resource) },
      schemaNamed(schema),
      strings,
    );
  }
}

export function statusDecoder(reader: WireReader): ObjectDecoder {
  return new ObjectDecoder(schemaNamed(`${META}.Status`), { type: { kind: 'Status', apiVersion: 'v1' }, reader });
}
