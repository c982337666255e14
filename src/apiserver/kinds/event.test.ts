import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { FakeClock } from '../../observe/fake-clock.ts';
import { ApiServer } from '../apiserver.ts';
import { RequestClient } from '../request-client-fixture.ts';
import { asArray, asObject, getPath, type JsonObject } from '../values/json.ts';

const CORE = '/api/v1/namespaces/default/events';
const NEWER = '/apis/events.k8s.io/v1/namespaces/default/events';
const LEASES = '/apis/coordination.k8s.io/v1/namespaces/default/leases';
const TIME = '2024-01-01T00:00:00.123456Z';

let count = 0;
const metadata = () => ({ name: `x${count++}` });
const event = (overrides: JsonObject = {}): JsonObject => ({
  metadata: metadata(),
  eventTime: TIME,
  type: 'Normal',
  reason: 'Started',
  action: 'Start',
  reportingController: 'example.com/controller',
  reportingInstance: 'controller-1',
  regarding: { kind: 'Pod', name: 'p', namespace: 'default' },
  note: 'it runs',
  ...overrides,
});

describe('validation', () => {
  let server: ApiServer;
  let client: RequestClient;

  beforeAll(async () => {
    server = await ApiServer.start({ listen: false, clock: new FakeClock() });
    client = new RequestClient(server.transport());
  });
  afterAll(() => server.stop());

  /** `field: message` of every cause. */
  const complaints = async (path: string, object: JsonObject) => {
    const { body } = await client.post(path, object);
    return causesOf(body);
  };
  const causesOf = (body: JsonObject) =>
    asArray(getPath(body, 'details', 'causes')).map((cause) => `${asObject(cause).field}: ${asObject(cause).message}`);

  describe('of an event of events.k8s.io', () => {
    it.each<[string, JsonObject, string[]]>([
      ['nothing', {}, []],
      ['a missing time', { eventTime: null }, ['eventTime: Required value']],
      ['an odd type', { type: 'Odd' }, ['type: Invalid value: "": has invalid value: Odd']],
      ['a missing action', { action: '' }, ['action: Required value']],
      ['a long action', { action: 'a'.repeat(129) }, ['action: Invalid value: "": can have at most 128 characters']],
      ['a missing reason', { reason: '' }, ['reason: Required value']],
      ['a long reason', { reason: 'r'.repeat(129) }, ['reason: Invalid value: "": can have at most 128 characters']],
      ['a note of 1 kB', { note: 'n'.repeat(1024) }, []],
      ['a longer note', { note: 'n'.repeat(1025) }, ['message: Invalid value: "": can have at most 1024 characters']],
      ['a missing instance', { reportingInstance: '' }, ['reportingInstance: Required value']],
      [
        'a long instance',
        { reportingInstance: 'i'.repeat(129) },
        ['reportingInstance: Invalid value: "": can have at most 128 characters'],
      ],
      [
        'a series of one',
        { series: { count: 1 } },
        ['series.count: Invalid value: "": should be at least 2', 'series.lastObservedTime: Required value'],
      ],
      ['a series', { series: { count: 2, lastObservedTime: TIME } }, []],
      [
        'what only older events have',
        {
          deprecatedFirstTimestamp: '2024-01-01T00:00:00Z',
          deprecatedLastTimestamp: '2024-01-01T00:00:00Z',
          deprecatedCount: 1,
          deprecatedSource: { component: 'c' },
        },
        ['firstTimestamp', 'lastTimestamp', 'count', 'source'].map(
          (field) => `${field}: Invalid value: "": needs to be unset`,
        ),
      ],
    ])('finds %s', async (_what, overrides, expected) => {
      expect(await complaints(NEWER, event(overrides))).toEqual(expected);
    });

    it('wants a reporter with a qualified name, and calls it by the name of the version', async () => {
      const first = async (path: string, object: JsonObject) => (await complaints(path, object))[0];
      expect(await first(NEWER, event({ reportingController: '' }))).toBe('reportingController: Required value');
      const named = await first(NEWER, event({ reportingController: 'a b' }));
      expect(named).toMatch(/^reportingController: Invalid value: "a b": name part must consist of/);
      const { regarding: involvedObject, reportingController: _controller, note: _note, ...core } = event();
      expect(await first(CORE, { ...core, involvedObject } as JsonObject)).toBe('reportingComponent: Required value');
    });

    it('names the kind as the core group does', async () => {
      const { body } = await client.post(NEWER, event({ metadata: { name: 'odd' }, type: 'Odd' }));
      expect(body.message).toBe('Event "odd" is invalid: type: Invalid value: "": has invalid value: Odd');
      expect(body.details).not.toHaveProperty('group');
    });

    it('lets updates change the series alone', async () => {
      const made = event();
      const path = `${NEWER}/${getPath(made, 'metadata', 'name')}`;
      await client.post(NEWER, made);
      const patched = async (change: JsonObject) => causesOf((await client.patch(path, change)).body);
      expect(await patched({ series: { count: 2, lastObservedTime: TIME } })).toEqual([]);
      expect(await patched({ series: { count: 1 } })).toEqual([
        'series.count: Invalid value: "": should be at least 2',
      ]);
      const immutable = (field: string, value: string) => `${field}: Invalid value: ${value}: field is immutable`;
      expect(await patched({ reason: 'S', note: 'o', type: 'Warning', action: 'B' })).toEqual([
        immutable('reason', '"S"'),
        immutable('message', '"o"'),
        immutable('reason', '"S"'),
        immutable('type', '"Warning"'),
        immutable('action', '"B"'),
      ]);
      expect(await patched({ eventTime: '2024-01-01T00:00:00.123457Z', deprecatedCount: 2 })).toEqual([
        immutable('count', '2'),
        immutable('eventTime', '"2024-01-01T00:00:00.123457Z"'),
      ]);
      const shown =
        '{"Kind":"Pod","Namespace":"default","Name":"q","UID":"","APIVersion":"","ResourceVersion":"","FieldPath":""}';
      expect(await patched({ regarding: { name: 'q' }, related: null, reportingInstance: 'j' })).toEqual([
        immutable('involvedObject', shown),
        immutable('reportingInstance', '"j"'),
      ]);
    });

    it('does not hold for the core version, which may change anything', async () => {
      const made = event();
      await client.post(NEWER, made);
      const answer = await client.patch(`${CORE}/${getPath(made, 'metadata', 'name')}`, { reason: 'Other', count: 5 });
      expect(answer.body).toMatchObject({ reason: 'Other', count: 5 });
    });
  });

  describe('of the namespace of an event', () => {
    const mismatch = ['involvedObject.namespace: Invalid value: "": does not match event.namespace'];
    const inNamespace = (path: string, namespace: string) => path.replace('/default/', `/${namespace}/`);
    const node = { kind: 'Node', name: 'n' };

    it.each([
      ['default', []],
      ['kube-system', mismatch],
    ])('takes core events of nodes in %s: %j', async (namespace, expected) => {
      const object = { metadata: metadata(), involvedObject: node };
      expect(await complaints(inNamespace(CORE, namespace), object)).toEqual(expected);
    });

    it.each([
      ['default', []],
      ['kube-system', []],
      ['kube-public', mismatch],
    ])('takes newer events of nodes in %s: %j', async (namespace, expected) => {
      expect(await complaints(inNamespace(NEWER, namespace), event({ regarding: node }))).toEqual(expected);
    });

    it('wants a core event beside its object, and a newer one anywhere', async () => {
      const elsewhere = { kind: 'Pod', name: 'p', namespace: 'other' };
      expect(await complaints(CORE, { metadata: metadata(), involvedObject: elsewhere })).toEqual([
        'involvedObject.namespace: Invalid value: "other": does not match event.namespace',
      ]);
      expect(await complaints(NEWER, event({ regarding: elsewhere }))).toEqual([]);
    });
  });

  describe('of a lease', () => {
    it('wants a duration above zero, and transitions that are not below it', async () => {
      const spec = { leaseDurationSeconds: 0, leaseTransitions: -1 };
      expect(await complaints(LEASES, { metadata: metadata(), spec })).toEqual([
        'spec.leaseDurationSeconds: Invalid value: 0: must be greater than 0',
        'spec.leaseTransitions: Invalid value: -1: must be greater than or equal to 0',
      ]);
    });

    it('drops what needs a feature gate', async () => {
      const spec = { holderIdentity: 'h', strategy: 'Foo', preferredHolder: 'x' };
      const { body } = await client.post(LEASES, { metadata: { name: 'gated' }, spec });
      expect(body.spec).toEqual({ holderIdentity: 'h' });
      expect((await client.patch(`${LEASES}/gated`, { spec })).body.spec).toEqual({ holderIdentity: 'h' });
    });

    it('wants times with six digits', async () => {
      const renew = (renewTime: string) => client.post(LEASES, { metadata: metadata(), spec: { renewTime } });
      expect(getPath((await renew('2024-01-01T02:00:00.123456+02:00')).body, 'spec', 'renewTime')).toBe(TIME);
      expect((await renew('2024-01-01T00:00:00Z')).body).toMatchObject({
        code: 400,
        message:
          'Lease in version "v1" cannot be handled as a Lease: parsing time "2024-01-01T00:00:00Z" as "2006-01-02T15:04:05.000000Z07:00": cannot parse "Z" as ".000000"',
      });
    });
  });
});
