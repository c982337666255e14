import { describe, expect, it } from 'vitest';
import { FakeClock } from '../observe/fake-clock.ts';
import { ApiServer } from './api-server.ts';

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
});
