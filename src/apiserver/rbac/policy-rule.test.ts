import { describe, expect, it } from 'vitest';
import type { Attributes } from '../request/access.ts';
import { missingRights, type PolicyRule, rightsText, ruleAllows } from './policy-rule.ts';

const NOTHING: PolicyRule = { verbs: [], apiGroups: [], resources: [], resourceNames: [], nonResourceURLs: [] };
const rule = (part: Partial<PolicyRule>): PolicyRule => ({ ...NOTHING, ...part });
const pods = (part: Partial<PolicyRule> = {}) =>
  rule({ verbs: ['get'], apiGroups: [''], resources: ['pods'], ...part });
const wanted = (part: Partial<Attributes> = {}): Attributes => ({
  verb: 'get',
  group: '',
  resource: 'pods',
  subresource: '',
  namespace: 'default',
  name: 'a',
  ...part,
});
const path = (text: string, verb = 'get'): Attributes => wanted({ resource: '', path: text, verb });
const paths = (...nonResourceURLs: string[]) => rule({ verbs: ['get'], nonResourceURLs });

describe('a rule of a role', () => {
  const CASES: [string, PolicyRule, Attributes, boolean][] = [
    ['allows what it names', pods(), wanted(), true],
    ['allows no other verb', pods(), wanted({ verb: 'list' }), false],
    ['allows no other group', pods(), wanted({ group: 'apps' }), false],
    ['allows no other resource', pods(), wanted({ resource: 'secrets' }), false],
    ['allows no subresource', pods(), wanted({ subresource: 'log' }), false],
    ['allows a subresource, and not the whole', pods({ resources: ['pods/log'] }), wanted(), false],
    ['allows a subresource by name', pods({ resources: ['pods/log'] }), wanted({ subresource: 'log' }), true],
    ['allows one subresource of all kinds', pods({ resources: ['*/log'] }), wanted({ subresource: 'log' }), true],
    ['allows no other subresource of them', pods({ resources: ['*/log'] }), wanted({ subresource: 'exec' }), false],
    ['allows everything by stars', pods({ verbs: ['*'], apiGroups: ['*'], resources: ['*'] }), wanted(), true],
    ['allows an object by name', pods({ resourceNames: ['b', 'a'] }), wanted(), true],
    ['allows no other object', pods({ resourceNames: ['b'] }), wanted(), false],
    [
      'allows no list of named ones',
      pods({ verbs: ['list'], resourceNames: ['b'] }),
      wanted({ verb: 'list', name: '' }),
      false,
    ],
    ['allows a path', paths('/healthz'), path('/healthz'), true],
    ['allows no longer path', paths('/healthz'), path('/healthz/etcd'), false],
    ['allows the paths below one', paths('/healthz/*'), path('/healthz/etcd'), true],
    ['allows no path beside one', paths('/healthz/*'), path('/healthz'), false],
    ['allows all paths by a star', paths('*'), path('/metrics'), true],
    ['allows a path to one verb', paths('*'), path('/metrics', 'post'), false],
    ['about resources says nothing of paths', pods({ resources: ['*'] }), path('/metrics'), false],
    ['about paths says nothing of resources', paths('*'), wanted(), false],
  ];
  it.each(CASES)('%s', (_what, one, request, allowed) => {
    expect(ruleAllows(one, request)).toBe(allowed);
  });
});

describe('rights that somebody wants to give away', () => {
  const missing = (held: PolicyRule[], wants: PolicyRule[]) => rightsText(missingRights(held, wants));

  it('are held when any of the rules covers each single one', () => {
    const held = [pods({ verbs: ['get', 'list'] }), pods({ resources: ['secrets'] })];
    expect(missing(held, [pods({ resources: ['pods', 'secrets'] })])).toBe('');
    expect(missing(held, [pods({ verbs: ['list'], resources: ['pods', 'secrets'] })])).toBe(
      '{APIGroups:[""], Resources:["secrets"], Verbs:["list"]}',
    );
  });

  it('to all objects are not held by who holds them to some', () => {
    const held = [pods({ resourceNames: ['a'] })];
    expect(missing(held, [pods({ resourceNames: ['a'] })])).toBe('');
    expect(missing(held, [pods()])).toBe('{APIGroups:[""], Resources:["pods"], Verbs:["get"]}');
    expect(missing(held, [pods({ resourceNames: ['a', 'b'] })])).toBe(
      '{APIGroups:[""], Resources:["pods"], ResourceNames:["b"], Verbs:["get"]}',
    );
  });

  it('by a star are held by a star alone', () => {
    expect(missing([pods({ resources: ['pods', 'secrets'] })], [pods({ resources: ['*'] })])).not.toBe('');
    expect(missing([pods({ resources: ['*'] })], [pods({ resources: ['*', 'pods/log'] })])).toBe('');
    expect(missing([pods({ resources: ['*/log'] })], [pods({ resources: ['pods/log'] })])).toBe('');
    expect(missing([pods({ resources: ['*/log'] })], [pods({ resources: ['pods/exec'] })])).not.toBe('');
  });

  it('to paths are held by those who hold the paths above', () => {
    expect(missing([paths('/a/*')], [paths('/a/b', '/a/*')])).toBe('');
    expect(missing([paths('/a/*')], [paths('/a', '/b')])).toBe(
      '{NonResourceURLs:["/a"], Verbs:["get"]}\n{NonResourceURLs:["/b"], Verbs:["get"]}',
    );
  });

  it('are named by resource, with all verbs that are missing of it', () => {
    expect(missing([], [pods({ verbs: ['get', 'list'], resources: ['pods', 'nodes'] })])).toBe(
      '{APIGroups:[""], Resources:["nodes"], Verbs:["get" "list"]}\n{APIGroups:[""], Resources:["pods"], Verbs:["get" "list"]}',
    );
  });
});
