import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { ApiServer } from '../../apiserver.ts';
import { RequestClient } from '../../request-client-fixture.ts';
import { getPath, type JsonObject } from '../../values/json.ts';

const GROUP = '/apis/admissionregistration.k8s.io/v1';
const MAPS = '/api/v1/namespaces/default/configmaps';
const RULE = { apiGroups: [''], apiVersions: ['v1'], operations: ['*'], resources: ['configmaps'] };

describe('validating admission policies', () => {
  let server: ApiServer;
  let client: RequestClient;

  beforeEach(async () => {
    server = await ApiServer.start({ listen: false });
    client = new RequestClient(server.transport());
  });
  afterEach(() => server.stop());

  const policy = (spec: JsonObject) =>
    client.post(`${GROUP}/validatingadmissionpolicies`, {
      metadata: { name: 'p' },
      spec: { matchConstraints: { resourceRules: [RULE] }, ...spec },
    });
  const bind = (spec: JsonObject = {}) =>
    client.post(`${GROUP}/validatingadmissionpolicybindings`, {
      metadata: { name: 'b' },
      spec: { policyName: 'p', validationActions: ['Deny'], ...spec },
    });
  const create = (name: string, data: JsonObject = {}, labels: JsonObject = {}) =>
    client.post(MAPS, { metadata: { name, labels }, data });

  it('do nothing until they are bound, and from then on refuse what they do not accept', async () => {
    expect((await policy({ validations: [{ expression: "object.metadata.name.startsWith('a')" }] })).status).toBe(201);
    expect((await create('b')).status).toBe(201);
    await bind();
    expect((await create('a')).status).toBe(201);
    const refused = await create('c');
    const message = `ValidatingAdmissionPolicy 'p' with binding 'b' denied request: failed expression: object.metadata.name.startsWith('a')`;
    expect(refused.body).toMatchObject({
      code: 422,
      reason: 'Invalid',
      message: `configmaps "c" is forbidden: ${message}`,
      details: { name: 'c', kind: 'configmaps', causes: [{ message }] },
    });
    await client.delete(`${GROUP}/validatingadmissionpolicybindings/b`);
    expect((await create('c')).status).toBe(201);
  });

  it('are asked about every kind of write, and about dry runs', async () => {
    await create('x', { a: '1' });
    await policy({ validations: [{ expression: "request.operation == 'CREATE' && !request.dryRun" }] });
    await bind();
    expect((await client.post(`${MAPS}?dryRun=All`, { metadata: { name: 'y' } })).status).toBe(422);
    expect((await client.patch(`${MAPS}/x`, { data: { a: '2' } })).status).toBe(422);
    expect((await client.delete(`${MAPS}/x`)).status).toBe(422);
    expect((await create('z')).status).toBe(201);
  });

  it('see only what their selectors, names and conditions leave', async () => {
    await policy({
      matchConstraints: {
        resourceRules: [RULE],
        excludeResourceRules: [{ ...RULE, resourceNames: ['free'] }],
        objectSelector: { matchLabels: { watched: 'yes' } },
      },
      matchConditions: [{ name: 'data', expression: 'has(object.data)' }],
      validations: [{ expression: 'false' }],
    });
    await bind({
      matchResources: { namespaceSelector: { matchLabels: { 'kubernetes.io/metadata.name': 'default' } } },
    });
    const watched = { watched: 'yes' };
    expect((await create('a', { x: '1' })).status).toBe(201);
    expect((await create('free', { x: '1' }, watched)).status).toBe(201);
    expect((await client.post(MAPS, { metadata: { name: 'empty', labels: watched } })).status).toBe(201);
    expect((await create('b', { x: '1' }, watched)).status).toBe(422);
    await client.post('/api/v1/namespaces', { metadata: { name: 'other' } });
    const elsewhere = '/api/v1/namespaces/other/configmaps';
    expect((await client.post(elsewhere, { metadata: { name: 'b', labels: watched }, data: { x: '1' } })).status).toBe(
      201,
    );
  });

  it('match other versions of the same objects, and see them in the version that they name', async () => {
    const rule = { ...RULE, apiGroups: ['autoscaling'], apiVersions: ['v1'], resources: ['horizontalpodautoscalers'] };
    await policy({
      matchConstraints: { resourceRules: [rule] },
      validations: [
        { expression: "object.apiVersion == 'autoscaling/v1' && request.requestKind.version == 'v2' && false" },
      ],
    });
    await bind();
    const scaler = {
      metadata: { name: 'h' },
      spec: { maxReplicas: 3, scaleTargetRef: { kind: 'Deployment', name: 'd', apiVersion: 'apps/v1' } },
    };
    const path = '/apis/autoscaling/v2/namespaces/default/horizontalpodautoscalers';
    expect((await client.post(path, scaler)).status).toBe(422);
  });

  it('take parameters, one evaluation for each', async () => {
    await create('low', { most: '1' }, { limit: 'yes' });
    await create('high', { most: '3' }, { limit: 'yes' });
    await policy({
      paramKind: { apiVersion: 'v1', kind: 'ConfigMap' },
      validations: [
        {
          expression: 'object.data.size() <= int(params.data.most)',
          messageExpression: "'more than ' + params.data.most",
        },
      ],
    });
    const selector = { matchLabels: { limit: 'yes' } };
    await bind({ paramRef: { selector, namespace: 'default', parameterNotFoundAction: 'Deny' } });
    expect((await create('a', { x: '1' })).status).toBe(201);
    expect((await create('b', { x: '1', y: '2' })).body.message).toContain('more than 1');
    await client.patch(`${GROUP}/validatingadmissionpolicybindings/b`, {
      spec: { paramRef: { selector: { matchLabels: { limit: 'no' } } } },
    });
    expect((await create('c')).body.message).toContain('failed to configure binding: no params found');
  });

  it('go on or refuse when an expression fails, as they say', async () => {
    await policy({ failurePolicy: 'Ignore', validations: [{ expression: "object.data.x == 'y'" }] });
    await bind();
    expect((await create('a')).status).toBe(201);
    await client.patch(`${GROUP}/validatingadmissionpolicies/p`, { spec: { failurePolicy: 'Fail' } });
    expect((await create('b')).body.message).toContain(
      `expression 'object.data.x == 'y'' resulted in error: no such key: data`,
    );
  });

  it('stop an expression that costs too much, and the server goes on', async () => {
    const all = '[1,2,3,4,5,6,7,8,9,10]';
    const expression = `${all}.all(a, ${all}.all(b, ${all}.all(c, ${all}.all(d, ${all}.all(e, ${all}.all(f, a + b + c + d + e + f > 0))))))`;
    await policy({ validations: [{ expression }] });
    await bind();
    expect((await create('a')).body.message).toContain('resulted in error: operation cancelled');
    expect((await client.get(MAPS)).status).toBe(200);
  });

  it('warn instead of refusing, when bound to', async () => {
    await policy({ validations: [{ expression: 'false', message: 'hm' }] });
    await bind({ validationActions: ['Warn'] });
    const answer = await create('a');
    expect(answer.status).toBe(201);
    expect(answer.headers.get('warning')).toContain(
      "Validation failed for ValidatingAdmissionPolicy 'p' with binding 'b': hm",
    );
  });

  it('do not lock their owners out, nor the server itself', async () => {
    await policy({
      matchConstraints: {
        resourceRules: [{ apiGroups: ['*'], apiVersions: ['*'], operations: ['*'], resources: ['*'] }],
      },
      validations: [{ expression: 'false' }],
    });
    await bind();
    expect((await create('a')).status).toBe(422);
    expect((await client.delete(`${GROUP}/validatingadmissionpolicies/p`)).status).toBe(200);
    expect((await create('a')).status).toBe(201);
  });

  it('are refused when they do not compile', async () => {
    const answer = await policy({ validations: [{ expression: 'object.metadata.name == nothing' }] });
    expect(answer.status).toBe(422);
    expect(answer.body.message).toContain(
      `spec.validations[0].expression: Invalid value: "object.metadata.name == nothing": compilation failed: ERROR: <input>:1:25: undeclared reference to 'nothing' (in container '')`,
    );
  });

  it('are checked by the types of what they match, when their rules name it', async () => {
    const rule = { ...RULE, apiGroups: ['apps'], resources: ['deployments'] };
    await policy({
      matchConstraints: { resourceRules: [rule] },
      variables: [{ name: 'labels', expression: 'object.metadata.labels' }],
      validations: [
        { expression: "object.spec.replicas > '1'", messageExpression: "'got ' + object.spec.replicas" },
        {
          expression:
            "object.spec.replicas > 1 && variables.labels['a'] == 'b' && size(object.spec.template.spec.containers) > 0",
        },
        { expression: 'object.spec.replica > 1' },
      ],
    });
    const path = `${GROUP}/validatingadmissionpolicies/p`;
    expect(getPath((await client.get(path)).body, 'status', 'observedGeneration')).toBe(1);
    const checked = getPath((await client.get(path)).body, 'status', 'typeChecking', 'expressionWarnings');
    expect(checked).toEqual([
      {
        fieldRef: 'spec.validations[0].expression',
        warning: expect.stringContaining(
          "apps/v1, Kind=Deployment: compilation failed: ERROR: <input>:1:22: found no matching overload for '_>_' applied to '(int, string)'",
        ),
      },
      {
        fieldRef: 'spec.validations[0].messageExpression',
        warning: expect.stringContaining("found no matching overload for '_+_' applied to '(string, int)'"),
      },
      { fieldRef: 'spec.validations[2].expression', warning: expect.stringContaining("undefined field 'replica'") },
    ]);
    await client.patch(path, { spec: { validations: [{ expression: 'object.spec.replicas > 1' }] } });
    expect(getPath((await client.get(path)).body, 'status', 'observedGeneration')).toBe(2);
    expect(getPath((await client.get(path)).body, 'status', 'typeChecking')).toEqual({});
  });

  it('ask who may do what', async () => {
    server.access.addToken('token-of-jane', 'jane');
    server.access.deny({ user: 'jane', verbs: ['delete'], resources: ['configmaps'] });
    const jane = new RequestClient(server.transport({ token: 'token-of-jane' }));
    await policy({ validations: [{ expression: "authorizer.requestResource.check('delete').allowed()" }] });
    await bind();
    expect((await create('a')).status).toBe(201);
    expect((await jane.post(MAPS, { metadata: { name: 'b' } })).status).toBe(422);
  });
});
