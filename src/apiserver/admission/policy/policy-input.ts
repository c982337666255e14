import type { Api } from '../../api.ts';
import { type AccessQuestion, Authorizer } from '../../crd/cel/authorizer-functions.ts';
import type { CelValue } from '../../crd/cel/values.ts';
import type { ServedResource } from '../../storage/served-resource.ts';
import type { JsonObject } from '../../values/json.ts';
import type { AdmissionRequest } from '../admission.ts';
import type { VersionedStates } from '../versioned-request.ts';
import { dynamicValue } from './dynamic-values.ts';

/** What the expressions of a policy see of a request, in the version that the policy matched. */
export function policyInput(
  api: Api,
  request: AdmissionRequest,
  { version, object, old }: VersionedStates,
  params: JsonObject | undefined,
): Map<string, CelValue> {
  const { namespace, resource } = request;
  const found = resource.namespaced ? api.store.table('namespaces').objects.get(namespace) : undefined;
  const authorizer = authorizerOf(api, request);
  return new Map<string, CelValue>([
    ['object', dynamicValue(object)],
    ['oldObject', dynamicValue(old)],
    ['request', dynamicValue(requestJson(request, version))],
    ['namespaceObject', dynamicValue(found && { kind: 'Namespace', apiVersion: 'v1', ...found.decode() })],
    ['params', dynamicValue(params)],
    ['authorizer', authorizer],
  ]);
}

function requestJson(request: AdmissionRequest, version: ServedResource): JsonObject {
  const { resource, subresource, name, namespace, operation, user, dryRun, options } = request;
  const kindOf = ({ group, version: of, kind }: ServedResource) => ({ group, version: of, kind });
  const resourceOf = ({ group, version: of, plural }: ServedResource) => ({ group, version: of, resource: plural });
  const extra = Object.entries(user.extra ?? {}).map(([key, values]): [string, string[]] => [key, [...values]]);
  return {
    kind: kindOf(version),
    resource: resourceOf(version),
    subResource: subresource,
    requestKind: kindOf(resource),
    requestResource: resourceOf(resource),
    requestSubResource: subresource,
    name,
    namespace,
    operation,
    userInfo: {
      username: user.name,
      uid: user.uid ?? '',
      groups: [...user.groups],
      extra: Object.fromEntries(extra),
    },
    dryRun,
    options,
  };
}

function authorizerOf(api: Api, request: AdmissionRequest): Authorizer {
  const { user, resource, subresource: part, namespace: where, name: which } = request;
  const own = { group: resource.group, resource: resource.plural, subresource: part, namespace: where, name: which };
  const allows = (question: AccessQuestion, verb: string) => {
    const { group = '', resource = '', subresource = '', namespace = '', name = '', path } = question;
    const asked = question.user === undefined ? user : { name: question.user, groups: ['system:serviceaccounts'] };
    const wanted = { verb, group, resource, subresource, namespace, name };
    return api.access.allows(asked, path === undefined ? wanted : { ...wanted, path });
  };
  return new Authorizer('kubernetes.authorization.Authorizer', {}, allows, own);
}
