import { readFileSync } from 'node:fs';
import type { KubernetesObject } from '../../api/metadata.ts';
import { apiVersionOf } from '../../api/resource.ts';
import type { TypeSchema } from '../../api/type-schema.ts';
import { schemaOfKind, typeSchema } from '../../generated/type-schemas.ts';
import { readEnvelope } from './envelope.ts';
import { WireReader } from './wire-reader.ts';

/** An object that Go has encoded both ways: a line of what `tools/corpus` prints. */
export interface CorpusObject {
  group: string;
  version: string;
  kind: string;
  /** What Go's JSON encoder writes for it. */
  json: KubernetesObject & Record<string, unknown>;
  /** Its protobuf, without the envelope. */
  message: Buffer;
}

/**
 * A few kinds of the corpus, by `go run . -seed 31 -count 1 -kinds v1/Pod,v1/Secret,v1/ConfigMap,v1/Event,v1/Service,v1/Node,
 * apps/v1/Deployment,apps/v1/ControllerRevision,coordination.k8s.io/v1/Lease,apiextensions.k8s.io/v1/CustomResourceDefinition,
 * policy/v1/PodDisruptionBudget,certificates.k8s.io/v1/CertificateSigningRequest,meta.k8s.io/v1/Status,
 * resource.k8s.io/v1/ResourceClaim,authentication.k8s.io/v1/TokenReview` in tools/corpus.
 */
export function sampleCorpus(): CorpusObject[] {
  return parseCorpus(readFileSync(new URL('./testdata/corpus.jsonl', import.meta.url), 'utf8'));
}

export function sampleOf(kind: string): CorpusObject {
  const found = sampleCorpus().find((object) => object.kind === kind);
  if (!found) throw new Error(`the sample has no ${kind}`);
  return found;
}

export function parseCorpus(text: string): CorpusObject[] {
  const lines = text.split('\n').filter((line) => line !== '');
  return lines.map((line) => {
    const { group, version, kind, json, protobuf } = JSON.parse(line) as Omit<CorpusObject, 'message'> & {
      protobuf: string;
    };
    const body = Buffer.from(protobuf, 'base64');
    const envelope = readEnvelope(new WireReader(), body, 0, body.length);
    if (envelope.kind !== kind || envelope.apiVersion !== apiVersionOf({ group, version })) {
      throw new Error(`the envelope of a ${kind} says ${envelope.kind} of ${envelope.apiVersion}`);
    }
    return { group, version, kind, json, message: body.subarray(envelope.start, envelope.end) };
  });
}

/** Undefined for the kinds of old versions, which servers do not have any more. */
export function schemaOf({ group, version, kind }: CorpusObject): TypeSchema | undefined {
  return typeSchema(schemaOfKind(group, version, kind) ?? '');
}

export function core(name: string): TypeSchema {
  const schema = typeSchema(`io.k8s.api.core.v1.${name}`);
  if (!schema) throw new Error(`there is no ${name}`);
  return schema;
}

/* The wire format in the other direction. */

export function varint(value: bigint | number): Buffer {
  const bytes: number[] = [];
  let rest = BigInt.asUintN(64, BigInt(value));
  for (; rest >= 0x80n; rest >>= 7n) bytes.push(Number(rest & 0x7fn) | 0x80);
  return Buffer.from([...bytes, Number(rest)]);
}

export function numberField(number: number, value: bigint | number): Buffer {
  return Buffer.concat([varint(number * 8), varint(value)]);
}

export function bytesField(number: number, ...content: (string | Uint8Array)[]): Buffer {
  const value = Buffer.concat(content.map((part) => Buffer.from(part)));
  return Buffer.concat([varint(number * 8 + 2), varint(value.length), value]);
}

export function envelope(kind: string, apiVersion: string, ...message: Uint8Array[]): Buffer {
  return Buffer.concat([
    Buffer.from('k8s\0'),
    bytesField(1, bytesField(1, apiVersion), bytesField(2, kind)),
    bytesField(2, ...message),
    bytesField(3),
    bytesField(4),
  ]);
}

export function listBody(
  kind: string,
  apiVersion: string,
  resourceVersion: string,
  items: readonly Uint8Array[],
): Buffer {
  const metadata = bytesField(1, bytesField(1), bytesField(2, resourceVersion));
  return envelope(kind, apiVersion, metadata, ...items.map((item) => bytesField(2, item)));
}

export function frame(type: string, object: Uint8Array): Buffer {
  const event = Buffer.concat([bytesField(1, type), bytesField(2, bytesField(1, object))]);
  const prefix = Buffer.alloc(4);
  prefix.writeUInt32BE(event.length);
  return Buffer.concat([prefix, event]);
}

/** The bytes of a stream, cut at the given places. */
export async function* chunksOf(bytes: Buffer, cuts: Iterable<number> = []): AsyncGenerator<Uint8Array> {
  let start = 0;
  for (const cut of [...cuts, bytes.length].sort((a, b) => a - b)) {
    yield bytes.subarray(start, cut);
    start = cut;
  }
}
