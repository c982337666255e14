import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import type { JsonObject } from '../src/apiserver/values/json.ts';
import { TwoServers } from './two-servers-fixture.ts';

const NAMES = [
  'plain',
  'with.dots',
  'with:colon',
  'Upper',
  '-dash',
  '10.9.8.7',
  '2001:db8::ffff',
  '2001:DB8::1',
  '2001:db8:0:0:0:0:0:1',
  '::ffff:1.2.3.4',
  '010.1.1.1',
  'x'.repeat(64),
  'x'.repeat(53),
  'x'.repeat(254),
  'with_underscore',
  'a..b',
  'x/y',
  'x%y',
  '..',
];
/** Prefixes for names that the server completes: long ones are cut first. */
const PREFIXES = ['g-', 'g_', 'G-', '-', 'g/', 'x'.repeat(70), 'x'.repeat(260)];
const template = { metadata: { labels: { a: 'b' } }, spec: { containers: [{ name: 'c', image: 'i' }] } };
const selector = { matchLabels: { a: 'b' } };
const job = { template: { spec: { containers: [{ name: 'c', image: 'i' }], restartPolicy: 'Never' } } };
const rbac = '/apis/rbac.authorization.k8s.io/v1';
const roleRef = { apiGroup: 'rbac.authorization.k8s.io', kind: 'ClusterRole', name: 'r' };

/** One kind of each rule, and some of the common one; in the namespace `default`, and never stored. */
const KINDS: [string, JsonObject][] = [
  ['/api/v1/namespaces', {}],
  ['/api/v1/namespaces/default/configmaps', {}],
  ['/api/v1/namespaces/default/services', { spec: { ports: [{ port: 80 }], clusterIP: 'None' } }],
  ['/api/v1/namespaces/default/serviceaccounts', {}],
  ['/apis/apps/v1/namespaces/default/statefulsets', { spec: { serviceName: 's', selector, template } }],
  ['/apis/apps/v1/namespaces/default/deployments', { spec: { selector, template } }],
  ['/apis/batch/v1/namespaces/default/cronjobs', { spec: { schedule: '* * * * *', jobTemplate: { spec: job } } }],
  [
    '/apis/networking.k8s.io/v1/ipaddresses',
    { spec: { parentRef: { resource: 'services', name: 's', namespace: 'default' } } },
  ],
  ['/apis/networking.k8s.io/v1/servicecidrs', { spec: { cidrs: ['10.7.0.0/24'] } }],
  ['/apis/policy/v1/namespaces/default/poddisruptionbudgets', { spec: { minAvailable: 1, selector } }],
  [`${rbac}/clusterroles`, { rules: [] }],
  [`${rbac}/namespaces/default/roles`, { rules: [] }],
  [`${rbac}/clusterrolebindings`, { roleRef }],
  [`${rbac}/namespaces/default/rolebindings`, { roleRef }],
  ['/apis/storage.k8s.io/v1/storageclasses', { provisioner: 'p' }],
  ['/apis/scheduling.k8s.io/v1/priorityclasses', { value: 1 }],
  ['/api/v1/namespaces/default/pods', template],
  ['/api/v1/namespaces/default/events', { involvedObject: { namespace: 'default' } }],
  ['/api/v1/namespaces/default/endpoints', {}],
  ['/api/v1/namespaces/default/secrets', {}],
  ['/api/v1/nodes', {}],
  ['/apis/apps/v1/namespaces/default/replicasets', { spec: { selector, template } }],
  ['/apis/coordination.k8s.io/v1/namespaces/default/leases', {}],
  ['/apis/networking.k8s.io/v1/namespaces/default/networkpolicies', { spec: { podSelector: {} } }],
  ['/apis/certificates.k8s.io/v1/certificatesigningrequests', { spec: { request: 'eA==', signerName: 'a.b/c' } }],
  ['/apis/storage.k8s.io/v1/csidrivers', { spec: {} }],
];

describe('the embedded server and the real one accept the same names', () => {
  let servers: TwoServers;

  beforeAll(async () => {
    servers = await TwoServers.start({ controllers: false });
  });
  afterAll(() => servers?.stop());

  describe.each(KINDS)('%s', (path, object) => {
    it.each(NAMES)('%s', async (name) => {
      const body = { ...object, metadata: { name } };
      const { real, ours } = await servers.ask({ method: 'POST', path: `${path}?dryRun=All`, body });
      expect({ status: ours.status, message: messageOf(ours.body), warnings: ours.warnings }).toEqual({
        status: real.status,
        message: messageOf(real.body),
        warnings: real.warnings,
      });
    });
  });

  describe.each(KINDS.filter(([path]) => !path.endsWith('/ipaddresses')))(
    '%s, with a generated name',
    (path, object) => {
      it.each(PREFIXES)('%s', async (generateName) => {
        const body = { ...object, metadata: { generateName } };
        const { real, ours } = await servers.ask({ method: 'POST', path: `${path}?dryRun=All`, body });
        const generated = new RegExp(`(${generateName.slice(0, 58)})[a-z0-9]{5}`, 'g');
        const textOf = (answer: unknown) => JSON.stringify(messageOf(answer))?.replace(generated, '$1GENERATED');
        expect([ours.status, textOf(ours.body)]).toEqual([real.status, textOf(real.body)]);
      });
    },
  );

  it('asks an address whose it is', async () => {
    const asked = { method: 'POST', path: '/apis/networking.k8s.io/v1/ipaddresses' };
    for (const spec of [{}, { parentRef: {} }, { parentRef: { resource: 'a/b', name: 'x' } }]) {
      const { real, ours } = await servers.ask({ ...asked, body: { metadata: { name: '10.1.1.1' }, spec } });
      expect([ours.status, messageOf(ours.body)]).toEqual([real.status, messageOf(real.body)]);
    }
  });
});

function messageOf(body: unknown): unknown {
  return typeof body === 'object' && body !== null && 'message' in body ? body.message : undefined;
}
