import type { Api } from '../../api.ts';
import { StatusError } from '../../request/status-error.ts';
import type { Steps } from '../../storage/steps.ts';
import { asObject, asString, isObject, type JsonObject } from '../../values/json.ts';
import { selectorOf } from './policy-matching.ts';

/** A policy or a binding that cannot be used as it is; the message goes on after "failed to configure …". */
export class PolicyConfigurationError extends Error {
  readonly of: 'policy' | 'binding';

  constructor(of: 'policy' | 'binding', message: string) {
    super(message);
    this.of = of;
  }
}

/** The object in another version; a conversion that fails is a fault of the configuration. Throws `PolicyConfigurationError`. */
export function* configuring<T>(of: 'policy' | 'binding', what: string, steps: Steps<T>): Steps<T> {
  try {
    return yield* steps;
  } catch (error) {
    if (!(error instanceof StatusError)) throw error;
    throw new PolicyConfigurationError(of, `${what}${error.message}`);
  }
}

/** The parameters that a binding gives to its policy: one evaluation for each. Throws `PolicyConfigurationError`. */
export function paramsOf(
  api: Api,
  policy: JsonObject,
  binding: JsonObject,
  namespace: string,
): (JsonObject | undefined)[] {
  const { paramKind } = policy;
  const { paramRef } = binding;
  if (!isObject(paramKind)) return [undefined];
  const [apiVersion, kind] = [asString(paramKind.apiVersion), asString(paramKind.kind)];
  const resource = api.registry.findKind(apiVersion, kind);
  if (!resource) {
    const source = `${apiVersion}, Kind=${kind}`;
    throw new PolicyConfigurationError('policy', `failed to find resource referenced by paramKind: '${source}'`);
  }
  if (!isObject(paramRef)) return [undefined];
  const refuse = (why: string) => new PolicyConfigurationError('binding', why);
  const own = asString(paramRef.namespace);
  if (!resource.namespaced && own !== '') {
    throw refuse('paramRef.namespace must not be provided for a cluster-scoped `paramKind`');
  }
  const where = resource.namespaced ? own || namespace : '';
  if (resource.namespaced && where === '') {
    throw refuse('cannot use namespaced paramRef in policy binding that matches cluster-scoped resources');
  }
  const name = asString(paramRef.name);
  const prefix = where === '' ? '' : `${where}/`;
  const selector = selectorOf(paramRef.selector);
  const candidates = resource.table.objects.values('', prefix);
  const found = candidates.filter((one) =>
    name === '' ? (selector?.matches(one.labels ?? {}) ?? false) : one.name === name,
  );
  if (found.length === 0 && asObject(paramRef).parameterNotFoundAction === 'Deny') {
    throw refuse('no params found for policy binding with `Deny` parameterNotFoundAction');
  }
  return found.map((one) => resource.decodeStored(one));
}
