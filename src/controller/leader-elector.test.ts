import { describe, expect, it } from 'vitest';
import { leases } from '../generated/api/coordination/v1.ts';
import { electionFixture } from './election-fixture.ts';
import type { LeaderElectorOptions } from './election-options.ts';
import { LeaderElector } from './leader-elector.ts';

describe('the options of an elector', () => {
  it.each<[Partial<LeaderElectorOptions>, RegExp]>([
    [{ leaseDurationMs: 10_000 }, /leaseDurationMs \(10000\) must be more than renewDeadlineMs \(10000\)/],
    [{ renewDeadlineMs: 2_400 }, /renewDeadlineMs \(2400\) must be more than 1.2 times retryPeriodMs \(2000\)/],
    [{ leaseDurationMs: 15_500 }, /leaseDurationMs must be a multiple of 1000/],
    [{ leaseDurationMs: 0 }, /leaseDurationMs must be more than 0, and is 0/],
    [{ renewDeadlineMs: Number.NaN }, /renewDeadlineMs must be more than 0, and is NaN/],
    [{ retryPeriodMs: -1 }, /retryPeriodMs must be more than 0, and is -1/],
    [{ leaseDurationMs: Number.POSITIVE_INFINITY }, /leaseDurationMs must be more than 0, and is Infinity/],
    [{ identity: '' }, /identity must be a text that is not empty/],
    [{ name: '' }, /"" cannot be the name of a Lease/],
    [{ name: '../pods' }, /cannot be the name of a Lease/],
    [{ namespace: 'No' }, /cannot be the name of a namespace/],
  ])('must keep the rules: %o', async (options, message) => {
    await using fixture = await electionFixture();
    const make = () => new LeaderElector(fixture.admin, { name: 'website', ...options });
    expect(make).toThrow(TypeError);
    expect(make).toThrow(message);
  });

  it('may be left out, but for the name', async () => {
    await using fixture = await electionFixture();
    const first = new LeaderElector(fixture.admin, { name: 'website' });
    const second = new LeaderElector(fixture.admin, { name: 'website' });
    expect(first.namespace).toBe('default');
    expect(first.identity).toMatch(/^.+_[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}$/);
    expect(first.identity).not.toBe(second.identity);
  });
});

describe('an elector', () => {
  it('runs once at a time, and needs a signal and work', async () => {
    await using fixture = await electionFixture();
    const us = fixture.candidate('us');
    await us.start();
    const { signal } = new AbortController();
    await expect(us.elector.run({ signal, onStartedLeading: () => {} })).rejects.toMatchObject({ kind: 'misuse' });
    const other = new LeaderElector(fixture.admin, { name: 'website' });
    await expect(other.run({ onStartedLeading: () => {} } as never)).rejects.toThrow(/run needs a signal/);
    await expect(other.run({ signal } as never)).rejects.toThrow(/run needs onStartedLeading/);
  });

  it('without permission on Leases says so once in a sentence, and goes on trying', async () => {
    await using fixture = await electionFixture();
    const allow = fixture.server.access.deny({ resources: ['leases'], verbs: ['create'] });
    const us = fixture.candidate('us');
    await us.start();
    await fixture.clock.advance(60_000);
    expect(us.lines).toEqual([
      expect.stringMatching(
        /^The election for the Lease default\/website cannot go on, because a permission is missing: .*403 Forbidden.* Allow get, create and update of leases in coordination.k8s.io in the namespace default\./,
      ),
    ]);
    allow();
    await fixture.clock.advance(5_000);
    expect(us.elector.isLeader()).toBe(true);
  });

  it('reports a failure again after a success', async () => {
    await using fixture = await electionFixture();
    const us = fixture.candidate('us');
    const outage = () => fixture.server.faults.add({ resource: 'leases' }, { kind: 'status', code: 500 }, { times: 4 });
    outage();
    await us.start();
    await fixture.clock.advance(30_000);
    expect(us.elector.isLeader()).toBe(true);
    outage();
    await fixture.clock.advance(30_000);
    expect(us.lines).toEqual([expect.stringContaining('500'), expect.stringContaining('500')]);
  });

  it('does not take a Lease that another process holds under the same identity, and says so once', async () => {
    await using fixture = await electionFixture();
    const first = fixture.candidate('us');
    const second = fixture.candidate('us');
    await first.start();
    await second.start();
    await fixture.clock.advance(60_000);
    expect(first.elector.isLeader()).toBe(true);
    expect(second.elector.isLeader()).toBe(false);
    expect(first.lines).toEqual([]);
    expect(second.lines).toEqual([
      expect.stringMatching(/held under the identity "us", which is ours, .* give each process an identity of its own/),
    ]);
  });

  it('takes a Lease that an earlier run under the same identity has left, when it expires', async () => {
    await using fixture = await electionFixture();
    const earlier = fixture.candidate('us', { releaseOnStop: false });
    await earlier.start();
    await earlier.stop();
    const us = fixture.candidate('us', { random: () => 0 });
    await us.start();
    await fixture.clock.advance(14_999);
    expect(us.elector.isLeader()).toBe(false);
    await fixture.clock.advance(1_001);
    expect(us.elector.isLeader()).toBe(true);
  });

  it('is not harmed by callbacks that throw, reject or never end', async () => {
    await using fixture = await electionFixture();
    const us = fixture.candidate('us');
    await us.start({
      onNewLeader: () => {
        throw new Error('no news');
      },
      onStoppedLeading: () => Promise.reject(new Error('no end')),
    });
    expect(us.elector.isLeader()).toBe(true);
    await us.stop();
    expect(us.lines).toEqual(['onNewLeader failed: no news', 'onStoppedLeading failed: no end']);
    await us.start({ onNewLeader: () => new Promise(() => {}), onStoppedLeading: () => new Promise(() => {}) });
    await us.stop();
    expect(await fixture.spec()).toMatchObject({ holderIdentity: '' });
  });

  it.each([
    [
      'throws',
      () => {
        throw new Error('no work');
      },
    ],
    ['rejects', () => Promise.reject(new Error('no work'))],
  ])('gives the Lease back and rejects when its work %s while it leads', async (_how, onStartedLeading) => {
    await using fixture = await electionFixture();
    const us = fixture.candidate('us');
    const outcome = us.run({ onStartedLeading }).catch((error: unknown) => error);
    await fixture.settle();
    expect(await outcome).toMatchObject({ message: 'no work' });
    expect(us.heard).toEqual(['leader us', 'stopped']);
    expect(await fixture.spec()).toMatchObject({ holderIdentity: '' });
  });

  it('reports work that fails after its signal has aborted, unless the abort is why', async () => {
    await using fixture = await electionFixture();
    const us = fixture.candidate('us');
    const { clock } = fixture;
    await us.start({ onStartedLeading: (signal) => clock.sleep(60_000, signal) });
    await us.stop();
    expect(us.lines).toEqual([]);
    await us.start({
      onStartedLeading: (signal) =>
        clock.sleep(60_000, signal).catch(() => {
          throw new Error('no end');
        }),
    });
    await us.stop();
    expect(us.lines).toEqual(['onStartedLeading failed after its signal had aborted: no end']);
  });

  it('has a fence that follows its terms', async () => {
    await using fixture = await electionFixture();
    const us = fixture.candidate('us');
    const { fence } = us.elector;
    expect(() => fence.mustLead()).toThrow(/does not lead the Lease default\/website, which nobody is known to hold/);
    expect(fence.signal.reason).toMatchObject({ kind: 'leadership-lost' });
    await us.start();
    fence.mustLead();
    const { signal } = fence;
    expect(signal.aborted).toBe(false);
    await us.stop();
    expect(signal.aborted).toBe(true);
    expect(() => fence.mustLead()).toThrow(/this process gave it up/);
    await us.start();
    fence.mustLead();
    expect(fence.signal.aborted).toBe(false);
  });

  it('writes Leases in another namespace than that of its cluster', async () => {
    await using fixture = await electionFixture();
    const us = fixture.candidate('us', { namespace: 'kube-system' });
    await us.start();
    const lease = await fixture.admin.client(leases).get('website', { namespace: 'kube-system' });
    expect(lease.spec).toMatchObject({ holderIdentity: 'us' });
  });
});
