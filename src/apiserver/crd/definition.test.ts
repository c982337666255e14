import { describe, expect, it } from 'vitest';
import { fieldErrorText } from '../request/field-error.ts';
import type { WriteContext } from '../storage/strategy.ts';
import { cloneJson, type JsonObject } from '../values/json.ts';
import { DecodeProblem } from '../values/typed-object.ts';
import { customVersions } from './custom-resource.ts';
import { updateDefinitionStatus } from './definition-status.ts';
import { definitionStrategy } from './definition-strategy.ts';

const NOW = Date.parse('2026-01-01T00:00:00Z');
const warnings: string[] = [];
const context = { nowMs: NOW, warn: (text: string) => warnings.push(text) } as unknown as WriteContext;

const crd = (spec: JsonObject = {}, version: JsonObject = {}): JsonObject => ({
  metadata: { name: 'crontabs.example.com', generation: 1 },
  spec: {
    group: 'example.com',
    scope: 'Namespaced',
    names: { plural: 'crontabs', kind: 'CronTab', shortNames: ['ct'] },
    versions: [
      {
        name: 'v1',
        served: true,
        storage: true,
        schema: {
          openAPIV3Schema: {
            type: 'object',
            properties: { spec: { type: 'object', properties: { size: { type: 'integer', default: 1, minimum: 1 } } } },
          },
        },
        ...version,
      },
    ],
    ...spec,
  },
});

function created(object: JsonObject): { object: JsonObject; errors: string[] } {
  const copy = cloneJson(object);
  definitionStrategy.defaults?.(copy);
  definitionStrategy.prepareForCreate?.(copy, context);
  return { object: copy, errors: (definitionStrategy.validate?.(copy, context) ?? []).map(fieldErrorText) };
}

function established(object: JsonObject, others: JsonObject[] = []): JsonObject {
  const copy = created(object).object;
  updateDefinitionStatus(copy, others, NOW);
  return copy;
}

/** Nobody is asked: no definition here has a webhook. */
const served = (object: JsonObject) =>
  customVersions(object, { webhooks: { post: () => Promise.reject(new Error('asked')) }, uid: () => '' });

describe('a CustomResourceDefinition', () => {
  it('is filled in and accepted', () => {
    const { object, errors } = created(crd());
    expect(errors).toEqual([]);
    expect(object.spec).toMatchObject({
      names: { singular: 'crontab', listKind: 'CronTabList' },
      conversion: { strategy: 'None' },
    });
    expect(object.status).toMatchObject({ storedVersions: ['v1'] });
  });

  it('is refused with the words of the real server', () => {
    expect(
      created(crd({}, { schema: { openAPIV3Schema: { type: 'object', properties: { spec: {} } } } })).errors,
    ).toEqual([
      'spec.validation.openAPIV3Schema.properties[spec].type: Required value: must not be empty for specified object fields',
    ]);
    expect(created(crd({ scope: 'World' })).errors).toEqual([
      'spec.scope: Unsupported value: "World": supported values: "Cluster", "Namespaced"',
    ]);
    expect(created({ ...crd(), metadata: { name: 'x.example.com' } }).errors).toEqual([
      'metadata.name: Invalid value: "x.example.com": must be spec.names.plural+"."+spec.group',
    ]);
  });

  it('is refused when it has a conversion webhook that cannot be called', () => {
    const errorsOf = (webhook: JsonObject) => created(crd({ conversion: { strategy: 'Webhook', webhook } })).errors;
    const conversionReviewVersions = ['v1'];
    const service = { namespace: '', name: '', port: 0, path: '//x' };
    expect(errorsOf({})).toEqual([
      'spec.conversion.webhookClientConfig: Required value: required when strategy is set to Webhook',
      'spec.conversion.conversionReviewVersions: Required value',
    ]);
    expect(errorsOf({ clientConfig: { url: 'https://x', service }, conversionReviewVersions: ['v2', 'v2'] })).toEqual([
      'spec.conversion.webhookClientConfig: Required value: exactly one of url or service is required',
      'spec.conversion.conversionReviewVersions[1]: Invalid value: "v2": duplicate version',
      'spec.conversion.conversionReviewVersions: Invalid value: ["v2","v2"]: must include at least one of v1, v1beta1',
    ]);
    expect(errorsOf({ clientConfig: { service }, conversionReviewVersions })).toEqual([
      'spec.conversion.webhookClientConfig.service.name: Required value',
      'spec.conversion.webhookClientConfig.service.namespace: Required value',
      'spec.conversion.webhookClientConfig.service.port: Invalid value: 0: port is not valid: must be between 1 and 65535, inclusive',
      'spec.conversion.webhookClientConfig.service.path: Invalid value: "//x": segment[0] may not be empty',
    ]);
  });

  it('is not served while the bundle of its conversion webhook is none, and may not get such a one later', () => {
    const withBundle = (caBundle: string) => {
      const webhook = { clientConfig: { url: 'https://x', caBundle }, conversionReviewVersions: ['v1'] };
      return crd({ conversion: { strategy: 'Webhook', webhook } });
    };
    const wrong = withBundle('eA==');
    expect(created(wrong).errors).toEqual([]);
    expect(established(wrong).status).toMatchObject({
      conditions: [{ type: 'NamesAccepted' }, { type: 'Established', status: 'False', reason: 'InvalidCABundle' }],
    });
    const good = established(withBundle(Buffer.from('-----BEGIN CERTIFICATE-----').toString('base64')));
    const changed = { ...established(wrong), metadata: { name: 'crontabs.example.com', resourceVersion: '1' } };
    const errors = (old: JsonObject) =>
      (definitionStrategy.validateUpdate?.(changed, old, context) ?? []).map(fieldErrorText);
    expect(errors(established(wrong))).toEqual([]);
    expect(errors(good)).toEqual([
      'spec.conversion.webhookClientConfig.caBundle: Invalid value: "eA==": unable to load root certificates: unable to parse bytes as PEM block',
    ]);
  });

  it('may not change its group, nor its scope once it is served', () => {
    const old = established(crd());
    const changed = cloneJson(old);
    changed.metadata = { name: 'crontabs.example.com', resourceVersion: '1' };
    (changed.spec as JsonObject).scope = 'Cluster';
    (changed.spec as JsonObject).group = 'other.com';
    const errors = definitionStrategy.validateUpdate?.(changed, old, context) ?? [];
    expect(errors.map(fieldErrorText)).toEqual([
      'spec.scope: Invalid value: "Cluster": field is immutable',
      'spec.group: Invalid value: "other.com": field is immutable',
    ]);
  });

  it('remembers every version that has been stored', () => {
    const old = established(crd());
    const changed = cloneJson(old);
    const [v1] = (changed.spec as JsonObject).versions as JsonObject[];
    (changed.spec as JsonObject).versions = [{ ...v1, name: 'v2' }];
    definitionStrategy.prepareForUpdate?.(changed, old, context);
    expect(changed.status).toMatchObject({ storedVersions: ['v1', 'v2'] });
    const errors = (definitionStrategy.validateUpdate?.(changed, old, context) ?? []).map(fieldErrorText);
    expect(errors).toHaveLength(1);
    expect(errors[0]).toMatch(/^status.storedVersions\[0\]: Invalid value: "v1": missing from spec.versions;/);
  });

  it('warns of formats that nobody checks', () => {
    warnings.length = 0;
    const openAPIV3Schema = { type: 'object', properties: { a: { type: 'string', format: 'colour' } } };
    created(crd({}, { schema: { openAPIV3Schema } }));
    expect(warnings).toEqual(['unrecognized format "colour"']);
  });
});

describe('updateDefinitionStatus', () => {
  it('accepts free names and serves at once', () => {
    expect(established(crd()).status).toEqual({
      acceptedNames: {
        plural: 'crontabs',
        singular: 'crontab',
        shortNames: ['ct'],
        kind: 'CronTab',
        listKind: 'CronTabList',
      },
      conditions: [
        {
          type: 'NamesAccepted',
          status: 'True',
          lastTransitionTime: '2026-01-01T00:00:00Z',
          reason: 'NoConflicts',
          message: 'no conflicts found',
        },
        {
          type: 'Established',
          status: 'True',
          lastTransitionTime: '2026-01-01T00:00:00Z',
          reason: 'InitialNamesAccepted',
          message: 'the initial names have been accepted',
        },
      ],
      storedVersions: ['v1'],
    });
  });

  it('changes nothing the second time', () => {
    const object = established(crd());
    expect(updateDefinitionStatus(object, [], NOW + 5_000)).toBe(false);
  });

  it('holds back a definition whose names belong to another', () => {
    const names = { plural: 'tabs', kind: 'CronTab', shortNames: ['t'] };
    const other = { ...crd({ names }), metadata: { name: 'tabs.example.com' } };
    const late = established(other, [established(crd())]);
    expect(late.status).toMatchObject({
      acceptedNames: { plural: 'tabs', kind: '' },
      conditions: [
        {
          type: 'NamesAccepted',
          status: 'False',
          reason: 'ListKindConflict',
          message: '"CronTabList" is already in use',
        },
        { type: 'Established', status: 'False', reason: 'NotAccepted' },
      ],
    });
    expect(served(late)).toEqual([]);
  });
});

describe('customVersions', () => {
  it('decodes what a client sends', () => {
    const [version] = served(established(crd()));
    const sent = { apiVersion: 'example.com/v1', kind: 'CronTab', metadata: { name: 'x', foo: 1 }, spec: { bar: 2 } };
    const decoded = version?.decode(sent);
    expect(decoded?.object).toEqual({ ...sent, metadata: { name: 'x' }, spec: { size: 1 } });
    expect(decoded?.unknownFields).toEqual(['metadata.foo', 'spec.bar']);
    expect(() => version?.decode({ ...sent, metadata: { labels: { a: 1 } } })).toThrow(DecodeProblem);
  });

  it('judges creations by the schema, and updates by what they change', () => {
    const [version] = served(established(crd()));
    const bad = { metadata: { name: 'x' }, spec: { size: 0 } };
    expect(version?.strategy.validate?.(bad, context).map(fieldErrorText)).toEqual([
      'spec.size: Invalid value: 0: spec.size in body should be greater than or equal to 1',
    ]);
    const stored = { ...bad, metadata: { name: 'x', resourceVersion: '7' } };
    expect(version?.strategy.validate?.(stored, context)).toEqual([]);
    expect(version?.strategy.validateUpdate?.(stored, stored, context)).toEqual([]);
  });

  it('reads and writes the scale where the definition says', () => {
    const scale = { specReplicasPath: '.spec.size', statusReplicasPath: '.status.n', labelSelectorPath: '.status.sel' };
    const [version] = served(established(crd({}, { subresources: { scale } })));
    const object: JsonObject = {
      metadata: { name: 'x', namespace: 'n' },
      spec: { size: 3 },
      status: { n: 2, sel: 'a=b' },
    };
    expect(version?.scale?.read(object)).toMatchObject({
      kind: 'Scale',
      apiVersion: 'autoscaling/v1',
      metadata: { name: 'x', namespace: 'n' },
      spec: { replicas: 3 },
      status: { replicas: 2, selector: 'a=b' },
    });
    version?.scale?.write(object, { spec: { replicas: 5 } });
    expect(object.spec).toEqual({ size: 5 });
    expect(() => version?.scale?.read({ spec: {} })).toThrow('the spec replicas field ".spec.size" does not exist');
  });

  it('puts the best version first and tells of deprecated ones', () => {
    const [v1] = (crd().spec as JsonObject).versions as JsonObject[];
    const versions = ['v1beta1', 'v1', 'v2alpha1', 'v2'].map((name) => ({
      ...v1,
      name,
      storage: name === 'v1',
      deprecated: name !== 'v2',
    }));
    const found = served(established(crd({ versions })));
    expect(found.map(({ version }) => version)).toEqual(['v2', 'v1', 'v1beta1', 'v2alpha1']);
    expect(found.map(({ warning }) => warning)).toEqual([
      undefined,
      'example.com/v1 CronTab is deprecated; use example.com/v2 CronTab',
      'example.com/v1beta1 CronTab is deprecated; use example.com/v2 CronTab',
      'example.com/v2alpha1 CronTab is deprecated; use example.com/v2 CronTab',
    ]);
  });

  it('converts between versions by pruning alone', () => {
    const schema = (properties: JsonObject) => ({
      openAPIV3Schema: { type: 'object', properties: { spec: { type: 'object', properties } } },
    });
    const text = { type: 'string' };
    const versions = [
      { name: 'v1', served: true, storage: true, schema: schema({ a: text, b: { ...text, default: 'B' } }) },
      { name: 'v2', served: true, storage: false, schema: schema({ a: text, c: { ...text, default: 'C' } }) },
    ];
    const [v2] = served(established(crd({ versions })));
    expect(v2?.conversion?.fromStorage({ metadata: { name: 'x' }, spec: { a: '1' } })).toEqual({
      apiVersion: 'example.com/v2',
      kind: 'CronTab',
      metadata: { name: 'x' },
      spec: { a: '1' },
    });
    expect(v2?.conversion?.toStorage({ metadata: { name: 'x' }, spec: { a: '1', c: '3' } })).toEqual({
      apiVersion: 'example.com/v1',
      kind: 'CronTab',
      metadata: { name: 'x' },
      spec: { a: '1' },
    });
  });
});
