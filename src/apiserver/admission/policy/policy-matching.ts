import { LabelSelector, type LabelSelectorObject } from '../../../api/label-selector.ts';
import type { Api } from '../../api.ts';
import { items } from '../../kinds/defaulting.ts';
import type { ServedResource } from '../../storage/served-resource.ts';
import { asArray, asObject, asString, isObject, type JsonObject } from '../../values/json.ts';
import { metadataOf } from '../../values/object-meta.ts';
import type { AdmissionRequest } from '../admission.ts';

const GROUP = 'admissionregistration.k8s.io';
const CONFIGURATIONS =
  /^(?:(?:validating|mutating)webhookconfigurations|(?:validating|mutating)admissionpolic(?:ies|ybindings))$/;

/** Nobody should be locked out by a policy about policies. */
export function isAdmissionConfiguration({ group, plural }: ServedResource): boolean {
  return group === GROUP && CONFIGURATIONS.test(plural);
}

/**
 * The version of the resource in which `matchResources` covers a request; undefined when it does not. With `Equivalent`,
 * another version of the same objects will do.
 */
export function matchingVersion(
  api: Api,
  matchResources: JsonObject,
  request: AdmissionRequest,
): ServedResource | undefined {
  if (!selectsNamespace(api, matchResources, request) || !selectsObject(matchResources, request)) return undefined;
  const excluded = items(matchResources.excludeResourceRules);
  const others = () => api.registry.all().filter(({ table }) => table === request.resource.table);
  const versions = matchResources.matchPolicy === 'Exact' ? [request.resource] : [request.resource, ...others()];
  if (excluded.some((rule) => versions.some((version) => covers(rule, version, request)))) return undefined;
  const rules = items(matchResources.resourceRules);
  // A binding without rules covers all that its policy covers.
  if (rules.length === 0) return request.resource;
  return versions.find((version) => rules.some((rule) => covers(rule, version, request)));
}

function covers(rule: JsonObject, { group, version, plural }: ServedResource, request: AdmissionRequest): boolean {
  const { operation, subresource, resource, name } = request;
  const includes = (list: JsonObject[string], value: string) =>
    asArray(list).some((item) => item === '*' || item === value);
  if (!includes(rule.apiGroups, group) || !includes(rule.apiVersions, version)) return false;
  if (!includes(rule.operations, operation)) return false;
  const scope = asString(rule.scope) || '*';
  if (scope !== '*' && (scope === 'Namespaced') !== resource.namespaced) return false;
  const names = asArray(rule.resourceNames);
  if (names.length > 0 && !names.includes(name)) return false;
  return asArray(rule.resources).some((item) => {
    const [wanted = '', inner = ''] = asString(item).split('/');
    return (wanted === '*' || wanted === plural) && (inner === '*' || inner === subresource);
  });
}

/** By the labels of the namespace; a namespace counts as being in itself, and what is in none is always selected. */
function selectsNamespace(api: Api, { namespaceSelector }: JsonObject, request: AdmissionRequest): boolean {
  const selector = selectorOf(namespaceSelector);
  if (!selector || selector.matchesEverything) return true;
  const { resource, namespace, object, old } = request;
  if (resource.plural === 'namespaces' && resource.group === '') return selector.matches(labelsOf(object ?? old));
  if (!resource.namespaced) return true;
  const found = api.store.table('namespaces').objects.get(namespace);
  return selector.matches(found?.labels ?? {});
}

function selectsObject({ objectSelector }: JsonObject, { object, old }: AdmissionRequest): boolean {
  const selector = selectorOf(objectSelector);
  if (!selector || selector.matchesEverything) return true;
  return [object, old].some((state) => state !== undefined && selector.matches(labelsOf(state)));
}

export function selectorOf(value: JsonObject[string]): LabelSelector | undefined {
  return isObject(value) ? LabelSelector.fromObject(value as LabelSelectorObject) : undefined;
}

function labelsOf(object: JsonObject | undefined): Record<string, string> {
  return asObject(metadataOf(object ?? {}).labels) as Record<string, string>;
}
