import { readFileSync } from 'node:fs';
import { Agent, request } from 'undici';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { parse } from 'yaml';
import { ApiServer } from '../src/apiserver/apiserver.ts';
import { isObject, type JsonObject, type JsonValue } from '../src/apiserver/values/json.ts';
import { sharedControlPlane } from './shared-control-plane-fixture.ts';

interface WriteRequest {
  method: string;
  path: string;
  body?: JsonValue;
  type?: string;
  headers?: Record<string, string>;
  /** Dotted paths in the answer that cannot be alike. */
  ignore?: string[];
  /** Paths that must be served before: the real server takes its time with definitions. */
  after?: string[];
}

interface Side {
  readonly url: string;
  readonly token: string;
  readonly agent: Agent;
}

const CORPORA = ['writes', 'scale', 'updates'];

/** The requests of a corpus, with titles. */
function requestsOf(corpus: string): [string, WriteRequest][] {
  const text = readFileSync(new URL(`testdata/apiserver-${corpus}.yaml`, import.meta.url), 'utf8');
  const requests = parse(text.replaceAll('{ns}', `${corpus}-${process.pid}`)) as WriteRequest[];
  return requests.map((one, index) => [`${index}: ${one.method} ${one.path}`, one]);
}

describe.each(CORPORA)('the embedded server and the real one answer alike, in order: %s', (corpus) => {
  let server: ApiServer;
  let real: Side;
  let ours: Side;

  beforeAll(async () => {
    const plane = sharedControlPlane();
    server = await ApiServer.start({ controllers: false });
    real = { url: plane.server, token: plane.token, agent: new Agent({ connect: { ca: plane.ca } }) };
    ours = { url: server.url, token: server.token ?? '', agent: new Agent({ connect: { ca: server.ca ?? '' } }) };
  });

  afterAll(async () => {
    await real?.agent.close();
    await ours?.agent.close();
    await server?.stop();
  });

  it.each(requestsOf(corpus))('%s', async (_title, one) => {
    for (const path of one.after ?? []) {
      const served = () => send(real, { method: 'GET', path }).then(({ status }) => status);
      await expect.poll(served, { timeout: 120_000 }).toBe(200);
    }
    const [theirs, mine] = [await send(real, one), await send(ours, one)];
    expect(mine).toEqual(theirs);
  });
});

async function send(side: Side, one: WriteRequest) {
  const body = one.body === undefined ? null : JSON.stringify(one.body);
  const response = await request(`${side.url}${one.path}`, {
    dispatcher: side.agent,
    method: one.method as 'GET',
    headers: {
      authorization: `Bearer ${side.token}`,
      'user-agent': 'writes/1',
      ...(body === null ? {} : { 'content-type': one.type ?? 'application/json' }),
      ...one.headers,
    },
    body,
  });
  const text = await response.body.text();
  const type = response.headers['content-type'];
  const warnings = response.headers.warning;
  const answer = { status: response.statusCode, type, warnings };
  if (type !== 'application/json') return answer;
  const value = JSON.parse(text) as JsonObject;
  for (const path of one.ignore ?? []) drop(value, path.split('.'));
  return { ...answer, body: alike(value) };
}

function drop(value: JsonObject, [key = '', ...rest]: readonly string[]): void {
  const inner = value[key];
  if (rest.length === 0) delete value[key];
  else if (isObject(inner)) drop(inner, rest);
}

const UID = /[0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12}/g;
const TIME = /\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d(?:\.\d+)?Z/g;

/** Without what must differ: identities, times, revisions, addresses, and descriptions in our own words. */
function alike(value: JsonValue, key = ''): JsonValue {
  if (Array.isArray(value)) {
    if (key === 'managedFields') expectOrderOfTimes(value);
    return inOrder(
      value.map((item) => alike(item)),
      key,
    );
  }
  if (isObject(value)) {
    const kept = Object.entries(value).filter(([name]) => name !== 'description');
    return Object.fromEntries(kept.map(([name, item]) => [alike(name), alike(item ?? null, name)]));
  }
  if (key === 'nodePort') return 'a port';
  if (key === 'resourceVersion') return 'a revision';
  if (typeof value !== 'string') return value;
  return wording(value.replace(UID, 'UID').replace(TIME, 'TIME'), key);
}

/** Applied before updated, then by time; a second may begin between any two writes, so that no more of the order can be compared. */
function expectOrderOfTimes(entries: readonly JsonValue[]): void {
  const order = entries.filter(isObject).map(({ operation, time }) => `${operation} ${time ?? ''}`);
  expect(order).toEqual(order.toSorted());
}

function ownerOf(entry: JsonValue): string {
  return isObject(entry) ? `${entry.operation} ${entry.manager} ${entry.subresource}` : '';
}

/** Go walks maps in any order, and complains about their keys in that order. */
function inOrder(items: JsonValue[], key: string): JsonValue[] {
  if (key === 'managedFields') return items.toSorted((a, b) => (ownerOf(a) < ownerOf(b) ? -1 : 1));
  if (key !== 'causes') return items;
  return items.toSorted((a, b) => (JSON.stringify(a) < JSON.stringify(b) ? -1 : 1));
}

function wording(text: string, key: string): string {
  if (key === 'autoscaling.alpha.kubernetes.io/behavior') return 'the behavior, in the names of Go';
  if (/^10\.\d+\.\d+\.\d+$/.test(text)) return 'an address';
  return (
    text
      .replace(/\b10\.\d+\.\d+\.\d+\b/g, 'an address')
      .replace(/in record \(\d+\)/, 'in record (a revision)')
      .replace(/\by_[a-z0-9]{5}\b/g, 'a generated name')
      .replace(/scheme ".*?"/, 'a scheme')
      // The real server shows the whole patched object, and a difference of two pod specs in Go.
      .replace(/Invalid value: "\{.*\}":/s, 'Invalid value: an object:')
      .replace(/\n@@[\s\S]*/, '')
      .replace(/Invalid value: \{.*?\}: /, 'Invalid value: an object: ')
      .replace(/media types are accepted: .*|Available representations: .*/s, 'media types')
      .replace(
        /^(\S+ ".*?" is invalid: )\[(.*)\]$/s,
        (_all, head: string, list: string) =>
          `${head}${list
            .split(/, (?=[a-z][\w.[\]]*: )/)
            .toSorted()
            .join(', ')}`,
      )
  );
}
