import { describe, expect, it } from 'vitest';
import { electionFixture } from './election-fixture.ts';

const HELD = {
  holderIdentity: 'other',
  leaseDurationSeconds: 15,
  acquireTime: '2026-01-01T00:00:00.000000Z',
  renewTime: '2026-01-01T00:00:00.000000Z',
  leaseTransitions: 4,
};
const MICRO_TIME = /^2026-01-01T00:\d\d:\d\d\.\d{6}Z$/;

describe('a candidate', () => {
  it('creates the Lease when there is none, with the fields that client-go writes', async () => {
    await using fixture = await electionFixture();
    const us = fixture.candidate('us');
    await us.start();
    expect(us.elector.isLeader()).toBe(true);
    expect(us.sent()).toEqual(['GET', 'POST']);
    expect(us.bodies[0]).toEqual({
      kind: 'Lease',
      apiVersion: 'coordination.k8s.io/v1',
      metadata: { name: 'website' },
      spec: {
        holderIdentity: 'us',
        leaseDurationSeconds: 15,
        acquireTime: expect.stringMatching(MICRO_TIME),
        renewTime: expect.stringMatching(MICRO_TIME),
        leaseTransitions: 0,
      },
    });
    expect(us.heard).toEqual(['leader us', 'started']);
  });

  it('takes a Lease without a record', async () => {
    await using fixture = await electionFixture();
    await fixture.create(undefined);
    const us = fixture.candidate('us');
    await us.start();
    expect(us.sent()).toEqual(['GET', 'PUT']);
    expect(await fixture.spec()).toMatchObject({ holderIdentity: 'us', leaseTransitions: 1 });
  });

  it('takes a Lease that nobody holds at once, however fresh it is', async () => {
    await using fixture = await electionFixture();
    await fixture.create({ ...HELD, holderIdentity: '' });
    const us = fixture.candidate('us');
    await us.start();
    const spec = await fixture.spec();
    expect(spec).toMatchObject({ holderIdentity: 'us', leaseTransitions: 5, leaseDurationSeconds: 15 });
    expect(spec.acquireTime).toBe(spec.renewTime);
    expect(spec.acquireTime).not.toBe(HELD.acquireTime);
  });

  it('leaves a Lease alone whose holder renews it, and says who holds it', async () => {
    await using fixture = await electionFixture();
    await fixture.create(HELD);
    const us = fixture.candidate('us');
    await us.start();
    for (let second = 10; second < 60; second += 10) {
      await fixture.clock.advance(10_000);
      await fixture.change({ spec: { renewTime: `2026-01-01T00:00:${second}.000000Z` } });
    }
    expect(us.elector.isLeader()).toBe(false);
    expect(us.elector.leader).toBe('other');
    expect(us.heard).toEqual(['leader other']);
    expect(new Set(us.sent())).toEqual(new Set(['GET']));
  });

  it('takes a Lease when its record has not changed for as long as its holder said', async () => {
    await using fixture = await electionFixture();
    await fixture.create({ ...HELD, leaseDurationSeconds: 5 });
    const us = fixture.candidate('us', { random: () => 0 });
    await us.start();
    await fixture.clock.advance(4_999);
    expect(us.elector.isLeader()).toBe(false);
    await fixture.clock.advance(1_001);
    expect(us.elector.isLeader()).toBe(true);
    expect(await fixture.spec()).toMatchObject({ holderIdentity: 'us', leaseTransitions: 5, leaseDurationSeconds: 15 });
    expect(us.heard).toEqual(['leader other', 'leader us', 'started']);
  });

  it('takes a Lease at once whose holder said no duration', async () => {
    await using fixture = await electionFixture();
    await fixture.create({ holderIdentity: 'other' });
    const us = fixture.candidate('us');
    await us.start();
    expect(us.elector.isLeader()).toBe(true);
  });

  it.each([
    ['long past', '2001-01-01T00:00:00.000000Z'],
    ['far ahead', '2051-01-01T00:00:00.000000Z'],
  ])('does not care for written times that are %s', async (_when, renewTime) => {
    await using fixture = await electionFixture();
    await fixture.create({ ...HELD, renewTime });
    const us = fixture.candidate('us', { random: () => 0 });
    await us.start();
    await fixture.clock.advance(14_999);
    expect(us.elector.isLeader()).toBe(false);
    await fixture.clock.advance(1_001);
    expect(us.elector.isLeader()).toBe(true);
  });

  it('does not count a jump of the wall clock, nor the time of its own suspension, as time of the holder', async () => {
    await using fixture = await electionFixture();
    await fixture.create(HELD);
    const us = fixture.candidate('us', { random: () => 0 });
    await us.start();
    fixture.clock.jump(3_600_000);
    fixture.clock.suspend(3_600_000);
    await fixture.clock.advance(14_999);
    expect(us.elector.isLeader()).toBe(false);
    await fixture.clock.advance(1_001);
    expect(us.elector.isLeader()).toBe(true);
  });

  it('does not take a label or an annotation for a renewal, and keeps them', async () => {
    await using fixture = await electionFixture();
    await fixture.create(HELD, { labels: { team: 'web' } });
    const us = fixture.candidate('us', { random: () => 0 });
    await us.start();
    await fixture.clock.advance(13_000);
    await fixture.change({ metadata: { annotations: { note: 'seen' } } });
    await fixture.clock.advance(3_000);
    expect(us.elector.isLeader()).toBe(true);
    expect((await fixture.lease()).metadata).toMatchObject({ labels: { team: 'web' }, annotations: { note: 'seen' } });
  });

  it('gives the Lease the labels that it was told, and leaves others as they are', async () => {
    await using fixture = await electionFixture();
    const labels = { app: 'website' };
    const first = fixture.candidate('first', { labels });
    await first.start();
    expect((await fixture.lease()).metadata.labels).toEqual(labels);
    await fixture.change({ metadata: { labels: { app: 'other', team: 'web' } } });
    // A renewal by the version that it knows is refused; the next one writes what it has read.
    await fixture.clock.advance(2_000);
    expect((await fixture.lease()).metadata.labels).toEqual({ app: 'website', team: 'web' });
    await first.stop();
    const second = fixture.candidate('second', { labels: { app: 'shop', tier: 'front' } });
    await second.start();
    expect((await fixture.lease()).metadata.labels).toEqual({ app: 'shop', team: 'web', tier: 'front' });
  });

  it.each([
    [0, 2_000],
    [0.5, 3_200],
    [0.999_999, 4_399],
  ])('waits between 1 and 2.2 retry periods between two tries (random %d)', async (random, waitMs) => {
    await using fixture = await electionFixture();
    await fixture.create(HELD);
    const us = fixture.candidate('us', { random: () => random });
    await us.start();
    us.sent();
    await fixture.clock.advance(waitMs - 1);
    expect(us.sent()).toEqual([]);
    await fixture.clock.advance(2);
    expect(us.sent()).toEqual(['GET']);
  });

  it('loses quietly when another creates or takes the Lease at the same moment', async () => {
    await using fixture = await electionFixture();
    const both = [fixture.candidate('a'), fixture.candidate('b')];
    for (const candidate of both) void candidate.run();
    await fixture.settle();
    expect(both.filter(({ elector }) => elector.isLeader())).toHaveLength(1);
    await fixture.change({ spec: { holderIdentity: '' } });
    await fixture.clock.advance(10_000);
    expect(both.filter(({ elector }) => elector.isLeader())).toHaveLength(1);
    const [a, b] = both;
    expect(a?.elector.leader).toBe(b?.elector.leader);
    expect(both.flatMap(({ lines }) => lines.filter((line) => line.includes('failed')))).toEqual([]);
  });

  it('takes the Lease that it created itself, when the answer to that was lost', async () => {
    await using fixture = await electionFixture();
    fixture.server.faults.add({ resource: 'leases', verb: 'create' }, { kind: 'cut', afterBytes: 10 });
    const us = fixture.candidate('us');
    await us.start();
    expect(us.elector.isLeader()).toBe(false);
    await fixture.clock.advance(4_400);
    expect(us.elector.isLeader()).toBe(true);
    expect(await fixture.spec()).toMatchObject({ holderIdentity: 'us', leaseTransitions: 0 });
  });
});
