import { LabelSelector, type LabelSelectorObject } from '../../api/label-selector.ts';
import { type FieldError, forbidden, invalid, notSupported, required } from '../request/field-error.ts';
import { keepField } from '../storage/object-writer.ts';
import type { Strategy } from '../storage/strategy.ts';
import { asObject, asString, ensureObject, isObject, type JsonObject, jsonEqual } from '../values/json.ts';
import { metadataOf } from '../values/object-meta.ts';
import { optionalObject, setDefault, specOf } from './defaulting.ts';
import { nameWarnings } from './name-warnings.ts';
import { defaultPodTemplate } from './pod-spec.ts';
import { validatePodSpec } from './pod-validation.ts';

/** Selector and template of a workload: there, and made for each other. */
export function validateTemplate(spec: JsonObject, restartPolicies: readonly string[] = ['Always']): FieldError[] {
  const errors: FieldError[] = [];
  const template = asObject(spec.template);
  const podSpec = asObject(template.spec);
  if (!isObject(spec.selector)) {
    errors.push(required('spec.selector'), unmatchedLabels(template));
  } else errors.push(...validateSelector(spec.selector, template));
  errors.push(...validatePodSpec(podSpec, 'spec.template.spec'));
  const policy = asString(podSpec.restartPolicy);
  if (!restartPolicies.includes(policy) && ['Always', 'OnFailure', 'Never'].includes(policy)) {
    errors.push(notSupported('spec.template.spec.restartPolicy', policy, restartPolicies));
  }
  return errors;
}

function validateSelector(selector: JsonObject, template: JsonObject): FieldError[] {
  let parsed: LabelSelector;
  try {
    parsed = LabelSelector.fromObject(selector as LabelSelectorObject);
  } catch (error) {
    const detail = `invalid label selector: ${error instanceof Error ? error.message : String(error)}`;
    return [invalid('spec.selector', selector, detail)];
  }
  if (parsed.matchesEverything) return [invalid('spec.selector', selector, 'empty selector is invalid for deployment')];
  const labels = asObject(asObject(template.metadata).labels) as Record<string, string>;
  return parsed.matches(labels) ? [] : [unmatchedLabels(template)];
}

function unmatchedLabels(template: JsonObject): FieldError {
  const { labels } = asObject(template.metadata);
  return invalid('spec.template.metadata.labels', labels, '`selector` does not match template `labels`');
}

export function nonNegative(spec: JsonObject, field: string): FieldError[] {
  const value = spec[field];
  if (typeof value !== 'number' || value >= 0) return [];
  return [invalid(`spec.${field}`, value, 'must be greater than or equal to 0')];
}

function immutable(object: JsonObject, old: JsonObject, field: string): FieldError[] {
  const [now, before] = [specOf(object)[field], specOf(old)[field]];
  return jsonEqual(now, before) ? [] : [invalid(`spec.${field}`, now, 'field is immutable')];
}

export const deploymentStrategy: Strategy = {
  generation: true,
  warnings: (object, old) => nameWarnings(object, old),

  defaults(object) {
    const spec = specOf(object);
    if (spec.replicas === undefined) spec.replicas = 1;
    defaultPodTemplate(spec);
    const strategy = ensureObject(spec, 'strategy');
    setDefault(strategy, 'type', 'RollingUpdate');
    if (strategy.type === 'RollingUpdate') {
      const rolling = ensureObject(strategy, 'rollingUpdate');
      setDefault(rolling, 'maxUnavailable', '25%');
      setDefault(rolling, 'maxSurge', '25%');
    }
    spec.revisionHistoryLimit ??= 10;
    spec.progressDeadlineSeconds ??= 600;
  },

  prepareForUpdate(object, old) {
    // Annotations are copied to replica sets, so that a change of theirs counts as a change of what is wanted.
    const changed = !jsonEqual(metadataOf(object).annotations, metadataOf(old).annotations);
    if (changed && jsonEqual(object.spec, old.spec)) {
      metadataOf(object).generation = Number(metadataOf(old).generation ?? 0) + 1;
    }
  },

  prepareForStatusUpdate(object, old) {
    keepField(object, old, 'spec');
    keepField(ensureObject(object, 'metadata'), metadataOf(old), 'labels');
  },

  validate(object) {
    const spec = specOf(object);
    return [...nonNegative(spec, 'replicas'), ...validateTemplate(spec), ...nonNegative(spec, 'revisionHistoryLimit')];
  },
  validateUpdate: (object, old) => immutable(object, old, 'selector'),
};

export const replicaSetStrategy: Strategy = {
  generation: true,
  warnings: (object, old) => nameWarnings(object, old),
  defaults(object) {
    const spec = specOf(object);
    if (spec.replicas === undefined) spec.replicas = 1;
    defaultPodTemplate(spec);
  },
  validate: (object) => [...nonNegative(specOf(object), 'replicas'), ...validateTemplate(specOf(object))],
  validateUpdate: (object, old) => immutable(object, old, 'selector'),
};

const STATEFUL_SET_MUTABLE = [
  'replicas',
  'ordinals',
  'template',
  'updateStrategy',
  'revisionHistoryLimit',
  'persistentVolumeClaimRetentionPolicy',
  'minReadySeconds',
];

export const statefulSetStrategy: Strategy = {
  generation: true,
  defaults(object) {
    const spec = specOf(object);
    if (spec.replicas === undefined) spec.replicas = 1;
    defaultPodTemplate(spec);
    setDefault(spec, 'podManagementPolicy', 'OrderedReady');
    const strategy = ensureObject(spec, 'updateStrategy');
    if (strategy.type === undefined) {
      strategy.type = 'RollingUpdate';
      ensureObject(strategy, 'rollingUpdate');
    }
    const rolling = optionalObject(strategy, 'rollingUpdate');
    if (rolling && strategy.type === 'RollingUpdate') rolling.partition ??= 0;
    spec.revisionHistoryLimit ??= 10;
    const retention = ensureObject(spec, 'persistentVolumeClaimRetentionPolicy');
    setDefault(retention, 'whenDeleted', 'Retain');
    setDefault(retention, 'whenScaled', 'Retain');
    for (const claim of Array.isArray(spec.volumeClaimTemplates) ? spec.volumeClaimTemplates : []) {
      if (!isObject(claim)) continue;
      setDefault(claim, 'kind', 'PersistentVolumeClaim');
      setDefault(claim, 'apiVersion', 'v1');
      setDefault(specOf(claim), 'volumeMode', 'Filesystem');
      setDefault(ensureObject(claim, 'status'), 'phase', 'Pending');
    }
  },
  validate: (object) => [...nonNegative(specOf(object), 'replicas'), ...validateTemplate(specOf(object))],
  validateUpdate(object, old) {
    const fixed = (value: JsonObject) =>
      Object.fromEntries(Object.entries(specOf(value)).filter(([key]) => !STATEFUL_SET_MUTABLE.includes(key)));
    if (jsonEqual(fixed(object), fixed(old))) return [];
    const listed = STATEFUL_SET_MUTABLE.slice(0, -1)
      .map((field) => `'${field}'`)
      .join(', ');
    return [
      forbidden(
        'spec',
        `updates to statefulset spec for fields other than ${listed} and 'minReadySeconds' are forbidden`,
      ),
    ];
  },
};

/** Where apps/v1 keeps a field that older versions had. */
const TEMPLATE_GENERATION = 'deprecated.daemonset.template.generation';

export const daemonSetStrategy: Strategy = {
  generation: true,
  defaults(object) {
    const spec = specOf(object);
    defaultPodTemplate(spec);
    const strategy = ensureObject(spec, 'updateStrategy');
    setDefault(strategy, 'type', 'RollingUpdate');
    if (strategy.type === 'RollingUpdate') {
      const rolling = ensureObject(strategy, 'rollingUpdate');
      rolling.maxUnavailable ??= 1;
      rolling.maxSurge ??= 0;
    }
    spec.revisionHistoryLimit ??= 10;
    const metadata = ensureObject(object, 'metadata');
    metadata.annotations = { [TEMPLATE_GENERATION]: '0', ...asObject(metadata.annotations) };
  },
  prepareForCreate(object) {
    const annotations = ensureObject(metadataOf(object), 'annotations');
    if (!(Number(annotations[TEMPLATE_GENERATION]) > 0)) annotations[TEMPLATE_GENERATION] = '1';
  },
  prepareForUpdate(object, old) {
    const before = asString(asObject(metadataOf(old).annotations)[TEMPLATE_GENERATION]) || '1';
    const changed = !jsonEqual(specOf(object).template, specOf(old).template);
    const annotations = ensureObject(metadataOf(object), 'annotations');
    annotations[TEMPLATE_GENERATION] = changed ? String(Number(before) + 1) : before;
  },
  validate: (object) => validateTemplate(specOf(object)),
  validateUpdate: (object, old) => immutable(object, old, 'selector'),
};

export const replicationControllerStrategy: Strategy = {
  generation: true,
  warnings: (object, old) => nameWarnings(object, old),
  garbageCollection: 'orphan',
  defaults(object) {
    const spec = specOf(object);
    if (spec.replicas === undefined) spec.replicas = 1;
    if (!isObject(spec.template)) return;
    defaultPodTemplate(spec);
    const labels = asObject(asObject(spec.template.metadata).labels);
    if (Object.keys(labels).length === 0) return;
    if (!isObject(spec.selector) || Object.keys(spec.selector).length === 0) spec.selector = { ...labels };
    const metadata = ensureObject(object, 'metadata');
    if (Object.keys(asObject(metadata.labels)).length === 0) metadata.labels = { ...labels };
  },
  validate(object) {
    const spec = specOf(object);
    const errors = nonNegative(spec, 'replicas');
    if (!isObject(spec.selector)) errors.push(required('spec.selector'));
    if (!isObject(spec.template)) return [...errors, required('spec.template')];
    return [...errors, ...validatePodSpec(asObject(spec.template.spec), 'spec.template.spec')];
  },
};

export const podTemplateStrategy: Strategy = {
  generation: true,
  returnDeletedObject: true,
  defaults: (object) => defaultPodTemplate(object),
  validate: (object) => validatePodSpec(asObject(asObject(object.template).spec), 'template.spec'),
};

export const controllerRevisionStrategy: Strategy = {
  validateUpdate(object, old) {
    return jsonEqual(object.data, old.data) ? [] : [invalid('data', object.data, 'field is immutable')];
  },
};
