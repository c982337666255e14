import { describe, expect, it } from 'vitest';
import { bodyOf, jsonCodec, type Pod, pod, stores } from './json-codec-fixture.ts';

describe.each(stores)('metadata only, in a %s store', (store) => {
  const metadataCodec = jsonCodec({ store, metadataOnly: true });
  const partial = { kind: 'PartialObjectMetadata', apiVersion: 'meta.k8s.io/v1', metadata: { name: 'a' } };

  it('asks for PartialObjectMetadata first', () => {
    expect(metadataCodec.accept).toBe(
      'application/json;as=PartialObjectMetadataList;g=meta.k8s.io;v=v1,application/json',
    );
    expect(metadataCodec.acceptWatch).toBe(
      'application/json;as=PartialObjectMetadata;g=meta.k8s.io;v=v1,application/json',
    );
  });

  it('reduces whole objects of a server that cannot', async () => {
    const items = [partial, { metadata: { name: 'a' } }, { ...pod('a'), metadata: { name: 'a' }, spec: { x: 1 } }];
    const result = await metadataCodec.readList(bodyOf(JSON.stringify({ items })), '');
    expect(result.items.map((item) => item.view())).toEqual([partial, partial, partial]);
  });
});

describe('taking objects of the user', () => {
  const codec = jsonCodec();

  it('completes a copy and leaves the object alone', () => {
    const own = { metadata: { name: 'a', managedFields: [] } };
    expect(codec.fromTransform(own).view()).toEqual({ kind: 'Pod', apiVersion: 'v1', metadata: { name: 'a' } });
    expect(own).toEqual({ metadata: { name: 'a', managedFields: [] } });
  });

  it('keeps the very object when nothing is missing', () => {
    const own = pod('a');
    expect(codec.fromTransform(own).view()).toBe(own);
  });

  it('throws when no key can be made', () => {
    expect(() => codec.fromTransform({})).toThrow('it has no metadata');
    expect(() => codec.fromTransform(undefined as unknown as Pod)).toThrow('expected an object');
  });
});
