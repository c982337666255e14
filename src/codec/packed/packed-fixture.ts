import type { Cached } from '../../api/cached.ts';
import type { KubernetesObject } from '../../api/metadata.ts';
import { defineResource } from '../../api/resource.ts';
import { type CorpusObject, chunksOf, listBody } from '../protobuf/protobuf-fixture.ts';
import { type ResourceCodecOptions, resourceCodec } from '../resource-codec.ts';

export type AnyObject = KubernetesObject & Record<string, unknown>;
export type Options = Omit<ResourceCodecOptions<AnyObject>, 'resource'>;

export const pods = defineResource<AnyObject>({ version: 'v1', plural: 'pods', kind: 'Pod' });

export const packed = (options: Options = {}) => resourceCodec<AnyObject>({ resource: pods, ...options });

/** What a codec makes of one item of a list in JSON; undefined when it is broken. */
export async function takeJson(text: string, codec = packed()): Promise<Cached<AnyObject> | undefined> {
  const body = Buffer.from(`{"kind":"List","apiVersion":"v1","metadata":{},"items":[${text}]}`);
  return (await codec.readList(chunksOf(body), 'application/json')).items[0];
}

/** The same for an object of the corpus, in protobuf. */
export async function takeProtobuf(
  { group, version, kind, message }: Omit<CorpusObject, 'json'>,
  options: Options = {},
): Promise<Cached<AnyObject> | undefined> {
  const resource = defineResource<AnyObject>({ group, version, plural: `${kind.toLowerCase()}s`, kind });
  const codec = resourceCodec({ resource, ...options });
  const apiVersion = group === '' ? version : `${group}/${version}`;
  const body = listBody(`${kind}List`, apiVersion, '1', [message]);
  return (await codec.readList(chunksOf(body), 'application/vnd.kubernetes.protobuf')).items[0];
}

export function whole(cached: Cached<AnyObject> | undefined): Cached<AnyObject> {
  if (cached === undefined) throw new Error('the object is broken');
  return cached;
}
