import { describe, expect, it } from 'vitest';
import type { TypeSchema } from '../../api/type-schema.ts';
import { typeSchema, typeSchemaNames } from '../../generated/type-schemas.ts';
import { messagePlan } from './message-plan.ts';
import { ObjectDecoder } from './object-decoder.ts';
import { bytesField, core, numberField, sampleCorpus, schemaOf, varint } from './protobuf-fixture.ts';
import { MAX_DEPTH } from './wire-reader.ts';

function decode(schema: TypeSchema, ...parts: Buffer[]): Record<string, unknown> {
  return new ObjectDecoder(schema).decode(Buffer.concat(parts));
}

function schemaNamed(name: string): TypeSchema {
  const schema = typeSchema(name);
  if (!schema) throw new Error(name);
  return schema;
}

const corpus = sampleCorpus().map((object) => {
  const type = { kind: object.json.kind ?? '', apiVersion: object.json.apiVersion ?? '' };
  const schema = schemaOf(object);
  if (!schema) throw new Error(`no schema of ${object.kind}`);
  return { ...object, decoder: new ObjectDecoder(schema, { type }) };
});

describe('ObjectDecoder', () => {
  it.each(corpus)('gives the JSON that Go writes for a $kind, its fields in the same order', (object) => {
    const decoded = object.decoder.decode(object.message);
    expect(decoded).toStrictEqual(object.json);
    expect(JSON.stringify(decoded)).toBe(JSON.stringify(object.json));
  });

  it.each(corpus)('gives single fields of a $kind as they are in the whole', (object) => {
    const { decoder, message, json } = object;
    for (const name of [...Object.keys(json), 'spec', 'nothing', '__proto__', 'constructor']) {
      const expected = Object.hasOwn(json, name) ? json[name] : undefined;
      expect(decoder.decodeField(message, 0, message.length, name), name).toStrictEqual(expected);
    }
  });

  it('gives single fields of an embedded struct as those of the message around it', () => {
    const decoder = new ObjectDecoder(core('Volume'));
    const message = Buffer.concat([bytesField(1, 'v'), bytesField(2, bytesField(6, bytesField(1, 's')))]);
    expect(decoder.decodeField(message, 0, message.length, 'secret')).toEqual({ secretName: 's' });
    expect(decoder.decodeField(message, 0, message.length, 'nfs')).toBeUndefined();
  });

  it('reads an object from within other bytes', () => {
    for (const { decoder, message, json } of corpus) {
      const around = Buffer.concat([Buffer.alloc(7, 0xff), message, Buffer.alloc(7, 0xff)]);
      expect(decoder.decode(around, 7, 7 + message.length)).toStrictEqual(json);
    }
  });

  it('gives each caller an object of its own', () => {
    const decoder = new ObjectDecoder(core('Pod'));
    const empty = Buffer.alloc(0);
    expect(decoder.decode(empty)).not.toBe(decoder.decode(empty));
    expect(decoder.decode(empty).spec).not.toBe(decoder.decode(empty).spec);
  });

  it('can make a plan of every schema that is generated', () => {
    for (const name of typeSchemaNames()) expect(messagePlan(schemaNamed(name)).schema.name).toBe(name);
  });

  it('shows what is absent from the message as Go shows its zero value', () => {
    expect(decode(core('Pod'))).toStrictEqual({ metadata: {}, spec: { containers: null }, status: {} });
    expect(decode(core('ContainerStatus'))).toStrictEqual({
      name: '',
      state: {},
      lastState: {},
      ready: false,
      restartCount: 0,
      image: '',
      imageID: '',
    });
    expect(decode(core('PodCondition'))).toStrictEqual({
      type: '',
      status: '',
      lastProbeTime: null,
      lastTransitionTime: null,
    });
    expect(decode(core('HTTPGetAction'))).toStrictEqual({ port: 0 });
    expect(decode(core('ResourceFieldSelector'))).toStrictEqual({ resource: '', divisor: '0' });
    expect(decode(core('TypedLocalObjectReference'))).toStrictEqual({ apiGroup: null, kind: '', name: '' });
    // Embedded structs show their fields although they are absent as a whole.
    expect(decode(core('ConfigMapKeySelector'))).toStrictEqual({ key: '' });
  });

  it('tells absent bytes from empty ones', () => {
    expect(decode(core('RangeAllocation'))).toMatchObject({ data: null });
    expect(decode(core('RangeAllocation'), bytesField(3))).toMatchObject({ data: '' });
    expect(decode(core('RangeAllocation'), bytesField(3, Buffer.from([255, 254])))).toMatchObject({ data: '//4=' });
  });

  it('takes keys that Object.prototype has, also when that is frozen', () => {
    const key = 'has-been-frozen';
    Object.defineProperty(Object.prototype, key, { value: 'inherited', writable: false, configurable: true });
    try {
      const data = bytesField(2, bytesField(1, key), bytesField(2, 'own'));
      expect(JSON.stringify(decode(core('ConfigMap'), data).data)).toBe(`{"${key}":"own"}`);
    } finally {
      Reflect.deleteProperty(Object.prototype, key);
    }
  });

  it('takes __proto__ and its like for keys as any other', () => {
    const entry = (key: string, value: string) => bytesField(2, bytesField(1, key), bytesField(2, value));
    const configMap = decode(core('ConfigMap'), entry('__proto__', 'a'), entry('constructor', 'b'), entry('', 'c'));
    expect(JSON.stringify(configMap.data)).toBe('{"__proto__":"a","constructor":"b","":"c"}');
    expect(Object.getPrototypeOf(configMap.data)).toBe(Object.prototype);
  });

  it('fills in what an entry of a map lacks', () => {
    expect(decode(core('ConfigMap'), bytesField(2)).data).toStrictEqual({ '': '' });
    expect(decode(core('Secret'), bytesField(2, bytesField(1, 'k'))).data).toStrictEqual({ k: '' });
    expect(decode(core('ResourceRequirements'), bytesField(1, bytesField(1, 'cpu'))).limits).toStrictEqual({
      cpu: '0',
    });
    const userInfo = schemaNamed('io.k8s.api.authentication.v1.UserInfo');
    expect(decode(userInfo, bytesField(4, bytesField(1, 'k'))).extra).toStrictEqual({ k: [] });
    const budget = schemaNamed('io.k8s.api.policy.v1.PodDisruptionBudgetStatus');
    expect(decode(budget, bytesField(2, bytesField(1, 'pod'))).disruptedPods).toStrictEqual({ pod: null });
  });

  it('reads times: none, 1970, and the fraction that only one of the two types has', () => {
    const event = (...content: Buffer[]) =>
      decode(core('Event'), bytesField(6, ...content), bytesField(10, ...content));
    expect(event()).toMatchObject({ firstTimestamp: null, eventTime: null });
    expect(event(numberField(1, 0))).toMatchObject({
      firstTimestamp: '1970-01-01T00:00:00Z',
      eventTime: '1970-01-01T00:00:00.000000Z',
    });
    expect(event(numberField(1, 5), numberField(2, 123_456_789))).toMatchObject({
      firstTimestamp: '1970-01-01T00:00:05Z',
      eventTime: '1970-01-01T00:00:05.123456Z',
    });
    expect(event(numberField(1, -62_135_596_800), numberField(2, 999))).toMatchObject({
      firstTimestamp: null,
      eventTime: null,
    });
    expect(() => event(numberField(1, 2n ** 62n))).toThrow(/a time is millions of years away .* in firstTimestamp/);
    const meta = schemaNamed('io.k8s.apimachinery.pkg.apis.meta.v1.ObjectMeta');
    expect(decode(meta, bytesField(8))).toStrictEqual({});
    expect(decode(meta, bytesField(9))).toStrictEqual({ deletionTimestamp: null });
  });

  it('reads lists of numbers one by one and packed', () => {
    const context = core('PodSecurityContext');
    const groups = [numberField(4, 1), bytesField(4, varint(2), varint(300), varint(-1)), numberField(4, 4)];
    expect(decode(context, ...groups)).toStrictEqual({ supplementalGroups: [1, 2, 300, -1, 4] });
    expect(decode(context, bytesField(4))).toStrictEqual({ supplementalGroups: [] });
    expect(() => decode(context, bytesField(4, Buffer.from([0x80])))).toThrow(/supplementalGroups\[0\]/);
  });

  it('passes over fields that it does not know', () => {
    const unknown = [numberField(1000, 5), bytesField(1001, 'x'), varint(1002 * 8 + 1), Buffer.alloc(8)];
    expect(decode(core('EnvVar'), ...unknown, bytesField(1, 'A'), ...unknown, bytesField(2, 'b'))).toStrictEqual({
      name: 'A',
      value: 'b',
    });
  });

  it('puts fields into the order of JSON, whatever their order on the wire', () => {
    const decoded = decode(core('Container'), bytesField(14, 'Always'), bytesField(2, 'web:1'), bytesField(1, 'web'));
    expect(Object.entries(decoded)).toEqual([
      ['name', 'web'],
      ['image', 'web:1'],
      ['resources', {}],
      ['imagePullPolicy', 'Always'],
    ]);
  });

  it('gives choices in the form that is set', () => {
    const props = schemaNamed('io.k8s.apiextensions-apiserver.pkg.apis.apiextensions.v1.JSONSchemaProps');
    const numbers = Object.fromEntries(props.fields.map(({ json, wire }) => [json, wire]));
    const choice = (name: string, ...content: Buffer[]) =>
      decode(props, bytesField(numbers[name] ?? 0, ...content))[name];
    expect(choice('additionalProperties', numberField(1, 1))).toBe(true);
    expect(choice('additionalProperties')).toBe(false);
    expect(choice('additionalProperties', numberField(1, 0), bytesField(2))).toStrictEqual({});
    expect(choice('items', bytesField(1))).toStrictEqual({});
    expect(choice('items', bytesField(1), bytesField(2), bytesField(2))).toStrictEqual([{}, {}]);
    expect(choice('items')).toBe(null);
    expect(choice('default', bytesField(1, '{"a":[1]}'))).toStrictEqual({ a: [1] });
    expect(choice('default')).toBe(null);
  });

  describe('in bytes that are damaged', () => {
    const pod = (...spec: Buffer[]) => [bytesField(1), bytesField(2, ...spec)];

    it.each([
      [
        'a string with a length beyond its message',
        pod(bytesField(2, Buffer.from([0x0a, 9, 0x61]))),
        'spec.containers[0].name',
      ],
      [
        'a value that runs over its end',
        [...pod(bytesField(2), bytesField(2, Buffer.from([0x80, 0x01]))), bytesField(3)],
        'spec.containers[1].stdin',
      ],
      ['another wire type', pod(bytesField(2), bytesField(2, numberField(2, 1))), 'spec.containers[1].image'],
      [
        'damage in an embedded struct',
        pod(bytesField(1, bytesField(2, bytesField(6, numberField(1, 1))))),
        'spec.volumes[0].secret.secretName',
      ],
      [
        'damage in a map',
        pod(bytesField(7, bytesField(1, 'disk'), Buffer.from([0x12, 0x7f]))),
        'spec.nodeSelector["disk"]',
      ],
      [
        'a time',
        pod(bytesField(1), bytesField(22, bytesField(1, 'k'), Buffer.from([0x28, 0x80]))),
        'spec.tolerations[0].tolerationSeconds',
      ],
    ])('names the field: %s', (_what, message, path) => {
      expect(() => decode(core('Pod'), ...message)).toThrow(
        expect.objectContaining({ name: 'DecodeError', path, message: expect.stringContaining(path) }),
      );
    });

    it('does not quote a value that should be JSON and is not', () => {
      const revision = schemaNamed('io.k8s.api.apps.v1.ControllerRevision');
      expect(() => decode(revision, bytesField(2, bytesField(1, 'secret')))).toThrow(
        /^a value that should be JSON is not \(at byte \d, in data\)$/,
      );
    });

    it('refuses messages that are nested too deep, however deep they are', () => {
      const props = schemaNamed('io.k8s.apiextensions-apiserver.pkg.apis.apiextensions.v1.JSONSchemaProps');
      const not = props.fields.find(({ json }) => json === 'not')?.wire ?? 0;
      const nested = (depth: number) => {
        let message: Buffer = Buffer.alloc(0);
        for (let i = 0; i < depth; i++) message = bytesField(not, message);
        return message;
      };
      expect(decode(props, nested(MAX_DEPTH - 1))).toHaveProperty('not.not');
      expect(() => decode(props, nested(MAX_DEPTH))).toThrow(/nested more than 400 deep/);
      expect(() => decode(props, nested(20_000))).toThrow(/nested more than 400 deep/);
    });
  });
});
