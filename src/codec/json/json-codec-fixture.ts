import fc from 'fast-check';
import type { CachedFrame, CachedList } from '../../api/cached.ts';
import type { KubernetesObject } from '../../api/metadata.ts';
import { defineResource } from '../../api/resource.ts';
import type { Codec } from '../codec.ts';
import { type ResourceCodecOptions, resourceCodec } from '../resource-codec.ts';

export interface Pod extends KubernetesObject {
  spec?: unknown;
}

export const pods = defineResource<Pod>({ version: 'v1', plural: 'pods', kind: 'Pod' });
export const stores = ['packed', 'plain'] as const;
export const jsonCodec = (options: Omit<ResourceCodecOptions<Pod>, 'resource'> = {}): Codec<Pod> =>
  resourceCodec<Pod>({ resource: pods, encoding: 'json', store: 'plain', ...options });

export async function* inChunks(bytes: Uint8Array, sizes: readonly number[] = []): AsyncGenerator<Uint8Array> {
  let start = 0;
  for (const size of sizes) {
    yield bytes.subarray(start, start + size);
    start += size;
  }
  yield bytes.subarray(start);
}

export const bodyOf = (text: string, sizes?: readonly number[]) => inChunks(Buffer.from(text), sizes);
export const listWith = (codec: Codec<Pod>, text: string, sizes?: readonly number[]): Promise<CachedList<Pod>> =>
  codec.readList(bodyOf(text, sizes), 'application/json');

export async function watch(text: string, sizes?: readonly number[], using = jsonCodec()): Promise<CachedFrame<Pod>[]> {
  const frames: CachedFrame<Pod>[] = [];
  for await (const batch of using.readWatch(bodyOf(text, sizes), 'application/json')) frames.push(...batch);
  return frames;
}

export function summary(frame: CachedFrame<Pod> | undefined): unknown {
  if (frame === undefined) return undefined;
  switch (frame.type) {
    case 'BROKEN':
      return { type: frame.type, key: frame.broken.key };
    case 'BOOKMARK':
    case 'ERROR':
      return frame;
    default:
      return { type: frame.type, object: frame.object.view() };
  }
}

export const pod = (name: string, more: object = {}) => ({
  kind: 'Pod',
  apiVersion: 'v1',
  metadata: { namespace: 'default', name, uid: `uid-${name}`, resourceVersion: '7', ...more },
});

export const name = fc.stringMatching(/^[a-z0-9]{1,12}$/);
export const anything = fc.jsonValue({ maxDepth: 4 }).map((value) => JSON.parse(JSON.stringify(value)) as unknown);
export const podArbitrary = fc.record({
  kind: fc.constant('Pod'),
  apiVersion: fc.constant('v1'),
  metadata: fc.record(
    {
      name,
      namespace: name,
      uid: fc.string(),
      resourceVersion: fc.nat().map(String),
      labels: fc.oneof(fc.constant(null), fc.dictionary(fc.string({ unit: 'binary' }), fc.string({ unit: 'binary' }))),
      annotations: fc.dictionary(fc.string(), fc.string({ unit: 'grapheme' })),
    },
    { requiredKeys: ['name'] },
  ),
  spec: anything,
  '"metadata":': anything,
  'quoted \\"managedFields":[': anything,
});
export const managed = fc.array(fc.record({ manager: fc.string(), fieldsV1: anything }), { minLength: 1 });
export const sizes = fc.array(fc.nat(40), { maxLength: 60 });
export const indent = fc.constantFrom('', ' ', '\t', '  ');
