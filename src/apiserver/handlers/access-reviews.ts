import type { Api } from '../api.ts';
import { ALL_RIGHTS, listText, type PolicyRule } from '../rbac/policy-rule.ts';
import {
  type AccessMatch,
  API_AUDIENCES,
  type Attributes,
  type AuthenticatedToken,
  type User,
} from '../request/access.ts';
import { inputFormat, parseObject } from '../request/body.ts';
import { type FieldError, invalid } from '../request/field-error.ts';
import type { ServerResponse } from '../request/request.ts';
import type { ResourceScope } from '../request/resource-scope.ts';
import { badRequest, invalidObject } from '../request/status-error.ts';
import { aggregate } from '../values/go-errors.ts';
import { asArray, asObject, asString, isObject, type JsonObject } from '../values/json.ts';
import { timestamp } from '../values/object-meta.ts';
import { documentResponse } from './object-response.ts';
import { withOwners } from './tracked-write.ts';
import { decodeObject, writeQuery } from './write-decoding.ts';

const INVALID_TOKEN = 'invalid bearer token';

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
  const extra = Object.entries(asObject(spec.extra)).map(([key, list]) => [key, asArray(list).map(asString)] as const);
  const uid = asString(spec.uid);
  return {
    name: asString(spec.user),
    groups: asArray(spec.groups).map(asString),
    ...(uid === '' ? {} : { uid }),
    ...(extra.length === 0 ? {} : { extra: Object.fromEntries(extra) }),
  };
}

function decided(api: Api, scope: ResourceScope, object: JsonObject, user: User): JsonObject {
  const spec = asObject(object.spec);
  const resource = isObject(spec.resourceAttributes) ? spec.resourceAttributes : undefined;
  const path = isObject(spec.nonResourceAttributes) ? spec.nonResourceAttributes : undefined;
  const problems = reviewProblems(scope, object);
  if (problems.length > 0) throw invalidObject({ group: scope.resource.group, kind: '' }, '', problems);
  const wanted = resource ? resourceAttributes(resource) : pathAttributes(path ?? {});
  const { allowed, reason } = api.access.decide(user, wanted);
  return { ...object, status: reason === '' ? { allowed } : { allowed, reason } };
}

function reviewProblems({ resource, namespace }: ResourceScope, object: JsonObject): FieldError[] {
  const { resourceAttributes, nonResourceAttributes, user, groups } = asObject(object.spec);
  const [isResource, isPath] = [isObject(resourceAttributes), isObject(nonResourceAttributes)];
  const isLocal = resource.plural === 'localsubjectaccessreviews';
  const problems: FieldError[] = [];
  if (isResource && isPath) {
    const detail = 'cannot be specified in combination with resourceAttributes';
    problems.push(invalid('spec.nonResourceAttributes', nonResourceAttributes, detail));
  }
  if (!isResource && !isPath) {
    const detail = 'exactly one of nonResourceAttributes or resourceAttributes must be specified';
    problems.push(invalid('spec.resourceAttributes', resourceAttributes, detail));
  }
  if (resource.plural !== 'selfsubjectaccessreviews' && asString(user) === '' && asArray(groups).length === 0) {
    problems.push(invalid('spec.user', '', 'at least one of user or group must be specified'));
  }
  const asked = asString(asObject(resourceAttributes).namespace);
  if (isLocal && isResource && asked !== namespace) {
    problems.push(invalid('spec.resourceAttributes.namespace', asked, 'must match metadata.namespace'));
  }
  if (isLocal && isPath) {
    const { path, verb } = asObject(nonResourceAttributes);
    const shown = { Path: asString(path), Verb: asString(verb) };
    problems.push(invalid('spec.nonResourceAttributes', shown, 'disallowed on this kind of request'));
  }
  return problems;
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
  if (namespace === '') throw badRequest('no namespace on request');
  // What is denied cannot be said in rules, which only allow.
  const incomplete = api.access.isDenied(scope.user);
  const { rules, error } = incomplete ? { rules: [], error: undefined } : rulesOf(api, scope.user, namespace);
  const resourceRules = rules
    .filter(({ resources }) => resources.length > 0)
    .map(({ verbs, apiGroups, resources, resourceNames: names }) => ({
      verbs: [...verbs],
      apiGroups: [...apiGroups],
      resources: [...resources],
      ...(names.length > 0 ? { resourceNames: [...names] } : {}),
    }));
  const nonResourceRules = rules
    .filter(({ nonResourceURLs }) => nonResourceURLs.length > 0)
    .map(({ verbs, nonResourceURLs }) => ({ verbs: [...verbs], nonResourceURLs: [...nonResourceURLs] }));
  const evaluationError = error === undefined ? {} : { evaluationError: error };
  return { ...object, status: { resourceRules, nonResourceRules, incomplete, ...evaluationError } };
}

function rulesOf(api: Api, user: User, namespace: string): { rules: readonly PolicyRule[]; error: string | undefined } {
  const left = api.access.rulesOf(user);
  if (left) return { rules: left.filter((match) => isIn(match, namespace)).map(ruleOf), error: undefined };
  const isPrivileged = !api.access.isLimited(user);
  const { rules, errors } = api.roles?.rulesFor(user, namespace) ?? { rules: [], errors: [] };
  return {
    rules: isPrivileged ? [...ALL_RIGHTS, ...rules] : rules,
    error: errors.length === 0 ? undefined : aggregate(errors),
  };
}

function isIn({ namespaces }: AccessMatch, namespace: string): boolean {
  return !namespaces || namespaces.includes('*') || namespaces.includes(namespace);
}

function ruleOf({ verbs, groups, resources, names, paths }: AccessMatch): PolicyRule {
  const isPath = paths !== undefined && resources === undefined;
  return {
    verbs: verbs ?? ['*'],
    apiGroups: isPath ? [] : (groups ?? ['*']),
    resources: isPath ? [] : (resources ?? ['*']),
    resourceNames: names ?? [],
    nonResourceURLs: paths ?? [],
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
  const spec = asObject(object.spec);
  const token = asString(spec.token);
  if (token === '') throw badRequest('token is required for TokenReview in authentication');
  const asked = asArray(spec.audiences).map(asString);
  const wanted = asked.length === 0 ? API_AUDIENCES : asked;
  const found = api.access.findToken(token);
  const why = typeof found === 'object' ? audienceProblem(found, wanted) : (found ?? '');
  if (typeof found !== 'object' || why !== undefined) {
    const error = why ? `[${INVALID_TOKEN}, ${why}]` : INVALID_TOKEN;
    return { ...object, status: { user: {}, error } };
  }
  const audiences = (found.audiences ?? API_AUDIENCES).filter((audience) => wanted.includes(audience));
  return { ...object, status: { authenticated: true, user: userInfo(found.user), audiences } };
}

/** Tokens of service accounts say what they are for; others are for this server. Undefined: the token is good for that. */
function audienceProblem({ audiences }: AuthenticatedToken, wanted: readonly string[]): string | undefined {
  if ((audiences ?? API_AUDIENCES).some((audience) => wanted.includes(audience))) return undefined;
  if (!audiences) return '';
  return `token audiences ${listText(audiences)} is invalid for the target audiences ${listText(wanted)}`;
}
