import { afterAll, beforeAll, describe, expect, it, vi } from 'vitest';
import type { JsonObject } from '../src/apiserver/values/json.ts';
import { type ControllerManager, startControllerManager } from '../src/testing/control-plane/controller-manager.ts';
import { ControlPlane } from '../src/testing/control-plane.ts';
import { type AskedRequest, TwoServers } from './two-servers-fixture.ts';

const ns = 'new-cluster';
const core = `/api/v1/namespaces/${ns}`;
const get = (path: string): AskedRequest => ({ method: 'GET', path });
const post = (path: string, body: JsonObject): AskedRequest => ({ method: 'POST', path, body });
const pod = (name: string, spec: JsonObject = {}): AskedRequest =>
  post(`${core}/pods`, { metadata: { name }, spec: { containers: [{ name: 'c', image: 'i' }], ...spec } });
const secret = { name: 'v', secret: { secretName: 'other' } };

const REQUESTS: AskedRequest[] = [
  get('/api/v1/namespaces/default/services/kubernetes'),
  get('/api/v1/namespaces/kube-system/serviceaccounts/default'),
  get(`${core}/serviceaccounts/default`),
  get(`${core}/configmaps/kube-root-ca.crt`),
  pod('plain'),
  pod('without-token', { automountServiceAccountToken: false }),
  pod('unknown', { serviceAccountName: 'nobody' }),
  pod('with-init', { initContainers: [{ name: 'i', image: 'i' }] }),
  pod('mounted', {
    containers: [
      {
        name: 'c',
        image: 'i',
        volumeMounts: [{ name: 'v', mountPath: '/var/run/secrets/kubernetes.io/serviceaccount' }],
      },
    ],
    volumes: [{ name: 'v', emptyDir: {} }],
  }),
  post(`${core}/serviceaccounts`, {
    metadata: { name: 'strict', annotations: { 'kubernetes.io/enforce-mountable-secrets': 'true' } },
    imagePullSecrets: [{ name: 'pull' }],
    automountServiceAccountToken: false,
  }),
  pod('strict', { serviceAccountName: 'strict' }),
  pod('secret', { serviceAccountName: 'strict', volumes: [secret] }),
  pod('pulled', { serviceAccountName: 'strict', imagePullSecrets: [{ name: 'x' }] }),
  post(`${core}/pods`, {
    metadata: { name: 'mirror', annotations: { 'kubernetes.io/config.mirror': 'x' } },
    spec: { containers: [{ name: 'c', image: 'i' }], serviceAccountName: 'default' },
  }),
];

describe('a new cluster of the embedded server and a real one', () => {
  let plane: ControlPlane;
  let manager: ControllerManager;
  let servers: TwoServers;

  beforeAll(async () => {
    plane = await ControlPlane.start({ flags: { apiserver: ['--disable-admission-plugins='] } });
    manager = await startControllerManager({
      kubeconfig: plane.kubeconfigFile(),
      flags: [
        '--controllers=serviceaccount-controller,root-ca-certificate-publisher-controller',
        `--root-ca-file=${plane.caFile}`,
      ],
    });
    servers = await TwoServers.start({ newCluster: true }, plane);
    await servers.ask(post('/api/v1/namespaces', { metadata: { name: ns } }));
    const filled = async () => {
      const found = [`${core}/serviceaccounts/default`, `${core}/configmaps/kube-root-ca.crt`];
      const answers = await Promise.all(found.map((path) => servers.askReal(get(path))));
      return answers.every(({ status }) => status === 200);
    };
    await vi.waitUntil(filled, { timeout: 120_000, interval: 200 });
  }, 180_000);
  afterAll(async () => {
    await servers?.stop();
    await manager?.stop();
    await plane?.stop();
  });

  it.each(REQUESTS.map((one): [string, AskedRequest] => [`${one.method} ${one.path} ${nameOf(one)}`, one]))(
    'are alike: %s',
    async (_title, one) => {
      const { real, ours } = await servers.ask(one);
      expect(withoutPlaces(ours)).toEqual(withoutPlaces(real));
    },
  );
});

function nameOf({ body }: AskedRequest): string {
  return /"name":"([^"]*)"/.exec(JSON.stringify(body ?? ''))?.[1] ?? '';
}

/** Ports, authorities and generated names differ. */
function withoutPlaces(answer: object): unknown {
  const text = JSON.stringify(answer)
    .replace(/"targetPort":\d+/, '"targetPort":0')
    .replace(/"ca\.crt":"[^"]*"/, '"ca.crt":"PEM"')
    .replace(/kube-api-access-[a-z0-9]{5}/g, 'kube-api-access-XXXXX');
  return JSON.parse(text);
}
