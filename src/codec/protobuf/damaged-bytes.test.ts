import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { ApiError } from '../../api/api-error.ts';
import type { CachedFrame } from '../../api/cached.ts';
import type { KubernetesObject } from '../../api/metadata.ts';
import { defineResource } from '../../api/resource.ts';
import type { Codec } from '../codec.ts';
import { DecodeError } from '../decode-error.ts';
import { stores } from '../json/json-codec-fixture.ts';
import { resourceCodec } from '../resource-codec.ts';
import { ObjectDecoder } from './object-decoder.ts';
import { chunksOf, envelope, frame, listBody, sampleCorpus, sampleOf, schemaOf } from './protobuf-fixture.ts';

const pods = defineResource({ version: 'v1', plural: 'pods', kind: 'Pod' });
const PROTOBUF = 'application/vnd.kubernetes.protobuf';

const pod = sampleOf('Pod').message;
const podEnvelope = envelope('Pod', 'v1', pod);
const stream = Buffer.concat([
  frame('ADDED', podEnvelope),
  frame('MODIFIED', podEnvelope),
  frame('DELETED', podEnvelope),
]);
const list = listBody('PodList', 'v1', '1', [pod, pod]);

type Damage = (bytes: Buffer) => Buffer;

/** Flips bits, writes over stretches, cuts out, doubles, breaks off. */
const damage: fc.Arbitrary<Damage> = fc
  .array(
    fc.record({
      how: fc.constantFrom('flip', 'write', 'cut', 'double', 'end'),
      at: fc.double({ min: 0, max: 1, noNaN: true }),
      length: fc.nat({ max: 40 }),
      byte: fc.oneof(fc.nat({ max: 255 }), fc.constantFrom(0, 0x7f, 0x80, 0xff)),
    }),
    { minLength: 1, maxLength: 6 },
  )
  .map((steps) => (whole: Buffer) => {
    let bytes = Buffer.from(whole);
    for (const { how, at, length, byte } of steps) {
      const place = Math.floor(at * bytes.length);
      const end = Math.min(place + length, bytes.length);
      if (how === 'flip' && place < bytes.length) bytes.writeUInt8(bytes.readUInt8(place) ^ (1 << (byte % 8)), place);
      else if (how === 'write') bytes.fill(byte, place, end);
      else if (how === 'cut') bytes = Buffer.concat([bytes.subarray(0, place), bytes.subarray(end)]);
      else if (how === 'double') bytes = Buffer.concat([bytes.subarray(0, end), bytes.subarray(place)]);
      else if (how === 'end' && length % 4 === 0) bytes = bytes.subarray(0, place);
    }
    return bytes;
  });

const cuts = fc.array(fc.nat({ max: 30_000 }), { maxLength: 5 });

function viewOrError(view: () => unknown): void {
  try {
    view();
  } catch (error) {
    expect(error).toBeInstanceOf(DecodeError);
  }
}

async function readWatch(codec: Codec<KubernetesObject>, bytes: Buffer, places: number[]): Promise<CachedFrame[]> {
  const frames: CachedFrame[] = [];
  try {
    const body = chunksOf(
      bytes,
      places.map((place) => place % (bytes.length + 1)),
    );
    for await (const batch of codec.readWatch(body, PROTOBUF)) frames.push(...batch);
  } catch (error) {
    expect(error).toBeInstanceOf(DecodeError);
  }
  for (const each of frames) {
    if (each.type === 'BROKEN') expect(each.broken.problem).toBeInstanceOf(DecodeError);
    else if ('object' in each) viewOrError(() => JSON.stringify(each.object.view()));
  }
  return frames;
}

async function readList(codec: Codec<KubernetesObject>, bytes: Buffer, places: number[]): Promise<void> {
  try {
    const body = chunksOf(
      bytes,
      places.map((place) => place % (bytes.length + 1)),
    );
    const { items, broken } = await codec.readList(body, PROTOBUF);
    for (const { problem } of broken) expect(problem).toBeInstanceOf(DecodeError);
    for (const item of items) viewOrError(() => JSON.stringify(item.view()));
  } catch (error) {
    expect(error instanceof DecodeError || error instanceof ApiError).toBe(true);
  }
}

describe.each(stores)('Bytes that are damaged, in a %s store,', (store) => {
  const codec = resourceCodec({ resource: pods, store });

  it('give a watch broken frames or a DecodeError, and nothing else', async () => {
    await fc.assert(
      fc.asyncProperty(damage, cuts, async (spoil, places) => void (await readWatch(codec, spoil(stream), places))),
    );
  });

  it('give a list broken items or a DecodeError, and nothing else', async () => {
    await fc.assert(fc.asyncProperty(damage, cuts, async (spoil, places) => readList(codec, spoil(list), places)));
  });

  it('leave the frames behind them alone while the framing is whole', async () => {
    await fc.assert(
      fc.asyncProperty(damage, async (spoil) => {
        const spoiled = spoil(podEnvelope);
        const frames = await readWatch(
          codec,
          Buffer.concat([frame('ADDED', spoiled), frame('ADDED', podEnvelope)]),
          [],
        );
        expect(frames).toHaveLength(2);
        expect(frames[1]?.type).toBe('ADDED');
      }),
    );
  });

  it('may be anything at all', async () => {
    const anything = fc.uint8Array({ maxLength: 300 }).map((bytes) => Buffer.from(bytes));
    await fc.assert(
      fc.asyncProperty(anything, cuts, async (bytes, places) => {
        await readWatch(codec, bytes, places);
        await readWatch(codec, frame('ADDED', envelope('Pod', 'v1', bytes)), places);
        await readList(codec, bytes, places);
        await readList(codec, envelope('PodList', 'v1', bytes), places);
        await readList(codec, envelope('Status', 'v1', bytes), places);
      }),
    );
  });
});

describe('Bytes that are damaged', () => {
  it.each(sampleCorpus())('give the reader of a $kind the object or a DecodeError', (object) => {
    const schema = schemaOf(object);
    if (!schema) throw new Error(object.kind);
    const decoder = new ObjectDecoder(schema);
    fc.assert(
      fc.property(damage, (spoil) => {
        const bytes = spoil(object.message);
        viewOrError(() => decoder.decode(bytes));
        viewOrError(() => decoder.decodeField(bytes, 0, bytes.length, 'spec'));
        // The decoder is as good as new.
        expect(decoder.decode(object.message)).toHaveProperty('metadata');
      }),
      { numRuns: 60 },
    );
  });

  it('are told by their cut, wherever an object breaks off', () => {
    const { message } = sampleOf('Secret');
    const decoder = new ObjectDecoder(schemaOf(sampleOf('Secret')) as NonNullable<ReturnType<typeof schemaOf>>);
    for (let end = 0; end < message.length; end++) viewOrError(() => decoder.decode(message, 0, end));
  });
});
