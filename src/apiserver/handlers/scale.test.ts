import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { FakeClock } from '../../observe/fake-clock.ts';
import { ApiServer } from '../apiserver.ts';
import { RequestClient } from '../request-client-fixture.ts';
import type { JsonObject } from '../values/json.ts';

const DEPLOYMENT = '/apis/apps/v1/namespaces/default/deployments/d';
const template = { metadata: { labels: { a: 'b' } }, spec: { containers: [{ name: 'c', image: 'i' }] } };
const deployment = {
  apiVersion: 'apps/v1',
  kind: 'Deployment',
  metadata: { name: 'd' },
  spec: { replicas: 3, selector: { matchLabels: { a: 'b' } }, template },
};

describe('the scale subresource', () => {
  let server: ApiServer;
  let client: RequestClient;

  beforeEach(async () => {
    server = await ApiServer.start({ listen: false, clock: new FakeClock() });
    client = new RequestClient(server.transport());
    await client.patch(`${DEPLOYMENT}?fieldManager=owner`, JSON.stringify(deployment), 'apply-patch+yaml');
  });
  afterEach(() => server.stop());

  const scale = (replicas: number, more: JsonObject = {}) => ({
    apiVersion: 'autoscaling/v1',
    kind: 'Scale',
    metadata: { name: 'd', ...more },
    spec: { replicas },
  });
  const apply = (manager: string, replicas: number, more = '') =>
    client.patch(
      `${DEPLOYMENT}/scale?fieldManager=${manager}${more}`,
      JSON.stringify(scale(replicas)),
      'apply-patch+yaml',
    );
  const owners = async () => {
    const { body } = await client.get(DEPLOYMENT);
    const { managedFields } = body.metadata as { managedFields: JsonObject[] };
    return managedFields
      .filter(({ fieldsV1 }) => JSON.stringify(fieldsV1).includes('f:replicas'))
      .map(({ manager, operation }) => `${operation} ${manager}`);
  };

  it('can be applied, and has the owners of the object', async () => {
    expect((await apply('second', 3)).body).toMatchObject({ kind: 'Scale', spec: { replicas: 3 } });
    expect((await owners()).sort()).toEqual(['Apply owner', 'Apply second']);
    const refused = await apply('third', 5);
    expect(refused.status).toBe(409);
    expect(refused.body.message).toContain('Apply failed with 2 conflicts');
    expect((await apply('third', 5, '&force=true')).body).toMatchObject({ spec: { replicas: 5 } });
    expect(await owners()).toEqual(['Apply third']);
    expect((await client.get(DEPLOYMENT)).body).toMatchObject({ spec: { replicas: 5, template: {} } });
  });

  it('gives the replicas to whoever scales', async () => {
    await client.patch(`${DEPLOYMENT}/scale?fieldManager=hand`, { spec: { replicas: 7 } });
    expect(await owners()).toEqual(['Update hand']);
    expect((await apply('owner', 3)).status).toBe(409);
  });

  it('is refused when it is not a Scale of the object', async () => {
    const put = async (body: unknown) => {
      const answer = await client.put(`${DEPLOYMENT}/scale`, body);
      return [answer.status, answer.body.message];
    };
    const named = 'the name of the object (d based on URL) was undeterminable: name must be provided';
    expect(await put({ spec: { replicas: 1 } })).toEqual([400, named]);
    expect(await put(deployment)).toEqual([
      400,
      'Deployment in version "v1" cannot be handled as a Scale: converting (v1.Deployment) to (autoscaling.Scale): unknown conversion',
    ]);
    expect((await put(scale(1, { uid: 'x' })))[0]).toBe(409);
    expect((await put(scale(-1)))[0]).toBe(422);
    expect((await client.patch(`${DEPLOYMENT}/scale`, '{}', 'json')).status).toBe(415);
  });
});
