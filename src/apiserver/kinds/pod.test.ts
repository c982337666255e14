import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { ApiServer } from '../apiserver.ts';
import { RequestClient } from '../request-client-fixture.ts';
import { asArray, asString, getPath, type JsonObject, type JsonValue } from '../values/json.ts';

const MERGE = { 'content-type': 'application/merge-patch+json' };
const STRATEGIC = { 'content-type': 'application/strategic-merge-patch+json' };
const PODS = '/api/v1/namespaces/default/pods';

const limits = { cpu: '1', memory: '1Gi' };
const containers = [
  { name: 'a', image: 'i', resources: { limits } },
  { name: 'b', image: 'j' },
];
const tolerations = [{ key: 'z', operator: 'Exists', effect: 'NoExecute', tolerationSeconds: 5 }];

/** e2e/testdata/apiserver-writes.yaml asks a real server the same. */
describe('a pod that exists', () => {
  let server: ApiServer;
  let client: RequestClient;
  let count = 0;

  beforeAll(async () => {
    server = await ApiServer.start({ listen: false });
    client = new RequestClient(server.transport());
  });
  afterAll(() => server.stop());

  const made = async (spec: JsonObject = {}): Promise<string> => {
    const name = `p-${count++}`;
    const { status } = await client.post(PODS, { metadata: { name }, spec: { containers, tolerations, ...spec } });
    expect(status).toBe(201);
    return `${PODS}/${name}`;
  };
  const causes = (body: JsonValue): string[] =>
    asArray(getPath(body, 'details', 'causes')).map(
      (cause) => `${asString(getPath(cause, 'field'))}: ${asString(getPath(cause, 'message'))}`,
    );
  const debug = { name: 'd', image: 'i', targetContainerName: 'a' };
  const foreign = { metadata: { labels: { x: 'y' } }, status: { phase: 'Failed' } };

  it.each(['ephemeralcontainers', 'resize'])(
    'takes through %s what that is for, and nothing else',
    async (subresource) => {
      const pod = await made();
      const wanted = {
        ephemeralContainers: [debug],
        containers: [{ name: 'a', image: 'new', resources: { requests: { cpu: '500m' } } }],
        nodeName: 'n',
      };
      const { status, body } = await client.send(
        'PATCH',
        `${pod}/${subresource}`,
        { ...foreign, spec: wanted },
        STRATEGIC,
      );
      expect(status).toBe(200);
      expect(getPath(body, 'metadata', 'labels')).toBeUndefined();
      expect(body).toMatchObject({ metadata: { generation: 2 }, status: { phase: 'Pending' } });
      const isResized = subresource === 'resize';
      expect(getPath(body, 'spec', 'ephemeralContainers')).toEqual(
        isResized ? undefined : [expect.objectContaining(debug)],
      );
      expect(getPath(body, 'spec', 'nodeName')).toBeUndefined();
      const requests = { ...limits, cpu: isResized ? '500m' : '1' };
      expect(getPath(body, 'spec', 'containers')).toMatchObject([{ image: 'i', resources: { limits, requests } }, {}]);
    },
  );

  it.each<[JsonObject, string]>([
    [
      { name: 'd', image: 'other' },
      'spec.ephemeralContainers: Forbidden: existing ephemeral containers "d" may not be changed',
    ],
    [
      { name: 'd', $patch: 'delete' },
      'spec.ephemeralContainers: Forbidden: existing ephemeral containers "d" may not be removed\n',
    ],
    [{ name: 'a', image: 'i' }, 'spec.ephemeralContainers[0].name: Duplicate value: "a"'],
    [{ name: 'e' }, 'spec.ephemeralContainers[0].image: Required value'],
    [
      { name: 'e', image: 'i', targetContainerName: 'z' },
      'spec.ephemeralContainers[0].targetContainerName: Not found: "z"',
    ],
    [
      { name: 'e', image: 'i', ports: [{ containerPort: 1 }] },
      'spec.ephemeralContainers[0].ports: Forbidden: cannot be set for an Ephemeral Container',
    ],
  ])('does not take the ephemeral container %j', async (container, cause) => {
    const path = `${await made()}/ephemeralcontainers`;
    await client.send('PATCH', path, { spec: { ephemeralContainers: [debug] } }, STRATEGIC);
    const { status, body } = await client.send(
      'PATCH',
      path,
      { spec: { ephemeralContainers: [container] } },
      STRATEGIC,
    );
    expect([status, causes(body)]).toEqual([422, [cause]]);
  });

  it.each<[JsonObject, string]>([
    [
      { containers: [{ name: 'a', image: 'i' }] },
      'spec.containers: Forbidden: containers may not be added or removed on resize',
    ],
    [
      { initContainers: [{ name: 'c', image: 'i' }] },
      'spec.initContainers: Forbidden: initContainers may not be added or removed on resize',
    ],
    [
      { containers: [containers[0] as JsonObject, { name: 'c', image: 'j' }] },
      'spec.containers[1].name: Forbidden: containers may not be renamed or reordered on resize',
    ],
    [
      {
        containers: [
          { name: 'a', image: 'i' },
          { name: 'b', image: 'j' },
        ],
      },
      'spec: Invalid value: "Burstable": Pod QOS Class may not change as a result of resizing',
    ],
    [
      {
        containers: [
          { name: 'a', image: 'i', resources: { limits: { 'ephemeral-storage': '1', ...limits } } },
          { name: 'b', image: 'j' },
        ],
      },
      'spec: Forbidden: only cpu and memory resources are mutable',
    ],
  ])('is not resized to %j', async (spec, cause) => {
    const { status, body } = await client.send('PATCH', `${await made()}/resize`, { spec }, MERGE);
    expect([status, causes(body)]).toEqual([422, [cause]]);
  });

  it.each<[JsonObject, string]>([
    [
      { activeDeadlineSeconds: 20 },
      'spec.activeDeadlineSeconds: Invalid value: 20: must be less than or equal to previous value',
    ],
    [
      { activeDeadlineSeconds: null },
      'spec.activeDeadlineSeconds: Invalid value: null: must not update from a positive integer to nil value',
    ],
    [
      { tolerations: null },
      'spec.tolerations: Forbidden: existing toleration can not be modified except its tolerationSeconds',
    ],
    [{ terminationGracePeriodSeconds: 5 }, 'spec: Forbidden: pod updates may not change fields other than'],
  ])('is not changed to %j', async (spec, cause) => {
    const { status, body } = await client.send('PATCH', await made({ activeDeadlineSeconds: 10 }), { spec }, MERGE);
    expect([status, causes(body)]).toEqual([422, [expect.stringContaining(cause)]]);
  });

  it('takes less time, more tolerations, and other times for those that it has', async () => {
    const pod = await made({ activeDeadlineSeconds: 10 });
    const now = getPath((await client.get(pod)).body, 'spec', 'tolerations');
    const changed = asArray(now).map((toleration) => ({ ...(toleration as JsonObject), tolerationSeconds: 9 }));
    const spec = { activeDeadlineSeconds: 5, tolerations: [...changed, { key: 'y', operator: 'Exists' }] };
    expect((await client.send('PATCH', pod, { spec }, MERGE)).body).toMatchObject({ spec });
  });

  it('is shown as it would be deleted by a dry run, and stays', async () => {
    const pod = await made();
    const { body } = await client.send('DELETE', `${pod}?dryRun=All`);
    expect(body).toMatchObject({ metadata: { deletionGracePeriodSeconds: 0, deletionTimestamp: expect.any(String) } });
    expect(getPath((await client.get(pod)).body, 'metadata', 'deletionTimestamp')).toBeUndefined();
  });

  it('keeps its kind, whatever a strategic merge patch says', async () => {
    const patch = { kind: 'Other', apiVersion: 'a/v1', metadata: { labels: { a: 'b' } } };
    const { body } = await client.send('PATCH', await made(), patch, STRATEGIC);
    expect(body).toMatchObject({ kind: 'Pod', apiVersion: 'v1', metadata: { labels: { a: 'b' } } });
  });

  it.each<[JsonObject, string]>([
    [{ ephemeralContainers: [debug] }, 'spec.ephemeralContainers: Forbidden: cannot be set on create'],
    [
      { activeDeadlineSeconds: 0 },
      'spec.activeDeadlineSeconds: Invalid value: 0: must be between 1 and 2147483647, inclusive',
    ],
    [{ nodeSelector: { a: 'b c' } }, 'spec.nodeSelector: Invalid value: "b c": a valid label must be'],
    [
      { tolerations: [{ key: 'a', operator: 'Exists', value: 'b' }] },
      'spec.tolerations[0].operator: Invalid value: "b": value must be empty when `operator` is \'Exists\'',
    ],
    [
      { containers: [{ name: 'a', image: 'i', resources: { requests: { cpu: '2' }, limits: { cpu: '1500m' } } }] },
      'spec.containers[0].resources.requests: Invalid value: "2": must be less than or equal to cpu limit of 1500m',
    ],
    [
      { containers: [{ name: 'a', image: 'i', ports: [1, 2].map((containerPort) => ({ name: 'h', containerPort })) }] },
      'spec.containers[0].ports[1].name: Duplicate value: "h"',
    ],
  ])('is not made with %j', async (spec, cause) => {
    const { status, body } = await client.post(PODS, { metadata: { name: 'refused' }, spec: { containers, ...spec } });
    expect([status, causes(body)]).toEqual([422, [expect.stringContaining(cause)]]);
  });

  it('has at least a second to end, as a template need not say', async () => {
    const spec = { terminationGracePeriodSeconds: -1 };
    expect((await client.get(await made(spec))).body).toMatchObject({ spec: { terminationGracePeriodSeconds: 1 } });
    const template = { spec: { containers, ...spec } };
    const path = '/api/v1/namespaces/default/podtemplates';
    expect((await client.post(path, { metadata: { name: 't' }, template })).body).toMatchObject({ template: { spec } });
    const debugged = { spec: { containers, ephemeralContainers: [debug] } };
    const refused = await client.post(path, { metadata: { name: 'u' }, template: debugged });
    expect(causes(refused.body)).toEqual([
      'template.spec.ephemeralContainers: Forbidden: ephemeral containers not allowed in pod template',
    ]);
  });
});
