import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { FakeClock } from '../../observe/fake-clock.ts';
import { ApiServer } from '../apiserver.ts';
import { RequestClient } from '../request-client-fixture.ts';
import { getPath } from '../values/json.ts';

const PODS = '/api/v1/namespaces/default/pods';

describe('access', () => {
  let server: ApiServer;
  let admin: RequestClient;
  let bob: RequestClient;

  beforeEach(async () => {
    server = await ApiServer.start({ listen: false, clock: new FakeClock() });
    server.access.addToken('token-of-bob', 'bob');
    admin = new RequestClient(server.transport());
    bob = new RequestClient(server.transport({ token: 'token-of-bob' }));
  });

  afterEach(() => server.stop());

  it('answers 401 to an unknown token', async () => {
    const stranger = new RequestClient(server.transport({ token: 'nobody' }));
    expect((await stranger.get(PODS)).body).toMatchObject({
      code: 401,
      reason: 'Unauthorized',
      message: 'Unauthorized',
    });
  });

  it('lets everybody who has a token do everything, until it is denied', async () => {
    expect((await bob.get(PODS)).status).toBe(200);
    const allow = server.access.deny({ user: 'bob', verbs: ['list'], resources: ['pods'] });
    expect((await bob.get('/api/v1/pods')).body).toMatchObject({
      code: 403,
      reason: 'Forbidden',
      message: 'pods is forbidden: User "bob" cannot list resource "pods" in API group "" at the cluster scope',
      details: { kind: 'pods' },
    });
    expect((await bob.get(`${PODS}/x`)).status).toBe(404);
    expect((await admin.get(PODS)).status).toBe(200);
    allow();
    expect((await bob.get(PODS)).status).toBe(200);
  });

  it('can answer 401 for some requests only', async () => {
    server.access.deny({ user: 'bob', namespaces: ['default'] }, 401);
    expect((await bob.get(PODS)).status).toBe(401);
    expect((await bob.get('/api/v1/nodes')).status).toBe(200);
  });

  it('leaves a user nothing but what is allowed', async () => {
    server.access.allowOnly('bob', [
      { verbs: ['get'], resources: ['pods', 'pods/status'], namespaces: ['default'] },
      { verbs: ['get'], paths: ['/version', '/api*'] },
    ]);
    expect((await bob.get(`${PODS}/x`)).status).toBe(404);
    expect((await bob.get(`${PODS}/x/status`)).status).toBe(404);
    expect((await bob.get(`${PODS}/x/log`)).body.message).toBe(
      'pods "x" is forbidden: User "bob" cannot get resource "pods/log" in API group "" in the namespace "default"',
    );
    expect((await bob.get('/version')).status).toBe(200);
    expect((await bob.get('/api/v1')).status).toBe(200);
    expect((await bob.get('/metrics')).body.message).toBe('forbidden: User "bob" cannot get path "/metrics"');
  });

  it('answers access reviews by the same rules', async () => {
    server.access.deny({ user: 'bob', verbs: ['delete'], resources: ['pods'] });
    const review = (verb: string) => ({
      spec: { resourceAttributes: { verb, resource: 'pods', namespace: 'default' } },
    });
    const path = '/apis/authorization.k8s.io/v1/selfsubjectaccessreviews';
    expect(getPath((await bob.post(path, review('delete'))).body, 'status', 'allowed')).toBe(false);
    expect(getPath((await bob.post(path, review('get'))).body, 'status', 'allowed')).toBe(true);
    const other = { spec: { ...review('delete').spec, user: 'bob' } };
    const answer = await admin.post('/apis/authorization.k8s.io/v1/subjectaccessreviews', other);
    expect(answer.body).toMatchObject({ kind: 'SubjectAccessReview', status: { allowed: false } });
  });

  it('answers access reviews as objects or as their metadata, never as tables', async () => {
    const path = '/apis/authorization.k8s.io/v1/selfsubjectaccessreviews';
    const review = { spec: { nonResourceAttributes: { path: '/', verb: 'get' } } };
    const as = (kind: string) => ({ accept: `application/json;as=${kind};v=v1;g=meta.k8s.io` });
    const refused = await admin.post(path, review, as('Table'));
    expect(refused.body).toMatchObject({ code: 406, reason: 'NotAcceptable' });
    const either = { accept: `${as('Table').accept},application/json` };
    expect((await admin.post(path, review, either)).body).toMatchObject({ kind: 'SelfSubjectAccessReview' });
    expect((await admin.post(path, review, as('PartialObjectMetadata'))).body).not.toHaveProperty('status');
  });

  it('tells who somebody is, also behind another name', async () => {
    const path = '/apis/authentication.k8s.io/v1/selfsubjectreviews';
    expect(getPath((await bob.post(path, {})).body, 'status', 'userInfo', 'username')).toBe('bob');
    const masked = await admin.post(path, {}, { 'impersonate-user': 'eve' });
    expect(getPath(masked.body, 'status', 'userInfo', 'username')).toBe('eve');
  });

  describe('to another identity', () => {
    const SELF = '/apis/authentication.k8s.io/v1/selfsubjectreviews';
    const as = async (headers: Record<string, string>, client = admin) => client.post(SELF, {}, headers);
    const userOf = async (headers: Record<string, string>) => getPath((await as(headers)).body, 'status', 'userInfo');

    it('needs the right to impersonate each part of it', async () => {
      const allow = server.access.deny({ user: 'bob', verbs: ['impersonate'] });
      expect((await as({ 'impersonate-user': 'eve' }, bob)).body).toMatchObject({
        code: 403,
        reason: 'Forbidden',
        message:
          'users "eve" is forbidden: User "bob" cannot impersonate resource "users" in API group "" at the cluster scope',
        details: { name: 'eve', kind: 'users' },
      });
      allow();
      expect((await as({ 'impersonate-user': 'eve' }, bob)).status).toBe(201);
      const parts: [string, Record<string, string>, string][] = [
        [
          'groups',
          { 'impersonate-group': 'g' },
          'groups "g" is forbidden: User "bob" cannot impersonate resource "groups" in API group "" at the cluster scope',
        ],
        [
          'uids',
          { 'impersonate-uid': 'u' },
          'uids.authentication.k8s.io "u" is forbidden: User "bob" cannot impersonate resource "uids" in API group "authentication.k8s.io" at the cluster scope',
        ],
        [
          'userextras/k',
          { 'impersonate-extra-k': 'v' },
          'userextras.authentication.k8s.io "v" is forbidden: User "bob" cannot impersonate resource "userextras/k" in API group "authentication.k8s.io" at the cluster scope',
        ],
      ];
      for (const [resource, header, message] of parts) {
        const allowPart = server.access.deny({ user: 'bob', verbs: ['impersonate'], resources: [resource] });
        expect((await as({ 'impersonate-user': 'eve', ...header }, bob)).body).toMatchObject({ code: 403, message });
        allowPart();
        expect((await as({ 'impersonate-user': 'eve', ...header }, bob)).status).toBe(201);
      }
      server.access.deny({ user: 'bob', resources: ['serviceaccounts'], namespaces: ['work'] });
      const robot = await as({ 'impersonate-user': 'system:serviceaccount:work:robot' }, bob);
      expect(robot.body.message).toBe(
        'serviceaccounts "robot" is forbidden: User "bob" cannot impersonate resource "serviceaccounts" in API group "" in the namespace "work"',
      );
    });

    it('is not for a user whose rights are listed without it', async () => {
      server.access.allowOnly('bob', [{ verbs: ['list'], resources: ['pods'] }]);
      expect((await bob.get(PODS, { 'impersonate-user': 'kubernetes-admin' })).body).toMatchObject({
        code: 403,
        message:
          'pods is forbidden: User "bob" cannot impersonate-on:user-info:list resource "pods" in API group "" in the namespace "default"',
      });
      expect((await bob.get('/metrics', { 'impersonate-user': 'system:node:n' })).body.message).toBe(
        'forbidden: User "bob" cannot impersonate-on:arbitrary-node:get path "/metrics"',
      );
      server.access.allowOnly('bob', [
        { verbs: ['impersonate-on:user-info:list'], resources: ['pods'] },
        { verbs: ['impersonate:user-info'], resources: ['users'], groups: ['authentication.k8s.io'], names: ['eve'] },
      ]);
      expect((await bob.get(PODS, { 'impersonate-user': 'eve' })).status).toBe(200);
      expect((await bob.get(PODS, { 'impersonate-user': 'mallory' })).status).toBe(403);
      expect((await bob.get(`${PODS}/x`, { 'impersonate-user': 'eve' })).status).toBe(403);
      server.access.allowOnly('bob', [{ verbs: ['impersonate'], resources: ['users'], names: ['eve'] }]);
      expect((await bob.get(`${PODS}/x`, { 'impersonate-user': 'eve' })).status).toBe(404);
    });

    it('has the groups, the uid and the extras that were asked for', async () => {
      expect(await userOf({ 'impersonate-user': 'eve', 'impersonate-group': 'a, b,c' })).toEqual({
        username: 'eve',
        groups: ['a', 'b,c', 'system:authenticated'],
      });
      const headers = { 'impersonate-uid': '42', 'impersonate-extra-example.org%2fx': 'v, w' };
      expect(await userOf({ 'impersonate-user': 'eve', ...headers })).toEqual({
        username: 'eve',
        uid: '42',
        groups: ['system:authenticated'],
        extra: { 'example.org/x': ['v', 'w'] },
      });
      expect(await userOf({ 'impersonate-user': 'system:serviceaccount:work:robot' })).toMatchObject({
        groups: ['system:serviceaccounts', 'system:serviceaccounts:work', 'system:authenticated'],
      });
      expect(await userOf({ 'impersonate-user': 'system:anonymous' })).toMatchObject({
        groups: ['system:unauthenticated'],
      });
    });

    it('cannot be a group, a uid or an extra without a user', async () => {
      const answer = await as({ 'impersonate-group': 'devs', 'impersonate-extra-k': 'v' });
      expect(answer.body).toMatchObject({
        code: 400,
        message:
          'requested &user.DefaultInfo{Name:"", UID:"", Groups:[]string{"devs"}, Extra:map[string][]string{"k":[]string{"v"}}} without impersonating a user name',
      });
      expect((await as({ 'impersonate-uid': 'u' })).status).toBe(400);
    });
  });

  describe('by path', () => {
    it('sees the path that the handlers see, however it was encoded', async () => {
      server.access.deny({ user: 'bob', resources: ['secrets'] });
      server.access.deny({ user: 'bob', paths: ['/version', '/openapi*'] });
      const secrets = [
        '/api/v1/%73ecrets',
        '/api%2Fv1%2Fsecrets',
        '/api/v1/secrets/',
        '/api/v1/namespaces/default%2Fsecrets',
      ];
      for (const path of secrets) expect([path, (await bob.get(path)).status]).toEqual([path, 403]);
      for (const path of ['/%76ersion', '/version', '/openapi/v2', '/%6fpenapi%2fv2', '/openapi%2Fv3']) {
        expect([path, (await bob.get(path)).status]).toEqual([path, 403]);
      }
      expect((await bob.get('/%76ersion')).body.message).toBe('forbidden: User "bob" cannot get path "/version"');
      expect((await bob.get('/%61pi/v1/namespaces%2Fdefault%2Fconfigmaps')).status).toBe(200);
    });

    it('finds nothing under an empty segment or behind the slash of a probe', async () => {
      for (const path of [
        '//healthz',
        '/healthz/',
        '/healthz//',
        '//api/v1/pods',
        '//version',
        '/./healthz',
        '/x/../healthz',
      ]) {
        expect([path, (await admin.get(path)).status]).toEqual([path, 404]);
      }
      expect((await admin.get('/healthz%2Fping')).text).toBe('ok');
      expect((await admin.get('/%68ealthz')).text).toBe('ok');
      expect(await admin.get('/healthz%zz')).toMatchObject({ status: 400, text: '400 Bad Request' });
    });

    it('is open to strangers for probes alone, whatever the encoding says', async () => {
      const stranger = new RequestClient({
        request: (wanted) =>
          server.transport().request({ ...wanted, headers: { ...wanted.headers, authorization: '' } }),
        close: async () => {},
      });
      expect((await stranger.get('/api/v1/pods')).status).toBe(401);
      expect((await stranger.get('/healthz%2F..%2Fapi/v1/pods')).status).not.toBe(200);
    });
  });

  it('gives out tokens for service accounts, until they expire', async () => {
    await admin.post('/api/v1/namespaces/default/serviceaccounts', { metadata: { name: 'robot' } });
    const answer = await admin.post('/api/v1/namespaces/default/serviceaccounts/robot/token', {
      spec: { expirationSeconds: 600 },
    });
    expect(answer.status).toBe(201);
    const robot = new RequestClient(server.transport({ token: String(getPath(answer.body, 'status', 'token')) }));
    const who = await robot.post('/apis/authentication.k8s.io/v1/selfsubjectreviews', {});
    expect(getPath(who.body, 'status', 'userInfo', 'username')).toBe('system:serviceaccount:default:robot');
  });
});
