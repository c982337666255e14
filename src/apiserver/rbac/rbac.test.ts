import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { FakeClock } from '../../observe/fake-clock.ts';
import { ApiServer } from '../apiserver.ts';
import { RequestClient } from '../request-client-fixture.ts';
import { asArray, asString, getPath, type JsonObject } from '../values/json.ts';

const RBAC = '/apis/rbac.authorization.k8s.io/v1';
const GROUP = 'rbac.authorization.k8s.io';
const PODS = '/api/v1/namespaces/default/pods';

describe('access by roles and bindings', () => {
  const clock = new FakeClock();
  let server: ApiServer;
  let admin: RequestClient;
  let jane: RequestClient;

  beforeEach(async () => {
    server = await ApiServer.start({ listen: false, access: 'rbac', clock });
    server.access.addToken('token-of-jane', 'jane');
    admin = new RequestClient(server.transport());
    jane = new RequestClient(server.transport({ token: 'token-of-jane' }));
  });

  afterEach(() => server.stop());

  const grant = async (rules: JsonObject[], subject: JsonObject = { kind: 'User', name: 'jane' }) => {
    await admin.post(`${RBAC}/namespaces/default/roles`, { metadata: { name: 'r' }, rules });
    const roleRef = { apiGroup: GROUP, kind: 'Role', name: 'r' };
    const body = { metadata: { name: 'b' }, roleRef, subjects: [subject] };
    expect((await admin.post(`${RBAC}/namespaces/default/rolebindings`, body)).status).toBe(201);
  };

  it('leaves users nothing but what is granted, and takes it back with the binding', async () => {
    expect((await jane.get(PODS)).status).toBe(403);
    await grant([{ verbs: ['list'], apiGroups: [''], resources: ['pods'] }]);
    expect((await jane.get(PODS)).status).toBe(200);
    expect((await jane.get('/api/v1/pods')).status).toBe(403);
    expect((await admin.delete(`${RBAC}/namespaces/default/rolebindings/b`)).status).toBe(200);
    expect((await jane.get(PODS)).status).toBe(403);
  });

  it('lets the administrator do everything, and server.access take it away', async () => {
    expect((await admin.get('/api/v1/secrets')).status).toBe(200);
    server.access.deny({ user: 'kubernetes-admin', resources: ['secrets'] });
    expect((await admin.get('/api/v1/secrets')).status).toBe(403);
  });

  it('takes requests without a token for those of nobody', async () => {
    const nobody = new RequestClient(server.transport({ token: '' }));
    expect((await nobody.get('/healthz')).status).toBe(200);
    expect((await nobody.get(PODS)).body.message).toBe(
      'pods is forbidden: User "system:anonymous" cannot list resource "pods" in API group "" in the namespace "default"',
    );
    const stranger = new RequestClient(server.transport({ token: 'wrong' }));
    expect((await stranger.get('/healthz')).status).toBe(401);
  });

  it('begins with the roles of a cluster, aggregated, and aggregates what is added at once', async () => {
    const view = await admin.get(`${RBAC}/clusterroles/view`);
    expect(asArray(view.body.rules).length).toBeGreaterThan(5);
    const labels = { [`${GROUP}/aggregate-to-view`]: 'true' };
    const rules = [{ verbs: ['get'], apiGroups: ['example.com'], resources: ['widgets'] }];
    await admin.post(`${RBAC}/clusterroles`, { metadata: { name: 'widgets', labels }, rules });
    for (const name of ['view', 'edit', 'admin']) {
      expect(JSON.stringify((await admin.get(`${RBAC}/clusterroles/${name}`)).body.rules), name).toContain('widgets');
    }
  });

  it('refuses to give away what one does not have', async () => {
    await grant([{ verbs: ['create', 'update'], apiGroups: [GROUP], resources: ['roles', 'rolebindings'] }]);
    const rules = [{ verbs: ['get'], apiGroups: [''], resources: ['secrets'] }];
    const answer = await jane.post(`${RBAC}/namespaces/default/roles`, { metadata: { name: 'more' }, rules });
    expect(answer.body.message).toBe(
      'roles.rbac.authorization.k8s.io "more" is forbidden: user "jane" (groups=["system:authenticated"]) is attempting to grant RBAC permissions not currently held:\n' +
        '{APIGroups:[""], Resources:["secrets"], Verbs:["get"]}',
    );
    const put = await jane.put(`${RBAC}/namespaces/default/roles/r`, { metadata: { name: 'r' }, rules });
    expect(put.status).toBe(403);
  });

  it('counts the bindings of a namespace there alone, and accounts by their namespace', async () => {
    await admin.post('/api/v1/namespaces', { metadata: { name: 'other' } });
    const rules = [{ verbs: ['list'], apiGroups: [''], resources: ['pods'] }];
    await grant(rules, { kind: 'ServiceAccount', name: 'robot', namespace: 'other' });
    // A role of the same name, which nobody has bound.
    await admin.post(`${RBAC}/namespaces/other/roles`, { metadata: { name: 'r' }, rules });
    const robots = ['default', 'other'].map((namespace) => {
      server.access.addToken(`robot-of-${namespace}`, `system:serviceaccount:${namespace}:robot`);
      return new RequestClient(server.transport({ token: `robot-of-${namespace}` }));
    });
    const lists = (path: string) => Promise.all(robots.map(async (robot) => (await robot.get(path)).status));
    expect(await lists(PODS)).toEqual([403, 200]);
    expect(await lists('/api/v1/namespaces/other/pods')).toEqual([403, 403]);
  });

  it('lets a role be bound by who has its rights or may bind it, and changed by who may escalate', async () => {
    const bindings = `${RBAC}/namespaces/default/rolebindings`;
    const roles = `${RBAC}/namespaces/default/roles`;
    const write = { verbs: ['create', 'update', 'patch'], apiGroups: [GROUP], resources: ['roles', 'rolebindings'] };
    const secrets = [{ verbs: ['get'], apiGroups: [''], resources: ['secrets'] }];
    for (const name of ['one', 'two']) await admin.post(roles, { metadata: { name }, rules: secrets });
    await grant([write, { verbs: ['bind'], apiGroups: [GROUP], resources: ['roles'], resourceNames: ['one'] }]);
    const bind = (name: string) => {
      const roleRef = { apiGroup: GROUP, kind: 'Role', name };
      return jane.post(bindings, { metadata: { name: `to-${name}` }, roleRef, subjects: [] });
    };
    expect((await bind('one')).status).toBe(201);
    expect((await bind('two')).body.message).toContain('is attempting to grant RBAC permissions not currently held');
    expect((await bind('none')).status).toBe(404);
    // What the garbage collector writes gives nothing away.
    expect((await jane.patch(`${roles}/two`, { metadata: { finalizers: ['x.com/y'] } })).status).toBe(200);
    expect((await jane.patch(`${roles}/two`, { metadata: { labels: { a: 'b' } } })).status).toBe(403);
    const more = [write, { verbs: ['escalate'], apiGroups: [GROUP], resources: ['roles'], resourceNames: ['two'] }];
    await admin.patch(`${roles}/r`, { rules: more });
    expect((await jane.patch(`${roles}/two`, { metadata: { labels: { a: 'b' } } })).status).toBe(200);
    expect((await jane.patch(`${roles}/one`, { metadata: { labels: { a: 'b' } } })).status).toBe(403);
  });

  it('lets nobody but a cluster administrator aggregate', async () => {
    const own = [
      { verbs: ['*'], apiGroups: [GROUP], resources: ['clusterroles'] },
      { verbs: ['get'], apiGroups: [''], resources: ['pods'] },
    ];
    const { verbs: _all, ...rest } = own[0] ?? { verbs: [] };
    await admin.post(`${RBAC}/clusterroles`, {
      metadata: { name: 'c' },
      rules: [{ ...rest, verbs: ['create', 'patch'] }, own[1]],
    });
    const roleRef = { apiGroup: GROUP, kind: 'ClusterRole', name: 'c' };
    const subjects = [{ apiGroup: GROUP, kind: 'User', name: 'jane' }];
    await admin.post(`${RBAC}/clusterrolebindings`, { metadata: { name: 'c' }, roleRef, subjects });
    const role = { metadata: { name: 'mine' }, rules: [own[1]] };
    expect((await jane.post(`${RBAC}/clusterroles`, role)).status).toBe(201);
    const aggregationRule = { clusterRoleSelectors: [{ matchLabels: { all: 'yes' } }] };
    const answer = await jane.post(`${RBAC}/clusterroles`, { ...role, metadata: { name: 'sum' }, aggregationRule });
    expect(answer.body.message).toContain('must have cluster-admin privileges to use the aggregationRule');
  });

  it('binds tokens to service accounts, audiences, objects and time', async () => {
    const accounts = '/api/v1/namespaces/default/serviceaccounts';
    await admin.post(accounts, { metadata: { name: 'robot' } });
    await grant([{ verbs: ['list'], apiGroups: [''], resources: ['pods'] }], {
      kind: 'ServiceAccount',
      name: 'robot',
    });
    const secrets = '/api/v1/namespaces/default/secrets';
    await admin.post(secrets, { metadata: { name: 's' } });
    const issue = async (spec: JsonObject) => {
      const { body } = await admin.post(`${accounts}/robot/token`, { spec });
      return asString(getPath(body, 'status', 'token'));
    };
    const use = async (token: string) => (await new RequestClient(server.transport({ token })).get(PODS)).status;
    const plain = await issue({});
    const bound = await issue({ boundObjectRef: { kind: 'Secret', apiVersion: 'v1', name: 's' } });
    const elsewhere = await issue({ audiences: ['elsewhere'] });
    expect(await Promise.all([plain, bound, elsewhere].map(use))).toEqual([200, 200, 401]);
    const [head, body, signature = ''] = plain.split('.');
    const forged = Buffer.from(body ?? '', 'base64url')
      .toString()
      .replaceAll('robot', 'admin');
    expect(await use(`${head}.${Buffer.from(forged).toString('base64url')}.${signature}`)).toBe(401);
    expect(await use(`${head}.${body}.`)).toBe(401);
    await admin.delete(`${secrets}/s`);
    expect(await Promise.all([plain, bound].map(use))).toEqual([200, 401]);
    await clock.advance(3600_000 + 61_000);
    expect(await use(plain)).toBe(401);
  });
});
