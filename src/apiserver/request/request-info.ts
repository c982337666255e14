/** What a request is about, read from its path as kube-apiserver's `RequestInfo`. */
export interface RequestInfo {
  readonly isResource: boolean;
  /** get, list, watch, create, update, patch, delete, deletecollection; the lower-case method for other paths. */
  readonly verb: string;
  readonly group: string;
  readonly version: string;
  readonly namespace: string;
  readonly resource: string;
  readonly subresource: string;
  readonly name: string;
}

const VERB_OF_METHOD: Readonly<Record<string, string>> = {
  POST: 'create',
  GET: 'get',
  HEAD: 'get',
  PUT: 'update',
  PATCH: 'patch',
  DELETE: 'delete',
};

const NAMESPACE_SUBRESOURCES = new Set(['status', 'finalize']);

/**
 * The path that everything behind it sees: access rules, handlers and faults. It is decoded once and as a whole, so that
 * an encoded slash is a slash to all of them. Undefined when it is not valid percent-encoding.
 */
export function decodePath(path: string): string | undefined {
  try {
    return decodeURIComponent(path);
  } catch {
    return undefined;
  }
}

/** The segments of a decoded path, without the slashes around it. */
export function splitPath(path: string): string[] {
  let start = 0;
  let end = path.length;
  while (path[start] === '/') start++;
  while (end > start && path[end - 1] === '/') end--;
  return start === end ? [] : path.slice(start, end).split('/');
}

/** `path` is decoded. */
export function requestInfo(method: string, path: string, query: URLSearchParams): RequestInfo {
  const nothing: RequestInfo = {
    isResource: false,
    verb: method.toLowerCase(),
    group: '',
    version: '',
    namespace: '',
    resource: '',
    subresource: '',
    name: '',
  };
  const parts = splitPath(path);
  if (parts.length < 3 || (parts[0] !== 'api' && parts[0] !== 'apis')) return nothing;
  const core = parts[0] === 'api';
  if (!core && parts.length < 4) return nothing;
  const group = core ? '' : (parts[1] ?? '');
  const version = parts[core ? 1 : 2] ?? '';
  let rest = parts.slice(core ? 2 : 3);
  const watchPath = rest[0] === 'watch' && rest.length > 1;
  if (watchPath) rest = rest.slice(1);

  let namespace = '';
  if (rest[0] === 'namespaces' && rest.length > 1) {
    namespace = rest[1] ?? '';
    if (rest.length > 2 && !NAMESPACE_SUBRESOURCES.has(rest[2] ?? '')) rest = rest.slice(2);
  }
  const [resource = '', name = '', subresource = ''] = rest;
  const verb = watchPath ? 'watch' : verbOf(method, name, query);
  return {
    isResource: true,
    verb,
    group,
    version,
    namespace,
    resource,
    subresource,
    name,
  };
}

function verbOf(method: string, name: string, query: URLSearchParams): string {
  const verb = VERB_OF_METHOD[method] ?? '';
  if (name !== '') return verb;
  if (verb === 'get') return queryBool(query, 'watch') ? 'watch' : 'list';
  return verb === 'delete' ? 'deletecollection' : verb;
}

/** As the server reads flags: present and neither `false` nor `0` is true. */
export function queryBool(query: URLSearchParams, name: string): boolean | undefined {
  const value = query.get(name);
  if (value === null) return undefined;
  return !['false', '0'].includes(value.toLowerCase());
}
