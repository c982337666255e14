import { describe, expect, it } from 'vitest';
import type { Transport } from '../api/transport.ts';
import { Cluster } from '../cluster/cluster.ts';
import { configMaps } from '../generated/api/core/v1.ts';
import { silentLogger } from '../observe/logger.ts';
import { type Candidate, electionFixture } from './election-fixture.ts';
import { fencedTransport } from './fenced-transport.ts';
import type { Fence } from './leadership.ts';

type Fixture = Awaited<ReturnType<typeof electionFixture>>;

/** A client whose writes are fenced by the first term of the candidate. */
async function fenced(fixture: Fixture, us: Candidate) {
  await us.start();
  const [fence] = us.fences as [Fence];
  const sent: string[] = [];
  const inner = fixture.server.transport();
  const counted: Transport = {
    request: (request) => {
      sent.push(request.method);
      return inner.request(request);
    },
    close: () => inner.close(),
  };
  const transport = fencedTransport(counted, fence);
  const cluster = Cluster.over(transport, { clock: fixture.clock, logger: silentLogger, fieldManager: 'test' });
  return { sent, fence, client: cluster.client(configMaps), cluster, transport };
}

const LOST = { name: 'TidewatchError', kind: 'leadership-lost', retryable: false };
const CONFIG_MAPS = { resource: 'configmaps' };

describe('a fenced transport', () => {
  it('lets everything pass while its process leads', async () => {
    await using fixture = await electionFixture();
    const { client } = await fenced(fixture, fixture.candidate('us'));
    await client.create({ metadata: { name: 'a' } });
    await client.patch('a', { data: { x: '1' } });
    await client.apply({ metadata: { name: 'a' }, data: { y: '2' } });
    expect((await client.get('a')).data).toEqual({ x: '1', y: '2' });
    await client.delete('a');
  });

  it('does not send a write after leadership has ended, and lets reads pass', async () => {
    await using fixture = await electionFixture();
    const { client, sent } = await fenced(fixture, fixture.candidate('us'));
    const object = await client.create({ metadata: { name: 'a' } });
    sent.length = 0;
    fixture.clock.suspend(10_000);
    await expect(client.create({ metadata: { name: 'b' } })).rejects.toMatchObject(LOST);
    await expect(client.update(object)).rejects.toMatchObject(LOST);
    await expect(client.patch('a', {})).rejects.toMatchObject(LOST);
    await expect(client.delete('a')).rejects.toMatchObject(LOST);
    expect(sent).toEqual([]);
    expect((await client.list()).items).toHaveLength(1);
    expect(sent).toEqual(['GET']);
  });

  it('checks each repeated attempt', async () => {
    await using fixture = await electionFixture();
    const { client, sent } = await fenced(fixture, fixture.candidate('us'));
    fixture.server.faults.add(CONFIG_MAPS, { kind: 'status', code: 429, retryAfterSeconds: 1 });
    const writing = client.create({ metadata: { name: 'a' } }).catch((error: unknown) => error);
    await fixture.settle();
    fixture.clock.suspend(10_000);
    await fixture.clock.advance(1_000);
    expect(await writing).toMatchObject(LOST);
    expect(sent).toEqual(['POST']);
  });

  it('checks again right before a write is sent, when time has passed since it was made', async () => {
    await using fixture = await electionFixture();
    const us = fixture.candidate('us');
    await us.start();
    const inner = fixture.server.transport();
    const slow: Transport = {
      request: (request) => {
        fixture.clock.suspend(10_000);
        return inner.request(request);
      },
      close: () => inner.close(),
    };
    const path = '/api/v1/namespaces/default/configmaps';
    const asked: string[] = [];
    const beforeSend = () => void asked.push('caller');
    const transport = fencedTransport(slow, us.fences[0] as Fence);
    await expect(transport.request({ method: 'POST', path, body: '{}', beforeSend })).rejects.toMatchObject(LOST);
    expect(asked).toEqual(['caller']);
  });

  it('aborts a write under way when leadership ends', async () => {
    await using fixture = await electionFixture();
    const { client } = await fenced(fixture, fixture.candidate('us'));
    fixture.server.faults.add(CONFIG_MAPS, { kind: 'stall' });
    const writing = client.create({ metadata: { name: 'a' } }).catch((error: unknown) => error);
    await fixture.change({ spec: { holderIdentity: 'go' } });
    await fixture.clock.advance(2_000);
    expect(await writing).toMatchObject({ ...LOST, message: expect.stringContaining('"go" holds it now') });
  });

  it('hands over an answer that has begun when leadership ends, and still obeys the caller', async () => {
    await using fixture = await electionFixture();
    const { transport, fence } = await fenced(fixture, fixture.candidate('us'));
    fixture.server.faults.add(CONFIG_MAPS, { kind: 'stall-body', afterBytes: 5 });
    const caller = new AbortController();
    const path = '/api/v1/namespaces/default/configmaps';
    const body = JSON.stringify({ metadata: { name: 'a' } });
    const headers = { 'content-type': 'application/json' };
    const response = await transport.request({ method: 'POST', path, body, headers, signal: caller.signal });
    const chunks = response.body[Symbol.asyncIterator]();
    expect((await chunks.next()).value).toHaveLength(5);
    fixture.clock.suspend(10_000);
    expect(() => fence.mustLead()).toThrow();
    const rest = chunks.next().catch((error: unknown) => error);
    caller.abort('enough');
    expect(await rest).toBe('enough');
  });

  it('obeys the signal of the caller before an answer', async () => {
    await using fixture = await electionFixture();
    const { client } = await fenced(fixture, fixture.candidate('us'));
    fixture.server.faults.add(CONFIG_MAPS, { kind: 'stall' });
    const caller = new AbortController();
    const writing = client.create({ metadata: { name: 'a' } }, { signal: caller.signal }).catch((error) => error);
    await fixture.settle();
    caller.abort('enough');
    expect(await writing).toBe('enough');
    await expect(client.create({ metadata: { name: 'a' } }, { signal: caller.signal })).rejects.toBe('enough');
  });

  it('refuses the writes of an earlier term, although its process leads again', async () => {
    await using fixture = await electionFixture();
    const us = fixture.candidate('us');
    const { client } = await fenced(fixture, us);
    await us.stop();
    await us.start();
    expect(us.elector.isLeader()).toBe(true);
    await expect(client.create({ metadata: { name: 'a' } })).rejects.toMatchObject(LOST);
  });

  it('closes the transport below', async () => {
    await using fixture = await electionFixture();
    const { cluster } = await fenced(fixture, fixture.candidate('us'));
    await cluster.close();
    await expect(cluster.client(configMaps).get('a')).rejects.toMatchObject({ kind: 'closed' });
  });
});
