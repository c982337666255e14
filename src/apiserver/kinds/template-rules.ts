import { LabelSelector, type LabelSelectorObject } from '../../api/label-selector.ts';
import { type FieldError, forbidden, invalid, notSupported, required } from '../request/field-error.ts';
import { asObject, asString, isObject, type JsonObject, sortedKeys } from '../values/json.ts';
import { validateAnnotations, validateLabels } from '../values/object-meta.ts';
import { validatePodSpec } from './pod-validation.ts';
import { validateLabelSelector } from './selector-rules.ts';

interface WorkloadTemplate {
  /** What the workload is called when its selector is empty. */
  readonly kind: string;
  /** What is said of a selector that cannot be read; undefined when nothing is. */
  readonly unreadable?: string | undefined;
  /** What the workload is called when its pods have a deadline; one that is left out lets them have one. */
  readonly deadlineless?: string;
  readonly restartPolicies?: readonly string[];
}

/** Selector and template of a workload: there, and made for each other. */
export function validateTemplate(spec: JsonObject, workload: WorkloadTemplate): FieldError[] {
  const { restartPolicies = ['Always'], deadlineless } = workload;
  const template = asObject(spec.template);
  const podSpec = asObject(template.spec);
  const at = 'spec.template';
  const errors = validateSelector(spec.selector, template, workload);
  errors.push(...validatePodTemplate(template, at));
  const policy = asString(podSpec.restartPolicy);
  if (!restartPolicies.includes(policy)) {
    errors.push(notSupported(`${at}.spec.restartPolicy`, policy, restartPolicies));
  }
  if (deadlineless !== undefined && podSpec.activeDeadlineSeconds !== undefined) {
    const detail = `activeDeadlineSeconds in ${deadlineless} is not Supported`;
    errors.push(forbidden(`${at}.spec.activeDeadlineSeconds`, detail));
  }
  return errors;
}

export function validatePodTemplate(template: JsonObject, field: string): FieldError[] {
  return [...validateTemplateMetadata(template, field), ...validatePodSpec(asObject(template.spec), `${field}.spec`)];
}

/** Its path leaves `metadata` out, as on the real server. */
export function validateTemplateMetadata(template: JsonObject, field: string): FieldError[] {
  const { labels, annotations } = asObject(template.metadata);
  return [
    ...validateLabels(asObject(labels), `${field}.labels`),
    ...validateAnnotations(asObject(annotations), `${field}.annotations`),
  ];
}

function validateSelector(selector: unknown, template: JsonObject, workload: WorkloadTemplate): FieldError[] {
  if (!isObject(selector as JsonObject)) return [required('spec.selector'), unmatchedLabels(template)];
  const value = selector as JsonObject;
  const errors = validateLabelSelector(value, 'spec.selector');
  let parsed: LabelSelector;
  try {
    parsed = LabelSelector.fromObject(value as LabelSelectorObject);
  } catch {
    const { unreadable } = workload;
    return unreadable === undefined ? errors : [...errors, invalid('spec.selector', value, unreadable)];
  }
  if (parsed.matchesEverything) {
    return [...errors, invalid('spec.selector', value, `empty selector is invalid for ${workload.kind}`)];
  }
  const labels = asObject(asObject(template.metadata).labels) as Record<string, string>;
  return parsed.matches(labels) ? errors : [...errors, unmatchedLabels(template)];
}

export function unmatchedLabels(template: JsonObject): FieldError {
  const { labels } = asObject(template.metadata);
  const shown = isObject(labels) ? sortedKeys(labels) : labels;
  return invalid('spec.template.metadata.labels', shown, '`selector` does not match template `labels`');
}
