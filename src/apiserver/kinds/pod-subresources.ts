import { type FieldError, forbidden, invalid, notFoundValue } from '../request/field-error.ts';
import { keepField, keepMetadata } from '../storage/object-writer.ts';
import { asArray, asObject, asString, cloneJson, type JsonObject, type JsonValue, jsonEqual } from '../values/json.ts';
import { items, specOf } from './defaulting.ts';
import { qosClassOf } from './quality-of-service.ts';

/** What a container has that joins a running pod for a while; nothing else can be set. */
const NOT_EPHEMERAL = [
  'ports',
  'resources',
  'resizePolicy',
  'restartPolicy',
  'restartPolicyRules',
  'livenessProbe',
  'readinessProbe',
  'startupProbe',
  'lifecycle',
];
const CONTAINERS = ['containers', 'initContainers'] as const;

/** A write to `ephemeralcontainers` changes these alone, whatever was sent. */
export function keepAllButEphemeralContainers(object: JsonObject, old: JsonObject): void {
  const { ephemeralContainers } = specOf(object);
  keepField(object, old, 'spec');
  keepMetadata(object, old);
  if (ephemeralContainers === undefined) delete specOf(object).ephemeralContainers;
  else specOf(object).ephemeralContainers = ephemeralContainers;
}

/** A write to `resize` changes the resources of the containers, unless there are others: that is refused later. */
export function keepAllButResources(object: JsonObject, old: JsonObject): void {
  const spec = specOf(object);
  const kept = cloneJson(specOf(old));
  for (const list of CONTAINERS) {
    if (asArray(spec[list]).length !== asArray(kept[list]).length) return;
    const wanted = items(spec[list]);
    const isSame = items(kept[list]).every((container, index) => container.name === wanted[index]?.name);
    if (!isSame) kept[list] = spec[list] as JsonValue;
    else {
      items(kept[list]).forEach((container, index) => {
        for (const field of ['resources', 'resizePolicy']) keepField(container, asObject(wanted[index]), field);
      });
    }
  }
  object.spec = kept;
  keepMetadata(object, old);
}

export function validateEphemeralContainers(spec: JsonObject): FieldError[] {
  const errors: FieldError[] = [];
  const others = new Set(items(spec.containers).map(({ name }) => asString(name)));
  items(spec.ephemeralContainers).forEach((container, index) => {
    const field = `spec.ephemeralContainers[${index}]`;
    const target = asString(container.targetContainerName);
    if (target !== '' && !others.has(target)) errors.push(notFoundValue(`${field}.targetContainerName`, target));
    for (const name of NOT_EPHEMERAL) {
      if (!isEmpty(container[name])) {
        errors.push(forbidden(`${field}.${name}`, 'cannot be set for an Ephemeral Container'));
      }
    }
  });
  return errors;
}

/** Those that are there stay as they are. */
export function validateEphemeralContainersUpdate(spec: JsonObject, old: JsonObject): FieldError[] {
  const after = new Map(items(spec.ephemeralContainers).map((container) => [container.name, container]));
  return items(old.ephemeralContainers).flatMap((before) => {
    const now = after.get(before.name);
    if (jsonEqual(now ?? null, before)) return [];
    const what = `existing ephemeral containers ${JSON.stringify(before.name)} may not be`;
    return [forbidden('spec.ephemeralContainers', now === undefined ? `${what} removed\n` : `${what} changed`)];
  });
}

export function validateResize(object: JsonObject, old: JsonObject): FieldError[] {
  const [spec, before] = [specOf(object), specOf(old)];
  const added = CONTAINERS.filter((list) => asArray(spec[list]).length !== asArray(before[list]).length);
  if (added.length > 0) {
    return added.map((list) => forbidden(`spec.${list}`, `${list} may not be added or removed on resize`));
  }
  const errors: FieldError[] = [];
  if (qosClassOf(object) !== qosClassOf(old)) {
    errors.push(invalid('spec', qosClassOf(old), 'Pod QOS Class may not change as a result of resizing'));
  }
  for (const list of CONTAINERS) {
    items(spec[list]).forEach(({ name }, index) => {
      if (name === items(before[list])[index]?.name) return;
      const field = `spec.${list}[${index}].name`;
      errors.push(forbidden(field, `${list} may not be renamed or reordered on resize`));
    });
  }
  if (errors.length === 0 && !jsonEqual(withoutAmounts(spec), withoutAmounts(before))) {
    errors.push(forbidden('spec', 'only cpu and memory resources are mutable'));
  }
  return errors;
}

/** Without the amounts that may change. */
function withoutAmounts(spec: JsonObject): JsonObject {
  const bare = cloneJson(spec);
  for (const container of CONTAINERS.flatMap((list) => items(bare[list]))) {
    const { requests, limits, ...rest } = asObject(container.resources);
    const [{ cpu: _c, memory: _m, ...requested }, { cpu: _d, memory: _n, ...limited }] = [
      asObject(requests),
      asObject(limits),
    ];
    container.resources = { ...rest, requests: requested, limits: limited };
  }
  return bare;
}

function isEmpty(value: JsonValue | undefined): boolean {
  if (value === undefined || value === null) return true;
  return typeof value === 'object' && Object.keys(value).length === 0;
}
