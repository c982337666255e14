import { type FieldError, forbidden, invalid, notSupported, required } from '../request/field-error.ts';
import type { Strategy } from '../storage/strategy.ts';
import { asArray, asObject, asString, isObject, type JsonObject, jsonEqual } from '../values/json.ts';
import { pathSegment, qualifiedNameProblems } from '../values/name-rules.ts';
import { metadataOf } from '../values/object-meta.ts';
import { optionalObject, setDefault, setDefaultNumber, specOf } from './defaulting.ts';

export const ipAddressStrategy: Strategy = {
  validate(object) {
    const { parentRef } = specOf(object);
    if (!isObject(parentRef)) return [required('spec.parentRef')];
    return ['resource', 'name'].flatMap((part) => {
      const value = asString(parentRef[part]);
      const field = `spec.parentRef.${part}`;
      if (value === '') return [required(field)];
      return pathSegment(value, false).map((text) => invalid(field, value, text));
    });
  },
};

export const leaseStrategy: Strategy = {
  createOnUpdate: true,
  unconditionalUpdate: false,
  prepareForCreate: (object) => dropCoordination(object, {}),
  prepareForUpdate: dropCoordination,
  validate(object) {
    const { leaseDurationSeconds: seconds, leaseTransitions: transitions } = specOf(object);
    const errors: FieldError[] = [];
    if (typeof seconds === 'number' && seconds <= 0) {
      errors.push(invalid('spec.leaseDurationSeconds', seconds, 'must be greater than 0'));
    }
    if (typeof transitions === 'number' && transitions < 0) {
      errors.push(invalid('spec.leaseTransitions', transitions, 'must be greater than or equal to 0'));
    }
    return errors;
  },
};

/** Who leads is agreed on among candidates only where a feature gate says so; without it, new wishes are dropped. */
function dropCoordination(object: JsonObject, old: JsonObject): void {
  const [spec, before] = [specOf(object), asObject(old.spec)];
  for (const field of ['strategy', 'preferredHolder']) if (before[field] === undefined) delete spec[field];
}

export const storageClassStrategy: Strategy = {
  returnDeletedObject: true,
  defaults(object) {
    setDefault(object, 'reclaimPolicy', 'Delete');
    setDefault(object, 'volumeBindingMode', 'Immediate');
  },
  validate(object) {
    const errors: FieldError[] = [];
    const provisioner = asString(object.provisioner).toLowerCase();
    if (provisioner === '') errors.push(required('provisioner'));
    else errors.push(...qualifiedNameProblems(provisioner).map((text) => invalid('provisioner', provisioner, text)));
    for (const [field, values] of [
      ['reclaimPolicy', ['Delete', 'Retain']],
      ['volumeBindingMode', ['Immediate', 'WaitForFirstConsumer']],
    ] as const) {
      if (!values.some((value) => value === object[field])) errors.push(notSupported(field, object[field], values));
    }
    return errors;
  },
  validateUpdate: (object, old) =>
    ['parameters', 'provisioner', 'reclaimPolicy', 'volumeBindingMode'].flatMap((field) =>
      immutable(object, old, field),
    ),
};

function immutable(object: JsonObject, old: JsonObject, field: string): FieldError[] {
  return jsonEqual(object[field], old[field]) ? [] : [invalid(field, object[field], 'field is immutable')];
}

export const csiDriverStrategy: Strategy = {
  unconditionalUpdate: false,
  returnDeletedObject: true,
  defaults(object) {
    const spec = specOf(object);
    spec.attachRequired ??= true;
    spec.podInfoOnMount ??= false;
    spec.storageCapacity ??= false;
    setDefault(spec, 'fsGroupPolicy', 'ReadWriteOnceWithFSType');
    if (asArray(spec.volumeLifecycleModes).length === 0) spec.volumeLifecycleModes = ['Persistent'];
    spec.requiresRepublish ??= false;
    spec.seLinuxMount ??= false;
  },
};

export const priorityClassStrategy: Strategy = {
  generation: true,
  defaults: (object) => setDefault(object, 'preemptionPolicy', 'PreemptLowerPriority'),
  validateCreate(object) {
    const errors: FieldError[] = [];
    const name = asString(metadataOf(object).name);
    if (name.startsWith('system-')) {
      if (['system-node-critical', 'system-cluster-critical'].includes(name)) return errors;
      const rule = "priority class names with 'system-' prefix are reserved for system use only";
      errors.push(forbidden('metadata.name', `${rule}. error: ${name} is not a known system priority class`));
    } else if (Number(object.value ?? 0) > MAX_USER_PRIORITY) {
      const detail = `maximum allowed value of a user defined priority is ${MAX_USER_PRIORITY}`;
      errors.push(forbidden('value', detail));
    }
    if (!PREEMPTION_POLICIES.includes(asString(object.preemptionPolicy))) {
      errors.push(notSupported('preemptionPolicy', object.preemptionPolicy, PREEMPTION_POLICIES));
    }
    return errors;
  },
  validateUpdate(object, old) {
    const errors: FieldError[] = [];
    if ((object.value ?? 0) !== (old.value ?? 0)) {
      errors.push(forbidden('value', 'may not be changed in an update.'));
    }
    return [...errors, ...immutable(object, old, 'preemptionPolicy')];
  },
};

const MAX_USER_PRIORITY = 1_000_000_000;
const PREEMPTION_POLICIES = ['PreemptLowerPriority', 'Never'];

export const flowSchemaStrategy: Strategy = {
  generation: true,
  defaults: (object) => setDefaultNumber(specOf(object), 'matchingPrecedence', 1000),
};

export const priorityLevelStrategy: Strategy = {
  generation: true,
  defaults(object) {
    const spec = specOf(object);
    const limited = optionalObject(spec, 'limited');
    if (limited) {
      limited.nominalConcurrencyShares ??= 30;
      limited.lendablePercent ??= 0;
      const queuing = optionalObject(asObject(limited.limitResponse), 'queuing');
      if (queuing) {
        setDefaultNumber(queuing, 'handSize', 8);
        setDefaultNumber(queuing, 'queues', 64);
        setDefaultNumber(queuing, 'queueLengthLimit', 50);
      }
    }
    const exempt = optionalObject(spec, 'exempt');
    if (exempt) {
      exempt.nominalConcurrencyShares ??= 0;
      exempt.lendablePercent ??= 0;
    }
  },
};

export const certificateRequestStrategy: Strategy = {
  prepareForCreate(object, context) {
    const spec = specOf(object);
    if (!context.user) return;
    spec.username = context.user.name;
    spec.groups = [...context.user.groups];
  },
  validate(object) {
    const spec = specOf(object);
    const errors: FieldError[] = [];
    const pem = Buffer.from(asString(spec.request), 'base64').toString();
    if (!pem.includes('-----BEGIN CERTIFICATE REQUEST-----')) {
      errors.push(invalid('spec.request', spec.request, 'PEM block type must be CERTIFICATE REQUEST'));
    }
    if (asArray(spec.usages).length === 0) errors.push(required('spec.usages'));
    if (asString(spec.signerName) === '') errors.push(required('spec.signerName'));
    return errors;
  },
};
