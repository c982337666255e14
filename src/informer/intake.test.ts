import { describe, expect, it } from 'vitest';
import type { Cached } from '../api/cached.ts';
import type { KubernetesObject } from '../api/metadata.ts';
import { plainCached } from '../codec/plain/decoded-cached.ts';
import { DeltaFIFO } from '../queue/delta-fifo.ts';
import { Intake } from './intake.ts';
import { Repairs } from './repairs.ts';

const thing = (name: string, resourceVersion = '1') =>
  plainCached<KubernetesObject>({ metadata: { name, resourceVersion } });

function intakeFixture() {
  const queue = new DeltaFIFO<Cached<KubernetesObject>>({ keyFunction: ({ key }) => key });
  const intake = new Intake<KubernetesObject>({
    queue,
    prepare: (object) => object,
    stored: () => undefined,
    repairs: new Repairs(),
    onReplaced: () => {},
  });
  return { queue, intake };
}

const turn = () => new Promise<void>((resolve) => setImmediate(resolve));

describe('an intake', () => {
  it('has room when most of a long list has left the queue', async () => {
    const { queue, intake } = intakeFixture();
    await intake.replace(
      Array.from({ length: 6_000 }, (_, i) => thing(`t${i}`)),
      '1',
      true,
    );
    let hasRoom = false;
    const settled = intake.settled().then(() => {
      hasRoom = true;
    });
    while (queue.length > 5_001) queue.popNow(() => {});
    for (let turns = 0; turns < 5; turns++) await turn();
    expect(hasRoom).toBe(false);
    queue.popNow(() => {});
    await settled;
    expect(queue.length).toBe(5_000);
  });

  it('has room at once after a short list, and lets go of who waits when the queue is closed', async () => {
    const { queue, intake } = intakeFixture();
    await intake.replace([thing('a')], '1', true);
    await intake.settled();
    await intake.replace(
      Array.from({ length: 6_000 }, (_, i) => thing(`t${i}`)),
      '2',
      true,
    );
    const settled = intake.settled();
    queue.close();
    await settled;
  });
});
