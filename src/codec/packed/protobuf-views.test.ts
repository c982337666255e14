import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import type { Cached } from '../../api/cached.ts';
import { ObjectDecoder } from '../protobuf/object-decoder.ts';
import { bytesField, chunksOf, core, envelope, frame, numberField } from '../protobuf/protobuf-fixture.ts';
import type { PackedCached } from './packed-cached.ts';
import { type AnyObject, packed, takeProtobuf, whole } from './packed-fixture.ts';
import { Slab } from './slabs.ts';

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

describe('metadata of which only the identity is read', () => {
  const spec = bytesField(2, bytesField(10, 'n'.repeat(200)));
  const status = bytesField(3, bytesField(3, 'm'.repeat(200)));
  const time = (...parts: Uint8Array[]) => bytesField(8, ...parts);
  const variants: readonly Uint8Array[][] = [
    [
      bytesField(3, 'n'),
      bytesField(5, 'u'),
      bytesField(6, '7'),
      time(numberField(1, 1_800_000_000)),
      entry(11, 'a', 'b'),
    ],
    [
      bytesField(2, ''),
      bytesField(3, ''),
      bytesField(4, ''),
      bytesField(5, ''),
      bytesField(6, ''),
      numberField(7, 0),
      time(),
    ],
    [
      bytesField(2, 'a-'),
      numberField(7, 3),
      time(numberField(1, 1), numberField(2, 0)),
      bytesField(9, numberField(1, 5)),
    ],
    [bytesField(9), numberField(10, 0), bytesField(14, '')],
    [entry(11, 'a', 'b'), bytesField(14, 'wait'), entry(11, 'c', 'd')],
    [numberField(7, 3), numberField(7, 4)],
    [bytesField(2, ''), bytesField(4, ''), time()],
    [numberField(7, 0)],
    [time(Buffer.from('0880e0beb0f9ffffffff01', 'hex'))],
    [Buffer.from('388000', 'hex')],
  ];

  it('are shown without the bytes of the object', async () => {
    const [pod] = (await podsOf([
      bytesField(1, bytesField(1, 'a'), ...(variants[0] ?? []), entry(12, 'l', 'x'.repeat(90))),
      spec,
      status,
    ])) as [PackedCached<AnyObject>];
    const { home } = pod;
    pod.home = new Slab(Buffer.alloc(0), 'gone');
    const { metadata } = pod.view();
    expect(metadata).toMatchObject({ name: 'a', namespace: 'n', uid: 'u', resourceVersion: '7' });
    pod.home = home;
    expect(metadata).toEqual(
      new ObjectDecoder(core('Pod')).decode(home.bytes, pod.offset, pod.offset + pod.length).metadata,
    );
  });

  it('show the fields that the decoder shows, whatever others came before', async () => {
    const messages = variants.map((parts) => [
      bytesField(1, bytesField(1, 'a'), entry(12, 'l', 'x'.repeat(90)), ...parts),
      spec,
      status,
    ]);
    const pods = await podsOf(...messages, ...messages.toReversed());
    expect(pods).toHaveLength(2 * variants.length);
    for (const pod of pods as PackedCached<AnyObject>[]) {
      const decoded = new ObjectDecoder(core('Pod')).decode(pod.home.bytes, pod.offset, pod.offset + pod.length);
      expect(Object.keys(pod.view().metadata)).toEqual(Object.keys(decoded.metadata as object));
      expect(JSON.stringify(pod.view().metadata)).toBe(JSON.stringify(decoded.metadata));
    }
  });
});

describe('the metadata of views that follow the first', () => {
  const time = (seconds: number) => numberField(1, seconds);
  const absent = fc.constant(Buffer.alloc(0));
  const some = (number: number, ...values: (string | Uint8Array)[]) =>
    fc.constantFrom(...values.map((value) => bytesField(number, value)));
  const often = (field: fc.Arbitrary<Buffer>) => fc.oneof({ weight: 4, arbitrary: field }, absent);
  const rarely = (field: fc.Arbitrary<Buffer>) => fc.oneof({ weight: 9, arbitrary: absent }, field);
  /** Few values for each field, so that many objects have most of them in common. */
  const metadata = fc.tuple(
    some(1, 'a', 'b', 'c/d'),
    often(some(2, 'web-', 'api-', '')),
    often(some(3, 'team', 'team-2', '')),
    rarely(some(4, '/link')),
    often(some(5, 'u-1', '')),
    often(some(6, '7', '')),
    often(fc.oneof(fc.constant(1), fc.nat(12)).map((generation) => numberField(7, generation))),
    often(some(8, ...[1_700_000_000, 1_700_000_001, 0, -1, 2 ** 31, -62_135_596_800].map(time), '')),
    rarely(some(9, time(1_700_000_100), '')),
    rarely(fc.constantFrom(0, 30).map((seconds) => numberField(10, seconds))),
    often(fc.constantFrom(entry(11, 'app', 'web'), entry(11, 'app', 'api'))),
    rarely(some(14, 'wait')),
  );

  it('are those of a decoder', async () => {
    const decoder = new ObjectDecoder(core('Pod'));
    const round = fc.array(metadata, { minLength: 1, maxLength: 20 });
    await fc.assert(
      fc.asyncProperty(round, async (variants) => {
        const messages = variants.map((fields) => bytesField(1, ...fields));
        const pods = await podsOf(...Array.from({ length: 20 }, () => messages.map((message) => [message])).flat());
        const expected = messages.map((message) =>
          JSON.stringify(decoder.decodeField(message, 0, message.length, 'metadata')),
        );
        for (let views = 0; views < 3; views++) {
          for (const [i, pod] of pods.entries()) {
            expect(JSON.stringify(pod.view().metadata)).toBe(expected[i % messages.length]);
          }
        }
      }),
    );
  });
});

describe('the labels of a view', () => {
  it('are its own, however many others have been remembered in their place', async () => {
    const names = Array.from({ length: 6_000 }, (_, i) => `web-${i}`);
    const pods = await podsOf(...names.map((name) => [bytesField(1, bytesField(1, name), entry(11, 'app', name))]));
    const confused: unknown[] = [];
    for (const pod of pods) {
      // From the second time on a tail is remembered, and found.
      for (let views = 0; views < 3; views++) {
        const metadata = pod.view().metadata;
        if (metadata?.labels?.app !== metadata?.name) confused.push(metadata);
      }
    }
    expect(confused).toEqual([]);
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

  it('are those of their own message when another one has fields of the same name', async () => {
    const hard = (...names: string[]) =>
      names.map((name) => bytesField(1, bytesField(1, name), bytesField(2, bytesField(1, '4'))));
    const names = Array.from({ length: 9 }, (_, i) => `count/things-${i}.example.com`);
    const message = Buffer.concat([
      metadata,
      bytesField(2, ...hard(...names)),
      bytesField(3, ...hard(...names.slice(0, 5))),
    ]);
    const quota = whole(await takeProtobuf({ group: '', version: 'v1', kind: 'ResourceQuota', message }));
    const { spec, status } = quota.view() as unknown as Record<'spec' | 'status', { hard: object }>;
    const held = { spec, status };
    expect(Object.keys(held.status.hard)).toHaveLength(5);
    expect(Object.keys(held.spec.hard)).toHaveLength(9);
    held.status.hard = {};
    expect(Object.keys(held.spec.hard)).toHaveLength(9);
    expect(held.status).toEqual({ hard: {} });
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

  it('leave small parts whole that do not lie together', async () => {
    const secret = (name: string) => bytesField(15, bytesField(1, name));
    const [pod] = await podsOf([metadata, bytesField(2, container, secret('one'), nodeName, secret('two'))]);
    const spec = pod?.view().spec as Spec & { imagePullSecrets: object[] };
    expect(spec.imagePullSecrets).toEqual([{ name: 'one' }, { name: 'two' }]);
  });
});

describe('a view that nobody reads', () => {
  const metadata = bytesField(1, bytesField(1, 'a'), bytesField(5, 'u'.repeat(60)));
  const spec = (node: string) => bytesField(2, bytesField(10, node), bytesField(8, 's'.repeat(60)));
  const status = bytesField(3, bytesField(1, 'Running'), bytesField(3, 'm'.repeat(60)));
  const decoded = (...message: Uint8Array[]) =>
    new ObjectDecoder(core('Pod'), { type: { kind: 'Pod', apiVersion: 'v1' } }).decode(Buffer.concat(message));

  it('is made without the bytes of an object all of whose fields are large', async () => {
    const message = [metadata, spec('node-1'), status];
    const [pod] = (await podsOf(message)) as PackedCached<AnyObject>[];
    if (pod === undefined) throw new Error('the pod is broken');
    const { home } = pod;
    pod.home = new Slab(Buffer.alloc(0), 'gone');
    const view = pod.view();
    expect(Object.keys(view)).toEqual(['kind', 'apiVersion', 'metadata', 'spec', 'status']);
    pod.home = home;
    expect(JSON.stringify(view)).toBe(JSON.stringify(decoded(...message)));
  });

  it('shows what objects differ in: small fields, absent ones, unknown ones, and those in another order', async () => {
    const messages = [
      [metadata, spec('node-1'), bytesField(3, bytesField(1, 'Running'))],
      [metadata, spec('node-1')],
      [metadata],
      [bytesField(1, bytesField(1, 'a')), spec('node-1'), status],
      [status, spec('node-1'), metadata],
      [metadata, spec('node-1'), bytesField(99, 'x'.repeat(99)), status],
    ];
    const pods = await podsOf(...messages);
    for (const [i, message] of messages.entries()) {
      expect(JSON.stringify(pods[i]?.view())).toBe(JSON.stringify(decoded(...message)));
    }
  });

  it('takes of a message that comes twice what the decoder takes, beside each other or not', async () => {
    const messages = [
      [metadata, spec('node-1'), spec('node-2'), status],
      [metadata, spec('node-1'), status, spec('node-2')],
    ];
    const pods = await podsOf(...messages);
    for (const [i, message] of messages.entries()) {
      expect(pods[i]?.view().spec).toMatchObject({ nodeName: 'node-2' });
      expect(JSON.stringify(pods[i]?.view())).toBe(JSON.stringify(decoded(...message)));
    }
  });
});
