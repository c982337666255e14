import type { Api } from '../api.ts';
import type { AccessMatch, Attributes, User } from '../request/access.ts';
import { inputFormat, parseObject } from '../request/body.ts';
import { invalid } from '../request/field-error.ts';
import type { ServerResponse } from '../request/request.ts';
import type { ResourceScope } from '../request/resource-scope.ts';
import { invalidObject } from '../request/status-error.ts';
import { asArray, asObject, asString, isObject, type JsonObject } from '../values/json.ts';
import { timestamp } from '../values/object-meta.ts';
import { documentResponse } from './object-response.ts';
import { withOwners } from './tracked-write.ts';
import { decodeObject, writeQuery } from './write-decoding.ts';

type Review = (api: Api, scope: ResourceScope, object: JsonObject) => JsonObject;

/** Kinds that are questions: they are answered, never stored. */
const REVIEWS = new Map<string, Review>([
  ['selfsubjectaccessreviews', (api, scope, object) => decided(api, scope, object, scope.user)],
  ['subjectaccessreviews', (api, scope, object) => decided(api, scope, object, subjectOf(object))],
  ['localsubjectaccessreviews', (api, scope, object) => decided(api, scope, object, subjectOf(object))],
  ['selfsubjectrulesreviews', reviewRules],
  ['selfsubjectreviews', reviewSelf],
  ['tokenreviews', reviewToken],
]);

export function isReview(plural: string): boolean {
  return REVIEWS.has(plural);
}

export function handleReview(api: Api, scope: ResourceScope): ServerResponse {
  const { resource, request } = scope;
  const query = writeQuery(scope, 'CreateOptions');
  const { object: sent, strict } = parseObject(
    request.body,
    inputFormat(request.headers['content-type']),
    resource.kind,
  );
  const object = decodeObject(scope, sent, strict, query.fieldValidation);
  const tracked = withOwners({ scope, before: undefined, after: object, query, nowMs: api.clock.now() });
  const answer = REVIEWS.get(resource.plural)?.(api, scope, tracked) ?? tracked;
  const { transform, metaVersion } = scope.output.accepted;
  const shown =
    transform === 'PartialObjectMetadata'
      ? { kind: transform, apiVersion: metaVersion, metadata: answer.metadata ?? {} }
      : answer;
  return documentResponse(201, Buffer.from(JSON.stringify(shown)), scope.output);
}

function subjectOf(object: JsonObject): User {
  const spec = asObject(object.spec);
  return { name: asString(spec.user), groups: asArray(spec.groups).map(asString) };
}

function decided(api: Api, scope: ResourceScope, object: JsonObject, user: User): JsonObject {
  const spec = asObject(object.spec);
  const resource = isObject(spec.resourceAttributes) ? spec.resourceAttributes : undefined;
  const path = isObject(spec.nonResourceAttributes) ? spec.nonResourceAttributes : undefined;
  if (!resource === !path) {
    const detail = 'exactly one of nonResourceAttributes or resourceAttributes must be specified';
    const problem = invalid('spec.resourceAttributes', spec.resourceAttributes, detail);
    throw invalidObject({ group: scope.resource.group, kind: '' }, '', [problem]);
  }
  const wanted = resource ? resourceAttributes(resource) : pathAttributes(path ?? {});
  return { ...object, status: { allowed: api.access.allows(user, wanted) } };
}

function resourceAttributes(attributes: JsonObject): Attributes {
  const text = (name: string) => asString(attributes[name]);
  return {
    verb: text('verb'),
    group: text('group'),
    resource: text('resource'),
    subresource: text('subresource'),
    namespace: text('namespace'),
    name: text('name'),
  };
}

function pathAttributes(attributes: JsonObject): Attributes {
  const nothing = { group: '', resource: '', subresource: '', namespace: '', name: '' };
  return { ...nothing, verb: asString(attributes.verb), path: asString(attributes.path) };
}

function reviewRules(api: Api, scope: ResourceScope, object: JsonObject): JsonObject {
  const namespace = asString(asObject(object.spec).namespace);
  // What is denied cannot be said in rules, which only allow.
  const incomplete = api.access.isDenied(scope.user);
  const allowed = api.access.rulesOf(scope.user) ?? [{}, { paths: ['*'] }];
  const rules = incomplete ? [] : allowed.filter((rule) => isIn(rule, namespace));
  const resourceRules = rules.filter((rule) => !rule.paths || rule.resources).map(resourceRule);
  const nonResourceRules = rules.flatMap((rule) =>
    rule.paths ? [{ verbs: [...(rule.verbs ?? ['*'])], nonResourceURLs: [...rule.paths] }] : [],
  );
  return { ...object, status: { resourceRules, nonResourceRules, incomplete } };
}

function isIn({ namespaces }: AccessMatch, namespace: string): boolean {
  return !namespaces || namespaces.includes('*') || namespaces.includes(namespace);
}

function resourceRule(rule: AccessMatch): JsonObject {
  return {
    verbs: [...(rule.verbs ?? ['*'])],
    apiGroups: [...(rule.groups ?? ['*'])],
    resources: [...(rule.resources ?? ['*'])],
    ...(rule.names ? { resourceNames: [...rule.names] } : {}),
  };
}

function userInfo(user: User): JsonObject {
  const extra = Object.entries(user.extra ?? {}).map(([key, values]): [string, string[]] => [key, [...values]]);
  return {
    username: user.name,
    ...(user.uid === undefined ? {} : { uid: user.uid }),
    groups: [...user.groups],
    ...(extra.length === 0 ? {} : { extra: Object.fromEntries(extra) }),
  };
}

function reviewSelf(api: Api, scope: ResourceScope, object: JsonObject): JsonObject {
  const metadata = { ...asObject(object.metadata), creationTimestamp: timestamp(api.clock.now()) };
  return { ...object, metadata, status: { userInfo: userInfo(scope.user) } };
}

function reviewToken(api: Api, _scope: ResourceScope, object: JsonObject): JsonObject {
  const user = api.access.userOfToken(asString(asObject(object.spec).token));
  const status = user ? { authenticated: true, user: userInfo(user) } : { user: {}, error: 'invalid bearer token' };
  return { ...object, status };
}
