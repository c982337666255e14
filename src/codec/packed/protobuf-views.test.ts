import { describe, expect, it } from 'vitest';
import type { Cached } from '../../api/cached.ts';
import { bytesField, chunksOf, envelope, frame } from '../protobuf/protobuf-fixture.ts';
import { type AnyObject, packed } from './packed-fixture.ts';

async function podsOf(...messages: Uint8Array[][]): Promise<Cached<AnyObject>[]> {
  const body = Buffer.concat(messages.map((message) => frame('ADDED', envelope('Pod', 'v1', ...message))));
  const found: Cached<AnyObject>[] = [];
  for await (const batch of packed().readWatch(chunksOf(body), 'application/vnd.kubernetes.protobuf;stream=watch')) {
    for (const each of batch) if (each.type === 'ADDED') found.push(each.object);
  }
  return found;
}

const entry = (number: number, key: string, value: string) =>
  bytesField(number, bytesField(1, key), bytesField(2, value));

describe('the metadata of a view', () => {
  it('are its own, however many objects have the same', async () => {
    const metadata = (name: string) =>
      bytesField(
        1,
        bytesField(1, name),
        entry(11, 'app', 'web'),
        entry(12, '__proto__', 'x'),
        bytesField(13, bytesField(1, 'ReplicaSet'), bytesField(3, 'web-1')),
        bytesField(14, 'wait'),
      );
    const pods = await podsOf([metadata('a')], [metadata('b')]);
    const texts = pods.map((pod) => JSON.stringify(pod.view().metadata));
    expect(texts[1]).toContain('"__proto__":"x"');
    for (let i = 0; i < 60; i++) {
      const view = pods[i % 2]?.view().metadata as Required<NonNullable<AnyObject['metadata']>>;
      expect(Object.getPrototypeOf(view)).toBe(Object.prototype);
      expect(JSON.stringify(view)).toBe(texts[i % 2]);
      view.name = 'changed';
      Object.assign(view.labels, { app: 'changed' });
      Object.assign(view.annotations, { more: 'changed' });
      Object.assign(view.finalizers, ['changed']);
      Object.assign(view.ownerReferences[0] ?? {}, { kind: 'changed' });
    }
  });

  it('are told apart when they differ in a single byte', async () => {
    const names = Array.from({ length: 40 }, (_, i) => `web-${String(i).padStart(2, '0')}`);
    const pods = await podsOf(
      ...names.map((name) => [bytesField(1, bytesField(1, name), entry(11, 'pod-name', name))]),
    );
    for (let round = 0; round < 30; round++) {
      expect(pods.map((pod) => pod.view().metadata?.labels?.['pod-name'])).toEqual(names);
    }
  });
});

describe('damage within the metadata of a view', () => {
  it('leaves the rest of them readable, in every view', async () => {
    const damaged = bytesField(13, bytesField(1, 'ReplicaSet'), Buffer.from([0x1a, 0x7f]));
    const [pod] = await podsOf([bytesField(1, bytesField(1, 'a'), entry(11, 'app', 'web'), damaged)]);
    for (let i = 0; i < 40; i++) {
      const metadata = pod?.view().metadata;
      expect([metadata?.name, metadata?.labels]).toEqual(['a', { app: 'web' }]);
      expect(() => metadata?.ownerReferences).toThrow(/^metadata\.ownerReferences of a cannot be decoded/);
    }
  });
});

describe('the large parts of a message', () => {
  const metadata = bytesField(1, bytesField(1, 'a'));
  const container = bytesField(2, bytesField(1, 'c'), bytesField(2, 'i'.repeat(600)));
  const nodeName = bytesField(10, 'node-1');
  type Spec = { nodeName: string; containers: { name: string }[] };

  it('wait until somebody reads them', async () => {
    const [pod] = await podsOf([metadata, bytesField(2, container, nodeName)]);
    const spec = pod?.view().spec as Spec;
    expect(spec.nodeName).toBe('node-1');
    expect(Object.getOwnPropertyDescriptor(spec, 'containers')?.get).toBeDefined();
    expect(spec.containers.map(({ name }) => name)).toEqual(['c']);
    expect(spec.containers).toBe(spec.containers);
    expect(pod?.view().spec).toEqual({
      containers: [{ name: 'c', image: 'i'.repeat(600), resources: {} }],
      nodeName: 'node-1',
    });
  });

  it('do not keep others from being read when they are damaged, and are named', async () => {
    const damaged = bytesField(2, bytesField(1, 'd'), Buffer.from([0x12, 0x7f]));
    const [pod] = await podsOf([metadata, bytesField(2, container, damaged, nodeName)]);
    const spec = pod?.view().spec as Spec;
    expect(spec.nodeName).toBe('node-1');
    expect(() => spec.containers).toThrow(/^spec\.containers of a cannot be decoded: .*in spec\.containers\[1\]/);
  });

  it('are all there when they do not lie together', async () => {
    const [pod] = await podsOf([metadata, bytesField(2, container, nodeName, container)]);
    const spec = pod?.view().spec as Spec;
    expect(spec.containers.map(({ name }) => name)).toEqual(['c', 'c']);
  });
});
