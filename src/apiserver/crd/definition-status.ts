import { asArray, asObject, asString, ensureObject, getPath, type JsonObject, jsonEqual } from '../values/json.ts';
import { timestamp } from '../values/object-meta.ts';
import { approvalOf, isProtectedGroup } from './api-approval.ts';
import { hasWrongBundle } from './conversion/webhook-rules.ts';
import { type DefinitionNames, parseDefinition, parseNames } from './definition.ts';

interface Condition {
  readonly type: string;
  readonly status: 'True' | 'False';
  readonly reason: string;
  readonly message: string;
}

/** Whether a condition of a CustomResourceDefinition is true. */
export function definitionConditionHolds(crd: JsonObject, type: string): boolean {
  return asArray(getPath(crd, 'status', 'conditions')).some((item) => {
    const condition = asObject(item);
    return condition.type === type && condition.status === 'True';
  });
}

/**
 * Brings the status of a definition up to date, in place: which names it gets among the other definitions, and whether
 * it is served. What the controllers of a real server do in several steps happens at once; so there is no moment at
 * which it is accepted but not yet served. Returns whether anything has changed.
 */
export function updateDefinitionStatus(crd: JsonObject, others: readonly JsonObject[], nowMs: number): boolean {
  const before = structuredClone(asObject(crd.status));
  const status = ensureObject(crd, 'status');
  const { accepted, problem } = acceptNames(crd, others);
  status.acceptedNames = namesJson(accepted);
  setCondition(status, nowMs, {
    type: 'NamesAccepted',
    ...(problem ?? { status: 'True', reason: 'NoConflicts', message: 'no conflicts found' }),
  });
  if (problem === undefined && !definitionConditionHolds(crd, 'Established') && hasWrongBundle(crd)) {
    const message = 'The conversion webhook CABundle is invalid';
    setCondition(status, nowMs, { type: 'Established', status: 'False', reason: 'InvalidCABundle', message });
  } else if (problem === undefined) {
    const message = 'the initial names have been accepted';
    setCondition(status, nowMs, { type: 'Established', status: 'True', reason: 'InitialNamesAccepted', message });
  } else if (!definitionConditionHolds(crd, 'Established')) {
    const message = 'not all names are accepted';
    setCondition(status, nowMs, { type: 'Established', status: 'False', reason: 'NotAccepted', message });
  }
  setApproval(crd, status, nowMs);
  return !jsonEqual(before, status);
}

type Problem = Omit<Condition, 'type'>;

/** Each name that is free, or ours already, is accepted; of the others the last one is reported. */
function acceptNames(
  crd: JsonObject,
  others: readonly JsonObject[],
): { accepted: DefinitionNames; problem: Problem | undefined } {
  const { group, names: wanted } = parseDefinition(crd);
  const had = parseNames(asObject(getPath(crd, 'status', 'acceptedNames')));
  const taken = others
    .filter((other) => asString(getPath(other, 'spec', 'group')) === group)
    .map((other) => parseNames(asObject(getPath(other, 'status', 'acceptedNames'))));
  const resources = new Set(taken.flatMap(({ plural, singular, shortNames }) => [plural, singular, ...shortNames]));
  const kinds = new Set(taken.flatMap(({ kind, listKind }) => [kind, listKind]));
  let problem: Problem | undefined;
  const conflict = (reason: string, names: readonly string[]) => {
    const texts = names.map((name) => `${JSON.stringify(name)} is already in use`);
    const message = texts.length === 1 ? (texts[0] ?? '') : `[${texts.join(', ')}]`;
    problem = { status: 'False', reason, message };
  };
  const one = (name: string, mine: string, used: ReadonlySet<string>, reason: string): string => {
    if (name === mine || !used.has(name)) return name;
    conflict(reason, [name]);
    return mine;
  };
  const accepted = {
    plural: one(wanted.plural, had.plural, resources, 'PluralConflict'),
    singular: one(wanted.singular, had.singular, resources, 'SingularConflict'),
    shortNames: had.shortNames,
    kind: had.kind,
    listKind: had.listKind,
    categories: wanted.categories,
  };
  const clashing = wanted.shortNames.filter((name) => !had.shortNames.includes(name) && resources.has(name));
  if (clashing.length > 0) conflict('ShortNamesConflict', clashing);
  else accepted.shortNames = wanted.shortNames;
  accepted.kind = one(wanted.kind, had.kind, kinds, 'KindConflict');
  accepted.listKind = one(wanted.listKind, had.listKind, kinds, 'ListKindConflict');
  return { accepted, problem };
}

function namesJson(names: DefinitionNames): JsonObject {
  return {
    plural: names.plural,
    ...(names.singular === '' ? {} : { singular: names.singular }),
    ...(names.shortNames.length === 0 ? {} : { shortNames: [...names.shortNames] }),
    kind: names.kind,
    ...(names.listKind === '' ? {} : { listKind: names.listKind }),
    ...(names.categories.length === 0 ? {} : { categories: [...names.categories] }),
  };
}

function setCondition(status: JsonObject, nowMs: number, condition: Condition): void {
  const conditions = asArray(status.conditions).map(asObject);
  const known = conditions.find(({ type }) => type === condition.type);
  const lastTransitionTime = known?.status === condition.status ? known.lastTransitionTime : timestamp(nowMs);
  const { type, status: holds, reason, message } = condition;
  const written = { type, status: holds, lastTransitionTime: lastTransitionTime ?? timestamp(nowMs), reason, message };
  if (known !== undefined) Object.assign(known, written);
  status.conditions = known === undefined ? [...conditions, written] : conditions;
}

function setApproval(crd: JsonObject, status: JsonObject, nowMs: number): void {
  if (!isProtectedGroup(asString(getPath(crd, 'spec', 'group')))) return;
  const { state, text } = approvalOf(crd);
  const type = 'KubernetesAPIApprovalPolicyConformant';
  if (state === 'approved') {
    const message = `approved in ${text}`;
    setCondition(status, nowMs, { type, status: 'True', reason: 'ApprovedAnnotation', message });
  } else if (state === 'bypassed') {
    const message = `not approved: ${JSON.stringify(text)}`;
    setCondition(status, nowMs, { type, status: 'False', reason: 'UnapprovedAnnotation', message });
  }
}
