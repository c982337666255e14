import { Agent, request } from 'undici';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { ApiServer } from '../src/apiserver/apiserver.ts';
import { asString, getPath, isObject, type JsonObject, type JsonValue } from '../src/apiserver/values/json.ts';
import { ControlPlane } from '../src/testing/control-plane.ts';

/** One of the two servers, with what the requests of the table refer to. */
interface Side {
  readonly url: string;
  readonly token: string;
  readonly agent: Agent;
  /** resourceVersions: before the first object, after the second, and after the last change. */
  versions: { before: string; middle: string; last: string };
  /** The `continue` of a first page of two, before and after the objects changed. */
  page: string;
}

const OBJECTS = '/api/v1/namespaces/conformance/configmaps';
const METADATA = 'application/json;as=PartialObjectMetadata;g=meta.k8s.io;v=v1';
const METADATA_LIST = 'application/json;as=PartialObjectMetadataList;g=meta.k8s.io;v=v1';
const TABLE = 'application/json;as=Table;g=meta.k8s.io;v=v1';

/** A query with `{before}`, `{middle}`, `{last}` and `{page}` filled in on each side. */
const LISTS = [
  '',
  'resourceVersion=0',
  'resourceVersion={middle}',
  'resourceVersion={last}',
  'resourceVersion={middle}&resourceVersionMatch=NotOlderThan',
  'resourceVersion={middle}&resourceVersionMatch=Exact',
  'resourceVersion={before}&resourceVersionMatch=Exact',
  'resourceVersion=0&resourceVersionMatch=NotOlderThan',
  'resourceVersion=0&resourceVersionMatch=Exact',
  'resourceVersionMatch=Exact',
  'resourceVersionMatch=NotOlderThan',
  'resourceVersionMatch=Newest&resourceVersion={last}',
  'resourceVersion=abc',
  'resourceVersion=-1',
  'resourceVersion=999999999999',
  'resourceVersion=999999999999&resourceVersionMatch=Exact',
  'resourceVersion=18446744073709551615',
  'resourceVersion=18446744073709551616',
  'limit=2',
  'limit=2&resourceVersion=0',
  'limit=2&resourceVersion={middle}',
  'limit=1&resourceVersion={middle}',
  'limit=2&resourceVersion={middle}&resourceVersionMatch=NotOlderThan',
  'limit=2&resourceVersion={middle}&resourceVersionMatch=Exact',
  'limit=2&labelSelector=color%3Dred',
  'limit=1&labelSelector=color%3Dred',
  'limit=0',
  'limit=-1',
  'limit=x',
  'limit=2&continue={page}',
  'limit=1&continue={page}',
  'continue={page}',
  'continue={page}&resourceVersion=0',
  'continue={page}&resourceVersion={last}',
  'continue={page}&resourceVersionMatch=Exact',
  'continue=abc',
  'continue=%21%21',
  'continue=eyJ2IjoibWV0YS5rOHMuaW8vdjIiLCJydiI6MSwic3RhcnQiOiJhIn0',
  'continue=eyJ2IjoibWV0YS5rOHMuaW8vdjEiLCJydiI6MCwic3RhcnQiOiJhIn0',
  'continue=eyJ2IjoibWV0YS5rOHMuaW8vdjEiLCJydiI6MSwic3RhcnQiOiIifQ',
  'continue=eyJ2IjoibWV0YS5rOHMuaW8vdjEiLCJydiI6MSwic3RhcnQiOiIuLi94In0',
  'labelSelector=color%3Dred',
  'labelSelector=color%21%3Dred',
  'labelSelector=color%20in%20(red,blue)',
  'labelSelector=color%20notin%20(red)',
  'labelSelector=%21color',
  'labelSelector=size%3E2',
  'labelSelector=a%21%21b',
  'labelSelector=%3D',
  'fieldSelector=metadata.name%3Db',
  'fieldSelector=metadata.name%21%3Db',
  'fieldSelector=metadata.namespace%3Dconformance',
  'fieldSelector=metadata.namespace%3Dother',
  'fieldSelector=data.x%3D1',
  'fieldSelector=metadata.name',
  'sendInitialEvents=true',
  'timeoutSeconds=x',
  'allowWatchBookmarks=true',
  'watch=false',
  'watch=0',
];

const WATCHES = [
  '',
  'resourceVersion=0',
  'resourceVersion={before}',
  'resourceVersion={middle}',
  'resourceVersion={last}',
  'resourceVersion=999999999999',
  'resourceVersion=abc',
  'resourceVersion={before}&labelSelector=color%3Dred',
  'resourceVersion={before}&labelSelector=color%3Dblue',
  'resourceVersion={before}&fieldSelector=metadata.name%3Db',
  'resourceVersion={before}&allowWatchBookmarks=true',
  'labelSelector=color%3Dred',
  'labelSelector=%3D',
  'fieldSelector=data.x%3D1',
  'resourceVersionMatch=NotOlderThan',
  'resourceVersionMatch=Exact',
  'sendInitialEvents=true',
  'sendInitialEvents=false',
  'sendInitialEvents=true&resourceVersionMatch=Exact',
  'sendInitialEvents=true&resourceVersionMatch=NotOlderThan',
  'sendInitialEvents=true&resourceVersionMatch=NotOlderThan&allowWatchBookmarks=true',
  'sendInitialEvents=true&resourceVersionMatch=NotOlderThan&allowWatchBookmarks=true&resourceVersion=0',
  'sendInitialEvents=true&resourceVersionMatch=NotOlderThan&allowWatchBookmarks=true&resourceVersion={middle}',
  'sendInitialEvents=true&resourceVersionMatch=NotOlderThan&allowWatchBookmarks=true&resourceVersion=999999999999',
  'sendInitialEvents=true&resourceVersionMatch=NotOlderThan&allowWatchBookmarks=true&labelSelector=color%3Dred',
  'sendInitialEvents=false&resourceVersionMatch=NotOlderThan',
  'sendInitialEvents=false&resourceVersionMatch=NotOlderThan&allowWatchBookmarks=true',
  'sendInitialEvents=false&resourceVersionMatch=NotOlderThan&resourceVersion={middle}',
  'sendInitialEvents=false&resourceVersionMatch=NotOlderThan&resourceVersion=0',
  'continue={page}',
  'continue={page}&sendInitialEvents=true&resourceVersionMatch=NotOlderThan',
  'limit=1&resourceVersion={before}',
];

const PATHS = [
  '/api/v1/configmaps?labelSelector=conformance%3Dyes',
  '/api/v1/namespaces/nowhere/configmaps',
  `${OBJECTS}/b`,
  `${OBJECTS}/b?resourceVersion=0`,
  `${OBJECTS}/b?resourceVersion={last}`,
  `${OBJECTS}/b?resourceVersion=abc`,
  `${OBJECTS}/b?resourceVersion=999999999999`,
  `${OBJECTS}/none`,
  `${OBJECTS}/none?resourceVersion=0`,
  '/api/v1/watch/namespaces/conformance/configmaps?timeoutSeconds=1&resourceVersion={before}',
  '/api/v1/watch/namespaces/conformance/configmaps/b?timeoutSeconds=1&resourceVersion={before}',
  `${OBJECTS}?watch=yes&timeoutSeconds=1&resourceVersion={middle}`,
  `${OBJECTS}?watch=true&timeoutSeconds=1&resourceVersion={middle}`,
  `${OBJECTS}?watch&timeoutSeconds=1&resourceVersion={middle}`,
  '/api/v1/unknowns',
  '/api/v1/namespaces/conformance/unknowns',
  '/apis/apps/v1/unknowns',
  '/apis/apps/v9',
  '/apis/nothing.example.com/v1/unknowns',
  '/apis/nothing.example.com',
  '/nothing',
  '/api/v1/namespaces/conformance/nodes',
  '/api/v1/pods/x',
  '/healthz',
  '/readyz/ping',
];

const METHODS: [string, string][] = [
  ['POST', '/api/v1/configmaps'],
  ['POST', `${OBJECTS}/b`],
  ['PUT', OBJECTS],
  ['PATCH', OBJECTS],
  ['DELETE', '/api/v1/configmaps'],
  ['PUT', '/api/v1/nodes'],
  ['POST', '/api/v1/nodes/x/status'],
  ['DELETE', '/api/v1/namespaces'],
];

const ACCEPTS: [string, string][] = [
  [OBJECTS, METADATA_LIST],
  [OBJECTS, METADATA],
  [`${OBJECTS}/b`, METADATA],
  [`${OBJECTS}/b`, METADATA_LIST],
  [OBJECTS, TABLE],
  [`${OBJECTS}?includeObject=Object`, TABLE],
  [`${OBJECTS}?includeObject=None`, TABLE],
  [`${OBJECTS}?includeObject=Some`, TABLE],
  [`${OBJECTS}?watch=1&timeoutSeconds=1&resourceVersion={before}`, METADATA],
  [`${OBJECTS}?watch=1&timeoutSeconds=1&resourceVersion={before}`, TABLE],
  [OBJECTS, 'application/json;as=Chair;g=meta.k8s.io;v=v1'],
  [OBJECTS, 'application/json;as=Chair;g=meta.k8s.io;v=v1,application/json'],
  [OBJECTS, '*/*'],
  [OBJECTS, 'application/*'],
  [OBJECTS, 'text/html'],
  [OBJECTS, 'text/html,*/*'],
  [`${OBJECTS}?watch=1&timeoutSeconds=1`, 'application/yaml'],
];

describe('the embedded server and the real one', () => {
  let plane: ControlPlane;
  let server: ApiServer;
  let real: Side;
  let ours: Side;

  beforeAll(async () => {
    plane = await ControlPlane.start();
    server = await ApiServer.start({ controllers: false });
    real = side(plane.server, plane.token, plane.ca);
    ours = side(server.url, server.token ?? '', server.ca ?? '');
    for (const one of [real, ours]) await seed(one);
  });

  afterAll(async () => {
    for (const one of [real, ours]) await one?.agent.close();
    await server?.stop();
    await plane?.stop();
  });

  const expectSame = async (method: string, path: string, accept?: string) => {
    const [theirs, mine] = await Promise.all([
      summary(real, method, path, accept),
      summary(ours, method, path, accept),
    ]);
    expect(mine).toEqual(theirs);
  };

  describe('answer a list alike', () => {
    it.each(LISTS)('?%s', (query) => expectSame('GET', `${OBJECTS}?${query}`));
  });

  describe('answer a watch alike', () => {
    it.each(WATCHES)('?watch=1&%s', (query) => expectSame('GET', `${OBJECTS}?watch=1&timeoutSeconds=1&${query}`));
  });

  describe('answer a path alike', () => {
    it.each(PATHS)('%s', (path) => expectSame('GET', path));
    it.each(METHODS)('%s %s', (method, path) => expectSame(method, path));
  });

  describe('answer an Accept header alike', () => {
    it.each(ACCEPTS)('%s as %s', (path, accept) => expectSame('GET', path, accept));
  });

  it('forget alike what was compacted', async () => {
    await plane.compact();
    server.compact();
    for (const query of [
      'resourceVersion={middle}&resourceVersionMatch=Exact',
      'limit=2&resourceVersion={middle}',
      'limit=2&continue={page}',
    ]) {
      const [theirs, mine] = await Promise.all([real, ours].map((one) => summary(one, 'GET', `${OBJECTS}?${query}`)));
      // The real server still has the snapshot in its cache, for as long as it likes.
      if (theirs?.status === 200) continue;
      expect(mine).toEqual(theirs);
    }
    await plane.restart('apiserver');
    for (const query of [
      'resourceVersion={middle}&resourceVersionMatch=Exact',
      'limit=2&resourceVersion={middle}',
      'limit=2&continue={page}',
      'watch=1&timeoutSeconds=1&resourceVersion={middle}',
      'watch=1&timeoutSeconds=1&resourceVersion=1',
    ]) {
      const path = `${OBJECTS}?${query}`;
      expect({ query, answer: await summary(ours, 'GET', path) }).toEqual({
        query,
        answer: await summary(real, 'GET', path),
      });
    }
  });
});

function side(url: string, token: string, ca: string): Side {
  const agent = new Agent({ connect: { ca } });
  return { url, token, agent, versions: { before: '', middle: '', last: '' }, page: '' };
}

async function send(
  one: Side,
  method: string,
  path: string,
  options: { body?: unknown; type?: string; accept?: string } = {},
) {
  const response = await request(`${one.url}${path}`, {
    dispatcher: one.agent,
    method: method as 'GET',
    headers: {
      authorization: `Bearer ${one.token}`,
      'user-agent': 'conformance/1',
      ...(options.accept === undefined ? {} : { accept: options.accept }),
      ...(options.body === undefined ? {} : { 'content-type': options.type ?? 'application/json' }),
    },
    body: options.body === undefined ? null : JSON.stringify(options.body),
  });
  return { status: response.statusCode, type: response.headers['content-type'], text: await response.body.text() };
}

async function seed(one: Side): Promise<void> {
  await send(one, 'POST', '/api/v1/namespaces', { body: { metadata: { name: 'conformance' } } });
  const version = async () => {
    const { text } = await send(one, 'GET', OBJECTS);
    return asString(getPath(JSON.parse(text) as JsonObject, 'metadata', 'resourceVersion'));
  };
  const create = (name: string, labels: Record<string, string>) =>
    send(one, 'POST', OBJECTS, {
      body: { metadata: { name, labels: { conformance: 'yes', ...labels } }, data: { x: '1' } },
    });
  one.versions.before = await version();
  await create('b', { color: 'red', size: '1' });
  await create('a', { color: 'blue', size: '3' });
  one.versions.middle = await version();
  await create('c', { color: 'red' });
  await create('d', {});
  const page = await send(one, 'GET', `${OBJECTS}?limit=2`);
  one.page = asString(getPath(JSON.parse(page.text) as JsonObject, 'metadata', 'continue'));
  const patch = (name: string, body: unknown) =>
    send(one, 'PATCH', `${OBJECTS}/${name}`, { body, type: 'application/merge-patch+json' });
  await patch('b', { metadata: { labels: { color: 'blue' } } });
  await patch('b', { metadata: { labels: { color: 'red' } } });
  await send(one, 'DELETE', `${OBJECTS}/d`);
  one.versions.last = await version();
}

/** What a client can tell, without what must differ: uids, times, and the numbers of revisions. */
async function summary(one: Side, method: string, template: string, accept?: string) {
  const path = template.replace(/\{(before|middle|last|page)\}/g, (_all, name: string) =>
    name === 'page' ? one.page : one.versions[name as keyof Side['versions']],
  );
  const answer = await send(one, method, path, accept === undefined ? {} : { accept });
  const type = answer.type?.toString().split(';')[0];
  if (/[?&]watch|\/watch\//.test(path) && answer.status === 200) {
    const lines = answer.text.split('\n').filter((line) => line !== '');
    return { status: answer.status, type, events: lines.map((line) => shape(one, JSON.parse(line) as JsonObject)) };
  }
  if (type !== 'application/json') return { status: answer.status, type };
  return { status: answer.status, type, body: shape(one, JSON.parse(answer.text) as JsonObject) };
}

function shape(one: Side, value: JsonValue, key = ''): JsonValue {
  if (Array.isArray(value)) return value.map((item) => shape(one, item, key === 'cells' ? 'cell' : ''));
  if (isObject(value)) {
    const kept = Object.entries(value).filter(([name]) => !DIFFERENT.has(name));
    return Object.fromEntries(kept.map(([name, item]) => [name, shape(one, item ?? null, name)]));
  }
  if (key === 'resourceVersion') return revisionName(one, String(value));
  if (key === 'continue') return value === '' ? '' : 'token';
  if (key === 'message') return wording(String(value));
  // The two are seeded one after the other, so their objects are not equally old.
  if (key === 'cell' && /^\d+[sm](\d+s)?$/.test(String(value))) return 'an age';
  return value;
}

/** Beside identities and times: ours describes the columns of a table in its own words. */
const DIFFERENT = new Set(['uid', 'creationTimestamp', 'time', 'description']);

function revisionName(one: Side, revision: string): string {
  const known = Object.entries(one.versions).find(([, version]) => version === revision);
  if (known) return known[0];
  // Other things happen on the real server meanwhile.
  return Number(revision) > Number(one.versions.last) ? 'last' : 'another';
}

/** Numbers of revisions differ; so do the words of the two languages for a text that does not parse. */
function wording(message: string): string {
  if (/continue key is not valid/.test(message)) return 'continue key is not valid';
  if (/selector|requirement|label key|label value|found '/.test(message)) return 'a selector that does not parse';
  if (/media types are accepted|representations/i.test(message)) return 'media types';
  return message.replace(/\d+/g, 'N');
}
