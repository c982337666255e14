import type { JsonObject, JsonValue } from '../src/apiserver/values/json.ts';
import type { Judged } from './apiserver-validation-network.ts';

const named = (objects: readonly JsonObject[]): JsonObject[] =>
  objects.map((object) => ({ metadata: { name: 'x' }, ...object }));
const withSpec = (specs: readonly JsonObject[]): JsonObject[] => named(specs.map((spec) => ({ spec })));

const service = { name: 's', port: { number: 80 } };
const backend = { service };
const PORTS: JsonObject[] = [
  {},
  ...[0, -1, 80, 65_536].map((number) => ({ number })),
  ...['http', 'HTTP', '', 'a--b', '80', 'averyveryverylongname'].map((name) => ({ name })),
  { name: 'http', number: 80 },
];
const BACKENDS: JsonObject[] = [
  {},
  backend,
  { service: {} },
  ...PORTS.map((port) => ({ service: { name: 's', port } })),
  ...['', 'A', 'a.b', '1a', 'x'.repeat(64)].map((name) => ({ service: { name, port: { number: 80 } } })),
  { resource: { kind: 'K', name: 'n' } },
  { resource: { apiGroup: 'a.b', kind: 'K', name: 'n' } },
  { resource: { apiGroup: '', kind: '', name: '' } },
  { resource: { apiGroup: 'A', kind: 'a/b', name: '..' } },
  { resource: {}, service },
];
const PATHS: JsonObject[] = [
  {},
  { pathType: 'Exact' },
  ...['Exact', 'Prefix', 'ImplementationSpecific', 'exact', ''].flatMap((pathType) =>
    ['', '/', 'a', '/a//b', '/a/./b', '/a/../b', '/a%2fb', '/a%2Fb', '/..', '/a/.', '/a b'].map((path) => ({
      pathType,
      path,
      backend,
    })),
  ),
  ...BACKENDS.map((one) => ({ pathType: 'Prefix', path: '/', backend: one })),
];
const HOSTS = [
  '',
  'a.b',
  'A.b',
  '*.a',
  '*',
  '*.',
  'a.*.b',
  '*.*.a',
  '*a.b',
  '1.2.3.4',
  '::1',
  'a b',
  'a.b.',
  'a_b.c',
  `${'a.'.repeat(130)}a`,
];
const CLASS = 'kubernetes.io/ingress.class';
const annotated = (value: string) => ({ metadata: { name: 'x', annotations: { [CLASS]: value } } });

const INGRESSES: JsonObject[] = [
  ...withSpec([
    {},
    { rules: [{}] },
    { rules: [{ http: {} }] },
    { rules: [{ http: { paths: [] } }, { host: 'A', http: { paths: [{}] } }] },
    { tls: [{}] },
    ...BACKENDS.map((defaultBackend) => ({ defaultBackend })),
    ...PATHS.map((path) => ({ rules: [{ http: { paths: [path] } }] })),
    ...HOSTS.map((host) => ({ rules: [{ host }] })),
    ...HOSTS.map((host) => ({ defaultBackend: backend, tls: [{ hosts: ['a.b', host] }] })),
    ...['a', 'A', 'a.b', ''].map((secretName) => ({ defaultBackend: backend, tls: [{ secretName }] })),
    ...['a', 'A', 'a.b', ''].map((ingressClassName) => ({ defaultBackend: backend, ingressClassName })),
  ]),
  { ...annotated('a'), spec: { defaultBackend: backend } },
  { ...annotated('a'), spec: { defaultBackend: backend, ingressClassName: 'a' } },
  { ...annotated('a'), spec: { defaultBackend: backend, ingressClassName: 'b' } },
  { ...annotated(''), spec: { defaultBackend: backend, ingressClassName: 'b' } },
];

const parameters = { kind: 'K', name: 'n' };
const CLASSES: JsonObject[] = withSpec([
  {},
  ...['a', 'a/b', 'a.b/c', 'A/b', '/b', 'a/', 'a.b/c d', `a.b/${'c'.repeat(250)}`, 'a/b/c'].map((controller) => ({
    controller,
  })),
  ...[
    {},
    parameters,
    { ...parameters, apiGroup: 'A' },
    { ...parameters, kind: 'a/b', name: '%' },
    { ...parameters, scope: 'Cluster', namespace: 'n' },
    { ...parameters, scope: 'Namespace' },
    { ...parameters, scope: 'Namespace', namespace: 'n' },
    { ...parameters, scope: 'Namespace', namespace: 'N.a' },
    { ...parameters, scope: 'x' },
  ].map((one) => ({ controller: 'a.b/c', parameters: one })),
]);

const ADDRESSES = [
  '1.2.3.4',
  '',
  'x',
  '01.2.3.4',
  '127.0.0.1',
  '0.0.0.0',
  '169.254.1.1',
  '224.0.0.1',
  '225.0.0.1',
  '::1',
  '::',
  'fe80::1',
  'ff02::1',
  '2001:db8::1',
  '2001:DB8:0::1',
  '::ffff:1.2.3.4',
  '1.2.3.4/24',
  'a.b',
  'A.b',
  'a',
  'a.b.',
  '2001:db8:0:0:0:0:0:1',
];
const ENDPOINT_PORTS: JsonObject[] = [
  {},
  ...[0, 80, -1, 65_536].map((port) => ({ port })),
  ...['a', 'A', 'a.b', 'x'.repeat(64)].map((name) => ({ port: 80, name })),
  ...['TCP', 'UDP', 'SCTP', 'tcp', ''].map((protocol) => ({ port: 80, protocol })),
  ...['http', 'a b', 'kubernetes.io/h2c', '', 'a/b/c'].map((appProtocol) => ({ port: 80, appProtocol })),
];
const address = { ip: '1.2.3.4' };
const subset = (more: JsonObject) => ({ subsets: [{ addresses: [address], ...more }] });

const ENDPOINTS: JsonObject[] = named([
  {},
  { subsets: [] },
  { subsets: [{}] },
  { subsets: [{ addresses: [] }, { ports: [{ port: 80 }] }] },
  ...ADDRESSES.map((ip) => ({ subsets: [{ addresses: [{ ip }] }] })),
  ...ADDRESSES.slice(0, 6).map((ip) => ({ subsets: [{ notReadyAddresses: [{ ip }] }] })),
  ...ENDPOINT_PORTS.map((port) => subset({ ports: [port] })),
  subset({ ports: [{ port: 80 }, { port: 81, name: 'b' }] }),
  subset({
    ports: [
      { port: 80, name: 'a' },
      { port: 81, name: 'a' },
    ],
  }),
  ...['h', 'H', 'h.i', ''].map((hostname) => ({ subsets: [{ addresses: [{ ip: '1.2.3.4', hostname }] }] })),
  ...['n', 'N', 'n.o', ''].map((nodeName) => ({ subsets: [{ addresses: [{ ip: '1.2.3.4', nodeName }] }] })),
]);

const slice = (more: JsonObject): JsonObject => ({ addressType: 'IPv4', endpoints: [], ...more });
const endpoint = (more: JsonObject): JsonObject => slice({ endpoints: [{ addresses: ['1.2.3.4'], ...more }] });
const names = (count: number, name = (index: number) => `n${index}`): JsonValue =>
  Array.from({ length: count }, (_, index) => ({ name: name(index) }));

const SLICES: JsonObject[] = named([
  {},
  ...['', 'ipv4', 'IPv6', 'FQDN', 'IP'].map((addressType) => ({ addressType, endpoints: [] })),
  slice({ endpoints: [{}] }),
  slice({ endpoints: [{ addresses: [] }] }),
  ...['IPv4', 'IPv6', 'FQDN', 'x'].flatMap((addressType) =>
    ADDRESSES.map((one) => ({ addressType, endpoints: [{ addresses: [one] }] })),
  ),
  slice({ endpoints: [{ addresses: Array.from({ length: 101 }, (_, index) => `1.2.3.${index}`) }] }),
  slice({ endpoints: Array.from({ length: 1001 }, () => ({ addresses: ['1.2.3.4'] })) }),
  ...ENDPOINT_PORTS.map((port) => slice({ ports: [port] })),
  slice({ ports: [{ port: 80 }, { port: 81 }] }),
  slice({ ports: [{ name: 'a' }, { name: 'a' }] }),
  ...['h', 'H', 'h.i', ''].map((hostname) => endpoint({ hostname })),
  ...['n', 'N', 'n.o', ''].map((nodeName) => endpoint({ nodeName })),
  endpoint({ deprecatedTopology: { a: 'b' }, zone: 'z', conditions: { ready: true }, targetRef: { kind: 'Pod' } }),
  endpoint({ hints: { forZones: names(9) } }),
  endpoint({ hints: { forZones: names(2, () => 'a b') } }),
  endpoint({ hints: { forNodes: names(9) } }),
  endpoint({ hints: { forNodes: names(2, () => 'N') } }),
  endpoint({ hints: { forZones: names(1), forNodes: names(1) } }),
]);

export const ROUTES: readonly Judged[] = [
  { path: '/apis/networking.k8s.io/v1/namespaces/{ns}/ingresses', objects: INGRESSES },
  { path: '/apis/networking.k8s.io/v1/ingressclasses', objects: CLASSES },
  { path: '/api/v1/namespaces/{ns}/endpoints', objects: ENDPOINTS },
  { path: '/apis/discovery.k8s.io/v1/namespaces/{ns}/endpointslices', objects: SLICES },
];
