import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import type { KubernetesObject } from '../api/metadata.ts';
import { deployments } from '../generated/api/apps/v1.ts';
import { configMaps, pods, secrets } from '../generated/api/core/v1.ts';
import { HIDDEN, Redaction } from './redaction.ts';

const MARK = 'm4rk3r';
const LAST_APPLIED = 'kubectl.kubernetes.io/last-applied-configuration';

const pod = {
  apiVersion: 'v1',
  kind: 'Pod',
  metadata: {
    name: 'web-0',
    labels: { app: 'web' },
    annotations: { [LAST_APPLIED]: MARK, note: 'spoken' },
    managedFields: [{ manager: MARK }],
  },
  spec: {
    nodeName: 'node-a',
    containers: [
      {
        name: 'web',
        image: 'nginx',
        env: [
          { name: 'PASSWORD', value: MARK },
          { name: 'OTHER', valueFrom: { secretKeyRef: { name: 's', key: 'k' } } },
        ],
      },
    ],
  },
  status: { phase: 'Running' },
} as KubernetesObject;

describe('what a page sees of an object', () => {
  it('is metadata and status', () => {
    expect(new Redaction([]).visible(pod, pods)).toEqual({
      apiVersion: 'v1',
      kind: 'Pod',
      metadata: { name: 'web-0', labels: { app: 'web' }, annotations: { [LAST_APPLIED]: HIDDEN, note: HIDDEN } },
      status: { phase: 'Running' },
    });
  });

  it('is the rest too when its kind is named, but for environment values and the last-applied annotation', () => {
    const shown = new Redaction([pods]).visible(pod, pods);
    expect(shown.spec).toEqual({
      nodeName: 'node-a',
      containers: [
        {
          name: 'web',
          image: 'nginx',
          env: [
            { name: 'PASSWORD', value: HIDDEN },
            { name: 'OTHER', valueFrom: { secretKeyRef: { name: 's', key: 'k' } } },
          ],
        },
      ],
    });
    expect(shown.metadata).toMatchObject({ annotations: { [LAST_APPLIED]: HIDDEN, note: 'spoken' } });
    expect(JSON.stringify(shown)).not.toContain(MARK);
  });

  it('is not more because another kind is named', () => {
    expect(new Redaction([deployments]).visible(pod, pods)).not.toHaveProperty('spec');
  });

  it.each([
    ['its informer says so', secrets, 'Secret'],
    ['only the object says so', undefined, 'Secret'],
    ['the object says so, and not its informer', pods, 'Secret'],
    ['the informer does not know its kind', { ...secrets, kind: '' }, 'Secret'],
    ['its fields have lost their kind', secrets, ''],
  ])('is the metadata alone of a Secret, when %s', (_when, kind, objectKind) => {
    const secret = {
      apiVersion: 'v1',
      kind: objectKind,
      metadata: { name: 's', annotations: { a: MARK } },
      data: { password: MARK },
      stringData: { password: MARK },
      status: { of: MARK },
      type: MARK,
    } as KubernetesObject;
    const shown = new Redaction([secrets, pods, { ...secrets, kind: '' }]).visible(secret, kind);
    expect(Object.keys(shown)).toEqual(['apiVersion', 'kind', 'metadata']);
    expect(JSON.stringify(shown)).not.toContain(MARK);
  });

  it('never holds an environment value or the last-applied annotation, however deep they are', () => {
    const hiding = fc.constantFrom(
      { env: [{ name: 'A', value: MARK }] },
      { env: { A: MARK } },
      { ENV: [{ name: 'A', value: { deep: MARK } }] },
      { environment: [MARK, [MARK]] },
      { annotations: { [LAST_APPLIED]: MARK } },
      { [LAST_APPLIED]: { odd: MARK } },
      { managedFields: [{ v: MARK }] },
    );
    const { tree } = fc.letrec<{ tree: unknown }>((tie) => ({
      tree: fc.oneof(
        { depthSize: 'medium' },
        hiding,
        fc.dictionary(fc.string(), tie('tree'), { maxKeys: 3 }),
        fc.array(tie('tree'), { maxLength: 3 }),
      ),
    }));
    fc.assert(
      fc.property(tree, tree, (spec, status) => {
        const object = { ...pod, spec, status, template: spec } as KubernetesObject;
        expect(JSON.stringify(new Redaction([pods]).visible(object, pods))).not.toContain(MARK);
      }),
    );
  });

  it('does not change the object, and takes odd ones as they are', () => {
    const before = structuredClone(pod);
    new Redaction([pods]).visible(pod, pods);
    expect(pod).toEqual(before);
    const odd = { metadata: null, status: null, __proto__: null } as unknown as KubernetesObject;
    expect(() => new Redaction([]).visible(odd, undefined)).not.toThrow();
    const map = JSON.parse('{"kind":"ConfigMap","metadata":{"name":"x"},"data":{"__proto__":"y"}}') as KubernetesObject;
    expect(new Redaction([configMaps]).visible(map, configMaps).data).toEqual(JSON.parse('{"__proto__":"y"}'));
  });
});

describe('what a page may sort and filter by', () => {
  const may = (path: string, show: (typeof pods | typeof secrets)[] = [], kind: typeof pods | typeof secrets = pods) =>
    new Redaction(show).mayRead(path.split('.'), kind);

  it('is what it may see', () => {
    expect(may('metadata.name')).toBe(true);
    expect(may('metadata.labels.app')).toBe(true);
    expect(may('status.phase')).toBe(true);
    expect(may('spec.nodeName')).toBe(false);
    expect(may('spec.nodeName', [pods])).toBe(true);
    expect(may('data.x')).toBe(false);
  });

  it('is nothing that it must not see, by no way around', () => {
    for (const path of [
      'metadata.annotations.a',
      'metadata.annotations',
      'metadata.managedFields',
      'metadata',
      'spec.containers.*.env.*.value',
      'spec.containers.*.*.*.value',
      'spec.containers.0.env.0.value',
      'spec.containers.0.Env.0.value',
      'spec.template.metadata.annotations.x',
      `status.${LAST_APPLIED.replaceAll('.', '\\.')}`,
    ]) {
      const segments = path.split(/(?<!\\)\./).map((segment) => segment.replaceAll('\\.', '.'));
      expect(new Redaction([pods]).mayRead(segments, pods), path).toBe(false);
    }
    for (const path of ['data.password', 'status.x', 'type']) expect(may(path, [secrets], secrets), path).toBe(false);
    expect(may('metadata.name', [], secrets)).toBe(true);
  });
});
