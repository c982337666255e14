import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { RequestClient } from '../apiserver/request-client-fixture.ts';
import { asArray, asObject, getPath, type JsonObject } from '../apiserver/values/json.ts';
import type { AdmissionRequest } from '../generated/api/admission/v1.ts';
import { FakeClock } from '../observe/fake-clock.ts';
import { ApiServer } from './api-server.ts';
import { type ConversionHandler, type VersionedObject, WebhookServer } from './webhook-server.ts';

const GROUP = 'example.com';
const DEFINITIONS = '/apis/apiextensions.k8s.io/v1/customresourcedefinitions';
const V1 = `/apis/${GROUP}/v1/namespaces/default/sites`;
const V2 = `/apis/${GROUP}/v2/namespaces/default/sites`;

/** `spec.hostPort` of v1 is `spec.host` and `spec.port` of v2. */
const convert: ConversionHandler = (object, apiVersion) => {
  const spec = asObject(object.spec as JsonObject);
  if (apiVersion === object.apiVersion) throw new Error('asked about nothing');
  if (apiVersion.endsWith('/v2')) {
    const [host = '', port = ''] = String(spec.hostPort ?? '').split(':');
    return { ...object, apiVersion, spec: { host, port } };
  }
  return { ...object, apiVersion, spec: { hostPort: `${spec.host}:${spec.port}` } };
};

const text = { type: 'string' };
const version = (name: string, storage: boolean, properties: JsonObject, more: JsonObject = {}): JsonObject => ({
  name,
  served: true,
  storage,
  subresources: { status: {} },
  schema: {
    openAPIV3Schema: {
      type: 'object',
      properties: { spec: { type: 'object', properties }, status: { type: 'object', properties: { ready: text } } },
    },
  },
  ...more,
});
const v1 = (storage: boolean) => version('v1', storage, { hostPort: text });
const v2 = (storage: boolean) =>
  version('v2', storage, { host: text, port: text }, { selectableFields: [{ jsonPath: '.spec.host' }] });

const site = (apiVersion: string, name: string, spec: JsonObject, metadata: JsonObject = {}): JsonObject => ({
  apiVersion: `${GROUP}/${apiVersion}`,
  kind: 'Site',
  metadata: { name, ...metadata },
  spec,
});

describe('conversion webhooks', () => {
  let clock: FakeClock | undefined;
  let server: ApiServer;
  let client: RequestClient;
  let webhooks: WebhookServer;
  let handler: ConversionHandler;
  let asked: string[];
  /** What the admission webhook was asked. */
  let reviewed: AdmissionRequest[];

  const begin = async () => {
    server = await ApiServer.start({ listen: false, ...(clock ? { clock } : {}) });
    client = new RequestClient(server.transport());
    const made = await client.post(DEFINITIONS, {
      metadata: { name: `sites.${GROUP}` },
      spec: {
        group: GROUP,
        scope: 'Namespaced',
        names: { plural: 'sites', kind: 'Site' },
        versions: [v1(true), v2(false)],
        conversion: {
          strategy: 'Webhook',
          webhook: { clientConfig: { ...webhooks.clientConfig('/convert') }, conversionReviewVersions: ['v1'] },
        },
      },
    });
    expect(made.status, made.text).toBe(201);
  };

  beforeEach(async () => {
    asked = [];
    handler = convert;
    clock = undefined;
    reviewed = [];
    webhooks = await WebhookServer.start({
      admission: {
        '/admit': (request) => {
          reviewed.push(request);
          return {};
        },
        '/mutate': () => ({ patch: [{ op: 'replace', path: '/spec/host', value: 'changed' }] }),
      },
      conversion: {
        '/convert': (object, apiVersion) => {
          asked.push(`${object.apiVersion} to ${apiVersion}`);
          return handler(object, apiVersion);
        },
      },
    });
    await begin();
  });

  afterEach(async () => {
    await server.stop();
    await webhooks.stop();
  });

  const setStorage = async (name: 'v1' | 'v2') => {
    const versions = [v1(name === 'v1'), v2(name === 'v2')];
    const changed = await client.patch(`${DEFINITIONS}/sites.${GROUP}`, { spec: { versions } });
    expect(changed.status, changed.text).toBe(200);
  };
  const specOf = async (path: string) => (await client.get(path)).body.spec;

  it('show every version what the other has written', async () => {
    const made = await client.post(V2, site('v2', 'a', { host: 'h', port: '1' }));
    expect(made.status, made.text).toBe(201);
    expect(made.body).toMatchObject({ apiVersion: 'example.com/v2', spec: { host: 'h', port: '1' } });
    expect(await specOf(`${V1}/a`)).toEqual({ hostPort: 'h:1' });
    const patched = await client.patch(`${V1}/a`, { spec: { hostPort: 'other:2' } });
    expect(patched.body).toMatchObject({ apiVersion: 'example.com/v1', metadata: { generation: 2 } });
    expect(await specOf(`${V2}/a`)).toEqual({ host: 'other', port: '2' });
    const put = await client.put(`${V2}/a`, { ...(await client.get(`${V2}/a`)).body, spec: { host: 'x', port: '3' } });
    expect(put.body).toMatchObject({ apiVersion: 'example.com/v2', spec: { host: 'x', port: '3' } });
    expect(await specOf(`${V1}/a`)).toEqual({ hostPort: 'x:3' });
    const status = await client.patch(`${V2}/a/status`, { status: { ready: 'yes' }, spec: { host: 'not' } });
    expect(status.body).toMatchObject({ spec: { host: 'x' } });
    expect((await client.get(`${V1}/a`)).body).toMatchObject({ spec: { hostPort: 'x:3' } });
  });

  it('are not asked about the version that is stored', async () => {
    await client.post(V1, site('v1', 'a', { hostPort: 'h:1' }));
    await client.patch(`${V1}/a`, { spec: { hostPort: 'h:2' } });
    await client.get(V1);
    await client.delete(`${V1}/a`);
    expect(asked).toEqual([]);
  });

  it('serve lists, pages and selectors of each version', async () => {
    for (const name of ['a', 'b', 'c']) await client.post(V1, site('v1', name, { hostPort: `${name}:1` }));
    const items = (body: JsonObject) => asArray(body.items).map((item) => getPath(item, 'spec'));
    expect(items((await client.get(V2)).body)).toEqual(['a', 'b', 'c'].map((host) => ({ host, port: '1' })));
    const page = (await client.get(`${V2}?limit=2`)).body;
    expect(items(page)).toEqual(['a', 'b'].map((host) => ({ host, port: '1' })));
    const token = encodeURIComponent(String(getPath(page, 'metadata', 'continue')));
    expect(items((await client.get(`${V2}?limit=2&continue=${token}`)).body)).toEqual([{ host: 'c', port: '1' }]);
    expect(items((await client.get(`${V2}?fieldSelector=spec.host%3Db`)).body)).toEqual([{ host: 'b', port: '1' }]);
    // What was converted for one list is there for the next.
    expect(asked).toHaveLength(3);
  });

  it('serve watches of each version, in order, with bookmarks after what they follow', async () => {
    await client.post(V1, site('v1', 'a', { hostPort: 'a:1' }));
    const watch = await client.watch(
      `${V2}?sendInitialEvents=true&resourceVersionMatch=NotOlderThan&allowWatchBookmarks=true`,
    );
    const events = await watch.take(2);
    expect(events.map(({ type, object }) => [type, object.spec])).toEqual([
      ['ADDED', { host: 'a', port: '1' }],
      ['BOOKMARK', undefined],
    ]);
    await client.patch(`${V1}/a`, { spec: { hostPort: 'a:2' } });
    await client.post(V2, site('v2', 'b', { host: 'b', port: '1' }));
    await client.delete(`${V1}/a`);
    expect((await watch.take(3)).map(({ type, object }) => [type, object.apiVersion, object.spec])).toEqual([
      ['MODIFIED', 'example.com/v2', { host: 'a', port: '2' }],
      ['ADDED', 'example.com/v2', { host: 'b', port: '1' }],
      ['DELETED', 'example.com/v2', { host: 'a', port: '2' }],
    ]);
    await watch.close();
    expect(server.openWatches).toBe(0);
  });

  it('end a watch with an error when they fail', async () => {
    const watch = await client.watch(V2);
    handler = () => {
      throw new Error('no more');
    };
    await client.post(V1, site('v1', 'a', { hostPort: 'a:1' }));
    expect(await watch.take(2)).toMatchObject([
      { type: 'ERROR', object: { code: 500, message: expect.stringContaining('no more') } },
    ]);
    const late = await client.watch(`${V2}?sendInitialEvents=true&resourceVersionMatch=NotOlderThan`);
    expect(await late.next()).toMatchObject({ type: 'ERROR', object: { code: 500 } });
    expect(server.openWatches).toBe(0);
  });

  it('serve apply in each version', async () => {
    const apply = (path: string, object: JsonObject, manager: string) =>
      client.patch(`${path}?fieldManager=${manager}`, JSON.stringify(object), 'apply-patch+yaml');
    const made = await apply(`${V2}/a`, site('v2', 'a', { host: 'h', port: '1' }), 'one');
    expect(made.status, made.text).toBe(201);
    expect(await specOf(`${V1}/a`)).toEqual({ hostPort: 'h:1' });
    const again = await apply(`${V2}/a`, site('v2', 'a', { host: 'g', port: '1' }), 'one');
    expect(again.status, again.text).toBe(200);
    expect(await specOf(`${V1}/a`)).toEqual({ hostPort: 'g:1' });
  });

  it('convert what was stored before the storage version changed, until it is written again', async () => {
    await client.post(V1, site('v1', 'a', { hostPort: 'a:1' }));
    await setStorage('v2');
    asked.length = 0;
    expect(await specOf(`${V1}/a`)).toEqual({ hostPort: 'a:1' });
    expect(asked).toEqual([]);
    expect(await specOf(`${V2}/a`)).toEqual({ host: 'a', port: '1' });
    expect(asked).toEqual(['example.com/v1 to example.com/v2']);
    // A write that changes nothing moves it: that is how storage is migrated.
    const before = getPath((await client.get(`${V2}/a`)).body, 'metadata', 'resourceVersion');
    const moved = await client.patch(`${V2}/a`, {});
    expect(getPath(moved.body, 'metadata', 'resourceVersion')).not.toBe(before);
    asked.length = 0;
    expect(await specOf(`${V2}/a`)).toEqual({ host: 'a', port: '1' });
    expect(asked).toEqual([]);
    expect(getPath((await client.patch(`${V2}/a`, {})).body, 'metadata', 'resourceVersion')).toBe(
      getPath(moved.body, 'metadata', 'resourceVersion'),
    );
  });

  it('may change labels and annotations, and nothing else of the metadata', async () => {
    handler = (object, apiVersion) => {
      const converted = convert(object, apiVersion) as VersionedObject;
      const labels = { version: apiVersion.slice(-2) };
      return { ...converted, metadata: { ...converted.metadata, labels, finalizers: ['x.com/y'], generation: 9 } };
    };
    await client.post(V1, site('v1', 'a', { hostPort: 'a:1' }));
    const { metadata } = (await client.get(`${V2}/a`)).body;
    expect(metadata).toMatchObject({ labels: { version: 'v2' }, generation: 1 });
    expect(asObject(metadata).finalizers).toBeUndefined();
    expect(asArray((await client.get(`${V2}?labelSelector=version%3Dv2`)).body.items)).toHaveLength(1);
    expect(asArray((await client.get(`${V1}?labelSelector=version%3Dv2`)).body.items)).toHaveLength(0);
  });

  it('fail the request that needs them, and the server goes on', async () => {
    await client.post(V1, site('v1', 'a', { hostPort: 'a:1' }));
    handler = () => {
      throw new Error('no idea');
    };
    const message = 'conversion webhook for example.com/v1, Kind=Site failed: no idea';
    for (const answer of [await client.get(`${V2}/a`), await client.get(V2), await client.delete(`${V2}/a`)]) {
      expect(answer.body).toMatchObject({ kind: 'Status', code: 500, message });
    }
    expect((await client.post(V2, site('v2', 'b', { host: 'b', port: '1' }))).body).toMatchObject({
      code: 500,
      message: 'conversion webhook for example.com/v2, Kind=Site failed: no idea',
    });
    expect((await client.get(`${V1}/b`)).status).toBe(404);
    expect(await specOf(`${V1}/a`)).toEqual({ hostPort: 'a:1' });
    handler = convert;
    expect(await specOf(`${V2}/a`)).toEqual({ host: 'a', port: '1' });
    expect((await client.delete(`${V2}/a`)).status).toBe(200);
  });

  it('that are gone are not found, and a definition that names another is called there', async () => {
    await client.post(V1, site('v1', 'a', { hostPort: 'a:1' }));
    const clientConfig = { ...webhooks.clientConfig('/nothing') };
    const webhook = { conversion: { webhook: { clientConfig } } };
    const watch = await client.watch(`${V1}?resourceVersion=${server.resourceVersion}`);
    await client.patch(`${DEFINITIONS}/sites.${GROUP}`, { spec: webhook });
    expect((await client.get(`${V2}/a`)).body.message).toBe(
      'conversion webhook for example.com/v1, Kind=Site failed: the server could not find the requested resource',
    );
    // It went by the conversion of before.
    expect(await watch.next()).toBeUndefined();
  });

  it('that hang fail after half a minute, and keep nobody else', async () => {
    await client.post(V1, site('v1', 'a', { hostPort: 'a:1' }));
    await server.stop();
    clock = new FakeClock();
    await begin();
    await client.post(V1, site('v1', 'a', { hostPort: 'a:1' }));
    const isAsked = new Promise<void>((resolve) => {
      handler = () => {
        resolve();
        return new Promise(() => {});
      };
    });
    const pending = client.get(`${V2}/a`);
    await isAsked;
    expect(await specOf(`${V1}/a`)).toEqual({ hostPort: 'a:1' });
    await clock.advance(30_000);
    const { body } = await pending;
    expect(body.code).toBe(500);
    expect(body.message).toContain('conversion webhook for example.com/v1, Kind=Site failed: Post "https://127.0.0.1:');
    expect(body.message).toContain('exceeded');
  });

  it('that read what they convert find it in the version that is stored', async () => {
    const seen: unknown[] = [];
    handler = async (object, apiVersion) => {
      seen.push(await specOf(`${V1}/${object.metadata?.name}`));
      return convert(object, apiVersion);
    };
    await client.post(V1, site('v1', 'a', { hostPort: 'a:1' }));
    expect(await specOf(`${V2}/a`)).toEqual({ host: 'a', port: '1' });
    expect(seen).toEqual([{ hostPort: 'a:1' }]);
  });

  it('that loop end with their time, and the server goes on', async () => {
    clock = new FakeClock();
    await server.stop();
    await begin();
    await client.post(V1, site('v1', 'a', { hostPort: 'a:1' }));
    let depth = 0;
    const deep = new Promise<void>((resolve) => {
      handler = async (object, apiVersion) => {
        depth += 1;
        if (depth === 5) {
          resolve();
          return new Promise(() => {});
        }
        // In the version that it is asked for: which asks it again.
        await client.get(`${V2}/a`);
        return convert(object, apiVersion);
      };
    });
    const pending = client.get(`${V2}/a`);
    await deep;
    await clock.advance(30_000);
    expect((await pending).body).toMatchObject({ code: 500 });
    handler = convert;
    expect(await specOf(`${V2}/a`)).toEqual({ host: 'a', port: '1' });
  });

  it('do not keep a server from stopping', async () => {
    await client.post(V1, site('v1', 'a', { hostPort: 'a:1' }));
    const isAsked = new Promise<void>((resolve) => {
      handler = () => {
        resolve();
        return new Promise(() => {});
      };
    });
    const pending = client.get(`${V2}/a`).catch((error: unknown) => error);
    await isAsked;
    await server.stop();
    await pending;
  });

  it('decide about the object that is there when they have answered', async () => {
    await client.post(V1, site('v1', 'a', { hostPort: 'a:1' }));
    let isFirst = true;
    handler = async (object, apiVersion) => {
      if (isFirst) {
        isFirst = false;
        await client.patch(`${V1}/a`, { metadata: { labels: { meanwhile: 'yes' } } });
      }
      return convert(object, apiVersion);
    };
    const patched = await client.patch(`${V2}/a`, { spec: { port: '2' } });
    expect(patched.status, patched.text).toBe(200);
    expect((await client.get(`${V1}/a`)).body).toMatchObject({
      metadata: { labels: { meanwhile: 'yes' } },
      spec: { hostPort: 'a:2' },
    });
  });

  describe('before those who are asked about another version than the one that is written', () => {
    const REGISTRATION = '/apis/admissionregistration.k8s.io/v1';
    const V2_RULE = { apiGroups: [GROUP], apiVersions: ['v2'], operations: ['CREATE', 'UPDATE'], resources: ['sites'] };

    const register = async (kind: 'validating' | 'mutating', path: string, more: JsonObject = {}) => {
      const made = await client.post(`${REGISTRATION}/${kind}webhookconfigurations`, {
        metadata: { name: 'hooks' },
        webhooks: [
          {
            name: 'hook.example.com',
            clientConfig: { ...webhooks.clientConfig(path) },
            rules: [V2_RULE],
            sideEffects: 'None',
            admissionReviewVersions: ['v1'],
            ...more,
          },
        ],
      });
      expect(made.status, made.text).toBe(201);
    };

    it('show a validating webhook the object and the old one in its version', async () => {
      await client.post(V1, site('v1', 'a', { hostPort: 'a:1' }));
      await register('validating', '/admit');
      expect((await client.patch(`${V1}/a`, { spec: { hostPort: 'b:2' } })).status).toBe(200);
      expect(reviewed).toMatchObject([
        {
          resource: { version: 'v2' },
          requestResource: { version: 'v1' },
          object: { apiVersion: 'example.com/v2', kind: 'Site', spec: { host: 'b', port: '2' } },
          oldObject: { apiVersion: 'example.com/v2', spec: { host: 'a', port: '1' } },
        },
      ]);
      expect(reviewed[0]?.oldObject).toMatchObject({ metadata: { resourceVersion: expect.any(String) } });
    });

    it('leave those alone that want exactly their version', async () => {
      await register('validating', '/admit', { matchPolicy: 'Exact' });
      expect((await client.post(V1, site('v1', 'a', { hostPort: 'a:1' }))).status).toBe(201);
      expect(reviewed).toEqual([]);
    });

    it('put what a mutating webhook makes of it back into the version that is written', async () => {
      await register('mutating', '/mutate');
      const made = await client.post(V1, site('v1', 'a', { hostPort: 'a:1' }));
      expect(made.body).toMatchObject({ apiVersion: 'example.com/v1', spec: { hostPort: 'changed:1' } });
      expect(await specOf(`${V1}/a`)).toEqual({ hostPort: 'changed:1' });
      expect((await client.get(`${V1}/a`)).body.metadata).toHaveProperty('uid');
    });

    it('refuse what they cannot convert', async () => {
      await register('validating', '/admit');
      handler = () => {
        throw new Error('never');
      };
      expect((await client.post(V1, site('v1', 'a', { hostPort: 'a:1' }))).body).toMatchObject({
        code: 500,
        message: 'Internal error occurred: conversion webhook for example.com/v1, Kind=Site failed: never',
      });
    });

    it('show policies their version, in conditions, mutations and validations', async () => {
      const named = { metadata: { name: 'p' } };
      const matchConstraints = { resourceRules: [V2_RULE] };
      const policies: [string, JsonObject][] = [
        [
          'validatingadmissionpolicies',
          { matchConstraints, validations: [{ expression: "object.spec.host != 'bad'" }] },
        ],
        ['validatingadmissionpolicybindings', { policyName: 'p', validationActions: ['Deny'] }],
        [
          'mutatingadmissionpolicies',
          {
            matchConstraints,
            matchConditions: [{ name: 'one', expression: "object.spec.host == 'one'" }],
            reinvocationPolicy: 'Never',
            mutations: [
              {
                patchType: 'ApplyConfiguration',
                applyConfiguration: { expression: "Object{spec: Object.spec{host: object.spec.host + '-two'}}" },
              },
            ],
          },
        ],
        ['mutatingadmissionpolicybindings', { policyName: 'p' }],
      ];
      for (const [plural, spec] of policies) {
        const made = await client.post(`${REGISTRATION}/${plural}`, { ...named, spec });
        expect(made.status, made.text).toBe(201);
      }
      expect((await client.post(V1, site('v1', 'a', { hostPort: 'bad:1' }))).status).toBe(422);
      const made = await client.post(V1, site('v1', 'b', { hostPort: 'one:1' }));
      expect(made.body.spec).toEqual({ hostPort: 'one-two:1' });
      handler = () => {
        throw new Error('never');
      };
      expect((await client.post(V1, site('v1', 'c', { hostPort: 'c:1' }))).body).toMatchObject({
        code: 403,
        message:
          'policy "p" denied request: failed to configure policy: conversion webhook for example.com/v1, Kind=Site failed: never',
      });
    });
  });

  it('let objects go with their definition, however they answer', async () => {
    await client.post(V2, site('v2', 'a', { host: 'a', port: '1' }));
    handler = () => {
      throw new Error('never');
    };
    expect((await client.delete(`${DEFINITIONS}/sites.${GROUP}`)).status).toBe(200);
    expect((await client.get(`${DEFINITIONS}/sites.${GROUP}`)).status).toBe(404);
  });
});
