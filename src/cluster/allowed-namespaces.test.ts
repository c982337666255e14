import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { configMaps, namespaces, nodes, pods } from '../generated/api/core/v1.ts';
import { silentLogger } from '../observe/logger.ts';
import { ApiServer } from '../testing/api-server.ts';
import { Cluster } from './cluster.ts';

let server: ApiServer;
let bob: Cluster;
let requests: string[];

beforeEach(async () => {
  server = await ApiServer.start({ listen: false, logger: silentLogger });
  const admin = server.cluster({ logger: silentLogger });
  for (const name of ['a', 'b', 'c']) await admin.client(namespaces).create({ metadata: { name } });
  await admin.close();
  server.access.addToken('token-of-bob', 'bob');
  const transport = server.transport({ token: 'token-of-bob' });
  requests = [];
  bob = Cluster.over(
    {
      request: (request) => {
        requests.push(`${request.method} ${request.path.split('/').at(-1)}`);
        return transport.request(request);
      },
      close: () => transport.close(),
    },
    { logger: silentLogger },
  );
});

afterEach(async () => {
  await bob.close();
  await server.stop();
});

const verbs = ['list', 'watch'];

describe('cluster.allowed', () => {
  it('gives the namespaces in which all verbs are allowed, by one rules review for each', async () => {
    server.access.allowOnly('bob', [
      { verbs: ['list', 'watch'], resources: ['configmaps'], namespaces: ['b', 'c'] },
      { verbs: ['list'], resources: ['configmaps'], namespaces: ['a'] },
      { verbs: ['create'], groups: ['authorization.k8s.io'] },
    ]);
    const wanted = { verbs, resource: configMaps, namespaces: ['c', 'a', 'b', 'c'] };
    expect(await bob.allowed(wanted)).toEqual(['b', 'c']);
    expect(requests).toEqual(Array(3).fill('POST selfsubjectrulesreviews'));
    expect(await bob.allowed({ ...wanted, verbs: ['list'] })).toEqual(['a', 'b', 'c']);
    expect(await bob.allowed({ ...wanted, resource: pods })).toEqual([]);
  });

  it('does not take a rule for single objects for a right to list', async () => {
    server.access.allowOnly('bob', [
      { verbs: ['*'], resources: ['configmaps'], namespaces: ['a'], names: ['one'] },
      { verbs: ['create'], groups: ['authorization.k8s.io'] },
    ]);
    expect(await bob.allowed({ verbs, resource: configMaps, namespaces: ['a'] })).toEqual([]);
  });

  it('lists the namespaces when none are given', async () => {
    const all = await bob.allowed({ verbs, resource: configMaps });
    expect(all).toEqual(expect.arrayContaining(['a', 'b', 'c', 'default']));
    expect(all).toEqual(all.toSorted());
    expect(requests[0]).toBe('GET namespaces');
    server.access.allowOnly('bob', [{ verbs: ['create'], groups: ['authorization.k8s.io'] }]);
    await expect(bob.allowed({ verbs, resource: configMaps })).rejects.toMatchObject({ kind: 'forbidden' });
  });

  it('asks verb by verb where the rules are incomplete', async () => {
    server.access.deny({ user: 'bob', verbs: ['watch'], resources: ['configmaps'], namespaces: ['b'] });
    expect(await bob.allowed({ verbs, resource: configMaps, namespaces: ['a', 'b'] })).toEqual(['a']);
    expect(requests.filter((request) => request === 'POST selfsubjectaccessreviews')).toHaveLength(4);
  });

  it('rejects with the first question that fails, and asks no further one', async () => {
    const many = Array.from({ length: 40 }, (_, i) => `n-${i}`);
    server.faults.add({ resource: 'selfsubjectrulesreviews' }, { kind: 'status', code: 500 }, { skip: 3, times: 1 });
    await expect(bob.allowed({ verbs, resource: configMaps, namespaces: many })).rejects.toMatchObject({ code: 500 });
    const asked = requests.length;
    expect(asked).toBeLessThan(many.length);
    await new Promise((resolve) => setImmediate(resolve));
    expect(requests).toHaveLength(asked);
  });

  it.each<[string, string]>([
    ['no status', '{}'],
    ['a status that is null', '{"status":null}'],
    ['rules that are null', '{"status":{"resourceRules":null,"incomplete":false}}'],
    ['a rule of nulls', '{"status":{"resourceRules":[{"verbs":null,"apiGroups":null,"resources":null}]}}'],
  ])('takes an answer with %s for no right', async (_, body) => {
    server.faults.add({ resource: 'selfsubjectrulesreviews' }, { kind: 'status', code: 201, body });
    expect(await bob.allowed({ verbs, resource: configMaps, namespaces: ['a'] })).toEqual([]);
  });

  it('refuses questions without an answer', async () => {
    await expect(bob.allowed({ verbs: [], resource: pods })).rejects.toThrow('at least one verb');
    await expect(bob.allowed({ verbs, resource: nodes })).rejects.toThrow('nodes.v1 is cluster-scoped');
    await expect(bob.allowed({ verbs, resource: 'pods' as never })).rejects.toThrow('the token of a resource');
    await expect(bob.allowed({ verbs, resource: pods, namespaces: ['..'] })).rejects.toThrow(TypeError);
    await expect(bob.allowed(undefined as never)).rejects.toThrow('cluster.allowed needs the option verbs');
    await expect(bob.allowed({ verbs: 'list' as never, resource: pods })).rejects.toThrow(
      'verbs is "list", and must be',
    );
    await expect(bob.allowed({ verbs, resource: pods, namespaces: 'a' as never })).rejects.toThrow(
      'namespaces is "a", and must be a list of texts',
    );
    await expect(bob.allowed({ verbs, resource: pods, signal: AbortSignal.abort(new Error('no')) })).rejects.toThrow(
      'no',
    );
    expect(requests.filter((request) => request.startsWith('POST'))).toEqual([]);
  });
});
