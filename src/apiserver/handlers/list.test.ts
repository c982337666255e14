import fc from 'fast-check';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { FakeClock } from '../../observe/fake-clock.ts';
import { ApiServer } from '../apiserver.ts';
import { RequestClient } from '../request-client-fixture.ts';
import { asArray, asString, getPath, type JsonObject } from '../values/json.ts';

const OBJECTS = '/api/v1/namespaces/default/configmaps';
const names = (body: JsonObject) => asArray(body.items).map((item) => asString(getPath(item, 'metadata', 'name')));

describe('a list', () => {
  let clock: FakeClock;
  let server: ApiServer;
  let client: RequestClient;

  beforeEach(async () => {
    clock = new FakeClock();
    server = await ApiServer.start({ listen: false, clock });
    client = new RequestClient(server.transport());
  });

  afterEach(() => server.stop());

  const create = (name: string, labels: Record<string, string> = {}) =>
    client.post(OBJECTS, { metadata: { name, labels } });

  it('in pages of any size is the list in one piece, whatever is written meanwhile', async () => {
    for (let count = 0; count < 12; count++) await create(`m${count}`, { even: String(count % 2 === 0) });
    await fc.assert(
      fc.asyncProperty(
        fc.integer({ min: 1, max: 13 }),
        fc.constantFrom('', '&labelSelector=even%3Dtrue'),
        fc.infiniteStream(fc.constantFrom('m3', 'm7', 'z', 'a')),
        async (limit, selector, writes) => {
          const whole = names((await client.get(`${OBJECTS}?${selector}`)).body);
          const paged: string[] = [];
          const revisions = new Set<unknown>();
          let token = '';
          do {
            const { body } = await client.get(`${OBJECTS}?limit=${limit}${selector}&continue=${token}`);
            paged.push(...names(body));
            revisions.add(getPath(body, 'metadata', 'resourceVersion'));
            token = asString(getPath(body, 'metadata', 'continue'));
            const name = writes.next().value ?? '';
            if ((await client.delete(`${OBJECTS}/${name}`)).status === 404) await create(name, { even: 'true' });
          } while (token !== '');
          expect(paged).toEqual(whole);
          expect(revisions.size).toBe(1);
        },
      ),
      { numRuns: 25 },
    );
  });

  it('that goes on after its revision was forgotten shows a newer one, also when nobody wrote meanwhile', async () => {
    for (const name of ['a', 'b', 'c']) await create(name);
    const first = await client.get(`${OBJECTS}?limit=1`);
    const token = asString(getPath(first.body, 'metadata', 'continue'));
    await clock.advance(4 * 60_000);
    expect((await client.get(`${OBJECTS}?limit=1&continue=${token}`)).status).toBe(200);
    await clock.advance(2 * 60_000);
    const gone = await client.get(`${OBJECTS}?limit=1&continue=${token}`);
    expect(gone.status).toBe(410);
    const other = asString(getPath(gone.body, 'metadata', 'continue'));
    const second = await client.get(`${OBJECTS}?limit=1&continue=${other}`);
    expect(names(second.body)).toEqual(['b']);
    const version = (answer: typeof first) => Number(getPath(answer.body, 'metadata', 'resourceVersion'));
    expect(version(second)).toBeGreaterThan(version(first));
    const last = asString(getPath(second.body, 'metadata', 'continue'));
    const third = await client.get(`${OBJECTS}?limit=1&continue=${last}`);
    expect(names(third.body)).toEqual(['c']);
    expect(version(third)).toBe(version(second));
  });

  it('tells how many items remain, unless a selector makes that a guess', async () => {
    for (const name of ['a', 'b', 'c']) await create(name);
    const counted = await client.get(`${OBJECTS}?limit=1`);
    expect(getPath(counted.body, 'metadata', 'remainingItemCount')).toBe(2);
    const selected = await client.get(`${OBJECTS}?limit=1&labelSelector=%21x`);
    expect(getPath(selected.body, 'metadata')).not.toHaveProperty('remainingItemCount');
  });

  it('at "0" ignores the limit, as the watch cache of the real server does', async () => {
    for (const name of ['a', 'b', 'c']) await create(name);
    expect(names((await client.get(`${OBJECTS}?limit=1&resourceVersion=0`)).body)).toEqual(['a', 'b', 'c']);
  });

  it('at an exact revision shows that past', async () => {
    await create('a');
    const then = server.resourceVersion;
    await client.delete(`${OBJECTS}/a`);
    await create('b');
    const { body } = await client.get(`${OBJECTS}?resourceVersion=${then}&resourceVersionMatch=Exact`);
    expect(names(body)).toEqual(['a']);
    expect(getPath(body, 'metadata', 'resourceVersion')).toBe(then);
    server.compact();
    const gone = await client.get(`${OBJECTS}?resourceVersion=${then}&resourceVersionMatch=Exact`);
    expect(gone.body).toMatchObject({ code: 410, reason: 'Expired' });
  });

  it('of a revision that is yet to come waits for it, and after three seconds says 504', async () => {
    const wanted = Number(server.resourceVersion) + 1;
    const waiting = client.get(`${OBJECTS}?resourceVersion=${wanted}`);
    await create('a');
    expect((await waiting).status).toBe(200);
    const early = client.get(`${OBJECTS}?resourceVersion=9999`);
    await clock.advance(3_000);
    expect((await early).body).toEqual({
      kind: 'Status',
      apiVersion: 'v1',
      metadata: {},
      status: 'Failure',
      message: `Timeout: Too large resource version: 9999, current: ${server.resourceVersion}`,
      reason: 'Timeout',
      details: {
        causes: [{ reason: 'ResourceVersionTooLarge', message: 'Too large resource version' }],
        retryAfterSeconds: 1,
      },
      code: 504,
    });
  });

  it('selects by the fields of the kind', async () => {
    const pod = (name: string, nodeName: string) => ({
      metadata: { name },
      spec: { nodeName, containers: [{ name: 'c', image: 'i' }] },
    });
    await client.post('/api/v1/namespaces/default/pods', pod('p1', 'n1'));
    await client.post('/api/v1/namespaces/default/pods', pod('p2', 'n2'));
    const of = async (selector: string) =>
      names((await client.get(`/api/v1/pods?fieldSelector=${encodeURIComponent(selector)}`)).body);
    expect(await of('spec.nodeName=n1')).toEqual(['p1']);
    expect(await of('spec.host=n2')).toEqual(['p2']);
    expect(await of('spec.nodeName!=n1,status.phase=Pending')).toEqual(['p2']);
    expect(await of('metadata.name=p1,metadata.namespace=default')).toEqual(['p1']);
    const wrong = await client.get('/api/v1/pods?fieldSelector=spec.color%3Dred');
    expect(wrong.body).toMatchObject({ code: 400, message: 'field label not supported: spec.color' });
  });

  it('leaves kind and apiVersion out of its items, as the real server does for built-in kinds', async () => {
    await create('a');
    const { body } = await client.get(OBJECTS);
    expect(body).toMatchObject({ kind: 'ConfigMapList', apiVersion: 'v1' });
    expect(asArray(body.items)[0]).not.toHaveProperty('kind');
  });
});
