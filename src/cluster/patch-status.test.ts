import { describe, expect, it } from 'vitest';
import { withOrigin } from '../api/origin.ts';
import { type Deployment, deployments } from '../generated/api/apps/v1.ts';
import { ApiServer } from '../testing/api-server.ts';
import { statusPatch } from './status-patch.ts';

const object = (status?: unknown) => ({ metadata: { name: 'web', resourceVersion: '7' }, status });

describe('the patch of a status', () => {
  it.each<[what: string, current: unknown, wanted: object]>([
    ['a field of the same value', { phase: 'Ready' }, { phase: 'Ready' }],
    ['a part of what is there', { phase: 'Ready', count: 1 }, { count: 1 }],
    ['nothing at all', undefined, {}],
    ['an undefined field', { phase: 'Ready' }, { phase: undefined }],
    ['the removal of what is not there', undefined, { phase: null }],
    ['the removal of what is null', { phase: null }, { phase: null }],
    ['equal lists of maps, whatever the order of their fields', { l: [{ a: 1, b: [2] }] }, { l: [{ b: [2], a: 1 }] }],
    ['an undefined field in an item of a list', { l: [{ a: 1 }] }, { l: [{ a: 1, b: undefined }] }],
    ['a part of an inner map', { m: { a: 1, b: 2 } }, { m: { a: 1 } }],
    ['a date of the same time', { at: '2026-01-01T00:00:00.000Z' }, { at: new Date(Date.UTC(2026, 0)) }],
  ])('is not sent for %s', (_what, current, wanted) => {
    expect(statusPatch(object(current), wanted)).toBeUndefined();
  });

  it.each<[what: string, current: unknown, wanted: object]>([
    ['another value', { phase: 'Ready' }, { phase: 'Failed' }],
    ['the first field', undefined, { phase: 'Ready' }],
    ['the removal of a field', { phase: 'Ready' }, { phase: null }],
    ['a field of an inner map', { m: { a: 1, b: 2 } }, { m: { a: 2 } }],
    ['the removal of an inner field', { m: { a: 1 } }, { m: { a: null } }],
    ['an empty map where there is nothing', {}, { m: {} }],
    ['a text where a map was', { m: { a: 1 } }, { m: 'a' }],
    ['a field with the name of an inherited one', {}, { constructor: 'x' }],
    ['0 instead of nothing', {}, { count: 0 }],
  ])('is sent for %s, as it was given', (_what, current, wanted) => {
    expect(statusPatch(object(current), wanted)).toEqual({ status: wanted });
  });

  it.each<[what: string, current: unknown, wanted: object]>([
    ['a longer list', { l: [1] }, { l: [1, 2] }],
    ['a list in another order', { l: [1, 2] }, { l: [2, 1] }],
    ['an item with a field less', { l: [{ a: 1, b: 2 }] }, { l: [{ a: 1 }] }],
    ['a list in a map', {}, { m: { l: [] } }],
  ])('carries the resourceVersion for %s, because a list is replaced whole', (_what, current, wanted) => {
    expect(statusPatch(object(current), wanted)).toEqual({ status: wanted, metadata: { resourceVersion: '7' } });
  });

  it('is always sent for an object of a cache that may have left out a part of the status', () => {
    const cached = withOrigin(object({ phase: 'Ready' }), () => ({
      what: 'leaves out status.x',
      concernsStatus: true,
    }));
    expect(statusPatch(cached, { x: null })).toEqual({ status: { x: null } });
  });

  it('must be an object', () => {
    for (const wrong of [undefined, null, 'Ready', []]) {
      expect(() => statusPatch(object(), wrong as never)).toThrow(TypeError);
    }
  });
});

describe('patchStatus', () => {
  const requests: string[] = [];

  async function deployment() {
    requests.length = 0;
    const server = await ApiServer.start({ listen: false });
    server.faults.add(
      { verb: 'patch', where: ({ path }) => requests.push(path) > 0 },
      { kind: 'delay', ms: 0 },
      { times: Number.POSITIVE_INFINITY },
    );
    const client = server.cluster().client(deployments);
    const template = { metadata: { labels: { a: 'b' } }, spec: { containers: [{ name: 'a', image: 'a' }] } };
    const spec: Deployment['spec'] = { selector: { matchLabels: { a: 'b' } }, template };
    const created = await client.create({ metadata: { name: 'web', namespace: 'default' }, spec });
    return { client, created, [Symbol.asyncDispose]: () => server.stop() };
  }

  it('writes the status, and sends nothing when it is called again with what the server answered', async () => {
    await using test = await deployment();
    const ready = await test.client.patchStatus(test.created, { readyReplicas: 1, replicas: 1 });
    expect(ready.status).toMatchObject({ readyReplicas: 1, replicas: 1 });
    expect(await test.client.patchStatus(ready, { readyReplicas: 1 })).toBe(ready);
    expect(requests).toEqual(['/apis/apps/v1/namespaces/default/deployments/web/status']);
  });

  it('removes a field that is null, and leaves what is undefined', async () => {
    await using test = await deployment();
    const ready = await test.client.patchStatus(test.created, { readyReplicas: 1, replicas: 2 });
    const changed = await test.client.patchStatus(ready, { readyReplicas: null, replicas: undefined });
    expect(changed.status).not.toHaveProperty('readyReplicas');
    expect(changed.status).toMatchObject({ replicas: 2 });
  });

  it('rejects with a conflict when a list would replace one of a newer version', async () => {
    await using test = await deployment();
    const condition = { type: 'Available', status: 'True', reason: 'a', message: 'b' };
    await test.client.patchStatus(test.created, { conditions: [condition] });
    const stale = test.client.patchStatus(test.created, { conditions: [{ ...condition, type: 'Progressing' }] });
    await expect(stale).rejects.toMatchObject({ kind: 'conflict' });
  });
});
