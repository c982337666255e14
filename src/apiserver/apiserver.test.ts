import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { FakeClock } from '../observe/fake-clock.ts';
import { ApiServer } from './apiserver.ts';
import { RequestClient } from './request-client-fixture.ts';
import { asArray, getPath } from './values/json.ts';

const CONFIG_MAPS = '/api/v1/namespaces/default/configmaps';
const configMap = (name: string, data: Record<string, string> = {}) => ({ metadata: { name }, data });

describe('ApiServer in process', () => {
  let clock: FakeClock;
  let server: ApiServer;
  let client: RequestClient;

  beforeEach(async () => {
    clock = new FakeClock();
    server = await ApiServer.start({ listen: false, clock });
    client = new RequestClient(server.transport());
  });

  afterEach(async () => {
    await server.stop();
    expect(clock.pendingTimers).toBe(0);
  });

  it('creates, reads, replaces, patches and deletes an object', async () => {
    const created = await client.post(CONFIG_MAPS, configMap('a', { x: '1' }));
    expect(created.status).toBe(201);
    expect(created.body).toMatchObject({ kind: 'ConfigMap', apiVersion: 'v1', metadata: { namespace: 'default' } });
    const replaced = await client.put(`${CONFIG_MAPS}/a`, configMap('a', { x: '2' }));
    expect(Number(getPath(replaced.body, 'metadata', 'resourceVersion'))).toBeGreaterThan(
      Number(getPath(created.body, 'metadata', 'resourceVersion')),
    );
    await client.patch(`${CONFIG_MAPS}/a`, { data: { y: '3' } });
    expect((await client.get(`${CONFIG_MAPS}/a`)).body.data).toEqual({ x: '2', y: '3' });
    expect((await client.delete(`${CONFIG_MAPS}/a`)).body).toMatchObject({ status: 'Success' });
    expect((await client.get(`${CONFIG_MAPS}/a`)).body).toMatchObject({ code: 404, reason: 'NotFound' });
  });

  it('does not write an update that changes nothing', async () => {
    const created = await client.post(CONFIG_MAPS, configMap('a', { x: '1' }));
    const same = await client.put(`${CONFIG_MAPS}/a`, configMap('a', { x: '1' }));
    expect(getPath(same.body, 'metadata', 'resourceVersion')).toBe(
      getPath(created.body, 'metadata', 'resourceVersion'),
    );
  });

  it('refuses an update from a stale resourceVersion with 409', async () => {
    const created = await client.post(CONFIG_MAPS, configMap('a'));
    await client.patch(`${CONFIG_MAPS}/a`, { data: { y: '3' } });
    const answer = await client.put(`${CONFIG_MAPS}/a`, { ...created.body, data: { z: '1' } });
    expect(answer.body).toMatchObject({ code: 409, reason: 'Conflict', details: { name: 'a', kind: 'configmaps' } });
  });

  it('watches from a revision and sees the deletion under its own revision', async () => {
    const listed = await client.get(CONFIG_MAPS);
    const revision = getPath(listed.body, 'metadata', 'resourceVersion');
    await client.post(CONFIG_MAPS, configMap('a'));
    const watch = await client.watch(`${CONFIG_MAPS}`.concat(`?resourceVersion=${revision}`));
    await client.patch(`${CONFIG_MAPS}/a`, { data: { y: '3' } });
    await client.delete(`${CONFIG_MAPS}/a`);
    const events = await watch.take(3);
    expect(events.map((event) => event.type)).toEqual(['ADDED', 'MODIFIED', 'DELETED']);
    expect(getPath(events[2]?.object, 'metadata', 'resourceVersion')).toBe(server.resourceVersion);
    await watch.close();
    expect(server.openWatches).toBe(0);
  });

  it('pages a list from one revision while objects change', async () => {
    for (const name of ['a', 'b', 'c', 'd']) await client.post(CONFIG_MAPS, configMap(name));
    const first = await client.get(`${CONFIG_MAPS}?limit=2`);
    expect(getPath(first.body, 'metadata', 'remainingItemCount')).toBe(2);
    await client.delete(`${CONFIG_MAPS}/c`);
    await client.post(CONFIG_MAPS, configMap('bb'));
    const token = getPath(first.body, 'metadata', 'continue');
    const second = await client.get(`${CONFIG_MAPS}?limit=2&continue=${token}`);
    const names = asArray(second.body.items).map((item) => getPath(item, 'metadata', 'name'));
    expect(names).toEqual(['c', 'd']);
    server.compact();
    const expired = await client.get(`${CONFIG_MAPS}?limit=2&continue=${token}`);
    expect(expired.body).toMatchObject({ code: 410, reason: 'Expired' });
    const fresh = getPath(expired.body, 'metadata', 'continue');
    const rest = await client.get(`${CONFIG_MAPS}?continue=${fresh}`);
    expect(asArray(rest.body.items).map((item) => getPath(item, 'metadata', 'name'))).toEqual(['bb', 'd']);
  });
});
