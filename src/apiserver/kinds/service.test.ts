import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { ApiServer } from '../apiserver.ts';
import { RequestClient } from '../request-client-fixture.ts';
import { asArray, asObject, asString, getPath, type JsonObject } from '../values/json.ts';

const services = '/api/v1/namespaces/default/services';

describe('services', () => {
  let server: ApiServer;
  let client: RequestClient;

  beforeAll(async () => {
    server = await ApiServer.start({ listen: false });
    client = new RequestClient(server.transport());
  });
  afterAll(() => server?.stop());

  const create = (name: string, spec: JsonObject, query = '') =>
    client.post(`${services}${query}`, { metadata: { name }, spec });
  const nodePort = (port: number) => ({ type: 'NodePort', ports: [{ port: 80, nodePort: port }] });
  const messageOf = (body: unknown) => asString(getPath(asObject(body as JsonObject), 'message'));

  it('have a node port each, and give it back when they go', async () => {
    expect((await create('first', nodePort(30_001))).status).toBe(201);
    const second = await create('second', nodePort(30_001));
    expect([second.status, messageOf(second.body)]).toEqual([
      422,
      'Service "second" is invalid: spec.ports[0].nodePort: Invalid value: 30001: provided port is already allocated',
    ]);
    await client.delete(`${services}/first`);
    expect((await create('second', nodePort(30_001))).status).toBe(201);
  });

  it('take nothing when they are refused, and nothing in a dry run', async () => {
    const refused = { ...nodePort(30_002), clusterIP: '10.96.0.200', sessionAffinity: 'Nonsense' };
    expect((await create('refused', refused)).status).toBe(422);
    expect((await create('dry', { ...nodePort(30_002), clusterIP: '10.96.0.200' }, '?dryRun=All')).status).toBe(201);
    expect((await create('third', { ...nodePort(30_002), clusterIP: '10.96.0.200' })).status).toBe(201);
    expect((await create('third', nodePort(30_003))).status).toBe(409);
    expect((await create('fourth', nodePort(30_003))).status).toBe(201);
  });

  it('keep what they have when a change is refused, and give back what a change drops', async () => {
    await create('moving', nodePort(30_010));
    const wrong = { spec: { ports: [{ port: 80, nodePort: 30_011, protocol: 'Nonsense' }] } };
    expect((await client.patch(`${services}/moving`, wrong)).status).toBe(422);
    expect((await create('next', nodePort(30_011))).status).toBe(201);
    expect((await create('same', nodePort(30_010))).status).toBe(422);
    await client.patch(`${services}/moving`, { spec: { ports: [{ port: 80, nodePort: 30_012 }] } });
    expect((await create('same', nodePort(30_010))).status).toBe(201);
    await client.patch(`${services}/moving`, { spec: { type: 'ClusterIP' } });
    expect((await create('last', nodePort(30_012))).status).toBe(201);
  });

  it('have the address that they ask for, once, and only in the range of the cluster', async () => {
    const spec = (clusterIP: string) => ({ clusterIP, ports: [{ port: 80 }] });
    expect((await create('own', spec('10.96.1.1'))).status).toBe(201);
    const taken = await create('other', spec('10.96.1.1'));
    expect(messageOf(taken.body)).toContain('failed to allocate IP 10.96.1.1: provided IP is already allocated');
    const outside = await create('outside', spec('1.2.3.4'));
    expect(messageOf(outside.body)).toContain(
      'the provided IP (1.2.3.4) is not in the valid range. The range of valid IPs is 10.96.0.0/12',
    );
    await client.patch(`${services}/own`, { spec: { type: 'ExternalName', externalName: 'a.b' } });
    expect((await create('other', spec('10.96.1.1'))).status).toBe(201);
  });

  it('share a node port between TCP and UDP', async () => {
    const ports = ['TCP', 'UDP'].map((protocol) => ({ name: protocol.toLowerCase(), port: 53, protocol }));
    const { body } = await create('dns', { type: 'NodePort', ports });
    const [tcp, udp] = asArray(getPath(body, 'spec', 'ports')).map((port) => asObject(port).nodePort);
    expect(tcp).toBeGreaterThanOrEqual(30_000);
    expect(udp).toBe(tcp);
  });
});
