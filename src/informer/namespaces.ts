import { checkNamespace } from '../api/resource.ts';

const LEAVE_OUT = 'leave namespace out for all namespaces';

/** Each namespace once; undefined: all. Throws a `TypeError` for an empty list, and for what cannot be a namespace. */
export function wantedNamespaces(namespace: string | readonly string[] | undefined): readonly string[] | undefined {
  if (namespace === undefined) return undefined;
  const wanted = Array.isArray(namespace) ? [...new Set<string>(namespace)] : [namespace as string];
  if (wanted.length === 0) throw new TypeError(`namespace is an empty list, which names no namespace: ${LEAVE_OUT}`);
  for (const one of wanted) {
    if (one === '') throw new TypeError(`namespace is "", which is not a namespace: ${LEAVE_OUT}`);
    checkNamespace(one);
  }
  return wanted;
}
