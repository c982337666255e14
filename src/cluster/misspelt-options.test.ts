import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { configMaps, pods } from '../generated/api/core/v1.ts';
import { silentLogger } from '../observe/logger.ts';
import { ApiServer } from '../testing/api-server.ts';
import { Cluster } from './cluster.ts';

/** What JavaScript lets through, whatever the types say. */
const loose = <T>(value: unknown): T => value as T;

let server: ApiServer;
let requests: string[];
let cluster: Cluster;

beforeEach(async () => {
  server = await ApiServer.start({ listen: false, logger: silentLogger });
  const transport = server.transport();
  requests = [];
  cluster = Cluster.over(
    {
      request: (request) => {
        requests.push(`${request.method} ${request.path}`);
        return transport.request(request);
      },
      close: () => transport.close(),
    },
    { logger: silentLogger },
  );
});
afterEach(async () => {
  await cluster.close();
  await server.stop();
});

describe('an option that is misspelt', () => {
  it.each<[string, object, string]>([
    ['get', { namespaec: 'a' }, 'get of configmaps.v1: there is no option "namespaec": did you mean "namespace"?'],
    ['list', { labelSelecter: 'app=web' }, 'did you mean "labelSelector"?'],
    ['listPages', { labelselector: 'app=web' }, 'did you mean "labelSelector"?'],
    ['listAll', { pageSize: 5 }, 'there is no option "pageSize": there are '],
    ['watch', { resourceversion: '1' }, 'did you mean "resourceVersion"?'],
    ['create', { dryrun: true }, 'did you mean "dryRun"?'],
    ['update', { fieldmanager: 'me' }, 'did you mean "fieldManager"?'],
    ['patch', { tpye: 'json' }, 'did you mean "type"?'],
    ['patchStatus', { subresource: 'status' }, 'there is no option "subresource"'],
    ['apply', { forced: true }, 'did you mean "force"?'],
    ['delete', { propagation: 'Orphan' }, 'there is no option "propagation"'],
    ['deleteCollection', { labelSelectors: 'app=web' }, 'did you mean "labelSelector"?'],
    ['waitUntil', { timeout: 5 }, 'did you mean "timeoutMs"?'],
  ])('is a TypeError of client.%s, before any request', async (call, options, message) => {
    await expectRefusal(call, options, message);
    expect(requests).toEqual([]);
  });

  it.each<[string, object, string]>([
    ['list', { limit: '5' }, 'limit is "5", and must be a number'],
    ['list', { labelSelector: { app: 'web' } }, 'labelSelector is an object, and must be a selector'],
    ['patch', { type: 'stategic' }, 'type is "stategic", and must be "json", "merge" or "strategic": did you mean'],
    ['create', { dryRun: 'All' }, 'dryRun is "All", and must be true or false'],
    ['create', { fieldValidation: 'strict' }, '"Ignore", "Warn" or "Strict": did you mean "Strict"?'],
    ['delete', { propagationPolicy: 'Forground' }, 'did you mean "Foreground"?'],
    ['get', { signal: new AbortController() }, 'an AbortSignal: the `signal` of that AbortController'],
  ])('or has a value that will not do is one, too: %s %j', async (call, options, message) => {
    await expectRefusal(call, options, message);
    expect(requests).toEqual([]);
  });

  it('is a namespace in the place of the options, as client-node has it', async () => {
    await expect(cluster.client(pods).get('web', loose('shop'))).rejects.toThrow(
      'get of pods.v1: its options must be an object, not "shop"',
    );
    await expect(cluster.client(configMaps).delete('web', loose(null))).rejects.toThrow('must be an object, not null');
  });

  it('is one of logs, exec, attach and port-forward', async () => {
    const client = cluster.client(pods);
    expect(() => client.logs('web', loose({ tail: 5 }))).toThrow('logs: there is no option "tail"');
    expect(() => client.logsOf('', loose({ folow: true }))).toThrow('did you mean "follow"?');
    await expect(client.exec('web', ['ls'], loose({ contaner: 'a' }))).rejects.toThrow('did you mean "container"?');
    await expect(client.attach('web', loose({ TTY: true }))).rejects.toThrow('did you mean "tty"?');
    await expect(client.dial('web', 80, loose({ timeoutMs: 5 }))).rejects.toThrow('there is no option "timeoutMs"');
    await expect(client.portForward('web', 80, loose({ port: 8080 }))).rejects.toThrow('there is no option "port"');
    expect(requests).toEqual([]);
  });

  it('is one of a cluster, which might be another than was meant', async () => {
    await expect(Cluster.connect(loose({ contxt: 'staging' }))).rejects.toThrow(
      'Cluster.connect: there is no option "contxt": did you mean "context"?',
    );
    await expect(Cluster.connect(loose({ exec: 'forbidden' }))).rejects.toThrow('did you mean "forbid"?');
    await expect(Cluster.connect(loose('./kubeconfig'))).rejects.toThrow('its options must be an object');
    expect(() => Cluster.over(server.transport(), loose({ fieldManger: 'a' }))).toThrow('did you mean "fieldManager"?');
    expect(() => Cluster.from(loose({}), loose({ context: 'a' }))).toThrow(
      'Cluster.from: there is no option "context"',
    );
    expect(() => cluster.client(pods, loose({ namespaces: ['a'] }))).toThrow('did you mean "namespace"?');
    expect(() => cluster.client(loose<typeof pods>('pods'))).toThrow(
      'cluster.client needs the token of a resource, and got "pods"',
    );
    expect(() => cluster.client(loose<typeof pods>(undefined))).toThrow('got nothing');
    await expect(cluster.allowed(loose({ verbs: ['list'], resource: pods, namespace: 'a' }))).rejects.toThrow(
      'did you mean "namespaces"?',
    );
  });

  it('is one of the embedded server', async () => {
    await expect(ApiServer.start(loose({ kublet: {} }))).rejects.toThrow('did you mean "kubelet"?');
    await expect(ApiServer.start(loose({ access: 'RBAC' }))).rejects.toThrow('did you mean "rbac"?');
    expect(() => server.cluster(loose({ tokn: 'a' }))).toThrow('did you mean "token"?');
  });
});

async function expectRefusal(call: string, options: object, message: string): Promise<void> {
  const before: Readonly<Record<string, readonly unknown[]>> = {
    get: ['web'],
    delete: ['web'],
    create: [{ metadata: { name: 'web' } }],
    update: [{ metadata: { name: 'web' } }],
    apply: [{ metadata: { name: 'web' } }],
    patch: ['web', {}],
    patchStatus: [{ metadata: { name: 'web' } }, {}],
    waitUntil: ['web', () => true],
  };
  const client = cluster.client(configMaps) as unknown as Record<string, (...args: unknown[]) => unknown>;
  const made = async () => await client[call]?.(...(before[call] ?? []), options);
  await expect(made()).rejects.toThrow(TypeError);
  await expect(made()).rejects.toThrow(message);
}
