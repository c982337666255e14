import type { Api } from '../api.ts';
import { API_AUDIENCES } from '../request/access.ts';
import { type FieldError, invalid } from '../request/field-error.ts';
import type { ServerResponse } from '../request/request.ts';
import type { ResourceScope } from '../request/resource-scope.ts';
import type { BoundObject } from '../request/service-account-tokens.ts';
import { badRequest, conflict, invalidObject, notFound } from '../request/status-error.ts';
import { keyFor } from '../storage/object-writer.ts';
import type { StoredObject } from '../storage/stored-object.ts';
import { asArray, asObject, asString, getPath, isObject, type JsonObject } from '../values/json.ts';
import { metadataOf, timestamp } from '../values/object-meta.ts';
import { documentResponse } from './object-response.ts';
import { subresourceBody, TOKEN_REQUEST } from './subresource-body.ts';
import { matchNamespace, writeQuery } from './write-decoding.ts';

const KIND = { group: TOKEN_REQUEST.group, kind: TOKEN_REQUEST.kind };
const DEFAULT_SECONDS = 3600;
const LEAST_SECONDS = 600;
const MOST_SECONDS = 2 ** 32;
/** A kubelet asks for this: such a token lives for a year, so that programs that never read it again go on. */
const EXTENDED_FROM_SECONDS = 3607;
const EXTENDED_SECONDS = 365 * 24 * 3600;

/** Gives out a token for a service account. */
export function handleTokenRequest(api: Api, scope: ResourceScope): ServerResponse {
  const { resource, info, namespace } = scope;
  const object = subresourceBody(scope, TOKEN_REQUEST, writeQuery(scope, 'CreateOptions'));
  matchNamespace(object, scope);
  checkName(scope, object);
  const account = resource.table.objects.get(keyFor(namespace, info.name));
  if (!account) throw notFound(resource, info.name);
  const uid = asString(metadataOf(object).uid);
  if (uid !== '' && uid !== account.uid) {
    const why = `the UID in the token request (${uid}) does not match the UID of the service account (${account.uid})`;
    throw conflict({ group: KIND.group, plural: KIND.kind }, info.name, why);
  }
  const spec = asObject(object.spec);
  const seconds = typeof spec.expirationSeconds === 'number' ? spec.expirationSeconds : DEFAULT_SECONDS;
  checkSeconds(seconds);
  const audiences = asArray(spec.audiences).length > 0 ? asArray(spec.audiences).map(asString) : [...API_AUDIENCES];
  const ref = isObject(spec.boundObjectRef) ? spec.boundObjectRef : undefined;
  const bound = ref ? boundObjects(api, scope, ref) : [];
  const nowMs = api.clock.now();
  const isExtended =
    seconds === EXTENDED_FROM_SECONDS &&
    bound.some(({ kind }) => kind === 'pod') &&
    audiences.every((audience) => API_AUDIENCES.includes(audience));
  const token = api.serviceAccountTokens.issue({
    account,
    audiences,
    bound,
    expiresMs: nowMs + (isExtended ? EXTENDED_SECONDS : seconds) * 1000,
    ...(isExtended ? { warnAfterMs: nowMs + seconds * 1000 } : {}),
  });
  const answer = {
    kind: KIND.kind,
    apiVersion: `${KIND.group}/v1`,
    metadata: { name: info.name, namespace, uid: account.uid, creationTimestamp: timestamp(nowMs) },
    spec: { audiences, expirationSeconds: seconds, boundObjectRef: ref ?? null },
    status: { token, expirationTimestamp: timestamp(nowMs + seconds * 1000) },
  };
  return documentResponse(201, Buffer.from(JSON.stringify(answer)), scope.output);
}

function checkName({ info }: ResourceScope, object: JsonObject): void {
  const name = asString(metadataOf(object).name);
  if (name === '' || name === info.name) return;
  const problem = invalid('metadata.name', name, 'must match the service account name if specified');
  throw invalidObject(KIND, info.name, [problem]);
}

function checkSeconds(seconds: number): void {
  const refuse = (detail: string): FieldError => invalid('spec.expirationSeconds', seconds, detail);
  if (seconds < LEAST_SECONDS) {
    throw invalidObject(KIND, '', [refuse('may not specify a duration less than 10 minutes')]);
  }
  if (seconds > MOST_SECONDS) {
    throw invalidObject(KIND, '', [refuse('may not specify a duration larger than 2^32 seconds')]);
  }
}

/** What the token is to live no longer than. */
function boundObjects(api: Api, { info, namespace }: ResourceScope, ref: JsonObject): BoundObject[] {
  const [kind, apiVersion, name, uid] = [ref.kind, ref.apiVersion, ref.name, ref.uid].map(asString);
  const plural = { Pod: 'pods', Secret: 'secrets', Node: 'nodes' }[kind ?? ''];
  if (plural === undefined || apiVersion?.includes('/')) {
    const [group, version] = apiVersion?.includes('/') ? apiVersion.split('/') : ['', apiVersion];
    throw badRequest(`cannot bind token to object of type ${group}/${version}, Kind=${kind}`);
  }
  const found = api.store.table(plural).objects.get(keyFor(plural === 'nodes' ? '' : namespace, name ?? ''));
  if (!found) throw notFound({ group: '', plural }, name ?? '');
  const node = plural === 'pods' ? nodeOf(api, found, info.name) : [];
  if (uid !== '' && uid !== found.uid) {
    const why = `the UID in the bound object reference (${uid}) does not match the UID in record. The object might have been deleted and then recreated`;
    throw conflict({ group: '', plural: kind ?? '' }, found.name, why);
  }
  return [{ kind: plural.slice(0, -1) as BoundObject['kind'], name: found.name, uid: found.uid }, ...node];
}

function nodeOf(api: Api, pod: StoredObject, account: string): BoundObject[] {
  const spec = asObject(getPath(pod.decode(), 'spec'));
  if (asString(spec.serviceAccountName) !== account) {
    throw badRequest(
      `cannot bind token for serviceaccount ${JSON.stringify(account)} to pod running with different serviceaccount name.`,
    );
  }
  const name = asString(spec.nodeName);
  if (name === '') return [];
  return [{ kind: 'node', name, uid: api.store.table('nodes').objects.get(name)?.uid ?? '' }];
}
