import { describe, expect, it } from 'vitest';
import type { Transport } from '../api/transport.ts';
import { electionFixture, LEASES } from './election-fixture.ts';

const FOREVER = { times: Number.POSITIVE_INFINITY };

describe('a leader loses', () => {
  type Fixture = Awaited<ReturnType<typeof electionFixture>>;
  it.each<[string, (fixture: Fixture) => Promise<unknown>, string]>([
    [
      'whose Lease names another holder',
      ({ change }) => change({ spec: { holderIdentity: 'go' } }),
      'ended: "go" holds it now',
    ],
    [
      'whose Lease was released by another',
      ({ change }) => change({ spec: { holderIdentity: '' } }),
      'ended: another process has released it',
    ],
    [
      'whose Lease has another duration',
      ({ change }) => change({ spec: { leaseDurationSeconds: 60 } }),
      'ended: another process has changed it (leaseDurationSeconds was 15 and is 60); if two processes have the identity "us"',
    ],
    [
      'whose Lease was renewed under its identity by another',
      ({ change }) => change({ spec: { renewTime: '2026-01-01T00:00:01.000000Z' } }),
      'ended: another process has changed it (renewTime was "2026-01-01T00:00:00.000',
    ],
    [
      'whose Lease has another time of acquisition',
      ({ change }) => change({ spec: { acquireTime: '2026-01-01T00:00:01.000000Z' } }),
      'ended: another process has changed it (acquireTime was "2026-01-01T00:00:00.000',
    ],
    ['whose Lease was deleted', ({ remove }) => remove(), 'ended: it was deleted.'],
    [
      'whose Lease was deleted and created again as it was',
      async ({ spec, remove, create }) => {
        const before = await spec();
        await remove();
        await create(before);
      },
      'ended: it was deleted and created again.',
    ],
  ])('%s, at its next renewal and with a message', async (_what, change, message) => {
    await using fixture = await electionFixture();
    const us = fixture.candidate('us');
    await us.start();
    const [fence] = us.fences;
    await change(fixture);
    await fixture.clock.advance(1_999);
    expect(us.heard).toEqual(['leader us', 'started']);
    await fixture.clock.advance(1);
    expect(us.heard.slice(0, 3)).toEqual(['leader us', 'started', 'stopped']);
    expect(us.lines[0]).toContain(`The leadership of the Lease default/website ${message}`);
    expect(fence?.signal.reason).toMatchObject({ kind: 'leadership-lost', message: us.lines[0] });
    expect(() => fence?.mustLead()).toThrow(us.lines[0]);
  });

  it('reports whom it lost to', async () => {
    await using fixture = await electionFixture();
    const us = fixture.candidate('us');
    await us.start();
    await fixture.change({ spec: { holderIdentity: 'go' } });
    await fixture.clock.advance(2_000);
    expect(us.elector.leader).toBe('go');
    expect(us.heard).toEqual(['leader us', 'started', 'stopped', 'leader go']);
  });

  it('when it cannot reach the server, and stands again, in the same process', async () => {
    await using fixture = await electionFixture();
    const us = fixture.candidate('us');
    await us.start();
    const outage = fixture.server.faults.add(LEASES, { kind: 'drop' }, FOREVER);
    await fixture.clock.advance(60_000);
    expect(us.heard).toEqual(['leader us', 'started', 'stopped']);
    outage.remove();
    await fixture.clock.advance(5_000);
    expect(us.elector.isLeader()).toBe(true);
    expect(us.heard).toEqual(['leader us', 'started', 'stopped', 'started']);
    expect(await fixture.spec()).toMatchObject({ holderIdentity: 'us', leaseTransitions: 0 });
    const [first, second] = us.fences;
    expect(() => first?.mustLead()).toThrow(/no renewal that was sent within the last 10000 ms/);
    second?.mustLead();
  });

  it('before another can take the Lease', async () => {
    await using fixture = await electionFixture();
    const own = fixture.server.transport();
    let isCut = false;
    const cut: Transport = {
      request: (request) => (isCut ? new Promise<never>(() => {}) : own.request(request)),
      close: own.close,
    };
    const us = fixture.candidate('us', {}, cut);
    await us.start();
    const other = fixture.candidate('other');
    await other.start();
    await fixture.clock.advance(7_000);
    isCut = true;
    while (!other.elector.isLeader()) {
      await fixture.clock.advance(100);
      expect([us, other].filter(({ elector }) => elector.isLeader()).length).toBeLessThan(2);
    }
    expect(us.heard).toEqual(['leader us', 'started', 'stopped']);
  });
});

describe('the clocks of a leader', () => {
  it('end its leadership when the machine was suspended, before any timer fires', async () => {
    await using fixture = await electionFixture();
    const us = fixture.candidate('us');
    await us.start();
    const [fence] = us.fences;
    fixture.clock.suspend(9_999);
    fence?.mustLead();
    fixture.clock.suspend(1);
    expect(() => fence?.mustLead()).toThrow(/no renewal that was sent within the last 10000 ms has succeeded/);
    expect(fence?.signal.aborted).toBe(true);
    expect(us.elector.isLeader()).toBe(false);
    await fixture.settle();
    expect(us.heard.slice(0, 3)).toEqual(['leader us', 'started', 'stopped']);
  });

  it('end its leadership after a suspension when nobody asks', async () => {
    await using fixture = await electionFixture();
    const us = fixture.candidate('us');
    await us.start();
    fixture.clock.suspend(10_000);
    await fixture.clock.advance(2_000);
    expect(us.heard.slice(0, 3)).toEqual(['leader us', 'started', 'stopped']);
  });

  it.each([
    ['was set back by an hour', -3_600_000],
    ['stays as it is', 0],
  ])('end its leadership by the monotonic time when the wall clock %s', async (_what, byMs) => {
    await using fixture = await electionFixture();
    const us = fixture.candidate('us');
    await us.start();
    fixture.clock.jump(byMs);
    fixture.server.faults.add(LEASES, { kind: 'stall' }, FOREVER);
    await fixture.clock.advance(9_999);
    expect(us.elector.isLeader()).toBe(true);
    await fixture.clock.advance(1);
    expect(us.elector.isLeader()).toBe(false);
    fixture.server.faults.clear();
  });

  it('let it lead on through jumps that are shorter than the renew deadline', async () => {
    await using fixture = await electionFixture();
    const us = fixture.candidate('us');
    await us.start();
    for (const byMs of [7_000, -3_600_000, 7_000, 3_000]) {
      fixture.clock.jump(byMs);
      await fixture.clock.advance(2_000);
    }
    expect(us.heard).toEqual(['leader us', 'started']);
  });

  it('end its leadership for a process that was stopped, although a renewal was under way', async () => {
    await using fixture = await electionFixture();
    const us = fixture.candidate('us');
    await us.start();
    fixture.server.faults.add(LEASES, { kind: 'delay', ms: 3_000 });
    await fixture.clock.advance(2_000);
    fixture.clock.spend(20_000);
    expect(() => us.fences[0]?.mustLead()).toThrow(/no renewal/);
  });
});

describe('the work of a leader that has lost', () => {
  it('may take until another may lead', async () => {
    await using fixture = await electionFixture();
    const us = fixture.candidate('us');
    const { clock } = fixture;
    await us.start({ onStartedLeading: (signal) => untilAborted(signal).then(() => clock.sleep(4_999)) });
    fixture.server.faults.add(LEASES, { kind: 'drop' }, FOREVER);
    await clock.advance(14_999);
    fixture.server.faults.clear();
    await clock.advance(10_000);
    expect(us.elector.isLeader()).toBe(true);
  });

  it('makes run reject when it has not ended by then, and is named', async () => {
    await using fixture = await electionFixture();
    const us = fixture.candidate('us');
    const running = us.run({ onStartedLeading: () => new Promise(() => {}) });
    const outcome = running.then(
      () => 'resolved',
      (error: unknown) => error,
    );
    await fixture.settle();
    fixture.server.faults.add(LEASES, { kind: 'drop' }, FOREVER);
    await fixture.clock.advance(14_999);
    expect(us.heard).toEqual(['leader us', 'stopped']);
    await fixture.clock.advance(1);
    expect(await outcome).toMatchObject({
      kind: 'leadership-lost',
      message: expect.stringMatching(
        /^onStartedLeading has not ended .* another process may lead the Lease default\/website now/,
      ),
      cause: { message: expect.stringContaining('no renewal') },
    });
    fixture.server.faults.clear();
    // Whoever still works may still write, so the Lease is not given back.
    expect(await fixture.spec()).toMatchObject({ holderIdentity: 'us' });
  });

  it('has as long when the loss was noticed late', async () => {
    await using fixture = await electionFixture();
    const us = fixture.candidate('us');
    const { clock } = fixture;
    await us.start({ onStartedLeading: (signal) => untilAborted(signal).then(() => clock.sleep(4_999)) });
    await fixture.change({ spec: { holderIdentity: 'go' } });
    clock.spend(60_000);
    await clock.advance(20_000);
    await fixture.change({ spec: { holderIdentity: '' } });
    await clock.advance(10_000);
    expect(us.elector.isLeader()).toBe(true);
  });
});

function untilAborted(signal: AbortSignal): Promise<void> {
  return new Promise((resolve) => signal.addEventListener('abort', () => resolve(), { once: true }));
}
