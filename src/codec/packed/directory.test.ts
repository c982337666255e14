import assert from 'node:assert/strict';
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { valueAt } from '../../api/object-path.ts';
import { ObjectDecoder } from '../protobuf/object-decoder.ts';
import { bytesField, type CorpusObject, core, numberField, sampleOf } from '../protobuf/protobuf-fixture.ts';
import { directorySize } from './directory.ts';
import type { PackedCached } from './packed-cached.ts';
import { type AnyObject, takeProtobuf, whole } from './packed-fixture.ts';

/** The number that directories have. */
const DIRECTORY = 2047;

const metadata = bytesField(1, bytesField(1, 'web-0'), bytesField(3, 'shop'), bytesField(5, 'some-uid'));
const container = (name: string) => bytesField(2, bytesField(1, name), bytesField(2, `registry/${name}`));
/** In the order of their numbers. */
const SPEC = [
  container('first'),
  container('second'),
  bytesField(3, 'Always'),
  numberField(4, 30),
  bytesField(6, 'ClusterFirst'),
  bytesField(10, 'node-7'),
  bytesField(14, numberField(2, 1000)),
  bytesField(200, 'of a version to come'),
];
const STATUS = [bytesField(1, 'Running'), bytesField(3, 'all is well'), bytesField(6, '10.0.0.1')];
const PATHS = [
  'metadata.name',
  'spec.restartPolicy',
  'spec.nodeName',
  'spec.terminationGracePeriodSeconds',
  'spec.containers.1.image',
  'spec.containers.*.image',
  'spec.securityContext.runAsUser',
  'spec.schedulerName',
  'spec.hostNetwork',
  'status.phase',
  'status.message',
  'status.podIP',
  'status.reason',
  'status.none.at.all',
].map((path) => path.split('.'));

const podOf = (...message: Uint8Array[]): CorpusObject => ({
  group: '',
  version: 'v1',
  kind: 'Pod',
  json: {},
  message: Buffer.concat(message),
});

async function taken(object: CorpusObject): Promise<PackedCached<AnyObject>> {
  return (await takeProtobuf(object).then(whole)) as PackedCached<AnyObject>;
}

function sizeIn(cached: PackedCached<AnyObject>): number {
  const bytes = Buffer.from(cached.encoded().bytes);
  return directorySize(bytes, 0, bytes.length);
}

/** What readers see is what the decoder makes of the message as it came. */
function expectReads(cached: PackedCached<AnyObject>, { message }: CorpusObject): void {
  const expected = new ObjectDecoder(core('Pod'), { type: { kind: 'Pod', apiVersion: 'v1' } }).decode(message);
  for (const segments of PATHS) {
    const path = { segments, isPlural: segments.includes('*') };
    assert.deepStrictEqual(cached.valueAt(path), valueAt(expected, path), segments.join('.'));
  }
  const { spec, status } = cached.view() as Record<string, unknown>;
  assert.deepStrictEqual(status, expected.status);
  assert.deepStrictEqual(spec, expected.spec);
  assert.deepStrictEqual(cached.view(), expected);
}

describe('the directory of an object', () => {
  it('is made of an object whose fields lie in order, and tells where they are', async () => {
    const object = podOf(metadata, bytesField(2, ...SPEC), bytesField(3, ...STATUS));
    const cached = await taken(object);
    // Two containers are one entry; each message has one of its own.
    expect(sizeIn(cached)).toBe(4 + 4 * (1 + SPEC.length - 1 + 1 + STATUS.length));
    expectReads(cached, object);
  });

  it('leaves nothing to be read from the bytes before a field', async () => {
    const object = podOf(metadata, bytesField(2, ...SPEC), bytesField(3, ...STATUS));
    const cached = await taken(object);
    const { home, offset } = cached;
    // The containers are damaged now: who walks over them notices.
    const at = home.bytes.indexOf(container('first'), offset);
    home.bytes[at + 1] = 0x7f;
    expect(cached.valueAt({ segments: ['spec', 'nodeName'], isPlural: false })).toBe('node-7');
    expect((cached.view() as { status?: object }).status).toMatchObject({ phase: 'Running' });
  });

  it('is not made of fields in another order, or of one that comes twice, which read as they should', async () => {
    const pieces = fc.tuple(
      fc.shuffledSubarray(SPEC),
      fc.shuffledSubarray(STATUS),
      fc.subarray(SPEC, { maxLength: 1 }),
      fc.boolean(),
    );
    await fc.assert(
      fc.asyncProperty(pieces, async ([spec, status, again, isSwapped]) => {
        const parts = [bytesField(2, ...spec, ...again), bytesField(3, ...status)];
        const object = podOf(metadata, ...(isSwapped ? parts.reverse() : parts));
        expectReads(await taken(object), object);
      }),
    );
    const twice = podOf(metadata, bytesField(2, bytesField(10, 'old'), bytesField(10, 'new')), bytesField(3));
    const disordered = podOf(metadata, bytesField(2, bytesField(10, 'node'), bytesField(3, 'Always')), bytesField(3));
    const listLast = podOf(metadata, bytesField(2, bytesField(3, 'Always'), container('late')));
    const metadataLast = podOf(bytesField(2, ...SPEC), metadata);
    const statusTwice = podOf(metadata, bytesField(3, ...STATUS), bytesField(3, bytesField(1, 'Failed')));
    for (const object of [twice, disordered, listLast, metadataLast, statusTwice]) {
      const cached = await taken(object);
      expect(sizeIn(cached)).toBe(0);
      expectReads(cached, object);
    }
  });

  it('is not made of numbers that it has no room for', async () => {
    const many = bytesField(2, ...SPEC.slice(0, -1), bytesField(256, 'more'));
    const far = bytesField(2, bytesField(2, bytesField(1, 'x'.repeat(1 << 20))), bytesField(10, 'node-7'));
    for (const spec of [many, far]) {
      const object = podOf(metadata, spec, bytesField(3, ...STATUS));
      const cached = await taken(object);
      expect(sizeIn(cached)).toBe(0);
      expectReads(cached, object);
    }
  });

  it('is not made of tags that it does not read, whatever their bytes look like otherwise', async () => {
    // Who takes the length for a tag finds other fields in the value: 30 seconds, and a text of 29 letters.
    const value = Buffer.concat([Buffer.from([30, (6 << 3) | 2, 29]), Buffer.from('x'.repeat(29))]);
    expect(value.length).toBe(4 << 3);
    // A number of three bytes; and one that would have room in one, written in two.
    const large = bytesField(3000, value);
    const padded = Buffer.concat([Buffer.from([(3 << 3) | 2 | 0x80, 0, value.length]), value]);
    for (const first of [large, padded]) {
      const object = podOf(metadata, bytesField(2, first, bytesField(10, 'node-7')), bytesField(3, ...STATUS));
      const cached = await taken(object);
      expect(sizeIn(cached)).toBe(0);
      expectReads(cached, object);
    }
  });

  it('is not made of damaged messages, whose readers get the error', async () => {
    const damaged = podOf(
      metadata,
      bytesField(2, SPEC[2] as Buffer, Buffer.from([0x52, 0x7f])),
      bytesField(3, ...STATUS),
    );
    const cached = await taken(damaged);
    expect(sizeIn(cached)).toBe(0);
    expect(() => cached.valueAt({ segments: ['spec', 'restartPolicy'], isPlural: false })).toThrow(/spec/);
    expect(cached.valueAt({ segments: ['status', 'phase'], isPlural: false })).toBe('Running');
    const otherType = podOf(metadata, bytesField(2, numberField(10, 7)), bytesField(3, ...STATUS));
    expect(sizeIn(await taken(otherType))).toBe(0);
  });

  it('is never what a server has sent in its place', async () => {
    const entries = Buffer.from([10, 0x20, 0, 4, 1, 0x30, 0, 4]);
    const written = Buffer.concat([Buffer.from([0xfa, 0x7f, entries.length | 0x80, 0]), entries]);
    const shortened = bytesField(DIRECTORY, entries);
    const ordered = [metadata, bytesField(2, ...SPEC), bytesField(3, ...STATUS)];
    const reversed = [metadata, bytesField(3, ...STATUS), bytesField(2, ...SPEC)];
    for (const message of [ordered, reversed]) {
      for (const sent of [[written], [written, written], [shortened], [written, shortened, written]]) {
        const object = podOf(...sent, ...message);
        for (const store of ['packed', 'shared'] as const) {
          const cached = (await takeProtobuf(object, { store }).then(whole)) as PackedCached<AnyObject>;
          expectReads(cached, object);
        }
      }
    }
    const lying = podOf(Buffer.from([0xfa, 0x7f, 0xff, 0x7f]), ...ordered);
    expect(await takeProtobuf(lying)).toBeUndefined();
  });

  it('does not grow when what is kept is taken once more', async () => {
    const first = await taken(sampleOf('Pod'));
    expect(sizeIn(first)).toBeGreaterThan(0);
    const message = Buffer.from(first.encoded().bytes);
    const second = await taken({ ...sampleOf('Pod'), message });
    expect(second.encoded().bytes).toEqual(first.encoded().bytes);
  });
});
