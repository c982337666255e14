import { describe, expect, it } from 'vitest';
import { FakeClock } from '../../observe/fake-clock.ts';
import { ApiServer } from '../apiserver.ts';

const WATCH = { method: 'GET', path: '/api/v1/pods', query: 'watch=1' } as const;

describe('the transport without a socket', () => {
  it('ends a pending read with the reason of the signal', async () => {
    await using server = await ApiServer.start({ listen: false, clock: new FakeClock() });
    const controller = new AbortController();
    const { body } = await server.transport().request({ ...WATCH, signal: controller.signal });
    const pending = body[Symbol.asyncIterator]().next();
    controller.abort(new Error('enough'));
    await expect(pending).rejects.toThrow('enough');
    expect(server.openWatches).toBe(0);
  });

  it('refuses to begin under a signal that is already aborted', async () => {
    await using server = await ApiServer.start({ listen: false, clock: new FakeClock() });
    const request = { ...WATCH, signal: AbortSignal.abort(new Error('too late')) };
    await expect(server.transport().request(request)).rejects.toThrow('too late');
  });

  it('releases a stream that is left early, and lets it be read once', async () => {
    await using server = await ApiServer.start({ listen: false, clock: new FakeClock() });
    const { body } = await server.transport().request({ method: 'GET', path: '/api/v1/namespaces', query: 'watch=1' });
    for await (const _chunk of body) break;
    expect(server.openWatches).toBe(0);
    expect(() => body[Symbol.asyncIterator]()).toThrow('only once');
  });

  it('once closed takes no more requests, and ends those that run', async () => {
    await using server = await ApiServer.start({ listen: false, clock: new FakeClock() });
    const transport = server.transport();
    const { body } = await transport.request(WATCH);
    const pending = body[Symbol.asyncIterator]().next();
    await transport.close();
    await expect(pending).rejects.toMatchObject({ kind: 'closed' });
    await expect(transport.request(WATCH)).rejects.toMatchObject({ kind: 'closed' });
  });

  it('finds nobody when the server has stopped', async () => {
    const server = await ApiServer.start({ listen: false, clock: new FakeClock() });
    const transport = server.transport();
    const { body } = await transport.request(WATCH);
    const pending = body[Symbol.asyncIterator]().next();
    await server.stop();
    await expect(Promise.race([pending, Promise.reject(new Error('still open'))])).rejects.toThrow();
    await expect(transport.request(WATCH)).rejects.toMatchObject({ kind: 'refused' });
    await expect(server.transport().request(WATCH)).rejects.toMatchObject({ kind: 'refused' });
  });

  it('gives up a list that stalls, by the clock of the request, and lets a watch be silent', async () => {
    await using server = await ApiServer.start({ listen: false, clock: new FakeClock() });
    server.faults.add({}, { kind: 'stall-body', afterBytes: 1 });
    const clock = new FakeClock();
    const read = async (query: string) => {
      const request = { method: 'GET', path: '/api/v1/namespaces', query, clock } as const;
      const { body } = await server.transport().request(request);
      for await (const _chunk of body);
    };
    const list = read('limit=1').catch((error: unknown) => error);
    let isWatching = true;
    const watch = read('watch=true').catch(() => {
      isWatching = false;
    });
    await clock.advance(60_000);
    expect(await list).toMatchObject({ name: 'TransportError', kind: 'timeout' });
    expect(isWatching).toBe(true);
    expect(clock.pendingTimers).toBe(0);
    await server.stop();
    await watch;
  });

  it('waits for the head without a limit when the request says 0', async () => {
    const clock = new FakeClock();
    await using server = await ApiServer.start({ listen: false, clock });
    const fault = server.faults.add({}, { kind: 'stall' });
    const request = { method: 'GET', path: '/api/v1/namespaces', headersTimeoutMs: 0 } as const;
    const answer = server.transport().request(request);
    await clock.advance(600_000);
    fault.remove();
    expect((await answer).status).toBe(200);
  });
});
