import type { Api } from '../../api.ts';
import type { CelValue } from '../../crd/cel/values.ts';
import { StatusError } from '../../request/status-error.ts';
import { finish, type Steps } from '../../storage/steps.ts';
import type { Table } from '../../storage/storage.ts';
import type { StoredObject } from '../../storage/stored-object.ts';
import { asArray, asObject, asString, type JsonObject } from '../../values/json.ts';
import type { AdmissionPlugin, AdmissionRequest } from '../admission.ts';
import { refusal } from '../refusal.ts';
import { VersionedRequest, type VersionedStates } from '../versioned-request.ts';
import { type CompiledPolicy, type CompiledValidation, compileAdmissionPolicy } from './compiled-policy.ts';
import { composedVariables, evaluatePolicy } from './policy-expression.ts';
import { policyInput } from './policy-input.ts';
import { isAdmissionConfiguration, matchingVersion } from './policy-matching.ts';
import { configuring, PolicyConfigurationError, paramsOf } from './policy-params.ts';

const GROUP = 'admissionregistration.k8s.io';
const CODES: Readonly<Record<string, number>> = { Forbidden: 403, RequestEntityTooLarge: 413 };
const MOST_MESSAGE_BYTES = 5 * 1024;

interface Denial {
  readonly message: string;
  readonly reason: string;
}

/** ValidatingAdmissionPolicies, as their bindings put them to use, evaluated by the same CEL as the rules of definitions. */
export class ValidatingPolicies implements AdmissionPlugin {
  readonly #api: Api;
  readonly #policies: Table;
  readonly #bindings: Table;
  /** By the state of the policy that was compiled. */
  readonly #compiled = new WeakMap<StoredObject, CompiledPolicy>();

  constructor(api: Api) {
    this.#api = api;
    this.#policies = api.store.table(`validatingadmissionpolicies.${GROUP}`);
    this.#bindings = api.store.table(`validatingadmissionpolicybindings.${GROUP}`);
  }

  isActive(): boolean {
    return this.#bindings.objects.size > 0 && this.#policies.objects.size > 0;
  }

  validate(request: AdmissionRequest): void | Promise<void> {
    return finish(this.#validate(request));
  }

  *#validate(request: AdmissionRequest): Steps<void> {
    if (isAdmissionConfiguration(request.resource)) return;
    const bindings = this.#bindings.objects.values().map((stored) => stored.decode());
    const denials: (Denial & { who: string })[] = [];
    for (const stored of this.#policies.objects.values()) {
      const bound = bindings.filter((binding) => asObject(binding.spec).policyName === stored.name);
      if (bound.length === 0) continue;
      denials.push(...(yield* this.#denials(request, this.#compile(stored), bound)));
    }
    const [first] = denials;
    if (!first) return;
    const message = `ValidatingAdmissionPolicy ${first.who} denied request: ${first.message}`;
    const { status } = refusal(request, message);
    const details = { ...status.details, causes: [{ message }] };
    throw new StatusError({ ...status, reason: first.reason, code: CODES[first.reason] ?? 422, details });
  }

  #compile(stored: StoredObject): CompiledPolicy {
    const known = this.#compiled.get(stored);
    if (known) return known;
    const compiled = compileAdmissionPolicy(stored.decode());
    this.#compiled.set(stored, compiled);
    return compiled;
  }

  *#denials(
    request: AdmissionRequest,
    policy: CompiledPolicy,
    bindings: readonly JsonObject[],
  ): Steps<(Denial & { who: string })[]> {
    const version = matchingVersion(this.#api, asObject(policy.spec.matchConstraints), request);
    if (!version) return [];
    const denials: (Denial & { who: string })[] = [];
    const versions = new VersionedRequest(request);
    for (const binding of bindings) {
      const spec = asObject(binding.spec);
      if (!matchingVersion(this.#api, asObject(spec.matchResources), request)) continue;
      const name = asString(asObject(binding.metadata).name);
      const who = `'${policy.name}' with binding '${name}'`;
      try {
        const found = paramsOf(this.#api, policy.spec, spec, request.namespace);
        if (found.length === 0) continue;
        const convert = versions.in(version);
        const states = yield* configuring('binding', 'failed to convert object version: ', convert);
        for (const params of found) {
          for (const denial of this.#evaluate(request, policy, states, params)) {
            for (const action of asArray(spec.validationActions)) {
              if (action === 'Deny') denials.push({ ...denial, who });
              const text = `Validation failed for ValidatingAdmissionPolicy ${who}: ${denial.message}`;
              if (action === 'Warn') request.warn(text);
            }
          }
        }
      } catch (error) {
        if (!(error instanceof PolicyConfigurationError)) throw error;
        if (policy.spec.failurePolicy === 'Ignore') continue;
        const message = `failed to configure ${error.of}: ${error.message}`;
        denials.push({ message, reason: 'Invalid', who: error.of === 'policy' ? `'${policy.name}'` : who });
      }
    }
    return denials;
  }

  #evaluate(
    request: AdmissionRequest,
    policy: CompiledPolicy,
    states: VersionedStates,
    params: JsonObject | undefined,
  ): Denial[] {
    const ignores = policy.spec.failurePolicy === 'Ignore';
    const failed = (message: string): Denial[] => (ignores ? [] : [{ message, reason: 'Invalid' }]);
    const input = policyInput(this.#api, request, states, params);
    const { matches, error } = policy.conditions.evaluate(() => input);
    if (error !== undefined) return failed(error);
    if (!matches) return [];
    input.set('variables', composedVariables(policy.variables, input));
    const denials = policy.validations.flatMap((validation) => {
      const { value, error } = evaluatePolicy(validation.expression, input);
      if (error !== undefined) return failed(error);
      return value === true ? [] : [{ message: messageOf(validation, input), reason: validation.reason }];
    });
    const annotations = policy.auditAnnotations.flatMap((annotation) => {
      const { error } = evaluatePolicy(annotation, input);
      return error === undefined ? [] : failed(error);
    });
    return [...denials, ...annotations];
  }
}

/** What the policy has to say, or else its expression. */
function messageOf(
  { expression, message, messageExpression }: CompiledValidation,
  input: Map<string, CelValue>,
): string {
  const made = messageExpression && evaluatePolicy(messageExpression, input).value;
  const text = typeof made === 'string' ? made.trim() : '';
  if (text !== '' && !text.includes('\n') && Buffer.byteLength(text) <= MOST_MESSAGE_BYTES) return text;
  return message === '' ? `failed expression: ${expression.text.trim()}` : message;
}
