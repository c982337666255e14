import { describe, expect, it } from 'vitest';
import { ApiError } from '../../api/api-error.ts';
import type { CachedFrame } from '../../api/cached.ts';
import type { KubernetesObject } from '../../api/metadata.ts';
import { defineResource, type Resource } from '../../api/resource.ts';
import type { Codec } from '../codec.ts';
import { stores } from '../json/json-codec-fixture.ts';
import { type ResourceCodecOptions, resourceCodec } from '../resource-codec.ts';
import { bytesField, chunksOf, envelope, frame, listBody, numberField, sampleOf } from './protobuf-fixture.ts';

const pods = defineResource({ version: 'v1', plural: 'pods', kind: 'Pod' });
const cronTabs = defineResource({ group: 'example.com', version: 'v1', plural: 'crontabs', kind: 'CronTab' });

const PROTOBUF = 'application/vnd.kubernetes.protobuf';
const WATCH = 'application/vnd.kubernetes.protobuf;stream=watch';

/** A pod with nothing but metadata. */
function pod(name: string, ...more: Buffer[]): Buffer {
  const metadata = [
    bytesField(1, name),
    bytesField(3, 'default'),
    bytesField(5, `uid-of-${name}`),
    bytesField(6, '7'),
    bytesField(11, bytesField(1, 'app'), bytesField(2, 'web')),
    bytesField(17, bytesField(1, 'kubectl')),
  ];
  return Buffer.concat([bytesField(1, ...metadata), ...more]);
}

const podFrame = (type: string, name: string) => frame(type, envelope('Pod', 'v1', pod(name)));

async function framesIn(bytes: Buffer, codec: Codec<KubernetesObject>, cuts: number[] = []): Promise<CachedFrame[]> {
  const frames: CachedFrame[] = [];
  for await (const batch of codec.readWatch(chunksOf(bytes, cuts), WATCH)) {
    expect(batch.length).toBeGreaterThan(0);
    frames.push(...batch);
  }
  return frames;
}

describe.each(stores)('ProtobufCodec with a %s store', (store) => {
  const codecFor = (
    resource: Resource = pods,
    options: Omit<ResourceCodecOptions<KubernetesObject>, 'resource'> = {},
  ): Codec<KubernetesObject> => resourceCodec({ resource, store, ...options });
  const framesOf = (bytes: Buffer, codec = codecFor(), cuts: number[] = []) => framesIn(bytes, codec, cuts);

  it('asks for protobuf first and for JSON second', () => {
    const codec = codecFor();
    expect(codec.accept).toBe('application/vnd.kubernetes.protobuf,application/json');
    expect(codec.acceptWatch).toBe('application/vnd.kubernetes.protobuf;stream=watch,application/json');
  });

  it('asks for JSON alone when the kind is not built in', async () => {
    const codec = codecFor(cronTabs);
    expect(codec.accept).toBe('application/json');
    expect(codec.acceptWatch).toBe('application/json');
    const text =
      '{"kind":"CronTabList","apiVersion":"example.com/v1","metadata":{},"items":[{"metadata":{"name":"a"}}]}';
    const list = await codec.readList(chunksOf(Buffer.from(text)), 'application/json');
    expect(list.items[0]?.view()).toEqual({ kind: 'CronTab', apiVersion: 'example.com/v1', metadata: { name: 'a' } });
  });

  it('reads JSON where the server answers with it', async () => {
    const item = { metadata: { name: 'a', namespace: 'b' } };
    const text = JSON.stringify({
      kind: 'PodList',
      apiVersion: 'v1',
      metadata: { resourceVersion: '5' },
      items: [item],
    });
    const list = await codecFor().readList(chunksOf(Buffer.from(text)), 'application/json; charset=utf-8');
    expect(list.items.map(({ key }) => key)).toEqual(['b/a']);
    const event = `${JSON.stringify({ type: 'BOOKMARK', object: { metadata: { resourceVersion: '9' } } })}\n`;
    const frames: CachedFrame[] = [];
    for await (const batch of codecFor().readWatch(chunksOf(Buffer.from(event)), 'application/json'))
      frames.push(...batch);
    expect(frames).toEqual([{ type: 'BOOKMARK', resourceVersion: '9', initialEventsEnd: false }]);
  });

  describe('of a list', () => {
    it('gives each item with its metadata, and its version and continuation', async () => {
      const metadata = bytesField(1, bytesField(2, '42'), bytesField(3, 'more'), numberField(4, 1000));
      const body = envelope('PodList', 'v1', metadata, bytesField(2, pod('a')), bytesField(2, pod('b')));
      const list = await codecFor().readList(chunksOf(body, [1, 30, 31, 100]), PROTOBUF);
      expect(list.metadata).toEqual({ resourceVersion: '42', continue: 'more', remainingItemCount: 1000 });
      expect(list.broken).toEqual([]);
      expect(list.items).toMatchObject([
        {
          key: 'default/a',
          namespace: 'default',
          name: 'a',
          uid: 'uid-of-a',
          resourceVersion: '7',
          labels: { app: 'web' },
        },
        { key: 'default/b' },
      ]);
      expect(list.items[0]?.view()).toEqual({
        kind: 'Pod',
        apiVersion: 'v1',
        metadata: {
          name: 'a',
          namespace: 'default',
          uid: 'uid-of-a',
          resourceVersion: '7',
          labels: { app: 'web' },
        },
        spec: { containers: null },
        status: {},
      });
    });

    it('keeps managed fields when asked to', async () => {
      const { message, json } = sampleOf('Pod');
      const body = listBody('PodList', 'v1', '1', [message]);
      const kept = await codecFor(pods, { managedFields: 'keep' }).readList(chunksOf(body), PROTOBUF);
      expect(kept.items[0]?.view()).toStrictEqual(json);
      const { managedFields, ...metadata } = json.metadata ?? {};
      expect(managedFields).toHaveLength(1);
      const dropped = await codecFor().readList(chunksOf(body), PROTOBUF);
      expect(dropped.items[0]?.view()).toStrictEqual({ ...json, metadata });
    });

    it('reports items that cannot be used, and gives the others', async () => {
      const damaged = Buffer.concat([pod('b'), Buffer.from([0xff])]);
      const nameless = bytesField(1, bytesField(3, 'default'));
      const body = listBody('PodList', 'v1', '1', [pod('a'), damaged, nameless, pod('c')]);
      const { items, broken } = await codecFor().readList(chunksOf(body), PROTOBUF);
      expect(items.map(({ name }) => name)).toEqual(['a', 'c']);
      expect(broken).toMatchObject([
        {
          key: 'default/b',
          problem: { message: expect.stringMatching(/^item 2 of the list of pods.v1 cannot be used \(default\/b\): /) },
        },
        { problem: { message: 'item 3 of the list of pods.v1 cannot be used: it has no metadata.name' } },
      ]);
    });

    it('throws the Status that comes in its place', async () => {
      const status = [
        bytesField(2, 'Failure'),
        bytesField(3, 'too old'),
        bytesField(4, 'Expired'),
        numberField(6, 410),
      ];
      const reading = codecFor().readList(chunksOf(envelope('Status', 'v1', ...status), [20]), PROTOBUF);
      await expect(reading).rejects.toThrow(ApiError);
      await expect(reading).rejects.toMatchObject({ code: 410, reason: 'Expired', isExpired: true });
    });

    it('refuses what is not a list of its kind', async () => {
      const nodeList = listBody('NodeList', 'v1', '1', []);
      await expect(codecFor().readList(chunksOf(nodeList), PROTOBUF)).rejects.toMatchObject({
        kind: 'unsupported',
        message: 'expected a list of pods.v1 and got a NodeList of v1',
      });
      await expect(codecFor().readList(chunksOf(Buffer.from('hello')), PROTOBUF)).rejects.toThrow(/does not begin/);
      const body = listBody('PodList', 'v1', '1', [pod('a')]);
      await expect(codecFor().readList(chunksOf(body.subarray(0, -10)), PROTOBUF)).rejects.toMatchObject({
        kind: 'truncated',
      });
      await expect(codecFor(pods, { maxObjectBytes: 20 }).readList(chunksOf(body), PROTOBUF)).rejects.toMatchObject({
        kind: 'tooLarge',
      });
    });
  });

  describe('of a watch', () => {
    it('gives objects, bookmarks and errors in order, wherever the stream is cut', async () => {
      const annotation = bytesField(12, bytesField(1, 'k8s.io/initial-events-end'), bytesField(2, 'true'));
      const status = [bytesField(2, 'Failure'), bytesField(3, 'too old'), numberField(6, 410)];
      const stream = Buffer.concat([
        podFrame('ADDED', 'a'),
        podFrame('MODIFIED', 'b'),
        podFrame('DELETED', 'c'),
        frame('BOOKMARK', envelope('Pod', 'v1', bytesField(1, bytesField(6, '100')))),
        frame('BOOKMARK', envelope('Pod', 'v1', bytesField(1, bytesField(6, '101'), annotation))),
        frame('ERROR', envelope('Status', 'v1', ...status)),
      ]);
      for (const cuts of [[], [3, 50, 51, 52, 300], Array.from({ length: stream.length }, (_, i) => i)]) {
        expect(await framesOf(stream, codecFor(), cuts)).toMatchObject([
          { type: 'ADDED', object: { key: 'default/a' } },
          { type: 'MODIFIED', object: { key: 'default/b' } },
          { type: 'DELETED', object: { key: 'default/c' } },
          { type: 'BOOKMARK', resourceVersion: '100', initialEventsEnd: false },
          { type: 'BOOKMARK', resourceVersion: '101', initialEventsEnd: true },
          { type: 'ERROR', status: { kind: 'Status', apiVersion: 'v1', message: 'too old', code: 410 } },
        ]);
      }
    });

    it('fills in the kind of an object, as it does in a list', async () => {
      const [first] = await framesOf(podFrame('ADDED', 'a'));
      const list = await codecFor().readList(chunksOf(listBody('PodList', 'v1', '1', [pod('a')])), PROTOBUF);
      expect(first?.type === 'ADDED' && first.object.view()).toStrictEqual(list.items[0]?.view());
    });

    it('reports frames that cannot be used, and goes on', async () => {
      const stream = Buffer.concat([
        frame('ADDED', Buffer.from('no envelope')),
        frame('WEIRD', envelope('Pod', 'v1', pod('a'))),
        frame('ADDED', envelope('Node', 'v1', pod('b'))),
        frame('MODIFIED', envelope('Pod', 'v1', Buffer.concat([pod('c'), Buffer.from([7])]))),
        Buffer.from([0, 0, 0, 2, 0xff, 0xff]),
        Buffer.from([0, 0, 0, 0]),
        podFrame('ADDED', 'd'),
      ]);
      const frames = await framesOf(stream);
      expect(frames.map(({ type }) => type)).toEqual([...new Array<string>(6).fill('BROKEN'), 'ADDED']);
      const messages = frames.map((each) => (each.type === 'BROKEN' ? each.broken.problem.message : ''));
      expect(messages[0]).toMatch(
        /a frame of \d+ bytes cannot be used: the object does not begin as Kubernetes protobuf/,
      );
      expect(messages[1]).toMatch(/unknown type "WEIRD"/);
      expect(messages[2]).toMatch(/expected a Pod of v1 and got a Node of v1/);
      expect(messages[3]).toMatch(/the object of a frame of type MODIFIED cannot be used \(default\/c\)/);
      expect(frames[3]).toMatchObject({ broken: { key: 'default/c' } });
    });

    it('gives what came whole before it throws', async () => {
      const codec = codecFor(pods, { maxObjectBytes: 500 });
      const large = frame('ADDED', envelope('Pod', 'v1', pod('b', bytesField(2, Buffer.alloc(500)))));
      const seen: string[] = [];
      const reading = (async () => {
        const stream = Buffer.concat([podFrame('ADDED', 'a'), large]);
        for await (const batch of codec.readWatch(chunksOf(stream), WATCH)) seen.push(...batch.map(({ type }) => type));
      })();
      await expect(reading).rejects.toMatchObject({ kind: 'tooLarge' });
      expect(seen).toEqual(['ADDED']);
    });

    it('throws when it breaks off in the middle of a frame, and ends when it ends', async () => {
      expect(await framesOf(Buffer.alloc(0))).toEqual([]);
      await expect(framesOf(podFrame('ADDED', 'a').subarray(0, -1))).rejects.toMatchObject({ kind: 'truncated' });
    });

    it('lets go of the body when its reader leaves', async () => {
      let left = false;
      const body = (async function* () {
        try {
          for (;;) yield podFrame('ADDED', 'a');
        } finally {
          left = true;
        }
      })();
      for await (const batch of codecFor().readWatch(body, WATCH)) {
        expect(batch).toHaveLength(1);
        break;
      }
      expect(left).toBe(true);
    });

    it('says of an ERROR without a Status that it explains nothing', async () => {
      expect(await framesOf(frame('ERROR', envelope('Pod', 'v1', pod('a'))))).toMatchObject([
        { type: 'ERROR', status: { status: 'Failure', message: expect.stringContaining('without a Status') } },
      ]);
    });
  });

  it('reads metadata alone, of custom resources too', async () => {
    const codec = codecFor(cronTabs, { metadataOnly: true });
    const as = (kind: string) => `;as=${kind};g=meta.k8s.io;v=v1`;
    expect(codec.accept).toBe(
      `${PROTOBUF}${as('PartialObjectMetadataList')},application/json${as('PartialObjectMetadataList')},application/json`,
    );
    expect(codec.acceptWatch).toContain(`${PROTOBUF}${as('PartialObjectMetadata')};stream=watch,application/json`);
    const body = listBody('PartialObjectMetadataList', 'meta.k8s.io/v1', '3', [pod('a')]);
    const list = await codec.readList(chunksOf(body), PROTOBUF);
    expect(list.items[0]?.view()).toMatchObject({
      kind: 'PartialObjectMetadata',
      apiVersion: 'meta.k8s.io/v1',
      metadata: { name: 'a' },
    });
  });

  it('takes objects that have been decoded already', () => {
    const object = { kind: 'Pod', apiVersion: 'v1', metadata: { name: 'a', namespace: 'b' } };
    const cached = codecFor().fromTransform(object);
    expect(cached.key).toBe('b/a');
    expect(cached.view()).toEqual(object);
  });
});
