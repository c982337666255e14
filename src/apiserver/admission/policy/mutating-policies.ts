import type { Api } from '../../api.ts';
import { validate as validateApplied } from '../../apply/applied-value.ts';
import { quote } from '../../apply/go-value.ts';
import { SchemaMismatch } from '../../apply/list-item.ts';
import { merge } from '../../apply/merge.ts';
import type { MergeSchema } from '../../apply/schema-node.ts';
import { CelError } from '../../crd/cel/cel-error.ts';
import { celToJson } from '../../crd/cel/cel-json.ts';
import { StructValue } from '../../crd/cel/struct-value.ts';
import { type CelValue, ListValue, MapValue } from '../../crd/cel/values.ts';
import { jsonPatch } from '../../patch/json-patch.ts';
import { StatusError } from '../../request/status-error.ts';
import type { ServedResource } from '../../storage/served-resource.ts';
import { finish, type Steps } from '../../storage/steps.ts';
import type { Table } from '../../storage/storage.ts';
import type { StoredObject } from '../../storage/stored-object.ts';
import { asObject, asString, type JsonObject } from '../../values/json.ts';
import { DecodeProblem } from '../../values/typed-object.ts';
import type { AdmissionPlugin, AdmissionRequest } from '../admission.ts';
import { refusal } from '../refusal.ts';
import { VersionedRequest, type VersionedStates } from '../versioned-request.ts';
import { atomicPaths } from './atomic-paths.ts';
import { type CompiledMutation, type CompiledMutations, compileMutatingPolicy } from './compiled-mutations.ts';
import { composedVariables, evaluatePolicy } from './policy-expression.ts';
import { policyInput } from './policy-input.ts';
import { isAdmissionConfiguration, matchingVersion } from './policy-matching.ts';
import { configuring, PolicyConfigurationError, paramsOf } from './policy-params.ts';

const GROUP = 'admissionregistration.k8s.io';

/** A mutation that cannot be carried out; what it means, the failure policy says. */
class MutationProblem extends Error {
  override readonly name = 'MutationProblem';
}

/** Why a request is refused. */
interface Problem {
  readonly message: string;
  readonly reason: string;
}

/** A policy, one of its bindings, and one of the parameters of that. */
interface Invocation {
  readonly policy: CompiledMutations;
  readonly version: ServedResource;
  readonly versions: VersionedRequest;
  readonly params: JsonObject | undefined;
  readonly id: string;
}

/** MutatingAdmissionPolicies, as their bindings put them to use. */
export class MutatingPolicies implements AdmissionPlugin {
  readonly #api: Api;
  readonly #policies: Table;
  readonly #bindings: Table;
  readonly #compiled = new WeakMap<StoredObject, CompiledMutations>();

  constructor(api: Api) {
    this.#api = api;
    this.#policies = api.store.table(`mutatingadmissionpolicies.${GROUP}`);
    this.#bindings = api.store.table(`mutatingadmissionpolicybindings.${GROUP}`);
  }

  isActive(): boolean {
    return this.#bindings.objects.size > 0 && this.#policies.objects.size > 0;
  }

  mutate(request: AdmissionRequest): void | Promise<void> {
    return finish(this.#mutate(request));
  }

  *#mutate(request: AdmissionRequest): Steps<void> {
    const { operation, resource } = request;
    if ((operation !== 'CREATE' && operation !== 'UPDATE') || isAdmissionConfiguration(resource)) return;
    const problems: Problem[] = [];
    for (const stored of this.#policies.objects.values()) {
      const policy = this.#compile(stored);
      const found = yield* this.#apply(request, policy);
      if (policy.spec.failurePolicy !== 'Ignore') problems.push(...found);
    }
    const [first] = problems;
    if (!first) return;
    const { message, reason } = first;
    const { status } = refusal(request, message);
    const details = { ...status.details, causes: problems.map((problem) => ({ message: problem.message })) };
    throw new StatusError({ ...status, message, reason, details });
  }

  #compile(stored: StoredObject): CompiledMutations {
    const known = this.#compiled.get(stored);
    if (known) return known;
    const compiled = compileMutatingPolicy(stored.decode());
    this.#compiled.set(stored, compiled);
    return compiled;
  }

  /** Applies a policy by all its bindings; the answer is what went wrong. */
  *#apply(request: AdmissionRequest, policy: CompiledMutations): Steps<Problem[]> {
    const version = matchingVersion(this.#api, asObject(policy.spec.matchConstraints), request);
    if (!version) return [];
    const problems: Problem[] = [];
    const versions = new VersionedRequest(request);
    for (const stored of this.#bindings.objects.values()) {
      const spec = asObject(stored.decode().spec);
      if (spec.policyName !== policy.name) continue;
      if (!matchingVersion(this.#api, asObject(spec.matchResources), request)) continue;
      const denied = (why: string) => `policy '${policy.name}' with binding '${stored.name}' denied request: ${why}`;
      try {
        yield* configuring('policy', '', versions.in(version));
        for (const params of paramsOf(this.#api, policy.spec, spec, request.namespace)) {
          const { namespace, name } = asObject(params?.metadata);
          const id = `${policy.name}/${stored.name}/${asString(namespace)}/${asString(name)}`;
          const found = yield* this.#invoke(request, { policy, version, versions, params, id });
          problems.push(...found.map((why) => ({ message: denied(why), reason: 'Invalid' })));
        }
      } catch (error) {
        if (!(error instanceof PolicyConfigurationError)) throw error;
        const why = `failed to configure ${error.of}: ${error.message}`;
        const message = error.of === 'policy' ? `policy ${quote(policy.name)} denied request: ${why}` : denied(why);
        problems.push({ message, reason: 'Forbidden' });
      }
    }
    return problems;
  }

  *#invoke(request: AdmissionRequest, { policy, version, versions, params, id }: Invocation): Steps<string[]> {
    const { reinvocation } = request;
    const first = yield* versions.in(version);
    const { matches, error } = policy.conditions.evaluate(() => policyInput(this.#api, request, first, params));
    if (error !== undefined) return [error];
    if (!matches || !reinvocation.concerns(id)) return [];
    const problems: string[] = [];
    let isChanged = false;
    for (const mutation of policy.mutations) {
      const states = yield* versions.in(version);
      const values = policyInput(this.#api, request, states, params);
      values.set('variables', composedVariables(policy.variables, values));
      try {
        if (yield* mutate(versions, states, mutation, values)) isChanged = true;
      } catch (problem) {
        if (!(problem instanceof MutationProblem)) throw problem;
        problems.push(problem.message);
      }
    }
    if (isChanged) reinvocation.changed();
    if (policy.spec.reinvocationPolicy === 'IfNeeded') reinvocation.asked(id);
    return problems;
  }
}

/** Whether it has changed anything. Throws `MutationProblem`. */
function* mutate(
  versions: VersionedRequest,
  states: VersionedStates,
  { patchType, expression }: CompiledMutation,
  values: Map<string, CelValue>,
): Steps<boolean> {
  const { value, error } = evaluatePolicy(expression, values);
  if (error !== undefined || value === undefined) throw new MutationProblem(error ?? 'no value');
  const { version, object: before = {} } = states;
  try {
    const after = patchType === 'JSONPatch' ? patched(before, value) : applied(version, before, value);
    return after !== undefined && (yield* versions.replace(states, version.init.decode(after).object));
  } catch (problem) {
    if (problem instanceof MutationProblem) throw problem;
    if (problem instanceof CelError || problem instanceof DecodeProblem) throw new MutationProblem(problem.message);
    if (!(problem instanceof StatusError)) throw problem;
    throw new MutationProblem(problem.cause instanceof Error ? problem.cause.message : problem.message);
  }
}

/** Undefined when a test of the patch does not hold: then nothing is changed. */
function patched(before: JsonObject, value: CelValue): JsonObject | undefined {
  if (!(value instanceof ListValue)) {
    throw new MutationProblem('type mismatch: JSONPatchType.expression should evaluate to array');
  }
  const operations = value.items.map((item) => {
    if (item instanceof StructValue && item.typeName === 'JSONPatch') return asObject(celToJson(item));
    throw new MutationProblem('type mismatch: JSONPatchType.expression should evaluate to array of JSONPatch');
  });
  try {
    return jsonPatch(before, operations);
  } catch (error) {
    if (!(error instanceof StatusError) || !(error.cause instanceof Error)) throw error;
    if (/^testing value|test failed/.test(error.cause.message)) return undefined;
    throw new MutationProblem(`JSON Patch: ${error.cause.message}`);
  }
}

function applied(version: ServedResource, before: JsonObject, value: CelValue): JsonObject {
  if (!(value instanceof StructValue)) {
    throw new MutationProblem('unsupported return type from ApplyConfiguration expression');
  }
  checkTypeNames(value, value.typeName);
  const { kind, apiVersion } = version;
  const configuration: JsonObject = { ...asObject(celToJson(value)), apiVersion, kind };
  const schema: MergeSchema = version.mergeSchema;
  try {
    validateApplied(configuration, schema, { allowDuplicates: false });
    const atomics = atomicPaths(configuration, schema);
    if (atomics.length > 0) {
      const why = `may not mutate atomic arrays, maps or structs: ${atomics.join(', ')}`;
      throw new MutationProblem(`error applying patch: invalid ApplyConfiguration: ${why}`);
    }
    return merge(before, configuration, schema) as JsonObject;
  } catch (error) {
    if (!(error instanceof SchemaMismatch)) throw error;
    throw new MutationProblem(`error applying patch: failed to convert patch object to typed object: ${error.message}`);
  }
}

/** `Object.spec{selector: Object.spec.wrong{}}` names another place than the one where it stands. */
function checkTypeNames(value: CelValue, path: string): void {
  if (value instanceof StructValue) {
    if (value.typeName !== path) {
      throw new MutationProblem(
        `type mismatch: unexpected type name ${JSON.stringify(value.typeName)}, expected ${JSON.stringify(path)}, which matches field name path from root Object type`,
      );
    }
    for (const [name, item] of value.fields.entries.values()) checkTypeNames(item, `${path}.${String(name)}`);
  }
  if (value instanceof ListValue) for (const item of value.items) checkTypeNames(item, path);
  if (value instanceof MapValue) {
    for (const [, item] of value.entries.values()) checkTypeNames(item, path);
  }
}
