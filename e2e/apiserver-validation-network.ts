import type { JsonObject } from '../src/apiserver/values/json.ts';

/** A resource with objects to create, none of which is stored: `{ns}` in a path is the namespace of the test. */
export interface Judged {
  readonly path: string;
  readonly objects: readonly JsonObject[];
}

const named = (objects: readonly JsonObject[]): JsonObject[] =>
  objects.map((object) => ({ metadata: { name: 'x' }, ...object }));
const withSpec = (specs: readonly JsonObject[]): JsonObject[] => named(specs.map((spec) => ({ spec })));

const POLICY_PORTS: JsonObject[] = [
  {},
  ...[80, 0, -1, 65_536, 'http', 'HTTP', '', 'a--b', '-a', '80', 'averyveryverylongname'].map((port) => ({ port })),
  ...[90, 80, 70, 70_000, 0, -1].map((endPort) => ({ port: 80, endPort })),
  { port: 'http', endPort: 90 },
  { endPort: 90 },
  { protocol: 'UDP' },
  { protocol: 'udp' },
  { protocol: 'SCTP', port: 70_000, endPort: 1 },
];

const PEERS: JsonObject[] = [
  {},
  { podSelector: {} },
  { ipBlock: {} },
  ...['10.0.0.0/8', 'x', 'fd00::/8', '10.0.0.1/8', '010.0.0.0/8', '::ffff:1.2.3.4/120'].map((cidr) => ({
    ipBlock: { cidr },
  })),
  ...['10.1.0.0/16', '11.1.0.0/16', '10.0.0.0/8', 'x'].map((except) => ({
    ipBlock: { cidr: '10.0.0.0/8', except: [except] },
  })),
  { ipBlock: { cidr: '10.0.0.0/8' }, podSelector: {} },
  { ipBlock: { cidr: '10.0.0.0/8' }, namespaceSelector: {} },
  { namespaceSelector: { matchLabels: { a: 'b' } }, podSelector: { matchLabels: { a: 'b c' } } },
  { namespaceSelector: { matchExpressions: [{ key: '', operator: 'Exists', values: ['x'] }] } },
];

const POLICIES: JsonObject[] = [
  {},
  { podSelector: { matchLabels: { 'a b': 'c' } } },
  { podSelector: { matchExpressions: [{ key: 'a', operator: 'Foo' }] } },
  { podSelector: { matchExpressions: [{ key: 'a', operator: 'In' }] } },
  { podSelector: { matchExpressions: [{ key: 'a', operator: 'In', values: ['b c'] }] } },
  { podSelector: {}, policyTypes: ['Foo'] },
  { podSelector: {}, policyTypes: ['Ingress', 'Egress', 'Ingress'] },
  { podSelector: {}, policyTypes: ['Egress'] },
  ...POLICY_PORTS.map((port) => ({ podSelector: {}, ingress: [{ ports: [port] }] })),
  ...POLICY_PORTS.map((port) => ({ podSelector: {}, egress: [{ ports: [{ port: 1 }, port] }] })),
  ...PEERS.map((peer) => ({ podSelector: {}, ingress: [{ from: [peer] }] })),
  ...PEERS.map((peer) => ({ podSelector: {}, egress: [{ to: [peer] }] })),
];

const SERVICE_PORTS: JsonObject[] = [
  {},
  ...[0, -1, 65_536].map((port) => ({ port })),
  ...[0, 70_000, -5, 'http', 'HTTP', 'a_b', '80', 'averyveryverylongname', 'a--b'].map((targetPort) => ({
    port: 80,
    targetPort,
  })),
  { port: 80, protocol: 'tcp' },
  { port: 80, protocol: 'SCTP' },
  { port: 80, name: 'A' },
  { port: 80, name: 'a.b' },
  { port: 80, name: 'x'.repeat(64) },
  { port: 80, nodePort: 30_000 },
  { port: 80, appProtocol: 'a b' },
  { port: 80, appProtocol: 'kubernetes.io/h2c' },
];

const PORT_LISTS: JsonObject[][] = [
  [{ port: 80 }, { port: 81 }],
  [
    { port: 80, name: 'a' },
    { port: 80, name: 'b' },
  ],
  [
    { port: 80, name: 'a' },
    { port: 81, name: 'a' },
  ],
  [
    { port: 80, name: 'a' },
    { port: 80, name: 'b', protocol: 'UDP' },
  ],
  [
    { port: 80, name: 'a', nodePort: 30_100 },
    { port: 81, name: 'b', nodePort: 30_100 },
  ],
];

const ports = [{ port: 80 }];
const balanced = { type: 'LoadBalancer', ports };
const outside = { type: 'ExternalName', externalName: 'a.b' };

const SERVICES: JsonObject[] = [
  {},
  { ports: [] },
  { type: '', ports },
  { type: 'Foo', ports },
  ...SERVICE_PORTS.flatMap((port) => [
    { ports: [port] },
    { type: 'NodePort', ports: [port] },
    { ...outside, ports: [port] },
  ]),
  ...PORT_LISTS.map((list) => ({ ports: list })),
  { type: 'ExternalName' },
  ...['10.0.0.1', 'A.b', 'a.b.', 'a b'].map((externalName) => ({ type: 'ExternalName', externalName })),
  { ...outside, clusterIP: 'None' },
  { ...outside, clusterIP: '10.0.0.77' },
  { ...outside, externalIPs: ['1.2.3.4'] },
  { clusterIP: 'None' },
  { clusterIP: 'None', type: 'NodePort', ports },
  { clusterIP: 'None', type: 'LoadBalancer', ports },
  { clusterIP: 'None', ports, sessionAffinity: 'ClientIP', externalIPs: ['1.2.3.4'], loadBalancerIP: '1.2.3.4' },
  { clusterIP: 'x', ports },
  { clusterIPs: ['None'], ports },
  { clusterIP: '10.0.0.77', clusterIPs: ['10.0.0.78'], ports },
  { clusterIPs: ['10.0.0.77', '10.0.0.78'], ports },
  { ports, externalName: 'x' },
  { ports, sessionAffinity: 'x' },
  { ports, sessionAffinity: 'ClientIP' },
  { ports, sessionAffinity: 'ClientIP', sessionAffinityConfig: { clientIP: { timeoutSeconds: 0 } } },
  { ports, sessionAffinity: 'ClientIP', sessionAffinityConfig: { clientIP: { timeoutSeconds: 86_401 } } },
  { ports, selector: { 'a b': 'c' } },
  { ports, selector: { a: 'b c' } },
  { ports, externalIPs: ['x'] },
  { ports, externalIPs: ['127.0.0.1', '0.0.0.0', '169.254.1.1', '224.0.0.1', '1.2.3.4'] },
  { ports, externalTrafficPolicy: 'Local' },
  { type: 'NodePort', ports, externalTrafficPolicy: 'Local' },
  { type: 'NodePort', ports, externalTrafficPolicy: 'x' },
  { ports, internalTrafficPolicy: 'x' },
  { ports, healthCheckNodePort: 30_500 },
  { ...balanced, healthCheckNodePort: 30_500 },
  { ...balanced, externalTrafficPolicy: 'Local' },
  { ...balanced, loadBalancerSourceRanges: ['1.2.3.4/8', 'x'] },
  { ports, loadBalancerSourceRanges: ['1.2.3.0/24'] },
  { ports, loadBalancerClass: 'a/b' },
  { ...balanced, loadBalancerClass: 'a b' },
  { ...balanced, loadBalancerClass: 'a.b/c' },
  { ports, allocateLoadBalancerNodePorts: false },
  { ...balanced, allocateLoadBalancerNodePorts: false },
  ...[['IPv6'], ['IPv4', 'IPv6'], ['x']].map((ipFamilies) => ({ ports, ipFamilies })),
  ...['PreferDualStack', 'RequireDualStack', 'x'].map((ipFamilyPolicy) => ({ ports, ipFamilyPolicy })),
  { clusterIP: 'None', ipFamilyPolicy: 'PreferDualStack', ports, selector: { a: 'b' } },
  { ports, trafficDistribution: 'x' },
  { ports, trafficDistribution: 'PreferClose' },
];

const AMOUNTS = [0, 1, -1, '0', '50%', '0%', '100%', '101%', '-5%', '5.5%', '%', 'abc', '', '50 %', '050%', '+5%'];
const BUDGETS: JsonObject[] = [
  {},
  ...AMOUNTS.map((minAvailable) => ({ minAvailable })),
  ...AMOUNTS.map((maxUnavailable) => ({ maxUnavailable })),
  { minAvailable: true },
  { minAvailable: 1.5 },
  { minAvailable: 1, maxUnavailable: 1 },
  { minAvailable: 1, selector: {} },
  { minAvailable: 1, selector: { matchLabels: { 'a b': 'c' } } },
  { minAvailable: 1, selector: { matchExpressions: [{ key: 'a', operator: 'X' }] } },
  { minAvailable: 1, unhealthyPodEvictionPolicy: 'Foo' },
  { minAvailable: 1, unhealthyPodEvictionPolicy: 'AlwaysAllow' },
];

export const NETWORK: readonly Judged[] = [
  { path: '/apis/networking.k8s.io/v1/namespaces/{ns}/networkpolicies', objects: withSpec(POLICIES) },
  { path: '/api/v1/namespaces/{ns}/services', objects: withSpec(SERVICES) },
  { path: '/apis/policy/v1/namespaces/{ns}/poddisruptionbudgets', objects: withSpec(BUDGETS) },
];
