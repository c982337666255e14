import { expect, it } from 'vitest';
import { faultSchedule } from './fault-schedule-fixture.ts';

/** Each is a life of informers: of other stores, queues, namespaces, handlers and faults. */
const SEEDS = Array.from({ length: 30 }, (_, seed) => seed + 1);

it.each(SEEDS)(
  'after random faults caches equal the server, and handlers were led there step by step (seed %d)',
  async (seed) => {
    expect(await faultSchedule(seed)).toEqual([]);
  },
);
