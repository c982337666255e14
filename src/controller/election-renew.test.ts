import { describe, expect, it } from 'vitest';
import { electionFixture, LEASES } from './election-fixture.ts';

const UPDATES = { resource: 'leases', verb: 'update' };
const READS = { resource: 'leases', verb: 'get' };

describe('a leader', () => {
  it('renews with one PUT every retry period, and changes nothing but the time', async () => {
    await using fixture = await electionFixture();
    const us = fixture.candidate('us');
    await us.start();
    const before = await fixture.spec();
    us.sent();
    await fixture.clock.advance(6_000);
    expect(us.sent()).toEqual(['PUT', 'PUT', 'PUT']);
    const after = await fixture.spec();
    expect(after).toEqual({ ...before, renewTime: expect.stringMatching(/^2026-01-01T00:00:06\.000\d{3}Z$/) });
  });

  it('reads the Lease and renews it when a label was set meanwhile, and counts that', async () => {
    await using fixture = await electionFixture();
    const counted: unknown[] = [];
    const metrics = recordedMetrics(counted);
    const us = fixture.candidate('us', { metrics });
    await us.start();
    us.sent();
    await fixture.change({ metadata: { labels: { team: 'web' }, annotations: { note: 'seen' } } });
    await fixture.clock.advance(4_000);
    expect(us.sent()).toEqual(['PUT', 'GET', 'PUT', 'PUT']);
    expect(us.elector.isLeader()).toBe(true);
    expect((await fixture.lease()).metadata).toMatchObject({ labels: { team: 'web' } });
    expect(counted).toEqual([
      ['leader_election_master_status', 0, { name: 'website' }],
      ['leader_election_master_status', 1, { name: 'website' }],
      ['leader_election_slowpath_total', 1, { name: 'website' }],
    ]);
    await us.stop();
    expect(counted.at(-1)).toEqual(['leader_election_master_status', 0, { name: 'website' }]);
  });

  it('goes on when a renewal was carried out and its answer was lost', async () => {
    await using fixture = await electionFixture();
    const us = fixture.candidate('us');
    await us.start();
    us.sent();
    fixture.server.faults.add(UPDATES, { kind: 'cut', afterBytes: 10 });
    await fixture.clock.advance(2_000);
    expect(us.sent()).toEqual(['PUT', 'GET', 'PUT']);
    await fixture.clock.advance(20_000);
    expect(us.elector.isLeader()).toBe(true);
    expect(us.heard).toEqual(['leader us', 'started']);
  });

  it('counts a renewal that was carried out from when it was sent, when only a read could show it', async () => {
    await using fixture = await electionFixture();
    const us = fixture.candidate('us');
    await us.start();
    const failures = Array.from({ length: 20 }, () => ({ kind: 'status', code: 500 }) as const);
    fixture.server.faults.script(UPDATES, [{ kind: 'cut', afterBytes: 10 }, ...failures]);
    // The renewal sent after 2 s is the last one that is carried out.
    await fixture.clock.advance(11_999);
    expect(us.elector.isLeader()).toBe(true);
    await fixture.clock.advance(1);
    expect(us.elector.isLeader()).toBe(false);
  });

  it('leads until one renew deadline after the last successful renewal was sent, not after its answer', async () => {
    await using fixture = await electionFixture();
    const us = fixture.candidate('us');
    await us.start();
    fixture.server.faults.add(UPDATES, { kind: 'delay', ms: 4_000 });
    await fixture.clock.advance(6_000);
    fixture.server.faults.add(LEASES, { kind: 'drop' }, { times: Number.POSITIVE_INFINITY });
    await fixture.clock.advance(5_999);
    expect(us.elector.isLeader()).toBe(true);
    expect(us.heard).toEqual(['leader us', 'started']);
    await fixture.clock.advance(1);
    expect(us.elector.isLeader()).toBe(false);
    expect(us.heard).toEqual(['leader us', 'started', 'stopped']);
  });

  it('gives up a request after half the renew deadline, and reads the Lease then', async () => {
    await using fixture = await electionFixture();
    const us = fixture.candidate('us');
    await us.start();
    us.sent();
    fixture.server.faults.add(UPDATES, { kind: 'stall' });
    await fixture.clock.advance(2_000 + 4_999);
    expect(us.sent()).toEqual(['PUT']);
    await fixture.clock.advance(1);
    expect(us.sent()).toEqual(['GET', 'PUT']);
    expect(us.elector.isLeader()).toBe(true);
  });

  it('gives up a request after one second where half the renew deadline is less', async () => {
    await using fixture = await electionFixture();
    const us = fixture.candidate('us', { leaseDurationMs: 2_000, renewDeadlineMs: 1_500, retryPeriodMs: 500 });
    fixture.server.faults.add(READS, { kind: 'stall' });
    await us.start();
    await fixture.clock.advance(999);
    expect(us.lines).toEqual([]);
    await fixture.clock.advance(1);
    expect(us.lines).toEqual([expect.stringMatching(/no answer came within 1000 ms/)]);
  });

  it('gives up a request to a transport that ignores its signal', async () => {
    await using fixture = await electionFixture();
    const deaf = { request: () => new Promise<never>(() => {}), close: async () => {} };
    const us = fixture.candidate('us', {}, deaf);
    await us.start();
    await fixture.clock.advance(20_000);
    expect(us.sent().length).toBeGreaterThan(1);
  });
});

function recordedMetrics(counted: unknown[]) {
  const note =
    (name: string) =>
    (value: number, labels: unknown): void =>
      void counted.push([name, value, labels]);
  return {
    counter: ({ name }: { name: string }) => ({ add: note(name) }),
    gauge: ({ name }: { name: string }) => ({ set: note(name) }),
    histogram: ({ name }: { name: string }) => ({ observe: note(name) }),
  };
}
