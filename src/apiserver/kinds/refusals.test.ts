import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { ApiServer } from '../apiserver.ts';
import { RequestClient } from '../request-client-fixture.ts';
import type { JsonObject } from '../values/json.ts';

const core = '/api/v1/namespaces/default';
const ingresses = '/apis/networking.k8s.io/v1/namespaces/default/ingresses';
const autoscalers = '/apis/autoscaling/v2/namespaces/default/horizontalpodautoscalers';
const slices = '/apis/discovery.k8s.io/v1/namespaces/default/endpointslices';
const scaled = { scaleTargetRef: { apiVersion: 'apps/v1', kind: 'Deployment', name: 'd' }, maxReplicas: 3 };
const share = { type: 'Utilization', averageUtilization: 50 };

const pod = (spec: JsonObject, container: JsonObject = {}): JsonObject => ({
  spec: { containers: [{ name: 'c', image: 'i', ...container }], ...spec },
});

/** Where, what, and what is wrong with it: `field: reason` without the rest of the words. */
const REFUSED: [path: string, object: JsonObject, causes: string[]][] = [
  [ingresses, { spec: { rules: [{ host: '1.2.3.4' }] } }, ['spec.rules[0].host: Invalid']],
  [
    ingresses,
    { spec: { defaultBackend: { service: { name: 's', port: { name: 'a', number: 1 } } } } },
    ['spec.defaultBackend: Invalid'],
  ],
  [
    ingresses,
    { spec: { rules: [{ host: '*.a', http: { paths: [{ pathType: 'Prefix', path: 'a//b/..', backend: {} }] } }] } },
    [
      ...Array.from({ length: 3 }, () => 'spec.rules[0].http.paths[0].path: Invalid'),
      'spec.rules[0].http.paths[0].backend: Invalid',
    ],
  ],
  [autoscalers, { spec: { ...scaled, metrics: [{ type: 'Pods' }] } }, ['spec.metrics[0].pods: Required']],
  [
    autoscalers,
    {
      spec: {
        ...scaled,
        metrics: [{ type: 'Pods', resource: { name: 'cpu', target: share }, external: { metric: {}, target: {} } }],
      },
    },
    [
      'spec.metrics[0].external.metric.name: Required',
      'spec.metrics[0].external.target.type: Required',
      'spec.metrics[0].external.target.type: Invalid',
      'spec.metrics[0].external.target.averageValue: Required',
      'spec.metrics[0].pods: Required',
      'spec.metrics[0].external: Forbidden',
      'spec.metrics[0].resource: Forbidden',
    ],
  ],
  [
    autoscalers,
    { spec: { ...scaled, behavior: { scaleUp: { policies: [{ type: 'Pods', value: 0, periodSeconds: 1801 }] } } } },
    ['spec.behavior.scaleUp.policies[0].value: Invalid', 'spec.behavior.scaleUp.policies[0].periodSeconds: Invalid'],
  ],
  [
    `${core}/endpoints`,
    { subsets: [{ addresses: [{ ip: '127.0.0.1' }], ports: [{ port: 0 }] }, {}] },
    ['subsets[0].addresses[0].ip: Invalid', 'subsets[0].ports[0].port: Invalid', 'subsets[1]: Required'],
  ],
  [
    slices,
    { addressType: 'IPv6', endpoints: [{ addresses: ['2001:DB8::1'] }, {}], ports: [{}, {}] },
    ['ports[1].name: Duplicate', 'endpoints[0].addresses[0]: Invalid', 'endpoints[1].addresses: Required'],
  ],
  [
    `${core}/limitranges`,
    { spec: { limits: [{ type: 'Pod', min: { cpu: '2' }, max: { cpu: '1' }, default: { cpu: '1' } }] } },
    ['spec.limits[0].default: Forbidden', 'spec.limits[0].min[cpu]: Invalid'],
  ],
  [
    `${core}/limitranges`,
    { spec: { limits: [{ type: 'Pod', min: { cpu: '1' }, max: { cpu: '2' }, maxLimitRequestRatio: { cpu: '3' } }] } },
    ['spec.limits[0].maxLimitRequestRatio[cpu]: Invalid'],
  ],
  [
    `${core}/resourcequotas`,
    { spec: { hard: { foo: '1', pods: '1500m', services: '1' }, scopes: ['BestEffort'] } },
    ['spec.hard[foo]: Invalid', 'spec.hard[foo]: Invalid', 'spec.hard[pods]: Invalid', 'spec.scopes: Invalid'],
  ],
  [
    `${core}/pods`,
    pod({ securityContext: { runAsUser: -1, sysctls: [{ name: 'A' }], seccompProfile: { type: 'Localhost' } } }),
    [
      'spec.securityContext.runAsUser: Invalid',
      'spec.securityContext.sysctls[0].name: Invalid',
      'spec.securityContext.seccompProfile.localhostProfile: Required',
    ],
  ],
  [
    `${core}/pods`,
    pod({}, { securityContext: { privileged: true, allowPrivilegeEscalation: false, procMount: 'x' } }),
    ['spec.containers[0].securityContext.procMount: NotSupported', 'spec.containers[0].securityContext: Invalid'],
  ],
  [
    `${core}/pods`,
    pod({ hostUsers: false, hostPID: true, os: { name: 'windows' } }),
    ['spec.HostPID: Forbidden', 'spec.hostUsers: Forbidden', 'spec.hostPID: Forbidden'],
  ],
  [
    `${core}/pods`,
    pod({
      volumes: [
        {
          name: 'v',
          projected: {
            sources: [
              { secret: { name: 's', items: [{ key: 'k', path: 'a' }] } },
              { configMap: { name: 'c', items: [{ key: 'k', path: 'a' }] }, secret: { name: 's' } },
              { serviceAccountToken: { path: '..t', expirationSeconds: 5 } },
              { downwardAPI: { items: [{ path: 'f', fieldRef: { fieldPath: 'status.podIP' } }] } },
            ],
          },
        },
      ],
    }),
    [
      'spec.volumes[0].projected: Invalid',
      'spec.volumes[0].projected.sources[1]: Forbidden',
      'spec.volumes[0].projected.sources[2].serviceAccountToken.expirationSeconds: Invalid',
      'spec.volumes[0].projected.path: Invalid',
      'spec.volumes[0].projected.sources[3].downwardAPI.fieldRef.fieldPath: NotSupported',
    ],
  ],
  [
    `${core}/pods`,
    pod({}, { resources: { limits: { 'hugepages-2Mi': '3Mi', 'a.b/c': '1500m' }, requests: { 'd.e/f': '1' } } }),
    [
      'spec.containers[0].resources.limits[hugepages-2Mi]: Invalid',
      'spec.containers[0].resources.limits[a.b/c]: Invalid',
      'spec.containers[0].resources.requests[hugepages-2Mi]: Invalid',
      'spec.containers[0].resources.requests[a.b/c]: Invalid',
      'spec.containers[0].resources.limits: Required',
      'spec.containers[0].resources: Forbidden',
    ],
  ],
];

describe('objects that are refused', () => {
  let server: ApiServer;
  let client: RequestClient;

  beforeAll(async () => {
    server = await ApiServer.start({ listen: false });
    client = new RequestClient(server.transport());
  });
  afterAll(() => server?.stop());

  const causesOf = (body: JsonObject) => {
    const { causes } = (body.details ?? {}) as { causes?: { field: string; reason: string }[] };
    return (causes ?? []).map(({ field, reason }) => `${field}: ${reason.replace('FieldValue', '')}`);
  };

  it.each(REFUSED)('%s %j', async (path, object, causes) => {
    const { status, body } = await client.post(path, { metadata: { name: 'x' }, ...object });
    expect(causesOf(body)).toEqual(causes);
    expect(status).toBe(422);
  });

  it('a quota keeps its scopes, an endpoint slice its type, an ingress class its controller', async () => {
    const classes = '/apis/networking.k8s.io/v1/ingressclasses';
    await client.post(`${core}/resourcequotas`, { metadata: { name: 'q' }, spec: { scopes: ['BestEffort'] } });
    await client.post(slices, { metadata: { name: 's' }, addressType: 'IPv4', endpoints: [] });
    await client.post(classes, { metadata: { name: 'c' }, spec: { controller: 'a.b/c' } });
    const changes: [string, JsonObject][] = [
      [`${core}/resourcequotas/q`, { spec: { scopes: null } }],
      [`${slices}/s`, { addressType: 'IPv6' }],
      [`${classes}/c`, { spec: { controller: 'a.b/d' } }],
    ];
    for (const [path, change] of changes) {
      const { body } = await client.patch(path, change);
      expect(body.message).toContain('field is immutable');
    }
  });

  it('warn of what is accepted and odd', async () => {
    const annotations = { 'kubernetes.io/ingress.class': 'a' };
    const backend = { service: { name: 's', port: { number: 80 } } };
    const ingress = await client.post(ingresses, {
      metadata: { name: 'old', annotations },
      spec: { defaultBackend: backend },
    });
    expect(ingress.headers.get('warning')).toContain('is deprecated');
    const endpoints = await client.post(`${core}/endpoints`, {
      metadata: { name: 'long' },
      subsets: [{ addresses: [{ ip: '2001:db8:0::1' }] }],
    });
    expect(endpoints.headers.get('warning')).toContain('canonical format');
    const variables = ['a', 'b', '$(A)c'].map((value) => ({ name: 'A', value }));
    const twice = pod({}, { env: variables });
    const odd = await client.post(`${core}/pods`, { metadata: { name: 'odd' }, ...twice });
    expect(odd.headers.get('warning')).toContain('env[1]: hides previous definition');
    expect(odd.headers.get('warning')).not.toContain('env[2]');
  });
});
