import { quote } from '../apply/go-value.ts';
import { type Access, ANONYMOUS, type Attributes, type User } from './access.ts';
import { badRequest, StatusError } from './status-error.ts';

/** Who a request wants to be taken for, as its headers say. */
interface WantedUser {
  readonly name: string;
  readonly uid: string;
  readonly groups: readonly string[];
  readonly extra: ReadonlyMap<string, readonly string[]>;
}

/** One right that an impersonation needs. */
type Right = Pick<Attributes, 'verb' | 'group' | 'resource' | 'subresource' | 'namespace' | 'name'>;

const AUTHENTICATED = 'system:authenticated';
const UNAUTHENTICATED = 'system:unauthenticated';
const IDENTITY_GROUP = 'authentication.k8s.io';
const EXTRA_PREFIX = 'impersonate-extra-';

/**
 * The user that the `Impersonate-` headers of a request ask for; the user itself without such headers. Each name, group,
 * uid and extra needs the right to `impersonate` it. A user whose rights are listed may instead have the narrower rights
 * of constrained impersonation (`impersonate:user-info`, `impersonate-on:user-info:list`, …). Throws 400 and 403.
 */
export function impersonated(
  access: Access,
  user: User,
  headers: Readonly<Record<string, string>>,
  request: Attributes,
): User {
  const wanted = wantedUser(headers);
  if (!wanted) return user;
  const refusal = refusalOf(access, user, wanted, request);
  if (refusal) throw refusal;
  return {
    name: wanted.name,
    groups: groupsOf(wanted),
    ...(wanted.uid === '' ? {} : { uid: wanted.uid }),
    ...(wanted.extra.size === 0 ? {} : { extra: Object.fromEntries(wanted.extra) }),
  };
}

function wantedUser(headers: Readonly<Record<string, string>>): WantedUser | undefined {
  const extra = new Map<string, readonly string[]>();
  for (const [header, value] of Object.entries(headers)) {
    if (!header.startsWith(EXTRA_PREFIX)) continue;
    const key = unescapeKey(header.slice(EXTRA_PREFIX.length));
    extra.set(key, [...(extra.get(key) ?? []), ...valuesOf(value)]);
  }
  const wanted = {
    name: headers['impersonate-user'] ?? '',
    uid: headers['impersonate-uid'] ?? '',
    groups: valuesOf(headers['impersonate-group']),
    extra,
  };
  if (wanted.name !== '') return wanted;
  if (wanted.uid === '' && wanted.groups.length === 0 && extra.size === 0) return undefined;
  throw badRequest(`requested ${goText(wanted)} without impersonating a user name`);
}

/** Lines of the same header arrive joined this way. */
function valuesOf(header: string | undefined): string[] {
  return header === undefined ? [] : header.split(', ');
}

function unescapeKey(key: string): string {
  try {
    return decodeURIComponent(key);
  } catch {
    return key;
  }
}

function refusalOf(access: Access, user: User, wanted: WantedUser, request: Attributes): StatusError | undefined {
  const plain = firstRefusal(access, user, rightsFor(wanted, 'impersonate', ''));
  if (!plain || !access.isLimited(user)) return plain;
  const mode = constrainedMode(wanted);
  if (mode === undefined) return plain;
  const rights = [
    { ...request, verb: `impersonate-on:${mode}:${request.verb}` },
    ...rightsFor(wanted, `impersonate:${mode}`, IDENTITY_GROUP),
  ];
  return firstRefusal(access, user, rights);
}

function firstRefusal(access: Access, user: User, rights: readonly Right[]): StatusError | undefined {
  for (const right of rights) {
    if (user === ANONYMOUS) return access.refusal(user, right);
    try {
      access.authorize(user, right);
    } catch (error) {
      if (error instanceof StatusError) return error;
      throw error;
    }
  }
  return undefined;
}

function rightsFor(wanted: WantedUser, verb: string, group: string): Right[] {
  const right = (resource: string, name: string, rest: Partial<Right> = {}): Right => {
    return { verb, group, resource, subresource: '', namespace: '', name, ...rest };
  };
  const [namespace, account] = serviceAccount(wanted.name) ?? [];
  const node = group === '' ? undefined : nodeName(wanted.name);
  const rights = [
    namespace !== undefined && account !== undefined
      ? right('serviceaccounts', account, { namespace })
      : node === undefined
        ? right('users', wanted.name)
        : right('nodes', node),
  ];
  if (wanted.uid !== '') rights.push(right('uids', wanted.uid, { group: IDENTITY_GROUP }));
  for (const name of wanted.groups) rights.push(right('groups', name));
  for (const [key, values] of wanted.extra) {
    for (const value of values) {
      rights.push(right('userextras', value, { group: IDENTITY_GROUP, subresource: key }));
    }
  }
  return rights;
}

/** Nodes and service accounts can be impersonated in these modes by their name alone. */
function constrainedMode({ name, uid, groups, extra }: WantedUser): string | undefined {
  const mode = nodeName(name) !== undefined ? 'arbitrary-node' : serviceAccount(name) ? 'serviceaccount' : 'user-info';
  const nameOnly = uid === '' && groups.length === 0 && extra.size === 0;
  return mode === 'user-info' || nameOnly ? mode : undefined;
}

function groupsOf({ name, groups }: WantedUser): string[] {
  const [namespace] = serviceAccount(name) ?? [];
  const given =
    namespace !== undefined && groups.length === 0
      ? ['system:serviceaccounts', `system:serviceaccounts:${namespace}`]
      : [...groups];
  if (name !== ANONYMOUS.name && given.includes(UNAUTHENTICATED)) return given;
  const needed = name === ANONYMOUS.name ? UNAUTHENTICATED : AUTHENTICATED;
  return given.includes(needed) ? given : [...given, needed];
}

function serviceAccount(name: string): [namespace: string, name: string] | undefined {
  const [, namespace, account] = /^system:serviceaccount:([^:]+):([^:]+)$/.exec(name) ?? [];
  return namespace !== undefined && account !== undefined ? [namespace, account] : undefined;
}

function nodeName(name: string): string | undefined {
  return /^system:node:(.+)$/.exec(name)?.[1];
}

/** `%#v` of what was asked for. */
function goText({ name, uid, groups, extra }: WantedUser): string {
  const list = (values: readonly string[]) => `[]string{${values.map(quote).join(', ')}}`;
  const entries = [...extra]
    .sort(([a], [b]) => (a < b ? -1 : 1))
    .map(([key, values]) => `${quote(key)}:${list(values)}`);
  const groupText = groups.length === 0 ? '[]string(nil)' : list(groups);
  const extraText = extra.size === 0 ? 'map[string][]string(nil)' : `map[string][]string{${entries.join(', ')}}`;
  return `&user.DefaultInfo{Name:${quote(name)}, UID:${quote(uid)}, Groups:${groupText}, Extra:${extraText}}`;
}
