import { readFileSync } from 'node:fs';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { parse } from 'yaml';
import { isObject, type JsonObject, type JsonValue } from '../src/apiserver/values/json.ts';
import { AMOUNTS } from './apiserver-validation-amounts.ts';
import { NETWORK } from './apiserver-validation-network.ts';
import { PODS } from './apiserver-validation-pods.ts';
import { ROUTES } from './apiserver-validation-routes.ts';
import { SECURITY } from './apiserver-validation-security.ts';
import { WORKLOADS } from './apiserver-validation-workloads.ts';
import { type Answered, type AskedRequest, TwoServers } from './two-servers-fixture.ts';

const ns = `judged-${process.pid}`;
const RESOURCES = [...NETWORK, ...ROUTES, ...AMOUNTS, ...WORKLOADS, ...PODS, ...SECURITY];
/** Services of other runs on the same control plane have node ports, too. */
const port = 30_000 + ((process.pid * 3) % 2_700);
const services = parse(
  readFileSync(new URL('testdata/apiserver-services.yaml', import.meta.url), 'utf8')
    .replaceAll('{ns}', ns)
    .replaceAll(/'\{port\+?(\d?)\}'/g, (_all, more: string) => String(port + Number(more))),
) as AskedRequest[];

describe('the embedded server and the real one refuse the same objects, in the same words', () => {
  let servers: TwoServers;

  beforeAll(async () => {
    servers = await TwoServers.start({ controllers: false });
    const made = await servers.ask({ method: 'POST', path: '/api/v1/namespaces', body: { metadata: { name: ns } } });
    expect([made.real.status, made.ours.status]).toEqual([201, 201]);
  });
  afterAll(async () => {
    await servers?.askReal({ method: 'DELETE', path: `/api/v1/namespaces/${ns}` });
    await servers?.stop();
  });

  describe.each(RESOURCES)('$path', ({ path, objects }) => {
    it.each(objects.map((object): [string, JsonObject] => [textOf(object), object]))('%s', async (_title, object) => {
      const asked = { method: 'POST', path: `${path.replace('{ns}', ns)}?dryRun=All`, body: object };
      const { real, ours } = await servers.ask(asked);
      expect(comparable(ours)).toEqual(comparable(real));
    });
  });

  it.each(services.map((one): [string, AskedRequest] => [titleOf(one), one]))('%s', async (_title, one) => {
    const { real, ours } = await servers.ask(
      one.method === 'PATCH' ? { ...one, type: 'application/merge-patch+json' } : one,
    );
    expect(comparable(ours)).toEqual(comparable(real));
  });
});

function titleOf({ method, path, body }: AskedRequest): string {
  return `${method} ${path.replace(/.*\/namespaces\/[^/]+/, '')} ${body === undefined ? '' : JSON.stringify(body)}`;
}

function textOf({ metadata, ...rest }: JsonObject): string {
  const text = JSON.stringify(rest.spec ?? { ...rest, metadata });
  return text.length > 120 ? `${text.slice(0, 120)}…` : text;
}

/** Without the ports that each server chose, and with the complaints about maps in one order: Go has none. */
function comparable({ status, warnings, body }: Answered): unknown {
  if (!isObject(body) || body.kind !== 'Status') return { status, warnings, body: withoutPorts(body) };
  const { message: _message, details, ...rest } = body;
  const causes = isObject(details) && Array.isArray(details.causes) ? details.causes : undefined;
  if (!causes) return { status, warnings, body };
  const sorted = causes.toSorted((a, b) => (JSON.stringify(a) < JSON.stringify(b) ? -1 : 1));
  return { status, warnings, body: { ...rest, details: { ...(details as JsonObject), causes: sorted } } };
}

function withoutPorts(value: JsonValue, key = ''): JsonValue {
  if (Array.isArray(value)) return value.map((item) => withoutPorts(item));
  if (isObject(value)) {
    return Object.fromEntries(Object.entries(value).map(([name, item]) => [name, withoutPorts(item ?? null, name)]));
  }
  return key.endsWith('odePort') && value !== 0 ? 'a port' : value;
}
