import { aText, checkedOptions, type OptionChecks, texts } from '../../api/option-check.ts';
import type { Clock } from '../../observe/clock.ts';
import type { RequestInfo } from './request-info.ts';
import { forbiddenPath, forbiddenResource, type StatusError, unauthorized } from './status-error.ts';

/** Who sends a request. */
export interface User {
  readonly name: string;
  readonly uid?: string;
  readonly groups: readonly string[];
  readonly extra?: Readonly<Record<string, readonly string[]>>;
}

/** Unset parts match everything. `*` does too. */
export interface AccessMatch {
  /** The name of the user. */
  user?: string | undefined;
  /** get, list, watch, create, update, patch, delete, deletecollection, impersonate; for other paths the lower-case method. */
  verbs?: readonly string[] | undefined;
  /** API groups; "" for the core group. Default: all. */
  groups?: readonly string[] | undefined;
  /** Plural names; `pods/status` for a subresource, `pods/*` for all of them. */
  resources?: readonly string[] | undefined;
  /** Of the objects. Default: all, and what has none. */
  namespaces?: readonly string[] | undefined;
  /** Of single objects. Default: all; lists have none. */
  names?: readonly string[] | undefined;
  /** Paths that are not resources, after percent-decoding; `/healthz*` stands for every path that begins with `/healthz`. */
  paths?: readonly string[] | undefined;
}

/** What is misspelt would match everything. */
const MATCH_CHECKS: OptionChecks<AccessMatch> = {
  user: aText,
  verbs: texts,
  groups: texts,
  resources: texts,
  namespaces: texts,
  names: texts,
  paths: texts,
};

/** What is asked for, whether by a request or by an access review. */
export interface Attributes {
  readonly verb: string;
  readonly group: string;
  readonly resource: string;
  readonly subresource: string;
  readonly namespace: string;
  readonly name: string;
  /** Set for paths that are not resources. */
  readonly path?: string;
}

/** Whether something may be done, and by what rule; empty without one. */
export interface Decision {
  readonly allowed: boolean;
  readonly reason: string;
}

/** Who decides about users of whom nothing else is said. */
export interface Authorizer {
  decide(user: User, wanted: Attributes): Decision;
}

interface Denial {
  readonly match: AccessMatch;
  readonly code: 401 | 403;
}

export const ADMIN: User = { name: 'kubernetes-admin', groups: ['system:masters', 'system:authenticated'] };
export const ANONYMOUS: User = { name: 'system:anonymous', groups: ['system:unauthenticated'] };

/** Members may do everything, whatever the roles say. */
export const PRIVILEGED_GROUP = 'system:masters';
const ALLOWED: Decision = { allowed: true, reason: '' };
const DENIED: Decision = { allowed: false, reason: '' };

/** What knows tokens that were not added by name: those of service accounts. */
export interface TokenAuthenticator {
  /** The user and what the token may be used for; a text says why it is not accepted; undefined: it is not one of these. */
  authenticate(token: string): AuthenticatedToken | string | undefined;
}

export interface AuthenticatedToken {
  readonly user: User;
  /** Unset: for everything. */
  readonly audiences?: readonly string[];
}

/**
 * Who may do what. Everybody who holds a token may do everything, or with `access: 'rbac'` what roles and bindings grant, until
 * `deny` takes something away, or `allowOnly` leaves a user nothing but what it names.
 */
export class Access {
  readonly #tokens = new Map<string, { user: User; expiresMs: number }>();
  readonly #denials = new Set<Denial>();
  readonly #allowed = new Map<string, readonly AccessMatch[]>();
  /** Whether requests need a token at all. */
  readonly requiresToken: boolean;
  readonly #clock: Pick<Clock, 'now'>;
  #authorizer: Authorizer | undefined;
  #authenticator: TokenAuthenticator | undefined;

  constructor(adminToken: string | undefined, clock: Pick<Clock, 'now'>) {
    this.requiresToken = adminToken !== undefined;
    this.#clock = clock;
    if (adminToken !== undefined) this.addToken(adminToken, ADMIN);
  }

  /** From now on, these are asked too. @internal */
  use(parts: { authorizer?: Authorizer | undefined; authenticator?: TokenAuthenticator | undefined }): void {
    this.#authorizer = parts.authorizer ?? this.#authorizer;
    this.#authenticator = parts.authenticator ?? this.#authenticator;
  }

  /** From now on, until it expires, the token stands for the user. Returns the way out. */
  addToken(token: string, user: string | User, expiresMs = Number.POSITIVE_INFINITY): () => void {
    const known = typeof user === 'string' ? { name: user, groups: ['system:authenticated'] } : user;
    this.#tokens.set(token, { user: known, expiresMs });
    return () => this.#tokens.delete(token);
  }

  /** Requests that match are answered 403 (default) or 401. Returns the way out. */
  deny(match: AccessMatch, code: 401 | 403 = 403): () => void {
    checkedOptions('access.deny', match, MATCH_CHECKS);
    const denial = { match, code };
    this.#denials.add(denial);
    return () => this.#denials.delete(denial);
  }

  /** The user may do only what one of the matches covers. Returns the way out. */
  allowOnly(user: string, matches: readonly AccessMatch[]): () => void {
    for (const match of matches) checkedOptions('access.allowOnly', match, MATCH_CHECKS);
    this.#allowed.set(user, matches);
    return () => this.#allowed.delete(user);
  }

  /** Throws 401. Where rights are listed, requests without a token may have some, as those of nobody. */
  authenticate(authorization: string | undefined): User {
    const token = /^Bearer +(.+)$/i.exec(authorization ?? '')?.[1]?.trim();
    const found = token === undefined ? undefined : this.findToken(token);
    if (typeof found === 'object' && isFor(found, API_AUDIENCES)) return found.user;
    if (!this.requiresToken) return ADMIN;
    if (this.#authorizer && token === undefined) return ANONYMOUS;
    throw unauthorized();
  }

  /** The user that a token stands for, or why it stands for nobody. @internal */
  findToken(token: string): AuthenticatedToken | string | undefined {
    const known = this.#tokens.get(token);
    if (known && known.expiresMs > this.#clock.now()) return { user: known.user };
    return this.#authenticator?.authenticate(token);
  }

  /** Throws 401 or 403. @internal */
  authorize(user: User, attributes: Attributes): void {
    for (const { match, code } of this.#denials) {
      if (code === 401 && covers(match, user, attributes)) throw unauthorized();
    }
    const { allowed, reason } = this.decide(user, attributes);
    if (!allowed) throw refusal(user, attributes, reason);
  }

  /** @internal */
  allows(user: User, attributes: Attributes): boolean {
    return this.decide(user, attributes).allowed;
  }

  /** @internal */
  decide(user: User, attributes: Attributes): Decision {
    for (const { match } of this.#denials) if (covers(match, user, attributes)) return DENIED;
    const allowed = this.#allowed.get(user.name);
    if (allowed) return allowed.some((match) => covers(match, user, attributes)) ? ALLOWED : DENIED;
    if (!this.#authorizer || user.groups.includes(PRIVILEGED_GROUP)) return ALLOWED;
    return this.#authorizer.decide(user, attributes);
  }

  /** Whether `deny` has taken something from the user. @internal */
  isDenied(user: User): boolean {
    return [...this.#denials].some(({ match }) => match.user === undefined || match.user === user.name);
  }

  /** What `allowOnly` has left the user; undefined when it was not called. */
  rulesOf(user: User): readonly AccessMatch[] | undefined {
    return this.#allowed.get(user.name);
  }

  /** Whether the user has rights that could be listed, and not simply all. @internal */
  isLimited(user: User): boolean {
    return this.#allowed.has(user.name) || (this.#authorizer !== undefined && !user.groups.includes(PRIVILEGED_GROUP));
  }

  /** The 403 for what a user may not do. @internal */
  refusal(user: User, attributes: Attributes): StatusError {
    return refusal(user, attributes, '');
  }
}

/** What tokens of service accounts are for, unless they say otherwise: this server. */
export const API_AUDIENCES: readonly string[] = ['https://kubernetes.default.svc'];

export function isFor({ audiences }: AuthenticatedToken, wanted: readonly string[]): boolean {
  return audiences === undefined || audiences.some((audience) => wanted.includes(audience));
}

export function attributesOf(info: RequestInfo, path: string): Attributes {
  const { verb, group, resource, subresource, namespace, name } = info;
  return { verb, group, resource, subresource, namespace, name, ...(info.isResource ? {} : { path }) };
}

function covers(match: AccessMatch, user: User, wanted: Attributes): boolean {
  if (match.user !== undefined && match.user !== user.name) return false;
  if (!includes(match.verbs, wanted.verb)) return false;
  if (wanted.path !== undefined) {
    const path = wanted.path;
    if (match.paths) return match.paths.some((text) => text === '*' || matchesPath(text, path));
    return !match.resources && !match.groups && !match.namespaces && !match.names;
  }
  if (match.paths && !match.resources) return false;
  const resource =
    wanted.subresource === ''
      ? [wanted.resource]
      : [`${wanted.resource}/${wanted.subresource}`, `${wanted.resource}/*`, `*/${wanted.subresource}`];
  if (match.resources && !match.resources.some((text) => text === '*' || resource.includes(text))) return false;
  if (!includes(match.groups, wanted.group) || !includes(match.names, wanted.name)) return false;
  return includes(match.namespaces, wanted.namespace);
}

function includes(list: readonly string[] | undefined, value: string): boolean {
  return list === undefined || list.includes('*') || list.includes(value);
}

function matchesPath(pattern: string, path: string): boolean {
  return pattern.endsWith('*') ? path.startsWith(pattern.slice(0, -1)) : pattern === path;
}

function refusal(user: User, wanted: Attributes, reason: string): StatusError {
  const who = `User ${JSON.stringify(user.name)} cannot ${wanted.verb}`;
  const end = reason === '' ? '' : `: ${reason}`;
  if (wanted.path !== undefined) return forbiddenPath(`${who} path ${JSON.stringify(wanted.path)}${end}`);
  const resource = wanted.subresource === '' ? wanted.resource : `${wanted.resource}/${wanted.subresource}`;
  const where =
    wanted.namespace === '' ? 'at the cluster scope' : `in the namespace ${JSON.stringify(wanted.namespace)}`;
  const why = `${who} resource ${JSON.stringify(resource)} in API group ${JSON.stringify(wanted.group)} ${where}`;
  return forbiddenResource({ group: wanted.group, plural: wanted.resource }, wanted.name, `${why}${end}`);
}
