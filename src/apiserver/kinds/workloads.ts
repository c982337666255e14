import { type FieldError, forbidden, invalid, notSupported, required } from '../request/field-error.ts';
import { keepField } from '../storage/object-writer.ts';
import type { Strategy } from '../storage/strategy.ts';
import {
  asObject,
  asString,
  ensureObject,
  isObject,
  type JsonObject,
  type JsonValue,
  jsonEqual,
} from '../values/json.ts';
import { dnsLabel } from '../values/name-rules.ts';
import { metadataOf } from '../values/object-meta.ts';
import { items, optionalObject, setDefault, specOf } from './defaulting.ts';
import { nameWarnings } from './name-warnings.ts';
import { percentOf, validateAtMost100Percent, validateCountOrPercent, validateNonNegative } from './number-rules.ts';
import { defaultPodTemplate } from './pod-spec.ts';
import { templateWarnings } from './pod-warnings.ts';
import { countsNotNegative, replicaStatusRules } from './replica-status.ts';
import { unmatchedLabels, validatePodTemplate, validateTemplate, validateTemplateMetadata } from './template-rules.ts';
import { validateClaimSpec } from './volume-claim.ts';

function nonNegative(spec: JsonObject, ...fields: readonly string[]): FieldError[] {
  return fields.flatMap((field) => validateNonNegative(spec[field], `spec.${field}`));
}

function immutable(object: JsonObject, old: JsonObject, field: string): FieldError[] {
  const [now, before] = [specOf(object)[field], specOf(old)[field]];
  return jsonEqual(now, before) ? [] : [invalid(`spec.${field}`, now, 'field is immutable')];
}

const REPLICATED = { kind: 'deployment', deadlineless: 'ReplicaSet', unreadable: 'invalid label selector' };

export const deploymentStrategy: Strategy = {
  generation: true,
  warnings: (object, old) => [...nameWarnings(object, old), ...templateWarnings(object, old)],

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
    const errors = [
      ...nonNegative(spec, 'replicas'),
      ...validateTemplate(spec, REPLICATED),
      ...validateDeploymentStrategy(asObject(spec.strategy)),
      ...nonNegative(spec, 'minReadySeconds', 'revisionHistoryLimit', 'progressDeadlineSeconds'),
    ];
    const deadline = Number(spec.progressDeadlineSeconds);
    if (deadline <= Number(spec.minReadySeconds ?? 0)) {
      errors.push(invalid('spec.progressDeadlineSeconds', deadline, 'must be greater than minReadySeconds'));
    }
    return errors;
  },
  validateStatusUpdate: replicaStatusRules({
    counted: [
      'observedGeneration',
      'replicas',
      'updatedReplicas',
      'readyReplicas',
      'availableReplicas',
      'unavailableReplicas',
      'terminatingReplicas',
      'collisionCount',
    ],
    within: ['updatedReplicas', 'readyReplicas', 'availableReplicas'],
    ready: 'readyReplicas',
  }),
  validateUpdate: (object, old) => immutable(object, old, 'selector'),
};

function validateDeploymentStrategy(strategy: JsonObject): FieldError[] {
  const { type, rollingUpdate } = strategy;
  const field = 'spec.strategy.rollingUpdate';
  if (type === 'Recreate') {
    if (rollingUpdate === undefined) return [];
    return [forbidden(field, "may not be specified when strategy `type` is 'Recreate'")];
  }
  if (type !== 'RollingUpdate') {
    const shown = { Type: asString(type), RollingUpdate: rollingUpdate ?? null };
    return [notSupported('spec.strategy', shown, ['Recreate', 'RollingUpdate'])];
  }
  const { maxUnavailable, maxSurge } = asObject(rollingUpdate);
  return [
    ...validateCountOrPercent(maxUnavailable, `${field}.maxUnavailable`),
    ...validateCountOrPercent(maxSurge, `${field}.maxSurge`),
    ...(isNothing(maxUnavailable) && isNothing(maxSurge)
      ? [invalid(`${field}.maxUnavailable`, maxUnavailable, 'may not be 0 when `maxSurge` is 0')]
      : []),
    ...validateAtMost100Percent(maxUnavailable, `${field}.maxUnavailable`),
  ];
}

/** 0, or 0 percent; what is neither a number nor a percentage counts as nothing. */
function isNothing(value: JsonValue | undefined): boolean {
  return typeof value === 'number' ? value === 0 : percentOf(value) === 0;
}

export const replicaSetStrategy: Strategy = {
  generation: true,
  warnings: (object, old) => [...nameWarnings(object, old), ...templateWarnings(object, old)],
  defaults(object) {
    const spec = specOf(object);
    if (spec.replicas === undefined) spec.replicas = 1;
    defaultPodTemplate(spec);
  },
  validate: (object) => [
    ...nonNegative(specOf(object), 'replicas', 'minReadySeconds'),
    ...validateTemplate(specOf(object), REPLICATED),
  ],
  validateUpdate: (object, old) => immutable(object, old, 'selector'),
  validateStatusUpdate: replicaStatusRules({
    counted: [
      'replicas',
      'fullyLabeledReplicas',
      'readyReplicas',
      'availableReplicas',
      'observedGeneration',
      'terminatingReplicas',
    ],
    within: ['fullyLabeledReplicas', 'readyReplicas', 'availableReplicas'],
    ready: 'readyReplicas',
  }),
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
  prepareForCreate: dropMaxUnavailable,
  prepareForUpdate: dropMaxUnavailable,
  warnings(object, old) {
    const warnings = templateWarnings(object, old);
    if (Number(specOf(object).revisionHistoryLimit) >= 0) return warnings;
    return [
      ...warnings,
      'spec.revisionHistoryLimit: a negative value retains all historical revisions; a value >= 0 is recommended',
    ];
  },
  validate(object) {
    const spec = specOf(object);
    const name = asString(spec.serviceName);
    return [
      ...(name === '' ? [] : dnsLabel(name, false).map((text) => invalid('spec.serviceName', name, text))),
      ...validateStatefulSetPolicies(spec),
      ...nonNegative(spec, 'replicas', 'minReadySeconds'),
      ...validateNonNegative(asObject(spec.ordinals).start, 'spec.ordinals.start'),
      ...validateTemplate(asValidated(spec), { kind: 'statefulset', deadlineless: 'StatefulSet', unreadable: '' }),
      ...validateTemplateMetadata(asObject(spec.template), 'spec.template'),
    ];
  },
  validateCreate: (object) =>
    items(specOf(object).volumeClaimTemplates).flatMap((claim, index) =>
      validateClaimSpec(specOf(claim), `spec.volumeClaimTemplates[${index}].spec`),
    ),
  validateStatusUpdate: replicaStatusRules({
    counted: [
      'replicas',
      'readyReplicas',
      'currentReplicas',
      'updatedReplicas',
      'availableReplicas',
      'observedGeneration',
      'collisionCount',
    ],
    within: ['readyReplicas', 'currentReplicas', 'updatedReplicas', 'availableReplicas'],
    ready: 'status.readyReplicas',
  }),
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

/** Each pod gets a name of its own as its host name, and a volume for each of the claims that are made for it. */
function asValidated(spec: JsonObject): JsonObject {
  const template = asObject(spec.template);
  const { hostname: _h, subdomain: _s, ...pod } = asObject(template.spec);
  const claims = items(spec.volumeClaimTemplates).map((claim) => asString(metadataOf(claim).name));
  const others = items(pod.volumes).filter((volume) => !claims.includes(asString(volume.name)));
  const volumes = claims.map((name) => ({ name, persistentVolumeClaim: { claimName: name } }));
  return { ...spec, template: { ...template, spec: { ...pod, volumes: [...others, ...volumes] } } };
}

/** A field of a feature that is off by default. */
function dropMaxUnavailable(object: JsonObject): void {
  delete asObject(asObject(specOf(object).updateStrategy).rollingUpdate).maxUnavailable;
}

function validateStatefulSetPolicies(spec: JsonObject): FieldError[] {
  const errors: FieldError[] = [];
  const { podManagementPolicy: management, updateStrategy, persistentVolumeClaimRetentionPolicy } = spec;
  if (management !== 'OrderedReady' && management !== 'Parallel') {
    errors.push(invalid('spec.podManagementPolicy', management, "must be 'OrderedReady' or 'Parallel'"));
  }
  const { type, rollingUpdate } = asObject(updateStrategy);
  const { partition } = asObject(rollingUpdate);
  const shown = rollingUpdate === undefined ? null : { Partition: partition ?? 0, MaxUnavailable: null };
  if (type === 'OnDelete' && rollingUpdate !== undefined) {
    const detail = "only allowed for updateStrategy 'RollingUpdate'";
    errors.push(invalid('spec.updateStrategy.rollingUpdate', shown, detail));
  } else if (type === 'RollingUpdate') {
    errors.push(...validateNonNegative(partition, 'spec.updateStrategy.rollingUpdate.partition'));
  } else if (type !== 'OnDelete') {
    const value = { Type: asString(type), RollingUpdate: shown };
    errors.push(invalid('spec.updateStrategy', value, "must be 'RollingUpdate' or 'OnDelete'"));
  }
  for (const field of ['whenDeleted', 'whenScaled']) {
    const policy = asString(asObject(persistentVolumeClaimRetentionPolicy)[field]);
    if (policy === 'Retain' || policy === 'Delete') continue;
    errors.push(notSupported(`spec.persistentVolumeClaimRetentionPolicy.${field}`, policy, ['Retain', 'Delete']));
  }
  return errors;
}

/** Where apps/v1 keeps a field that older versions had. */
const TEMPLATE_GENERATION = 'deprecated.daemonset.template.generation';

export const daemonSetStrategy: Strategy = {
  generation: true,
  warnings: templateWarnings,
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
  validate(object) {
    const spec = specOf(object);
    return [
      ...validateTemplate(spec, { kind: 'daemonset', deadlineless: 'DaemonSet' }),
      ...nonNegative(spec, 'minReadySeconds'),
      ...validateDaemonSetStrategy(asObject(spec.updateStrategy)),
      ...nonNegative(spec, 'revisionHistoryLimit'),
    ];
  },
  validateUpdate: (object, old) => immutable(object, old, 'selector'),
  validateStatusUpdate: countsNotNegative([
    'currentNumberScheduled',
    'numberMisscheduled',
    'desiredNumberScheduled',
    'numberReady',
    'observedGeneration',
    'updatedNumberScheduled',
    'numberAvailable',
    'numberUnavailable',
    'collisionCount',
  ]),
};

function validateDaemonSetStrategy({ type, rollingUpdate }: JsonObject): FieldError[] {
  if (type === 'OnDelete') return [];
  if (type !== 'RollingUpdate') {
    const shown = { Type: asString(type), RollingUpdate: rollingUpdate ?? null };
    return [notSupported('spec.updateStrategy', shown, ['RollingUpdate', 'OnDelete'])];
  }
  const { maxUnavailable, maxSurge } = asObject(rollingUpdate);
  const field = 'spec.updateStrategy.rollingUpdate';
  const errors: FieldError[] = [];
  for (const [name, value] of Object.entries({ maxUnavailable, maxSurge })) {
    errors.push(...validateCountOrPercent(value, `${field}.${name}`));
    errors.push(...validateAtMost100Percent(value, `${field}.${name}`));
  }
  const [hasUnavailable, hasSurge] = [!isNothing(maxUnavailable), !isNothing(maxSurge)];
  if (hasUnavailable && hasSurge) {
    errors.push(invalid(`${field}.maxSurge`, maxSurge, 'may not be set when maxUnavailable is non-zero'));
  }
  if (!hasUnavailable && !hasSurge) {
    errors.push(required(`${field}.maxUnavailable`, 'cannot be 0 when maxSurge is 0'));
  }
  return errors;
}

export const replicationControllerStrategy: Strategy = {
  generation: true,
  warnings: (object, old) => [...nameWarnings(object, old), ...templateWarnings(object, old)],
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
    const errors = nonNegative(spec, 'minReadySeconds');
    if (!isObject(spec.selector)) errors.push(required('spec.selector'));
    errors.push(...nonNegative(spec, 'replicas'));
    if (!isObject(spec.template)) return [...errors, required('spec.template')];
    const { labels } = asObject(spec.template.metadata);
    const wanted = Object.entries(asObject(spec.selector));
    if (!wanted.every(([key, value]) => asObject(labels)[key] === value)) errors.push(unmatchedLabels(spec.template));
    errors.push(...validatePodTemplate(spec.template, 'spec.template'));
    const policy = asString(asObject(spec.template.spec).restartPolicy);
    if (policy !== 'Always') errors.push(notSupported('spec.template.spec.restartPolicy', policy, ['Always']));
    return errors;
  },
};

export const podTemplateStrategy: Strategy = {
  generation: true,
  returnDeletedObject: true,
  defaults: (object) => defaultPodTemplate(object),
  validate: (object) => validatePodTemplate(asObject(object.template), 'template'),
};

export const controllerRevisionStrategy: Strategy = {
  validateUpdate(object, old) {
    return jsonEqual(object.data, old.data) ? [] : [invalid('data', object.data, 'field is immutable')];
  },
};
