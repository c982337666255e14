import { describe, expect, it } from 'vitest';
import { apiError, expired, list, Scene, ScriptedWatch, systemError } from './scripted-fixture.ts';

const MINUTE = 60_000;

describe('a reflector that lists', () => {
  it('lists from "0" in pages of 500, then watches from the version of the list', async () => {
    await using scene = await Scene.start({ lists: [list('12', ['a@3', 'b@11'])] });
    const [first, second] = scene.server.requests;
    expect(first).toMatchObject({ verb: 'list', options: { resourceVersion: '0', limit: 500 } });
    expect(Object.keys(first?.options ?? {})).toEqual(['resourceVersion', 'limit']);
    expect(second?.verb).toBe('watch');
    expect(second?.options).toEqual({ resourceVersion: '12', allowWatchBookmarks: true, timeoutSeconds: 450 });
    expect(scene.target.calls).toEqual(['replace 12: a b']);
    expect(scene.reflector.lastSyncResourceVersion()).toBe('12');
    expect(scene.phases).toEqual(['listing', 'watching']);
  });

  it('lists from the last version seen afterwards, without pages', async () => {
    const gone = () => new ScriptedWatch().send({ type: 'ERROR', status: expired().status });
    await using scene = await Scene.start({
      lists: [list('10'), list('11')],
      watches: [gone, () => new ScriptedWatch()],
    });
    await scene.clock.advance(2_000);
    expect(scene.server.of('list').map(({ options }) => options)).toEqual([
      { resourceVersion: '0', limit: 500 },
      { resourceVersion: '10' },
    ]);
  });

  it('goes on to page when the list at "0" came in pages', async () => {
    const page = (token?: string) => list('10', ['a@1'], token === undefined ? {} : { continue: token });
    await using scene = await Scene.start({
      lists: [page('c'), page(), page()],
      watches: [expired(), () => new ScriptedWatch()],
    });
    await scene.clock.advance(2_000);
    expect(scene.server.of('list').map(({ options }) => options.limit)).toEqual([500, 500, 500]);
    expect(scene.server.summary).toEqual(['list 0', 'list - continue=c', 'watch 10', 'list 10', 'watch 10']);
  });

  it('does not conclude from the pages of a list at "" that it must page for ever', async () => {
    const page = list('10', ['a@1'], { continue: 'c' });
    await using scene = await Scene.start({
      lists: [expired(), page, list('10'), list('11')],
      watches: [expired(), () => new ScriptedWatch()],
    });
    await scene.clock.advance(2_000);
    expect(scene.server.of('list').at(-1)?.options).toEqual({ resourceVersion: '10' });
  });

  it('uses the page size it is given, on every page and from every version', async () => {
    await using scene = await Scene.start({
      pageSize: 4,
      lists: [list('10', [], { continue: 'C1' }), list('10', [], { continue: 'C2' }), list('10'), list('11')],
      watches: [expired(), () => new ScriptedWatch()],
    });
    await scene.clock.advance(2_000);
    expect(scene.server.of('list').map(({ options }) => options)).toEqual([
      { resourceVersion: '0', limit: 4 },
      { continue: 'C1', limit: 4 },
      { continue: 'C2', limit: 4 },
      { resourceVersion: '10', limit: 4 },
    ]);
  });

  it('lists once more at once, from "", when the version has expired', async () => {
    await using scene = await Scene.start({
      lists: [list('10'), expired(), list('11', ['a@11'])],
      watches: [expired(), () => new ScriptedWatch()],
    });
    await scene.clock.advance(2_000);
    expect(scene.server.summary).toEqual(['list 0', 'watch 10', 'list 10', 'list -', 'watch 11']);
    expect(scene.server.of('list')[2]?.atMs).toBe(scene.server.of('list')[1]?.atMs);
    expect(scene.server.of('list')[2]?.options.limit).toBe(500);
    expect(scene.target.content).toEqual({ a: '11' });
    expect(scene.reports.map(({ phase, retryInMs }) => [phase, retryInMs])).toEqual([
      ['watching', 1200],
      ['listing', 0],
    ]);
  });

  it.each([
    ['in the form of today', { details: { causes: [{ reason: 'ResourceVersionTooLarge' }] } }],
    ['in the form of 1.17', { details: { causes: [{ message: 'Too large resource version' }] } }],
    ['in the oldest form', { message: 'Timeout: Too large resource version: 9, current: 5' }],
  ])('lists once more at once, from "", when the version is too large, %s', async (_, status) => {
    const tooLarge = apiError(504, { reason: 'Timeout', ...status });
    await using scene = await Scene.start({
      lists: [list('20'), tooLarge, list('30'), list('31')],
      watches: [expired(), expired(), () => new ScriptedWatch()],
    });
    await scene.clock.advance(10_000);
    expect(scene.server.summary).toEqual([
      'list 0',
      'watch 20',
      'list 20',
      'list -',
      'watch 30',
      'list 30',
      'watch 31',
    ]);
  });

  it('waits when the list from "" has expired too, and asks from "" again', async () => {
    await using scene = await Scene.start({
      lists: [list('10'), expired(), expired(), expired(), list('12')],
      watches: [expired(), () => new ScriptedWatch()],
    });
    await scene.clock.advance(MINUTE);
    expect(scene.server.summary).toEqual(['list 0', 'watch 10', 'list 10', 'list -', 'list -', 'list -', 'watch 12']);
    expect(scene.server.busiest2s).toBeLessThanOrEqual(5);
  });

  it('refuses a list that is older than what it has seen, and asks for the present state', async () => {
    await using scene = await Scene.start({
      lists: [list('100', ['a@90']), list('80', ['a@70']), list('101', ['a@101'])],
      watches: [expired(), () => new ScriptedWatch()],
    });
    await scene.clock.advance(2_000);
    expect(scene.server.summary).toEqual(['list 0', 'watch 100', 'list 100', 'list -', 'watch 101']);
    expect(scene.target.calls).toEqual(['replace 100: a', 'replace 101: a']);
    expect(scene.reports.at(-1)?.error.message).toContain('not older than 100, the server gave one of 80');
  });

  it('believes the present state even when it is older: the server has lost data', async () => {
    await using scene = await Scene.start({
      lists: [list('100', ['a@90']), list('80'), list('80', ['a@70'])],
      watches: [expired(), () => new ScriptedWatch()],
    });
    await scene.clock.advance(2_000);
    expect(scene.target.content).toEqual({ a: '70' });
    expect(scene.reflector.lastSyncResourceVersion()).toBe('80');
  });

  it('compares versions as decimals of any length', async () => {
    await using scene = await Scene.start({
      lists: [list('9'), list('18446744073709551617')],
      watches: [expired(), () => new ScriptedWatch()],
    });
    await scene.clock.advance(2_000);
    expect(scene.reflector.lastSyncResourceVersion()).toBe('18446744073709551617');
    expect(scene.reports).toHaveLength(1);
  });

  it('works with versions that are no numbers', async () => {
    await using scene = await Scene.start({
      lists: [list('v-b'), list('v-a')],
      watches: [expired(), () => new ScriptedWatch()],
    });
    await scene.clock.advance(2_000);
    expect(scene.server.summary).toEqual(['list 0', 'watch v-b', 'list v-b', 'watch v-a']);
  });

  it.each([
    ['a server error', apiError(500)],
    ['429', apiError(429)],
    ['401', apiError(401)],
    ['503', apiError(503)],
    ['a refused connection', systemError('ECONNREFUSED')],
    ['a reset', systemError('ECONNRESET')],
    [
      'a function that throws',
      () => {
        throw new TypeError('a bug of the user');
      },
    ],
    ['a body that makes no sense', new Error('the body is not a list in JSON')],
  ])('reports %s, waits, lists again and gets there', async (_, failure) => {
    await using scene = await Scene.start({ lists: [failure, failure, list('5', ['a@5'])] });
    const phase = failure instanceof Error && failure.message.startsWith('401') ? 'unauthorized' : 'backoff';
    expect(scene.reflector.state).toMatchObject({ phase, lastError: expect.any(Error) });
    expect(scene.reflector.state.nextAttempt).toBe(scene.clock.now() + 1200);
    await scene.clock.advance(10_000);
    expect(scene.server.of('list').map(({ atMs }) => atMs)).toEqual([0, 1200, 3600]);
    expect(scene.server.of('list').every(({ options }) => options.resourceVersion === '0')).toBe(true);
    expect(scene.reports.map(({ informer, phase, retryInMs }) => [informer, phase, retryInMs])).toEqual([
      ['pods', 'listing', 1200],
      ['pods', 'listing', 2400],
    ]);
    expect(scene.target.content).toEqual({ a: '5' });
    expect(scene.reflector.state).toEqual({
      phase: 'watching',
      since: expect.any(Number),
      lastContact: expect.any(Number),
    });
  });

  it('honours Retry-After', async () => {
    await using scene = await Scene.start({ lists: [apiError(429, { details: { retryAfterSeconds: 9 } }), list('5')] });
    await scene.clock.advance(MINUTE);
    expect(scene.server.of('list').map(({ atMs }) => atMs)).toEqual([0, 9400]);
  });

  it('logs a slow list with its steps', async () => {
    const scene: Scene = new Scene({ lists: [() => scene.clock.sleep(12_000).then(() => list('5', ['a@5']))] });
    await scene.start();
    await scene.clock.advance(20_000);
    expect(scene.log).toEqual([
      'pods: a slow list took 12.0 s: 1 objects listed in 1 page in 12.0 s, stored in 0.0 s.',
    ]);
    await scene[Symbol.asyncDispose]();
  });

  it('reports a target that cannot take the whole state, and lists again', async () => {
    const scene = new Scene({ lists: [list('5', ['a@5'])] });
    let failures = 2;
    scene.target.onCall = () => {
      if (failures-- > 0) throw new Error('the store is on fire');
    };
    await scene.start();
    await scene.clock.advance(10_000);
    expect(scene.reports.map(({ error }) => error.message)).toEqual(['the store is on fire', 'the store is on fire']);
    expect(scene.target.content).toEqual({ a: '5' });
    expect(scene.reflector.lastSyncResourceVersion()).toBe('5');
    await scene[Symbol.asyncDispose]();
  });

  it('writes to the log when there is no handler', async () => {
    await using scene = await Scene.start({ isUnheard: true, lists: [apiError(500, { message: 'boom' }), list('5')] });
    expect(scene.log).toEqual(['pods: failed while listing, next attempt in 1.2 s: 500 InternalError: boom']);
  });
});
