import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { ApiServer } from '../apiserver.ts';
import { RequestClient } from '../request-client-fixture.ts';
import { asArray, getPath, type JsonObject } from '../values/json.ts';

const PODS = '/api/v1/namespaces/default/pods';
const CLASSES = '/apis/node.k8s.io/v1/runtimeclasses';
const pod = (spec: JsonObject = {}) => ({
  metadata: { name: 'p' },
  spec: { containers: [{ name: 'c', image: 'i' }], ...spec },
});

describe('the runtime class of a pod', () => {
  let server: ApiServer;
  let client: RequestClient;

  beforeEach(async () => {
    server = await ApiServer.start({ listen: false });
    client = new RequestClient(server.transport());
  });
  afterEach(() => server.stop());

  it('has to exist', async () => {
    const { status, body } = await client.post(PODS, pod({ runtimeClassName: 'none' }));
    expect(status).toBe(403);
    expect(body.message).toBe('pods "p" is forbidden: pod rejected: RuntimeClass "none" not found');
    expect((await client.post(PODS, pod())).status).toBe(201);
  });

  it('gives the pod its overhead, its node selector and its tolerations', async () => {
    const toleration = { key: 'sandbox', operator: 'Exists' };
    await client.post(CLASSES, {
      metadata: { name: 'small' },
      handler: 'small',
      overhead: { podFixed: { cpu: '10m' } },
      scheduling: { nodeSelector: { kind: 'small' }, tolerations: [toleration] },
    });
    const { body } = await client.post(PODS, pod({ runtimeClassName: 'small', nodeSelector: { zone: 'a' } }));
    expect(body.spec).toMatchObject({ overhead: { cpu: '10m' }, nodeSelector: { zone: 'a', kind: 'small' } });
    expect(asArray(getPath(body, 'spec', 'tolerations'))).toContainEqual(toleration);
  });

  it.each([
    [
      { runtimeClassName: 'small', overhead: { cpu: '11m' } },
      "pod rejected: Pod's Overhead doesn't match RuntimeClass's defined Overhead",
    ],
    [{ overhead: { cpu: '1m' } }, 'pod rejected: Pod Overhead set without corresponding RuntimeClass defined Overhead'],
    [
      { runtimeClassName: 'small', nodeSelector: { kind: 'large' } },
      'conflict: runtimeClass.scheduling.nodeSelector[kind] = small; pod.spec.nodeSelector[kind] = large',
    ],
  ])('refuses a pod with %o', async (spec, why) => {
    const small = { metadata: { name: 'small' }, handler: 'small', overhead: { podFixed: { cpu: '10m' } } };
    await client.post(CLASSES, { ...small, scheduling: { nodeSelector: { kind: 'small' } } });
    const { status, body } = await client.post(PODS, pod(spec));
    expect([status, body.message]).toEqual([403, `pods "p" is forbidden: ${why}`]);
  });
});
