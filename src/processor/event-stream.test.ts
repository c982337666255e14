import { getEventListeners } from 'node:events';
import { describe, expect, it } from 'vitest';
import type { KubernetesObject } from '../api/metadata.ts';
import { EventStream } from './event-stream.ts';
import { Notification } from './notification.ts';
import { processorFixture, version } from './processor-fixture.ts';

function streamFixture(signal?: AbortSignal) {
  const fixture = processorFixture();
  const events = new EventStream<KubernetesObject>(
    (deliver, onEnd) => fixture.processor.subscribe(deliver, { onRemove: onEnd }, [version('a', '1')]),
    signal,
  );
  return { ...fixture, events };
}

describe('EventStream', () => {
  it('gives what is there and what comes, one event for each change', async () => {
    const { events, processor } = streamFixture();
    expect(await events.next()).toMatchObject({ value: { type: 'add', isInInitialList: true } });
    processor.distribute(Notification.update(version('a', '1'), version('a', '2'), 0), false);
    processor.distribute(Notification.delete(version('a', '3'), true, 0), false);
    expect(await events.next()).toMatchObject({
      value: {
        type: 'update',
        oldObject: { metadata: { resourceVersion: '1' } },
        object: { metadata: { resourceVersion: '2' } },
      },
    });
    expect(await events.next()).toMatchObject({ value: { type: 'delete', finalStateUnknown: true } });
  });

  it('answers several waiting consumers in the order of their asking', async () => {
    const { events, processor } = streamFixture();
    const asked = [events.next(), events.next(), events.next()];
    for (const rv of ['2', '3'])
      processor.distribute(Notification.update(version('a', '1'), version('a', rv), 0), false);
    const answers = await Promise.all(asked);
    const versions = answers.map((answer) => (answer.done ? 'end' : answer.value.object.metadata.resourceVersion));
    expect(versions).toEqual(['1', '2', '3']);
  });

  it('ends quietly when its signal aborts, also for those who wait', async () => {
    const controller = new AbortController();
    const { events } = streamFixture(controller.signal);
    await events.next();
    const waiting = events.next();
    controller.abort();
    expect(await waiting).toEqual({ done: true, value: undefined });
    expect(await events.next()).toEqual({ done: true, value: undefined });
  });

  it('does not begin when its signal has already aborted', async () => {
    const { events } = streamFixture(AbortSignal.abort());
    expect(await events.next()).toEqual({ done: true, value: undefined });
  });

  it('ends when the processor stops, without waiting for its consumer', async () => {
    const { events, processor, settle } = streamFixture();
    await events.next();
    processor.distribute(Notification.add(version('b', '1'), false, 0), false);
    await settle();
    await processor.stop();
    expect(await events.next()).toEqual({ done: true, value: undefined });
  });

  it.each<[string, (events: EventStream<KubernetesObject>) => Promise<unknown>]>([
    [
      'break',
      async (events) => {
        for await (const _event of events) break;
      },
    ],
    [
      'an error in the body',
      async (events) => {
        const loop = async () => {
          for await (const _event of events) throw new Error('in the body');
        };
        await expect(loop()).rejects.toThrow('in the body');
      },
    ],
    ['return()', async (events) => expect(await events.return()).toEqual({ done: true, value: undefined })],
    ['throw()', async (events) => expect(events.throw(new Error('enough'))).rejects.toThrow('enough')],
  ])('ends its subscription when its consumer leaves by %s', async (_how, leave) => {
    const { signal } = new AbortController();
    const { events, processor, settle } = streamFixture(signal);
    await events.next();
    processor.distribute(Notification.add(version('b', '1'), false, 0), false);
    await leave(events);
    expect(getEventListeners(signal, 'abort')).toEqual([]);
    let isListening = false;
    const object = version('c', '1');
    const view = () => {
      isListening = true;
      return object.view();
    };
    processor.distribute(Notification.add({ ...object, view }, false, 0), false);
    await settle();
    expect(isListening).toBe(false);
    expect(await events.next()).toEqual({ done: true, value: undefined });
  });

  it('does not begin when it was left before it was asked', async () => {
    const { processor } = streamFixture();
    const events = new EventStream<KubernetesObject>(() => expect.unreachable());
    await events.return();
    expect(await events.next()).toEqual({ done: true, value: undefined });
    await processor.stop();
  });

  it('answers those who wait when its consumer leaves, and keeps no listener on its signal', async () => {
    const controller = new AbortController();
    const { events } = streamFixture(controller.signal);
    await events.next();
    const waiting = events.next();
    await events.return();
    expect(await waiting).toEqual({ done: true, value: undefined });
    expect(getEventListeners(controller.signal, 'abort')).toEqual([]);
  });
});
