import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { FakeClock } from '../observe/fake-clock.ts';
import { ApiServer } from './api-server.ts';
import { getPath } from './json.ts';
import { RequestClient } from './request-client-fixture.ts';

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

  it('tells who somebody is, also behind another name', async () => {
    const path = '/apis/authentication.k8s.io/v1/selfsubjectreviews';
    expect(getPath((await bob.post(path, {})).body, 'status', 'userInfo', 'username')).toBe('bob');
    const masked = await admin.post(path, {}, { 'impersonate-user': 'eve' });
    expect(getPath(masked.body, 'status', 'userInfo', 'username')).toBe('eve');
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
