import { describe, expect, it } from 'vitest';
import { electionFixture, LEASES } from './election-fixture.ts';

const UPDATES = { resource: 'leases', verb: 'update' };

describe('a leader that stops', () => {
  it('gives the Lease back as client-go does, so that another takes it at its next try', async () => {
    await using fixture = await electionFixture();
    const us = fixture.candidate('us');
    await us.start();
    await fixture.clock.advance(4_000);
    us.sent();
    const other = fixture.candidate('other');
    await other.start();
    const running = us.stop();
    await running;
    expect(us.sent()).toEqual(['GET', 'PUT']);
    const spec = await fixture.spec();
    expect(spec).toEqual({
      holderIdentity: '',
      leaseDurationSeconds: 1,
      acquireTime: expect.stringMatching(/^2026-01-01T00:00:04\.000\d{3}Z$/),
      renewTime: spec.acquireTime,
      leaseTransitions: 0,
    });
    expect(us.heard).toEqual(['leader us', 'started', 'stopped']);
    expect(us.elector.leader).toBeUndefined();
    await fixture.clock.advance(4_400);
    expect(other.elector.isLeader()).toBe(true);
    expect(await fixture.spec()).toMatchObject({ holderIdentity: 'other', leaseTransitions: 1 });
  });

  it('keeps the Lease with releaseOnStop: false', async () => {
    await using fixture = await electionFixture();
    const us = fixture.candidate('us', { releaseOnStop: false });
    await us.start();
    us.sent();
    await us.stop();
    expect(us.sent()).toEqual([]);
    expect(await fixture.spec()).toMatchObject({ holderIdentity: 'us' });
  });

  it('lets its work end first, which may write until then', async () => {
    await using fixture = await electionFixture();
    const us = fixture.candidate('us');
    const { clock } = fixture;
    const seen: string[] = [];
    await us.start({
      onStartedLeading: async (signal, fence) => {
        await clock.sleep(60_000, signal).catch(() => {});
        await clock.sleep(3_000);
        fence.mustLead();
        seen.push(`wrote while "${(await fixture.spec()).holderIdentity}" held the Lease`);
      },
      onStoppedLeading: () => seen.push('stopped'),
    });
    us.abort();
    await clock.advance(2_999);
    expect(us.elector.isLeader()).toBe(true);
    await clock.advance(1);
    expect(seen).toEqual(['wrote while "us" held the Lease', 'stopped']);
    expect(await fixture.spec()).toMatchObject({ holderIdentity: '' });
  });

  it('rejects when its work does not end, and does not give the Lease back', async () => {
    await using fixture = await electionFixture();
    const us = fixture.candidate('us');
    const running = us.run({ onStartedLeading: () => new Promise(() => {}) });
    const outcome = running.catch((error: unknown) => error);
    await fixture.clock.advance(4_000);
    us.abort();
    await fixture.clock.advance(9_999);
    expect(us.elector.isLeader()).toBe(true);
    await fixture.clock.advance(1);
    expect(us.elector.isLeader()).toBe(false);
    await fixture.clock.advance(5_000);
    expect(await outcome).toMatchObject({
      kind: 'leadership-lost',
      message: expect.stringContaining('onStartedLeading'),
    });
    expect(await fixture.spec()).toMatchObject({ holderIdentity: 'us' });
  });

  it('retries a conflict when it gives the Lease back', async () => {
    await using fixture = await electionFixture();
    const us = fixture.candidate('us');
    await us.start();
    us.sent();
    fixture.server.faults.add(UPDATES, { kind: 'status', code: 409, reason: 'Conflict' }, { times: 2 });
    await us.stop();
    expect(us.sent()).toEqual(['GET', 'PUT', 'GET', 'PUT', 'GET', 'PUT']);
    expect(await fixture.spec()).toMatchObject({ holderIdentity: '' });
  });

  it('gives up giving it back after the renew deadline, and says so', async () => {
    await using fixture = await electionFixture();
    const us = fixture.candidate('us');
    await us.start();
    fixture.server.faults.add(
      LEASES,
      { kind: 'status', code: 429, retryAfterSeconds: 1 },
      { times: Number.POSITIVE_INFINITY },
    );
    await us.stop();
    expect(us.lines).toEqual([expect.stringContaining('The Lease default/website was not released')]);
  });

  it.each([
    ['an update', 'update', 'cut'],
    ['an update that no answer comes to', 'update', 'stall'],
  ] as const)('during %s gives the Lease back', async (_what, verb, kind) => {
    await using fixture = await electionFixture();
    const us = fixture.candidate('us');
    await us.start();
    const fault = fixture.server.faults.add(
      { resource: 'leases', verb },
      kind === 'cut' ? { kind, afterBytes: 10 } : { kind },
    );
    const met = fault.met().then(() => us.abort());
    await fixture.clock.advance(2_000);
    await met;
    await us.stop();
    expect(await fixture.spec()).toMatchObject({ holderIdentity: '' });
  });

  it('during a read gives the Lease back', async () => {
    await using fixture = await electionFixture();
    const us = fixture.candidate('us');
    await us.start();
    await fixture.change({ metadata: { labels: { team: 'web' } } });
    const fault = fixture.server.faults.add({ resource: 'leases', verb: 'get' }, { kind: 'stall' });
    await fixture.clock.advance(2_000);
    expect(fault.hits).toBe(1);
    await us.stop();
    expect(await fixture.spec()).toMatchObject({ holderIdentity: '' });
  });

  it('leaves a Lease alone that is gone, or that another holds', async () => {
    await using fixture = await electionFixture();
    const us = fixture.candidate('us');
    await us.start();
    await fixture.change({ spec: { holderIdentity: 'other' } });
    await us.stop();
    expect(await fixture.spec()).toMatchObject({ holderIdentity: 'other' });
    await fixture.remove();
    await us.start();
    await fixture.remove();
    us.sent();
    await us.stop();
    expect(us.sent()).toEqual(['GET']);
  });

  it('stops when its cluster is closed', async () => {
    await using fixture = await electionFixture();
    const us = fixture.candidate('us');
    const running = us.run();
    await fixture.settle();
    await us.cluster.close();
    await fixture.settle();
    await running;
    expect(us.heard).toEqual(['leader us', 'started', 'stopped']);
    const late = fixture.candidate('late');
    await late.cluster.close();
    await late.run();
    expect(late.sent()).toEqual([]);
  });
});

describe('a candidate that stops', () => {
  it('asks for nothing when it never wrote', async () => {
    await using fixture = await electionFixture();
    await fixture.create({ holderIdentity: 'other', leaseDurationSeconds: 15 });
    const us = fixture.candidate('us');
    await us.start();
    us.sent();
    await us.stop();
    expect(us.sent()).toEqual([]);
    expect(us.heard).toEqual(['leader other']);
  });

  it('gives back a Lease that it took without hearing of it', async () => {
    await using fixture = await electionFixture();
    fixture.server.faults.add({ resource: 'leases', verb: 'create' }, { kind: 'cut', afterBytes: 10 });
    const us = fixture.candidate('us');
    await us.start();
    expect(us.elector.isLeader()).toBe(false);
    await us.stop();
    expect(await fixture.spec()).toMatchObject({ holderIdentity: '' });
    expect(us.heard).toEqual([]);
  });

  it('sends nothing when its signal has aborted before', async () => {
    await using fixture = await electionFixture();
    const us = fixture.candidate('us');
    await us.run({ signal: AbortSignal.abort() });
    expect(us.sent()).toEqual([]);
  });

  it('can run again', async () => {
    await using fixture = await electionFixture();
    const us = fixture.candidate('us');
    await us.start();
    await us.stop();
    await us.start();
    expect(us.heard).toEqual(['leader us', 'started', 'stopped', 'started']);
    expect(await fixture.spec()).toMatchObject({ holderIdentity: 'us', leaseTransitions: 1 });
  });
});
