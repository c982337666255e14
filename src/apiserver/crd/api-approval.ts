import { type FieldError, invalid, required } from '../request/field-error.ts';
import { asObject, asString, getKey, getPath, type JsonObject } from '../values/json.ts';

const ANNOTATION = 'api-approved.kubernetes.io';
const HELP = 'see https://github.com/kubernetes/enhancements/pull/1111';

type ApprovalState = 'missing' | 'bypassed' | 'approved' | 'invalid';

/** Kubernetes guards its own groups: a definition in one of them must say who approved it. */
export function isProtectedGroup(group: string): boolean {
  return /(?:^|\.)(?:k8s|kubernetes)\.io$/.test(group);
}

export function approvalOf(crd: JsonObject): { state: ApprovalState; text: string } {
  const text = asString(getKey(asObject(getPath(crd, 'metadata', 'annotations')), ANNOTATION));
  if (text === '') return { state: 'missing', text };
  if (text.startsWith('unapproved')) return { state: 'bypassed', text };
  return { state: /^[A-Za-z][\w+.-]*:\/\/[^/]/.test(text) ? 'approved' : 'invalid', text };
}

/** An update that leaves the state of the approval alone is never refused for it. */
export function approvalErrors(crd: JsonObject, old: JsonObject | undefined): FieldError[] {
  if (!isProtectedGroup(asString(getPath(crd, 'spec', 'group')))) return [];
  const { state, text } = approvalOf(crd);
  if (old !== undefined && approvalOf(old).state === state) return [];
  const field = `metadata.annotations[${ANNOTATION}]`;
  const must = `protected groups must have approval annotation "${ANNOTATION}"`;
  if (state === 'missing') return [required(field, `${must}, ${HELP}`)];
  if (state !== 'invalid') return [];
  return [invalid(field, text, `${must} with either a URL or a reason starting with "unapproved", ${HELP}`)];
}
