import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { DecodeError } from '../decode-error.ts';
import {
  bodyOf,
  inChunks,
  indent,
  jsonCodec,
  pod,
  podArbitrary,
  sizes,
  stores,
  summary,
  watch as watchWith,
} from './json-codec-fixture.ts';

describe.each(stores)('reading a watch into a %s store', (store) => {
  const codec = jsonCodec({ store });
  const watch = (text: string, splits?: readonly number[], using = codec) => watchWith(text, splits, using);

  const eventArbitrary = fc.oneof(
    fc
      .tuple(fc.constantFrom('ADDED' as const, 'MODIFIED' as const, 'DELETED' as const), podArbitrary)
      .map(([type, object]) => ({ wire: { type, object }, frame: { type, object } as unknown })),
    fc.tuple(fc.nat().map(String), fc.boolean()).map(([resourceVersion, end]) => ({
      wire: {
        type: 'BOOKMARK',
        object: {
          kind: 'Pod',
          metadata: { resourceVersion, annotations: { 'k8s.io/initial-events-end': String(end) } },
        },
      },
      frame: { type: 'BOOKMARK', resourceVersion, initialEventsEnd: end } as unknown,
    })),
  );

  it('gives the same frames however the bytes are split and laid out', async () => {
    await fc.assert(
      fc.asyncProperty(
        fc.array(fc.tuple(eventArbitrary, indent, fc.constantFrom('', '\n', '\r\n', '\n\n', ' ')), { maxLength: 6 }),
        sizes,
        async (events, splits) => {
          const text = events
            .map(([event, layout, gap]) => JSON.stringify(event.wire, undefined, layout) + gap)
            .join('');
          expect((await watch(text, splits)).map(summary)).toEqual(events.map(([event]) => event.frame));
        },
      ),
    );
  });

  it('drops managedFields and fills in kind and apiVersion, as a list does', async () => {
    const wire = { type: 'ADDED', object: { metadata: { name: 'a', managedFields: [{ manager: '}]' }], uid: 'u' } } };
    const object = { kind: 'Pod', apiVersion: 'v1', metadata: { name: 'a', uid: 'u' } };
    expect((await watch(`${JSON.stringify(wire)}\n`)).map(summary)).toEqual([{ type: 'ADDED', object }]);
    expect((await watch(JSON.stringify(wire, undefined, 2))).map(summary)).toEqual([{ type: 'ADDED', object }]);
  });

  it('hands over a frame as soon as it is whole, before the next byte', async () => {
    let release: () => void = () => {};
    const more = new Promise<void>((resolve) => {
      release = resolve;
    });
    async function* body(): AsyncGenerator<Uint8Array> {
      yield Buffer.from(JSON.stringify({ type: 'ADDED', object: pod('a') }));
      await more;
    }
    const frames = codec.readWatch(body(), '')[Symbol.asyncIterator]();
    const first = await frames.next();
    expect(first.value?.map(summary)).toEqual([{ type: 'ADDED', object: pod('a') }]);
    release();
    expect(await frames.next()).toEqual({ done: true, value: undefined });
  });

  it('throws on half a frame at the end, after the whole ones', async () => {
    const whole = JSON.stringify({ type: 'ADDED', object: pod('a') });
    const frames = codec.readWatch(bodyOf(`${whole}\n${whole.slice(0, -1)}`), '')[Symbol.asyncIterator]();
    expect((await frames.next()).value).toHaveLength(1);
    await expect(frames.next()).rejects.toThrow('broke off in the middle of a frame');
  });

  it('reports a damaged line and goes on with the next', async () => {
    const good = JSON.stringify({ type: 'MODIFIED', object: pod('a') });
    for (const damaged of [
      good.slice(0, -1),
      good.slice(0, 20),
      `${good}}`,
      'not json',
      good.replace(':', ''),
      '"text"',
      '3',
    ]) {
      const frames = await watch(`${good}\n${damaged}\n${good}\n`);
      expect(frames[0]).toMatchObject({ type: 'MODIFIED' });
      expect(frames.some((frame) => frame.type === 'BROKEN')).toBe(true);
      expect(frames.at(-1)).toMatchObject({ type: 'MODIFIED' });
    }
  });

  it.each([
    ['an unknown type', { type: 'REPLACED', object: pod('a') }, 'default/a'],
    ['no type', { object: pod('a') }, 'default/a'],
    ['another kind', { type: 'ADDED', object: { ...pod('a'), kind: 'Service' } }, 'default/a'],
    ['a Table', { type: 'ADDED', object: { kind: 'Table', apiVersion: 'meta.k8s.io/v1' } }, undefined],
    ['another version', { type: 'ADDED', object: { ...pod('a'), apiVersion: 'v2' } }, 'default/a'],
    ['no metadata', { type: 'DELETED', object: { kind: 'Pod', apiVersion: 'v1' } }, undefined],
    ['no name', { type: 'ADDED', object: { metadata: { namespace: 'x' } } }, undefined],
    ['no object', { type: 'ADDED' }, undefined],
    ['null', { type: 'ADDED', object: null }, undefined],
    ['labels that are not a map', { type: 'ADDED', object: pod('a', { labels: 'x' }) }, 'default/a'],
  ])('calls a frame with %s broken', async (_, event, key) => {
    const [frame] = await watch(`${JSON.stringify(event)}\n`);
    expect(summary(frame)).toEqual({ type: 'BROKEN', key });
  });

  it('reads ERROR frames, with a Status or without, and a Status that comes bare', async () => {
    const status = { kind: 'Status', code: 410, reason: 'Expired' };
    const text = [{ type: 'ERROR', object: status }, { type: 'ERROR', object: pod('a') }, status]
      .map((frame) => JSON.stringify(frame))
      .join('\n');
    const frames = await watch(text);
    expect(frames.map((frame) => frame.type)).toEqual(['ERROR', 'ERROR', 'ERROR']);
    expect(frames[0]).toEqual({ type: 'ERROR', status });
    expect(frames[2]).toEqual({ type: 'ERROR', status });
  });

  it('reads the annotation of the closing bookmark only when it is "true"', async () => {
    const bookmark = (annotations: unknown) => ({
      type: 'BOOKMARK',
      object: { metadata: { resourceVersion: '5', annotations } },
    });
    const text = ['true', 'false', true].map((value) =>
      JSON.stringify(bookmark({ 'k8s.io/initial-events-end': value })),
    );
    expect(await watch([...text, '{"type":"BOOKMARK","object":null}'].join('\n'))).toEqual([
      { type: 'BOOKMARK', resourceVersion: '5', initialEventsEnd: true },
      { type: 'BOOKMARK', resourceVersion: '5', initialEventsEnd: false },
      { type: 'BOOKMARK', resourceVersion: '5', initialEventsEnd: false },
      { type: 'BOOKMARK', resourceVersion: '', initialEventsEnd: false },
    ]);
  });

  it('gives what came whole before it throws', async () => {
    const frame = (name: string) => `${JSON.stringify({ type: 'ADDED', object: pod(name) })}\n`;
    const large = `{"type":"ADDED","x":"${'y'.repeat(400)}"}\n`;
    const small = jsonCodec({ store, maxObjectBytes: 300 });
    const seen: string[] = [];
    const reading = (async () => {
      for await (const batch of small.readWatch(bodyOf(`${frame('a')}${frame('b')}${large}${frame('c')}`), ''))
        seen.push(...batch.map((each) => ('object' in each ? each.object.name : each.type)));
    })();
    await expect(reading).rejects.toMatchObject({ kind: 'tooLarge' });
    expect(seen).toEqual(['a', 'b']);
  });

  it('hands over a whole frame without a newline after frames with one', async () => {
    let release: () => void = () => {};
    const more = new Promise<void>((resolve) => {
      release = resolve;
    });
    const text = JSON.stringify({ type: 'ADDED', object: pod('a') });
    async function* body(): AsyncGenerator<Uint8Array> {
      yield Buffer.from(`${text}\n${text}\n${text.slice(0, 30)}`);
      yield Buffer.from(text.slice(30));
      await more;
    }
    const frames = codec.readWatch(body(), '')[Symbol.asyncIterator]();
    expect((await frames.next()).value).toHaveLength(2);
    expect((await frames.next()).value).toHaveLength(1);
    release();
    expect(await frames.next()).toEqual({ done: true, value: undefined });
  });

  it('refuses a frame that is too large', async () => {
    const small = jsonCodec({ store, maxObjectBytes: 100 });
    await expect(watch(`{"type":"ADDED","x":"${'y'.repeat(200)}`, [], small)).rejects.toThrow('larger than 100 bytes');
  });

  it('neither hangs nor crashes on garbage', async () => {
    const parts = fc.constantFrom(
      '{',
      '}',
      '[',
      ']',
      '"',
      '\\',
      ',',
      ':',
      '\n',
      ' ',
      '1',
      'null',
      'é',
      '{"type":"ADDED","object":',
    );
    const garbage = fc.oneof(
      fc.uint8Array({ maxLength: 200 }).map((bytes) => Buffer.from(bytes)),
      fc.array(parts, { maxLength: 40 }).map((chosen) => Buffer.from(chosen.join(''))),
    );
    await fc.assert(
      fc.asyncProperty(garbage, sizes, async (bytes, splits) => {
        try {
          for await (const batch of codec.readWatch(inChunks(bytes, splits), '')) {
            for (const frame of batch) expect(frame.type).toBe('BROKEN');
          }
        } catch (error) {
          expect(error).toBeInstanceOf(DecodeError);
        }
      }),
      { numRuns: 500 },
    );
  });

  it('leaves the body when it is left', async () => {
    let closed = false;
    async function* body(): AsyncGenerator<Uint8Array> {
      try {
        for (;;) yield Buffer.from(`${JSON.stringify({ type: 'ADDED', object: pod('a') })}\n`);
      } finally {
        closed = true;
      }
    }
    for await (const _ of codec.readWatch(body(), '')) break;
    expect(closed).toBe(true);
  });
});
