import type { Api } from '../../api.ts';
import { quote } from '../../apply/go-value.ts';
import { items } from '../../kinds/defaulting.ts';
import { jsonPatch } from '../../patch/json-patch.ts';
import { badRequest, forbiddenResource, internalError, StatusError } from '../../request/status-error.ts';
import type { ServedResource } from '../../storage/served-resource.ts';
import { finish, resultOf, type Steps } from '../../storage/steps.ts';
import type { Table } from '../../storage/storage.ts';
import type { StoredObject } from '../../storage/stored-object.ts';
import { asString, type JsonObject } from '../../values/json.ts';
import { DecodeProblem } from '../../values/typed-object.ts';
import type { AdmissionPlugin, AdmissionRequest } from '../admission.ts';
import { conditionsOf, type MatchConditions } from '../policy/match-conditions.ts';
import { policyInput } from '../policy/policy-input.ts';
import { isAdmissionConfiguration, matchingVersion } from '../policy/policy-matching.ts';
import { VersionedRequest, type VersionedStates } from '../versioned-request.ts';
import { admissionReview, type ReviewAnswer, readReview, rejection, reviewVersion } from './admission-review.ts';
import { WebhookCallError, type WebhookClient } from './webhook-client.ts';

const GROUP = 'admissionregistration.k8s.io';
const DEFAULT_TIMEOUT_SECONDS = 10;

interface Webhook {
  /** Of the configuration and of the webhook in it: what is asked again goes by this. */
  readonly id: string;
  readonly name: string;
  readonly spec: JsonObject;
  readonly conditions: MatchConditions;
}

/** A webhook that has to be asked about a request, in the version that it wants to see. */
interface Invocation {
  readonly webhook: Webhook;
  readonly states: VersionedStates;
}

/** The webhooks of all configurations, by the names of these. */
abstract class Webhooks implements AdmissionPlugin {
  readonly waits = true;
  protected readonly api: Api;
  readonly #client: WebhookClient;
  readonly #mutating: boolean;
  readonly #configurations: Table;
  readonly #parsed = new WeakMap<StoredObject, readonly Webhook[]>();

  protected constructor(api: Api, client: WebhookClient, mutating: boolean) {
    this.api = api;
    this.#client = client;
    this.#mutating = mutating;
    const plural = mutating ? 'mutatingwebhookconfigurations' : 'validatingwebhookconfigurations';
    this.#configurations = api.store.table(`${plural}.${GROUP}`);
  }

  isActive(): boolean {
    return this.#configurations.objects.size > 0;
  }

  /** Those that may concern the request. Nobody is locked out by a webhook about webhooks. */
  protected webhooksFor(request: AdmissionRequest): readonly Webhook[] {
    if (isAdmissionConfiguration(request.resource)) return [];
    return this.#configurations.objects.values().flatMap((stored) => this.#parse(stored));
  }

  /** Undefined when the webhook is not to be asked. Throws when it cannot be decided. */
  protected *invocation(
    webhook: Webhook,
    request: AdmissionRequest,
    versions: VersionedRequest,
  ): Steps<Invocation | undefined> {
    const { spec, conditions } = webhook;
    if (items(spec.rules).length === 0) return undefined;
    const version = matchingVersion(this.api, { ...spec, resourceRules: spec.rules ?? [] }, request);
    if (!version) return undefined;
    const states = yield* this.#states(versions, version);
    const { matches, error } = conditions.evaluate(() => policyInput(this.api, request, states, undefined));
    if (error === undefined) return matches ? { webhook, states } : undefined;
    if (spec.failurePolicy === 'Ignore') return undefined;
    throw forbiddenResource(request.resource, request.name, error);
  }

  *#states(versions: VersionedRequest, version: ServedResource): Steps<VersionedStates> {
    try {
      return yield* versions.in(version);
    } catch (error) {
      if (!(error instanceof StatusError)) throw error;
      const problem = internalError(error.message);
      // The real server says it twice there.
      throw this.#mutating ? internalError(problem.message) : problem;
    }
  }

  /** Undefined when it could not be asked and need not be. Throws the refusal when it could not be asked and has to be, or says no. */
  protected async ask({ webhook, states }: Invocation, request: AdmissionRequest): Promise<ReviewAnswer | undefined> {
    const { name, spec } = webhook;
    if (request.dryRun && spec.sideEffects !== 'None' && spec.sideEffects !== 'NoneOnDryRun') {
      throw badRequest(`admission webhook ${quote(name)} does not support dry run`);
    }
    let answer: ReviewAnswer;
    try {
      answer = await this.#call(spec, request, states);
    } catch (error) {
      if (!(error instanceof WebhookCallError)) throw error;
      const message = `failed calling webhook ${quote(name)}: ${error.message}`;
      if (spec.failurePolicy !== 'Ignore') throw internalError(message);
      this.api.logger.warn(`The embedded server goes on without a webhook: ${message}`);
      return undefined;
    }
    for (const text of answer.warnings) request.warn(text);
    if (!answer.allowed) throw rejection(name, answer.status);
    return answer;
  }

  async #call(spec: JsonObject, request: AdmissionRequest, states: VersionedStates): Promise<ReviewAnswer> {
    const review = { uid: this.api.identity.uid(), reviewVersion: reviewVersion(spec), mutating: this.#mutating };
    const body = admissionReview(request, states, review);
    const { clientConfig, timeoutSeconds } = spec;
    const seconds = typeof timeoutSeconds === 'number' ? timeoutSeconds : DEFAULT_TIMEOUT_SECONDS;
    const answer = await this.#client.post(clientConfig as JsonObject, body, seconds).catch((error: unknown) => {
      if (!(error instanceof WebhookCallError)) throw error;
      throw new WebhookCallError(`failed to call webhook: ${error.message}`);
    });
    return readReview(answer, review);
  }

  #parse(stored: StoredObject): readonly Webhook[] {
    const known = this.#parsed.get(stored);
    if (known) return known;
    const webhooks = items(stored.decode().webhooks).map((spec) => {
      const name = asString(spec.name);
      return { id: `${stored.name}/${name}`, name, spec, conditions: conditionsOf(spec.matchConditions) };
    });
    this.#parsed.set(stored, webhooks);
    return webhooks;
  }
}

/** One after the other: each sees what the one before has made of the object. */
export class MutatingWebhooks extends Webhooks {
  constructor(api: Api, client: WebhookClient) {
    super(api, client, true);
  }

  mutate(request: AdmissionRequest): void | Promise<void> {
    return finish(this.#askAll(request));
  }

  *#askAll(request: AdmissionRequest): Steps<void> {
    const { reinvocation } = request;
    const versions = new VersionedRequest(request);
    for (const webhook of this.webhooksFor(request)) {
      const invocation = yield* this.invocation(webhook, request, versions);
      if (!invocation || !reinvocation.concerns(webhook.id)) continue;
      const answer = yield* resultOf(this.ask(invocation, request));
      if (answer && (yield* this.#applyPatch(invocation, request, versions, answer))) reinvocation.changed();
      if (webhook.spec.reinvocationPolicy === 'IfNeeded') reinvocation.asked(webhook.id);
    }
  }

  /** Whether it has changed anything. */
  *#applyPatch(
    { webhook, states }: Invocation,
    request: AdmissionRequest,
    versions: VersionedRequest,
    { patch }: ReviewAnswer,
  ): Steps<boolean> {
    if (patch === undefined) return false;
    if (!request.object || !states.object) {
      const what = 'attempted to modify the object, which is not supported for this operation';
      throw internalError(`admission webhook ${quote(webhook.name)} ${what}`);
    }
    try {
      const { object: decoded } = states.version.init.decode(jsonPatch(states.object, patch));
      return yield* versions.replace(states, decoded);
    } catch (error) {
      if (error instanceof DecodeProblem) throw internalError(error.message);
      if (!(error instanceof StatusError)) throw error;
      throw internalError(error.cause instanceof Error ? error.cause.message : error.message);
    }
  }
}

/** All at once: none changes anything. */
export class ValidatingWebhooks extends Webhooks {
  constructor(api: Api, client: WebhookClient) {
    super(api, client, false);
  }

  validate(request: AdmissionRequest): void | Promise<void> {
    return finish(this.#askAll(request));
  }

  /** All are heard before the first refusal counts. */
  *#askAll(request: AdmissionRequest): Steps<void> {
    const versions = new VersionedRequest(request);
    const invocations: Invocation[] = [];
    for (const webhook of this.webhooksFor(request)) {
      const invocation = yield* this.invocation(webhook, request, versions);
      if (invocation) invocations.push(invocation);
    }
    if (invocations.length === 0) return;
    const asked = Promise.allSettled(invocations.map((invocation) => this.ask(invocation, request)));
    const answers = yield* resultOf(asked);
    const refused = answers.find((answer) => answer.status === 'rejected');
    if (refused) throw refused.reason;
  }
}
