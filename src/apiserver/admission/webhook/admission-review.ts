import { quote } from '../../apply/go-value.ts';
import { StatusError } from '../../request/status-error.ts';
import type { ServedResource } from '../../storage/served-resource.ts';
import { asArray, asObject, asString, isObject, type JsonObject, type JsonValue } from '../../values/json.ts';
import type { AdmissionRequest } from '../admission.ts';
import type { VersionedStates } from '../versioned-request.ts';
import { WebhookCallError } from './webhook-client.ts';

const GROUP = 'admission.k8s.io';

/** What a webhook has said. */
export interface ReviewAnswer {
  readonly allowed: boolean;
  readonly status: JsonObject | undefined;
  /** Operations of a JSON patch; undefined without a patch. */
  readonly patch: JsonValue | undefined;
  readonly warnings: readonly string[];
}

/** The version of AdmissionReview that a webhook is sent: the first that it and the server know. */
export function reviewVersion(webhook: JsonObject): string {
  const known = asArray(webhook.admissionReviewVersions).find((version) => version === 'v1' || version === 'v1beta1');
  if (known !== undefined) return asString(known);
  throw new WebhookCallError(
    'could not create admission objects: webhook does not accept known AdmissionReview versions (v1, v1beta1)',
  );
}

/** In the version of the resource that the webhook wants to see. */
export function admissionReview(
  request: AdmissionRequest,
  { version, object, old }: VersionedStates,
  { uid, reviewVersion }: { uid: string; reviewVersion: string },
): JsonObject {
  const { user, resource, subresource, name, namespace, operation, dryRun, options, objectKind } = request;
  const kindOf = (of: ServedResource) => ({ group: of.group, version: of.version, kind: objectKind ?? of.kind });
  const resourceOf = (of: ServedResource) => ({ group: of.group, version: of.version, resource: of.plural });
  const part = subresource === '' ? {} : { subResource: subresource };
  const requestPart = subresource === '' ? {} : { requestSubResource: subresource };
  const extra = Object.entries(user.extra ?? {}).map(([key, values]): [string, string[]] => [key, [...values]]);
  return {
    kind: 'AdmissionReview',
    apiVersion: `${GROUP}/${reviewVersion}`,
    request: {
      uid,
      kind: kindOf(version),
      resource: resourceOf(version),
      ...part,
      requestKind: kindOf(resource),
      requestResource: resourceOf(resource),
      ...requestPart,
      ...(name === '' ? {} : { name }),
      ...(namespace === '' ? {} : { namespace }),
      operation,
      userInfo: {
        username: user.name,
        ...(user.uid === undefined ? {} : { uid: user.uid }),
        groups: [...user.groups],
        ...(extra.length === 0 ? {} : { extra: Object.fromEntries(extra) }),
      },
      object: object ?? null,
      oldObject: old ?? null,
      dryRun,
      options: operation === 'CONNECT' ? null : options,
    },
  };
}

/** Throws `WebhookCallError` for an answer that is not one to this review. */
export function readReview(
  value: JsonValue,
  { uid, reviewVersion, mutating }: { uid: string; reviewVersion: string; mutating: boolean },
): ReviewAnswer {
  const invalid = (why: string) => new WebhookCallError(`received invalid webhook response: ${why}`);
  const review = asObject(value);
  const { response } = review;
  checkKind(review);
  if (!isObject(response)) throw invalid('webhook response was absent');
  const patch = asString(response.patch);
  if (reviewVersion === 'v1') {
    if (asString(response.uid) !== uid) {
      throw invalid(`expected response.uid=${quote(uid)}, got ${quote(asString(response.uid))}`);
    }
    const found = `${asString(review.apiVersion)}, Kind=${asString(review.kind)}`;
    if (found !== `${GROUP}/v1, Kind=AdmissionReview`) {
      throw invalid(`expected webhook response of ${GROUP}/v1, Kind=AdmissionReview, got ${found}`);
    }
    const problem = patchProblem(patch, response.patchType, mutating);
    if (problem !== undefined) throw invalid(problem);
  }
  const operations = mutating && patch !== '' ? readPatch(patch) : undefined;
  const isEmpty = operations === undefined || (Array.isArray(operations) && operations.length === 0);
  if (reviewVersion === 'v1' && !isEmpty && response.patchType !== 'JSONPatch') {
    throw new WebhookCallError(`unsupported patch type ${quote(asString(response.patchType))}`);
  }
  return {
    allowed: response.allowed === true,
    status: isObject(response.status) ? response.status : undefined,
    patch: isEmpty ? undefined : operations,
    warnings: asArray(response.warnings).map(asString),
  };
}

function checkKind({ kind, apiVersion }: JsonObject): void {
  const text = asString(kind);
  if (text === '') throw new WebhookCallError("failed to call webhook: Object 'Kind' is missing in the answer");
  const version = asString(apiVersion);
  const isKnown = text === 'AdmissionReview' && (version === `${GROUP}/v1` || version === `${GROUP}/v1beta1`);
  if (isKnown || text === 'AdmissionReview') return;
  throw new WebhookCallError(
    `failed to call webhook: no kind ${quote(text)} is registered for version ${quote(version)} in scheme "pkg/runtime/scheme.go:111"`,
  );
}

function patchProblem(patch: string, patchType: JsonValue | undefined, mutating: boolean): string | undefined {
  const hasType = patchType !== undefined && patchType !== null;
  if (!mutating) {
    if (patch !== '') return 'validating webhook may not return response.patch';
    return hasType ? 'validating webhook may not return response.patchType' : undefined;
  }
  if (patch !== '' && !hasType) return 'webhook returned response.patch but not response.patchType';
  if (patch === '' && hasType) return 'webhook returned response.patchType but not response.patch';
  return hasType && patchType === '' ? 'webhook returned invalid response.patchType of ""' : undefined;
}

function readPatch(patch: string): JsonValue {
  const text = Buffer.from(patch, 'base64').toString();
  try {
    return JSON.parse(text) as JsonValue;
  } catch {
    const [first = ''] = text;
    throw new WebhookCallError(
      `received undecodable patch in webhook response: invalid character '${first}' looking for beginning of value`,
    );
  }
}

/** The no of a webhook, in the name of the server. */
export function rejection(webhook: string, status: JsonObject | undefined): StatusError {
  const { code, message, reason, status: word, ...rest } = status ?? {};
  const denied = `admission webhook ${quote(webhook)} denied the request`;
  const why = asString(message) || asString(reason);
  return new StatusError({
    kind: 'Status',
    apiVersion: 'v1',
    ...rest,
    metadata: asObject(rest.metadata),
    status: word === undefined || word === 'Success' || word === '' ? 'Failure' : asString(word),
    message: why === '' ? `${denied} without explanation` : `${denied}: ${why}`,
    ...(asString(reason) === '' ? {} : { reason: asString(reason) }),
    code: typeof code === 'number' && code >= 400 ? code : 400,
  } as ConstructorParameters<typeof StatusError>[0]);
}
