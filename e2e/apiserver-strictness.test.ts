import { afterAll, beforeAll, describe, expect, it, vi } from 'vitest';
import type { JsonObject } from '../src/apiserver/values/json.ts';
import { type AskedRequest, EVENTUALLY, TwoServers } from './two-servers-fixture.ts';

const ns = `strict-${process.pid}`;
const APPLY = 'application/apply-patch+yaml';
const deployments = `/apis/apps/v1/namespaces/${ns}/deployments`;
const template = '"template":{"metadata":{"labels":{"a":"b"}},"spec":{"containers":[{"name":"c","image":"i"}]}}';
const selector = '"selector":{"matchLabels":{"a":"b"}}';
const deployment = (more: string) =>
  `{"apiVersion":"apps/v1","kind":"Deployment","metadata":{"name":"d"},"spec":{${more}${selector},${template}}}`;
const group = `strict-${process.pid}.example.com`;
const widgets = `/apis/${group}/v1/widgets`;
const definition = {
  metadata: { name: `widgets.${group}` },
  spec: {
    group,
    scope: 'Cluster',
    names: { plural: 'widgets', kind: 'Widget' },
    versions: [
      {
        name: 'v1',
        served: true,
        storage: true,
        schema: {
          openAPIV3Schema: {
            type: 'object',
            properties: {
              spec: { type: 'object', 'x-kubernetes-preserve-unknown-fields': true },
              known: { type: 'object', properties: { a: { type: 'string' } } },
            },
          },
        },
      },
    ],
  },
};
const widget = (more: string) => `apiVersion: ${group}/v1\nkind: Widget\nmetadata:\n  name: w\n${more}`;
const accept = (kind: string, rest = '') => ({ accept: `application/json;as=${kind};v=v1;g=meta.k8s.io${rest}` });
const review: JsonObject = { spec: { nonResourceAttributes: { path: '/', verb: 'get' } } };
const post = (path: string, body: string | JsonObject, headers = {}): AskedRequest => ({
  method: 'POST',
  path,
  body,
  headers,
});

const REQUESTS: [string, AskedRequest][] = [
  ['namespace', post('/api/v1/namespaces', { metadata: { name: ns } })],
  [
    'unknown, then duplicate',
    post(`${deployments}?fieldValidation=Strict`, deployment('"unknownField":"foo","replicas":2,"replicas":3,')),
  ],
  [
    'duplicate, then unknown',
    post(`${deployments}?fieldValidation=Strict`, deployment('"replicas":2,"replicas":3,"other":{"a":1,"a":2},')),
  ],
  [
    'warned of both',
    post(`${deployments}?dryRun=All`, deployment('"unknownField":"foo","replicas":2,"replicas":3,"unknownField":1,')),
  ],
  [
    'YAML with a key twice',
    {
      ...post(
        `/api/v1/namespaces/${ns}/configmaps?fieldValidation=Strict`,
        'apiVersion: v1\nkind: ConfigMap\nmetadata:\n  name: y\nfoo: 1\ndata:\n  a: b\n  a: c\n',
      ),
      type: 'application/yaml',
    },
  ],
  ...['Strict', 'Warn', 'Ignore'].flatMap((directive): [string, AskedRequest][] => [
    [
      `applied to a custom resource with a key twice, ${directive}`,
      {
        method: 'PATCH',
        path: `${widgets}/w?fieldManager=m&fieldValidation=${directive}&dryRun=All`,
        body: widget('spec:\n  foo: 1\n  bar: 2\n  foo: 3\n'),
        type: APPLY,
      },
    ],
    [
      `created custom resource with unknown and duplicate fields, ${directive}`,
      post(
        `${widgets}?fieldValidation=${directive}&dryRun=All`,
        `{"apiVersion":"${group}/v1","kind":"Widget","metadata":{"name":"w"},"unknown":1,"known":{"b":1,"a":"x","a":"y"}}`,
      ),
    ],
    [
      `applied deployment with a key twice, ${directive}`,
      {
        method: 'PATCH',
        path: `${deployments}/d?fieldManager=m&fieldValidation=${directive}&dryRun=All`,
        body: deployment('"replicas":2,"replicas":3,'),
        type: APPLY,
      },
    ],
  ]),
  ['review as a Table', post('/apis/authorization.k8s.io/v1/selfsubjectaccessreviews', review, accept('Table'))],
  [
    'review as a Table or JSON',
    post('/apis/authorization.k8s.io/v1/selfsubjectaccessreviews', review, accept('Table', ',application/json')),
  ],
  [
    'review as metadata',
    post('/apis/authorization.k8s.io/v1/selfsubjectaccessreviews', review, accept('PartialObjectMetadata')),
  ],
  [
    'token review as a Table',
    post('/apis/authentication.k8s.io/v1/tokenreviews', { spec: { token: 'x' } }, accept('Table')),
  ],
  [
    'binding as a Table',
    post(`/api/v1/namespaces/${ns}/bindings`, { metadata: { name: 'p' }, target: { name: 'n' } }, accept('Table')),
  ],
];

describe('the embedded server and the real one are strict alike', () => {
  let servers: TwoServers;

  beforeAll(async () => {
    servers = await TwoServers.start({ controllers: false });
    const created = await servers.ask(post('/apis/apiextensions.k8s.io/v1/customresourcedefinitions', definition));
    expect(created.real.status).toBe(201);
    const served = async () => (await servers.askReal({ method: 'GET', path: widgets })).status === 200;
    await vi.waitUntil(served, EVENTUALLY);
  });
  afterAll(() => servers?.stop());

  it.each(REQUESTS)('%s', async (_title, one) => {
    const { real, ours } = await servers.ask(one);
    expect(ours).toEqual(real);
  });
});
