import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { RequestClient } from '../apiserver/request-client-fixture.ts';
import { asString, getPath, type JsonObject } from '../apiserver/values/json.ts';
import { ApiServer } from './api-server.ts';
import { type AdmissionHandler, WebhookServer } from './webhook-server.ts';

const GROUP = '/apis/admissionregistration.k8s.io/v1';
const MAPS = '/api/v1/namespaces/default/configmaps';

describe('webhooks', () => {
  let server: ApiServer;
  let client: RequestClient;
  let webhooks: WebhookServer;
  let answer: AdmissionHandler;

  beforeEach(async () => {
    server = await ApiServer.start({ listen: false });
    client = new RequestClient(server.transport());
    webhooks = await WebhookServer.start({ admission: { '/': (request) => answer(request) } });
  });

  afterEach(async () => {
    await server.stop();
    await webhooks.stop();
  });

  const configure = async (kind: 'mutating' | 'validating', more: JsonObject = {}) => {
    const webhook = {
      name: 'a.example.com',
      clientConfig: { ...webhooks.clientConfig('/') },
      rules: [{ apiGroups: [''], apiVersions: ['v1'], operations: ['*'], resources: ['configmaps'] }],
      sideEffects: 'None',
      admissionReviewVersions: ['v1'],
      ...more,
    };
    const body = { metadata: { name: 'w' }, webhooks: [webhook] };
    const made = await client.post(`${GROUP}/${kind}webhookconfigurations`, body);
    expect(made.status, JSON.stringify(made.body)).toBe(201);
  };
  const create = (name: string, more: JsonObject = {}) => client.post(MAPS, { metadata: { name }, ...more });

  it('deny, and are not asked any more when their configuration is gone', async () => {
    answer = () => ({ message: 'no' });
    await configure('validating');
    expect((await create('a')).body).toMatchObject({
      code: 403,
      message: 'admission webhook "a.example.com" denied the request: no',
    });
    await client.delete(`${GROUP}/validatingwebhookconfigurations/w`);
    expect((await create('a')).status).toBe(201);
  });

  it('change what is stored', async () => {
    answer = () => ({ patch: [{ op: 'add', path: '/data', value: { added: 'yes' } }], warnings: ['changed'] });
    await configure('mutating');
    const made = await create('a');
    expect(made.headers.get('warning')).toContain('changed');
    expect((await client.get(`${MAPS}/a`)).body.data).toEqual({ added: 'yes' });
  });

  it('decide about the object that is there when they have answered', async () => {
    answer = () => undefined;
    await configure('validating');
    await create('a', { data: { n: '0' } });
    const asked: unknown[] = [];
    let isFirst = true;
    answer = async (request) => {
      asked.push((request.oldObject as JsonObject).data);
      if (!isFirst) return undefined;
      isFirst = false;
      // Somebody else writes meanwhile, and is asked about too.
      expect((await client.patch(`${MAPS}/a`, { data: { other: 'x' } })).status).toBe(200);
      return undefined;
    };
    expect((await client.patch(`${MAPS}/a`, { data: { n: '1' } })).status).toBe(200);
    expect((await client.get(`${MAPS}/a`)).body.data).toEqual({ n: '1', other: 'x' });
    expect(asked).toEqual([{ n: '0' }, { n: '0' }, { n: '0', other: 'x' }]);
  });

  it('leave a conflict to whoever said which version was meant', async () => {
    answer = () => undefined;
    await configure('validating');
    const made = await create('a');
    let isFirst = true;
    answer = async () => {
      if (!isFirst) return undefined;
      isFirst = false;
      await client.patch(`${MAPS}/a`, { data: { other: 'x' } });
      return undefined;
    };
    const put = await client.put(`${MAPS}/a`, { ...made.body, data: { mine: 'y' } });
    expect(put.body).toMatchObject({ code: 409, reason: 'Conflict' });
  });

  it('let one of two that create the same object win', async () => {
    answer = () => undefined;
    await configure('validating');
    const answers = await Promise.all([create('a'), create('a')]);
    expect(answers.map(({ status }) => status).sort()).toEqual([201, 409]);
  });

  it('charge a quota once, however many wait', async () => {
    answer = () => undefined;
    await configure('validating');
    await client.post('/api/v1/namespaces/default/resourcequotas', {
      metadata: { name: 'q' },
      spec: { hard: { 'count/configmaps': '2' } },
    });
    const answers = await Promise.all(['a', 'b', 'c', 'd'].map((name) => create(name)));
    expect(answers.map(({ status }) => status).sort()).toEqual([201, 201, 403, 403]);
  });

  it('that call back into the server end with their time, and the server goes on', async () => {
    let depth = 0;
    answer = async (request) => {
      depth += 1;
      // Always as long: names have a limit, and it must be the time that ends this.
      await create(`${asString(request.name).slice(0, 1)}-${depth}`);
      return undefined;
    };
    await configure('validating', { timeoutSeconds: 1, failurePolicy: 'Fail' });
    const made = await create('a');
    expect(made.body.message).toContain('context deadline exceeded');
    expect(depth).toBeGreaterThan(1);
    await client.delete(`${GROUP}/validatingwebhookconfigurations/w`);
    expect((await create('b')).status).toBe(201);
  });

  it('do not keep a server from stopping', async () => {
    answer = () => new Promise(() => {});
    await configure('validating', { timeoutSeconds: 30 });
    const pending = create('a').catch((error: unknown) => error);
    await new Promise((resolve) => setTimeout(resolve, 50));
    await server.stop();
    await pending;
  });

  it('are not asked about themselves, nor about what the server writes', async () => {
    const asked: string[] = [];
    answer = (request) => {
      asked.push(request.resource.resource ?? '');
      return { message: 'no' };
    };
    const rules = [{ apiGroups: ['*'], apiVersions: ['*'], operations: ['*'], resources: ['*'] }];
    await configure('validating', { rules });
    expect((await create('a')).status).toBe(403);
    expect((await client.delete(`${GROUP}/validatingwebhookconfigurations/w`)).status).toBe(200);
    expect(asked).toEqual(['configmaps']);
  });

  it('of a handler that throws are failures', async () => {
    answer = () => {
      throw new Error('a bug');
    };
    await configure('validating');
    expect((await create('a')).body.message).toBe(
      'Internal error occurred: failed calling webhook "a.example.com": failed to call webhook: an error on the server ("a bug") has prevented the request from succeeding',
    );
    await client.patch(
      `${GROUP}/validatingwebhookconfigurations/w`,
      [{ op: 'replace', path: '/webhooks/0/failurePolicy', value: 'Ignore' }],
      'json-patch+json',
    );
    expect((await create('a')).status).toBe(201);
  });

  it('are reached by the name of a service that stands for another host', async () => {
    answer = () => ({ message: 'by service' });
    const { caBundle, url } = webhooks.clientConfig('/');
    const services = '/api/v1/namespaces/default/services';
    const port = Number(new URL(url).port);
    await configure('validating', {
      clientConfig: { caBundle, service: { namespace: 'default', name: 'hook', port } },
    });
    expect((await create('a')).body.message).toContain('service "hook" not found');
    await client.post(services, {
      metadata: { name: 'hook' },
      spec: { type: 'ExternalName', externalName: 'localhost' },
    });
    // The certificate is for this address, and not for the name of a service.
    expect(getPath((await create('a')).body, 'message')).toContain('hook.default.svc');
  });
});
