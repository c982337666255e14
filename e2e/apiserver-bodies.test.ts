import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { type Answered, type AskedRequest, TwoServers } from './two-servers-fixture.ts';

const ns = `bodies-${process.pid}`;
const objects = `/api/v1/namespaces/${ns}/configmaps`;
const TEXTS = ['', 'null', '[]', '1', '"x"', 'true', '{}', ' ', 'nul', '{"kind":null}', '{"metadata":null}'];
const ODD_TEXTS = [...TEXTS, '{"metadata":[]}', '{"data":{"a":1}}', '{"kind":5}', '{"apiVersion":[]}'];
/** Of YAML that does not parse, each server speaks in the words of its own library. */
const BROKEN_JSON = [
  '{',
  '{"a"',
  '{"a":',
  '{"a":1,}',
  '{a:1}',
  '{"a":1 "b":2}',
  '[1 2]',
  '{} {}',
  '{"a":01}',
  '{"a":"\\x"}',
  '\u00e9',
];
const WITH_BODY: [method: string, path: string][] = [
  ['POST', objects],
  ['DELETE', objects],
  ['PUT', `${objects}/x`],
  ['DELETE', `${objects}/x`],
  ['POST', `/apis/apps/v1/namespaces/${ns}/deployments`],
  ['PUT', `/apis/apps/v1/namespaces/${ns}/deployments/x/scale`],
  ['POST', '/apis/authorization.k8s.io/v1/selfsubjectaccessreviews'],
  ['POST', `/api/v1/namespaces/${ns}/pods/x/eviction`],
  ['POST', `/api/v1/namespaces/${ns}/bindings`],
  ['POST', `/api/v1/namespaces/${ns}/serviceaccounts/x/token`],
];
const PATCHES = ['json-patch+json', 'merge-patch+json', 'strategic-merge-patch+json', 'apply-patch+yaml'];
const PATCH_TEXTS = ['', 'null', '[]', '1', '"x"', '{}', ' ', '[null]', '[1]', '[{}]', '[{"op":"x"}]'];
const PATCHED = [`${objects}/none`, '/api/v1/namespaces/default'];
const TYPES: [kind: string, apiVersion: string][] = [
  ['Deployment', 'apps/v1'],
  ['Deployment', 'v1'],
  ['Foo', 'v1'],
  ['Foo', 'apps/v1'],
  ['ConfigMap', 'v1'],
  ['ConfigMap', 'v1beta1'],
  ['ConfigMap', 'v2'],
  ['', 'apps/v1'],
  ['Foo', 'a/b/c'],
  ['ConfigMap', ''],
  ['HorizontalPodAutoscaler', 'autoscaling/v1'],
  ['HorizontalPodAutoscaler', 'autoscaling/v2'],
  ['HorizontalPodAutoscaler', 'autoscaling/v2beta2'],
  ['Scale', 'autoscaling/v1'],
  ['List', 'v1'],
];
const TYPED = [
  objects,
  `/apis/apps/v1/namespaces/${ns}/deployments`,
  `/apis/autoscaling/v1/namespaces/${ns}/horizontalpodautoscalers`,
  `/apis/autoscaling/v2/namespaces/${ns}/horizontalpodautoscalers`,
];

const REQUESTS: AskedRequest[] = [
  ...WITH_BODY.flatMap(([method, path]) => [
    ...ODD_TEXTS.flatMap((body) =>
      ['application/json', 'application/yaml'].map((type) => ({ method, path, body, type })),
    ),
    ...BROKEN_JSON.map((body) => ({ method, path, body, type: 'application/json' })),
  ]),
  ...PATCHED.flatMap((path) => [
    ...PATCHES.flatMap((patch) =>
      [...PATCH_TEXTS, ...(patch.endsWith('json') ? BROKEN_JSON : [])].map((body) => ({
        method: 'PATCH',
        path: `${path}?dryRun=All${patch.startsWith('apply') ? '&fieldManager=m' : ''}`,
        body,
        type: `application/${patch}`,
      })),
    ),
    ...['application/json', 'text/plain', ''].map((type) => ({ method: 'PATCH', path, body: '{}', type })),
  ]),
  ...TYPED.flatMap((path) =>
    TYPES.map(([kind, apiVersion]) => ({
      method: 'POST',
      path: `${path}?dryRun=All`,
      body: { kind, apiVersion, metadata: { name: 'x' } },
    })),
  ),
];

describe('the embedded server and the real one read bodies alike', () => {
  let servers: TwoServers;

  beforeAll(async () => {
    servers = await TwoServers.start({ controllers: false });
    await servers.ask({ method: 'POST', path: '/api/v1/namespaces', body: { metadata: { name: ns } } });
  });
  afterAll(async () => {
    await servers?.askReal({ method: 'DELETE', path: `/api/v1/namespaces/${ns}` });
    await servers?.stop();
  });

  it.each(REQUESTS.map((one): [string, AskedRequest] => [titleOf(one), one]))('%s', async (_title, one) => {
    const { real, ours } = await servers.ask(one);
    expect(withoutScheme(ours)).toEqual(withoutScheme(real));
  });
});

function titleOf({ method, path, body, type = '' }: AskedRequest): string {
  return `${method} ${path} ${type} ${typeof body === 'string' ? body : JSON.stringify(body)}`;
}

/** Go names a scheme by the line that made it. */
function withoutScheme(answer: Answered): unknown {
  return JSON.parse(JSON.stringify(answer).replace(/in scheme \\".*?\\"/, 'in a scheme'));
}
