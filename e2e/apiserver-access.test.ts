import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it, vi } from 'vitest';
import type { ApiServer } from '../src/apiserver/apiserver.ts';
import { asArray, asObject, asString, getPath, type JsonObject } from '../src/apiserver/values/json.ts';
import { type ControllerManager, startControllerManager } from '../src/testing/control-plane/controller-manager.ts';
import { runKubectl } from '../src/testing/control-plane/kubectl.ts';
import { ControlPlane } from '../src/testing/control-plane.ts';
import { type AskedRequest, EVENTUALLY, TwoServers } from './two-servers-fixture.ts';

const ns = 'access';
const RBAC = '/apis/rbac.authorization.k8s.io/v1';
const AUTHORIZATION = '/apis/authorization.k8s.io/v1';
const REF = 'rbac.authorization.k8s.io';

/** Who asks; the groups come after the name. */
const as = (user: string, ...groups: string[]): Record<string, string> => ({
  'impersonate-user': user,
  ...(groups.length === 0 ? {} : { 'impersonate-group': groups.join(', ') }),
});
const get = (path: string, headers: Record<string, string> = {}): AskedRequest => ({ method: 'GET', path, headers });
const post = (path: string, body: JsonObject, headers: Record<string, string> = {}): AskedRequest => {
  return { method: 'POST', path, body, headers };
};
const patch = (path: string, body: JsonObject, headers: Record<string, string> = {}): AskedRequest => {
  return { method: 'PATCH', path, body, headers, type: 'application/merge-patch+json' };
};
const remove = (path: string, headers: Record<string, string> = {}): AskedRequest => {
  return { method: 'DELETE', path, headers };
};
const rule = (verbs: string[], apiGroups: string[], resources: string[], more: JsonObject = {}): JsonObject => {
  return { verbs, apiGroups, resources, ...more };
};
const clusterRole = (name: string, rules: JsonObject[], more: JsonObject = {}, headers = {}): AskedRequest =>
  post(`${RBAC}/clusterroles`, { metadata: { name }, ...(rules.length > 0 ? { rules } : {}), ...more }, headers);
const role = (name: string, rules: JsonObject[], headers = {}): AskedRequest =>
  post(`${RBAC}/namespaces/${ns}/roles`, { metadata: { name }, rules }, headers);
const bind = (name: string, kind: string, to: string, subjects: JsonObject[], headers = {}): AskedRequest =>
  post(
    `${RBAC}/namespaces/${ns}/rolebindings`,
    { metadata: { name }, roleRef: { apiGroup: REF, kind, name: to }, subjects },
    headers,
  );
const bindCluster = (name: string, to: string, subjects: JsonObject[], headers = {}): AskedRequest =>
  post(
    `${RBAC}/clusterrolebindings`,
    { metadata: { name }, roleRef: { apiGroup: REF, kind: 'ClusterRole', name: to }, subjects },
    headers,
  );
const user = (name: string): JsonObject => ({ kind: 'User', name });
const group = (name: string): JsonObject => ({ kind: 'Group', name });
const account = (name: string, namespace = ns): JsonObject => ({ kind: 'ServiceAccount', name, namespace });

const SETUP: AskedRequest[] = [
  post('/api/v1/namespaces', { metadata: { name: ns } }),
  post('/api/v1/namespaces', { metadata: { name: `${ns}-other` } }),
  role('reader', [
    rule(['get', 'list'], [''], ['pods', 'pods/log']),
    rule(['update'], [''], ['configmaps'], { resourceNames: ['one', 'two'] }),
    rule(['get'], ['apps'], ['*/scale']),
  ]),
  bind('readers', 'Role', 'reader', [user('jane'), group('team'), account('robot')]),
  clusterRole('paths', [{ verbs: ['get'], nonResourceURLs: ['/metrics', '/logs/*'] }]),
  bindCluster('paths', 'paths', [user('jane')]),
  clusterRole('aggregate-me', [rule(['get'], ['example.com'], ['widgets'])], {
    metadata: { name: 'aggregate-me', labels: { [`${REF}/aggregate-to-view`]: 'true', collect: 'yes' } },
  }),
  clusterRole('collected', [], {
    aggregationRule: { clusterRoleSelectors: [{ matchLabels: { collect: 'yes' } }] },
  }),
  bindCluster('collected', 'collected', [group('team')]),
  bind('editors', 'ClusterRole', 'edit', [user('edith')]),
  bind('viewers', 'ClusterRole', 'view', [user('victor')]),
  bind('admins', 'ClusterRole', 'admin', [user('adam')]),
  bind('nowhere', 'Role', 'absent', [user('norbert')]),
  bindCluster('nowhere', 'absent', [user('norbert')]),
  clusterRole('granter', [
    rule(
      ['create', 'delete', 'get', 'patch', 'update'],
      [REF],
      ['roles', 'rolebindings', 'clusterroles', 'clusterrolebindings'],
    ),
    rule(['bind'], [REF], ['clusterroles'], { resourceNames: ['view'] }),
    rule(['get', 'list'], [''], ['pods']),
  ]),
  bindCluster('granters', 'granter', [user('grace')]),
  clusterRole('escalator', [rule(['create', 'escalate'], [REF], ['roles', 'clusterroles'])]),
  bindCluster('escalators', 'escalator', [user('eve')]),
  clusterRole('impersonator', [
    rule(['impersonate'], [''], ['users'], { resourceNames: ['jane'] }),
    rule(['impersonate'], [''], ['groups'], { resourceNames: ['team'] }),
  ]),
  bindCluster('impersonators', 'impersonator', [user('ivan')]),
  post(`/api/v1/namespaces/${ns}/serviceaccounts`, { metadata: { name: 'robot' } }),
];

const grace = as('grace');
const REQUESTS: AskedRequest[] = [
  get(`/api/v1/namespaces/${ns}/pods`, as('jane')),
  get(`/api/v1/namespaces/${ns}/pods/none`, as('jane')),
  get(`/api/v1/namespaces/${ns}/pods/none/log`, as('jane')),
  get(`/api/v1/namespaces/${ns}-other/pods`, as('jane')),
  get('/api/v1/pods', as('jane')),
  get(`/api/v1/namespaces/${ns}/secrets`, as('jane')),
  get(`/api/v1/namespaces/${ns}/secrets/x`, as('jane')),
  get(`/api/v1/namespaces/${ns}/pods`, as('someone', 'team')),
  get(`/api/v1/namespaces/${ns}/pods`, as(`system:serviceaccount:${ns}:robot`)),
  get(`/api/v1/namespaces/${ns}/pods?watch=true&timeoutSeconds=1`, as('jane')),
  patch(`/api/v1/namespaces/${ns}/configmaps/one`, {}, as('jane')),
  get(`/apis/apps/v1/namespaces/${ns}/deployments/x/scale`, as('jane')),
  get(`/apis/apps/v1/namespaces/${ns}/deployments/x`, as('jane')),
  get('/metrics/slis', as('jane')),
  get('/logs/x', as('nobody')),
  get('/version', as('nobody')),
  get('/api', as('nobody')),
  get('/openapi/v2', as('nobody', 'system:unauthenticated')),
  get(`/api/v1/namespaces/${ns}/pods`, as('norbert')),
  get('/healthz', as('system:anonymous')),
  get('/api', as('system:anonymous')),
  get('/api/v1/nodes', as('system:anonymous')),
  // Nobody gives away what they do not have.
  role('mine', [rule(['get'], [''], ['pods'])], grace),
  role('not-mine', [rule(['get', 'delete'], [''], ['pods', 'secrets']), rule(['*'], ['*'], ['*'])], grace),
  role('named', [rule(['get'], [''], ['secrets'], { resourceNames: ['a', 'b'] })], grace),
  clusterRole('urls', [{ verbs: ['get', 'post'], nonResourceURLs: ['/x', '/y/*'] }], {}, grace),
  clusterRole('collector', [], { aggregationRule: { clusterRoleSelectors: [{ matchLabels: { a: 'b' } }] } }, grace),
  patch(`${RBAC}/namespaces/${ns}/roles/mine`, { rules: [rule(['list'], [''], ['pods'])] }, grace),
  patch(`${RBAC}/namespaces/${ns}/roles/mine`, { rules: [rule(['watch'], [''], ['pods'])] }, grace),
  patch(`${RBAC}/namespaces/${ns}/roles/reader`, { metadata: { finalizers: ['example.com/wait'] } }, grace),
  patch(`${RBAC}/namespaces/${ns}/roles/reader`, { metadata: { finalizers: null } }, grace),
  patch(`${RBAC}/namespaces/${ns}/roles/reader`, { metadata: { labels: { a: 'b' } } }, grace),
  patch(`${RBAC}/clusterroles/collected`, { metadata: { labels: { a: 'b' } } }, grace),
  bind('to-mine', 'Role', 'mine', [user('x')], grace),
  bind('to-reader', 'Role', 'reader', [user('x')], grace),
  bind('to-view', 'ClusterRole', 'view', [user('x')], grace),
  bindCluster('to-view', 'view', [user('x')], grace),
  bind('to-edit', 'ClusterRole', 'edit', [user('x')], grace),
  bind('to-nothing', 'Role', 'nothing', [user('x')], grace),
  bind('to-none', 'ClusterRole', 'nothing', [user('x')], grace),
  bindCluster('to-admin', 'cluster-admin', [user('grace')], grace),
  role('by-eve', [rule(['*'], ['*'], ['*'])], as('eve')),
  clusterRole('by-eve', [rule(['*'], ['*'], ['*'])], {}, as('eve')),
  // What is not a role or a binding.
  clusterRole('empty', [{ verbs: [], apiGroups: [''], resources: ['pods'] }]),
  clusterRole('both', [{ verbs: ['get'], apiGroups: [''], resources: ['pods'], nonResourceURLs: ['/x'] }]),
  clusterRole('neither', [{ verbs: ['get'] }]),
  clusterRole('selects-nothing', [], { aggregationRule: { clusterRoleSelectors: [] } }),
  role('paths', [{ verbs: ['get'], nonResourceURLs: ['/x'] }]),
  bind('odd', 'Cluster', 'x', [user('x')]),
  bind('unnamed', 'Role', '', [user('')]),
  bind('strange', 'Role', 'x', [
    { kind: 'Thing', name: 'x' },
    { kind: 'ServiceAccount', name: 'Not A Name' },
    { kind: 'User', name: 'x', apiGroup: 'example.com' },
  ]),
  bindCluster('homeless', 'x', [{ kind: 'ServiceAccount', name: 'x' }]),
  remove(`${RBAC}/clusterroles/none`, grace),
];

/** Who, what, where: the arguments of `kubectl auth can-i`. */
const CAN_I: string[][] = [
  ['get', 'pods', '--as=jane', '-n', ns],
  ['get', 'pods', '--as=jane', '-n', `${ns}-other`],
  ['get', 'pods', '--as=jane', '--all-namespaces'],
  ['get', 'pods/log', '--as=jane', '-n', ns],
  ['get', 'pods', '--subresource=log', '--as=jane', '-n', ns],
  ['watch', 'pods', '--as=jane', '-n', ns],
  ['update', 'configmaps/one', '--as=jane', '-n', ns],
  ['update', 'configmaps/three', '--as=jane', '-n', ns],
  ['update', 'configmaps', '--as=jane', '-n', ns],
  ['get', 'deployments.apps/scale', '--as=jane', '-n', ns],
  ['get', 'deployments.apps', '--subresource=scale', '--as=jane', '-n', ns],
  ['get', '/metrics', '--as=jane'],
  ['get', '/logs/kube.log', '--as=jane'],
  ['get', '/logs', '--as=jane'],
  ['get', '/healthz', '--as=nobody'],
  ['get', '/metrics', '--as=nobody'],
  ['get', 'pods', '--as=x', '--as-group=team', '-n', ns],
  ['get', 'widgets.example.com', '--as=x', '--as-group=team'],
  ['get', 'widgets.example.com', '--as=victor', '-n', ns],
  ['create', 'deployments.apps', '--as=edith', '-n', ns],
  ['create', 'roles', '--as=edith', '-n', ns],
  ['create', 'roles', '--as=adam', '-n', ns],
  ['get', 'secrets', '--as=victor', '-n', ns],
  ['list', 'services', '--as=victor', '-n', ns],
  ['get', 'secrets', '--as=edith', '-n', ns],
  ['delete', 'namespaces', '--as=adam', '-n', ns],
  ['*', '*', '--as=adam', '-n', ns],
  ['*', '*', '--as=root', '--as-group=system:masters'],
  ['*', '*'],
  ['list', 'pods', `--as=system:serviceaccount:${ns}:robot`, '-n', ns],
  ['list', 'nodes', '--as=system:kube-scheduler'],
  ['create', 'pods/binding', '--as=system:kube-scheduler', '-n', ns],
  ['delete', 'nodes', '--as=system:kube-scheduler'],
  ['get', 'leases', '--as=system:kube-controller-manager', '-n', 'kube-system'],
  ['update', 'endpointslices.discovery.k8s.io', '--as=system:serviceaccount:kube-system:endpointslice-controller'],
  ['create', 'selfsubjectaccessreviews.authorization.k8s.io', '--as=anybody'],
  ['create', 'tokenreviews.authentication.k8s.io', '--as=anybody'],
  ['bind', 'clusterroles.rbac.authorization.k8s.io/view', '--as=grace'],
  ['bind', 'clusterroles.rbac.authorization.k8s.io/edit', '--as=grace'],
  ['impersonate', 'users/jane', '--as=ivan'],
  ['impersonate', 'users/root', '--as=ivan'],
  ['get', 'pods', '--as=norbert', '-n', ns],
  ['get', 'nonsense', '--as=jane', '-n', ns],
];

const access = (spec: JsonObject): JsonObject => ({ spec });
const pods = { namespace: ns, verb: 'list', resource: 'pods' };
const REVIEWS: AskedRequest[] = [
  post(`${AUTHORIZATION}/subjectaccessreviews`, access({ user: 'jane', resourceAttributes: pods })),
  post(`${AUTHORIZATION}/subjectaccessreviews`, access({ groups: ['team'], resourceAttributes: pods })),
  post(`${AUTHORIZATION}/subjectaccessreviews`, access({ user: 'norbert', resourceAttributes: pods })),
  post(
    `${AUTHORIZATION}/subjectaccessreviews`,
    access({ user: 'x', groups: ['system:masters'], resourceAttributes: pods }),
  ),
  post(
    `${AUTHORIZATION}/subjectaccessreviews`,
    access({ user: `system:serviceaccount:${ns}:robot`, resourceAttributes: pods }),
  ),
  post(
    `${AUTHORIZATION}/subjectaccessreviews`,
    access({ user: 'jane', nonResourceAttributes: { path: '/metrics', verb: 'get' } }),
  ),
  post(`${AUTHORIZATION}/subjectaccessreviews`, access({ user: 'jane' })),
  post(`${AUTHORIZATION}/subjectaccessreviews`, access({ resourceAttributes: pods })),
  post(`${AUTHORIZATION}/subjectaccessreviews`, access({ user: 'jane', resourceAttributes: pods }), as('jane')),
  post(`${AUTHORIZATION}/selfsubjectaccessreviews`, access({ resourceAttributes: pods }), as('jane')),
  post(`${AUTHORIZATION}/selfsubjectaccessreviews`, access({}), as('jane')),
  post(
    `${AUTHORIZATION}/namespaces/${ns}/localsubjectaccessreviews`,
    { metadata: { namespace: ns }, ...access({ user: 'jane', resourceAttributes: pods }) },
    as('adam'),
  ),
  post(`${AUTHORIZATION}/namespaces/${ns}/localsubjectaccessreviews`, {
    metadata: { namespace: ns },
    ...access({ user: 'jane', resourceAttributes: { ...pods, namespace: 'default' } }),
  }),
  post(`${AUTHORIZATION}/namespaces/${ns}/localsubjectaccessreviews`, {
    metadata: { namespace: ns },
    ...access({ user: 'jane', nonResourceAttributes: { path: '/x', verb: 'get' } }),
  }),
  post(`${AUTHORIZATION}/selfsubjectrulesreviews`, access({}), as('jane')),
  post('/apis/authentication.k8s.io/v1/selfsubjectreviews', {}, as('jane', 'team')),
  post('/apis/authentication.k8s.io/v1/tokenreviews', { spec: { token: 'nonsense' } }),
  post('/apis/authentication.k8s.io/v1/tokenreviews', { spec: {} }),
];

const token = `/api/v1/namespaces/${ns}/serviceaccounts/robot/token`;
const request = (spec: JsonObject, metadata: JsonObject = {}): AskedRequest => post(token, { metadata, spec });
const TOKENS: AskedRequest[] = [
  request({}),
  request({ expirationSeconds: 60 }),
  request({ expirationSeconds: 2 ** 33 }),
  request({ audiences: ['a', 'b'], expirationSeconds: 700 }),
  request({}, { name: 'other' }),
  request({}, { namespace: 'other' }),
  request({}, { uid: '00000000-0000-0000-0000-000000000000' }),
  request({ boundObjectRef: { kind: 'Pod', apiVersion: 'v1', name: 'none' } }),
  request({ boundObjectRef: { kind: 'Secret', apiVersion: 'v1', name: 'none' } }),
  request({ boundObjectRef: { kind: 'Node', apiVersion: 'v1', name: 'none' } }),
  request({ boundObjectRef: { kind: 'Deployment', apiVersion: 'apps/v1', name: 'none' } }),
  request({ boundObjectRef: { kind: 'Pod', apiVersion: 'v1', name: 'theirs' } }),
  request({ boundObjectRef: { kind: 'Pod', apiVersion: 'v1', name: 'own' } }),
  request({ boundObjectRef: { kind: 'Pod', apiVersion: 'v1', name: 'own', uid: 'other' } }),
  post(`/api/v1/namespaces/${ns}/serviceaccounts/none/token`, { spec: {} }),
  { ...request({}), headers: as('jane') },
  { ...request({}), headers: as('edith') },
];

describe('access of the embedded server and a real one', () => {
  let plane: ControlPlane;
  let manager: ControllerManager;
  let servers: TwoServers;
  let ours: ApiServer;
  let folder: string;

  beforeAll(async () => {
    plane = await ControlPlane.start();
    manager = await startControllerManager({
      kubeconfig: plane.kubeconfigFile(),
      flags: ['--controllers=clusterrole-aggregation-controller'],
    });
    servers = await TwoServers.start({ access: 'rbac' }, plane);
    ours = servers.embedded;
    folder = mkdtempSync(join(tmpdir(), 'tidewatch-access-'));
    for (const one of SETUP) {
      const { real, ours } = await servers.ask(one);
      expect([real.status, ours.status], JSON.stringify([one, real.body, ours.body])).toEqual([201, 201]);
    }
    // The controller of the real cluster takes a moment.
    const ready = get(`${RBAC}/clusterroles/view`);
    await vi.waitFor(async () => {
      const { real } = await servers.ask(ready);
      expect(JSON.stringify(real.body)).toContain('widgets');
    }, EVENTUALLY);
  });

  afterAll(async () => {
    await servers?.stop();
    await manager?.stop();
    await plane?.stop();
    if (folder) rmSync(folder, { recursive: true, force: true });
  });

  it('begins with the same roles and bindings', async () => {
    for (const plural of ['clusterroles', 'clusterrolebindings', 'roles', 'rolebindings']) {
      const { real, ours } = await servers.ask(get(`${RBAC}/${plural}`));
      expect(asArray(getPath(ours.body, 'items')).length).toBeGreaterThan(5);
      expect(ours.body, plural).toEqual(real.body);
    }
  });

  it.each(REQUESTS.map((one) => [title(one), one] as const))('%s', async (_title, one) => {
    const { real, ours } = await servers.ask(one);
    // These tell of the server itself.
    if (one.path === '/version' || one.path === '/api') expect(ours.status).toBe(real.status);
    else expect(ours).toEqual(real);
  });

  it.each(REVIEWS.map((one) => [title(one), one] as const))('review: %s', async (_title, one) => {
    const { real, ours } = await servers.ask(one);
    expect(ours).toEqual(real);
  });

  it.each(['jane', 'edith', 'victor', 'grace', 'norbert', 'nobody'])('lists the rules of %s alike', async (name) => {
    const review = post(`${AUTHORIZATION}/selfsubjectrulesreviews`, access({ namespace: ns }), as(name));
    const { real, ours } = await servers.ask(review);
    expect(rules(ours.body)).toEqual(rules(real.body));
    expect(rules(ours.body).length).toBeGreaterThan(2);
  });

  it('agrees with kubectl auth can-i on every case', async () => {
    const own = join(folder, 'kubeconfig');
    writeFileSync(own, ours.kubeconfig(), { mode: 0o600 });
    const answers: string[][] = [[], []];
    for (const args of CAN_I) {
      const asked = ['auth', 'can-i', ...args];
      const [real, embedded] = await Promise.all([
        runKubectl(asked, { kubeconfig: plane.kubeconfigFile() }),
        runKubectl(asked, { kubeconfig: own }),
      ]);
      answers[0]?.push(`${args.join(' ')}: ${real.stdout}${real.stderr}`);
      answers[1]?.push(`${args.join(' ')}: ${embedded.stdout}${embedded.stderr}`);
    }
    expect(answers[1]).toEqual(answers[0]);
    const said = answers[0]?.join('') ?? '';
    expect(said).toContain('yes');
    expect(said).toContain('no');
  });

  it('gives tokens to service accounts by the same rules, and knows them again', async () => {
    const pod = (name: string, serviceAccountName: string): AskedRequest =>
      post(`/api/v1/namespaces/${ns}/pods`, {
        metadata: { name },
        spec: { serviceAccountName, containers: [{ name: 'c', image: 'i' }], nodeName: 'node-1' },
      });
    for (const one of [pod('own', 'robot'), pod('theirs', 'other')]) {
      const { real, ours } = await servers.ask(one);
      expect([real.status, ours.status]).toEqual([201, 201]);
    }
    for (const one of TOKENS) {
      const { real, ours } = await servers.ask(one);
      expect(withoutToken(ours.body), title(one)).toEqual(withoutToken(real.body));
    }
  });

  it('reviews and accepts tokens alike, until what they are bound to is gone', async () => {
    const reviewed = async (spec: JsonObject, audiences?: string[]) => {
      const answers: { side: 'askReal' | 'askOurs'; text: string; parts: unknown }[] = [];
      for (const side of ['askReal', 'askOurs'] as const) {
        const issued = await servers[side](request(spec));
        const text = asString(getPath(issued.body, 'status', 'token'));
        answers.push({ side, text, parts: claims(text) });
      }
      const review = async (when: string) => {
        const results: unknown[] = [];
        for (const { side, text } of answers) {
          const body = { spec: { token: text, ...(audiences ? { audiences } : {}) } };
          const answer = await servers[side](post('/apis/authentication.k8s.io/v1/tokenreviews', body));
          const used = await servers[side](
            get(`/api/v1/namespaces/${ns}/pods?limit=1`, { authorization: `Bearer ${text}` }),
          );
          results.push([getPath(answer.body, 'status'), used.status]);
        }
        expect(results[1], when).toEqual(results[0]);
        return results[0];
      };
      expect(answers[1]?.parts).toEqual(answers[0]?.parts);
      return review;
    };
    const plain = await reviewed({});
    const narrow = await reviewed({ audiences: ['elsewhere'] });
    const elsewhere = await reviewed({ audiences: ['elsewhere'] }, ['elsewhere', 'x']);
    const bound = await reviewed({
      boundObjectRef: { kind: 'Pod', apiVersion: 'v1', name: 'own' },
      expirationSeconds: 3607,
    });
    expect(await plain('plain')).toMatchObject([{ authenticated: true }, 200]);
    expect(await narrow('narrow')).toMatchObject([{ error: expect.any(String) }, 401]);
    expect(await elsewhere('elsewhere')).toMatchObject([{ authenticated: true, audiences: ['elsewhere'] }, 401]);
    expect(await bound('bound')).toMatchObject([{ authenticated: true }, 200]);
    const pod = `/api/v1/namespaces/${ns}/pods/own?gracePeriodSeconds=0`;
    await servers.ask(remove(pod));
    await vi.waitFor(async () => expect(await bound('pod gone')).toMatchObject([{ user: {} }, 401]), EVENTUALLY);
    await servers.ask(remove(`/api/v1/namespaces/${ns}/serviceaccounts/robot`));
    await vi.waitFor(async () => expect(await plain('account gone')).toMatchObject([{ user: {} }, 401]), EVENTUALLY);
  });
});

function title({ method, path, headers, body }: AskedRequest): string {
  const who = headers?.['impersonate-user'] ?? 'the administrator';
  const what = asString(getPath(body ?? null, 'metadata', 'name'));
  return `${method} ${path} ${what} as ${who}`;
}

/** In any order: the real server lists bindings as a map gives them. */
function rules(review: unknown): string[] {
  const status = asObject(getPath(review as JsonObject, 'status'));
  return [...asArray(status.resourceRules), ...asArray(status.nonResourceRules), asString(status.evaluationError)]
    .map((item) => JSON.stringify(item))
    .sort();
}

function withoutToken(body: unknown): unknown {
  return JSON.parse(JSON.stringify(body).replace(/"token":"[^"]+"/, '"token":"…"'));
}

/** Without what is another in each token. */
function claims(token: string): unknown {
  const text = Buffer.from(token.split('.')[1] ?? '', 'base64url').toString();
  const { exp, iat, nbf, jti: _id, ...rest } = JSON.parse(text);
  const uids = /[0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12}/g;
  const kept = JSON.parse(
    JSON.stringify(rest)
      .replace(uids, 'UID')
      .replace(/"warnafter":\d+/, '"warnafter":0'),
  );
  return { ...kept, lives: exp - iat, since: nbf - iat };
}
