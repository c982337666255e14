import type { Mutant } from './mutant.ts';

const SYNC = 'src/informer/factory-sync.test.ts';
const SCOPE = 'src/informer/discovered-scope.test.ts';
const PRESENCE = 'src/informer/group-presence.test.ts';
const NAMESPACES = 'src/informer/namespaces.test.ts';
const CLOSE = 'src/informer/cluster-close.test.ts';
const CALLBACKS = 'src/informer/factory-callbacks.test.ts';
const MAP = 'src/informer/resource-map.test.ts';
const CLIENT = 'src/cluster/client.test.ts';
const RESOURCE = 'src/api/resource.test.ts';

export const FACTORY_MUTANTS: readonly Mutant[] = [
  {
    bug: 'a namespace that would change the path is sent',
    file: 'src/api/resource.ts',
    original: "parts.push('namespaces', checkNamespace(options.namespace));",
    replacement: "parts.push('namespaces', options.namespace);",
    tests: [RESOURCE, CLIENT],
  },
  {
    bug: 'the group of a hand-made token may change the path',
    file: 'src/api/resource.ts',
    original: "['apis', typeSegment(group)]",
    replacement: "['apis', group]",
    tests: [RESOURCE],
  },
  {
    bug: 'an empty list of namespaces watches all of them',
    file: 'src/informer/coverage.ts',
    original: 'if (wanted.length === 0) throw',
    replacement: 'if (wanted.length < 0) throw',
    tests: [NAMESPACES],
  },
  {
    bug: 'the namespaces of a cluster-scoped informer are not looked at',
    file: 'src/informer/informer-origin.ts',
    original: 'const wanted = origin.namespaces ?? wantedNamespaces(origin.namespace);',
    replacement:
      'const wanted = origin.namespaces ?? (resource.namespaced ? wantedNamespaces(origin.namespace) : undefined);',
    tests: [NAMESPACES],
  },
  {
    bug: 'a selection takes an empty namespace',
    file: 'src/informer/derived-informer.ts',
    original: '    wantedNamespaces(namespace);\n',
    replacement: '    if (namespace) wantedNamespaces(namespace);\n',
    tests: [NAMESPACES],
  },
  {
    bug: 'waitFor an object of another namespace resolves at once',
    file: 'src/informer/informer-waits.ts',
    original: "? this.#partsOf(version.metadata?.namespace ?? '', version.metadata?.name)",
    replacement: "? parts.of(version.metadata?.namespace ?? '')",
    tests: [NAMESPACES],
  },
  {
    bug: 'a cluster-scoped type is listed once for each namespace',
    file: 'src/informer/coverage.ts',
    original: 'return scope.namespaced === false && !isFirst();',
    replacement: 'return false;',
    tests: [SCOPE],
  },
  {
    bug: 'a part sends requests before it knows whether it is spare',
    file: 'src/informer/informer-part.ts',
    original: '      if (this.coverage.isSpare) await stopped;\n',
    replacement: '',
    tests: [SCOPE],
  },
  {
    bug: 'the version of a store waits for the parts that are spare',
    file: 'src/informer/informer-parts.ts',
    original: 'part.coverage.isSpare && this.#versions.leave(version)',
    replacement: 'part.coverage.isSpare',
    tests: [SCOPE],
  },
  {
    bug: 'waitFor a version waits for the parts that are spare',
    file: 'src/informer/informer-part.ts',
    original: 'Promise.race([(spare ?? reached).then(',
    replacement: 'Promise.race([reached.then(',
    tests: [SCOPE],
  },
  {
    bug: 'the scope is taken from an old answer of the server',
    file: 'src/informer/discovered-scope.ts',
    original: 'this.#presence.find(this.#resource, { isNew: true, signal })',
    replacement: 'this.#presence.find(this.#resource, { signal })',
    tests: [SCOPE],
  },
  {
    bug: 'a type that comes back with another scope is listed as before',
    file: 'src/informer/discovered-scope.ts',
    original: 'if (this.#namespaced === undefined || this.#namespaced === namespaced) return undefined;',
    replacement: 'return undefined;',
    tests: [SCOPE],
  },
  {
    bug: 'every token of the wrong scope is warned of again and again',
    file: 'src/informer/informer-origin.ts',
    original: '    isTold = true;\n',
    replacement: '',
    tests: [SCOPE],
  },
  {
    bug: 'a failure of discovery is kept for five seconds',
    file: 'src/informer/group-presence.ts',
    original: 'if (this.#answers.get(path) === answer) this.#answers.delete(path);',
    replacement: 'answer.isOpen = false;',
    tests: [PRESENCE],
  },
  {
    bug: 'the accessors make tokens of their own',
    file: 'src/generated/resources.ts',
    original: 'return expand().tokens[indexOf(group, version, plural)];',
    replacement:
      'const found = expand().tokens[indexOf(group, version, plural)];\n  return found && defineResource(found);',
    tests: [SYNC],
  },
  {
    bug: 'the map of resources compares tokens by identity',
    file: 'src/informer/resource-map.ts',
    original: 'return this.#tokens.get(resourceName(resource)) ?? resource;',
    replacement: 'return resource;',
    tests: [MAP, SYNC],
  },
  {
    bug: 'a deleted resource leaves its token in the map',
    file: 'src/informer/resource-map.ts',
    original: '    this.#tokens.delete(resourceName(token));\n',
    replacement: '',
    tests: [MAP],
  },
  {
    bug: 'the last of several informers of a resource decides whether it has synced',
    file: 'src/informer/shared-informer-factory.ts',
    original: '(synced.get(resource) ?? true) && (informer?.hasSynced() ?? hadSynced)',
    replacement: 'informer?.hasSynced() ?? hadSynced',
    tests: [SYNC],
  },
  {
    bug: 'a stopped informer is given out again',
    file: 'src/informer/shared-informer-factory.ts',
    original: 'if (known && (isOver || !known.isStopped())) return',
    replacement: 'if (known) return',
    tests: [SYNC],
  },
  {
    bug: 'the factory keeps the cache of a stopped informer',
    file: 'src/informer/factory-entries.ts',
    original: '    entry.informer = undefined;\n',
    replacement: '',
    tests: [SYNC],
  },
  {
    bug: 'an informer that is asked for after the shutdown waits forever',
    file: 'src/informer/shared-informer-factory.ts',
    original: '    if (isOver) void informer.stop();\n',
    replacement: '',
    tests: [SYNC],
  },
  {
    bug: 'start runs an informer that has stopped',
    file: 'src/informer/shared-informer-factory.ts',
    original: 'if (entry.started || !informer || informer.isStopped()) continue;',
    replacement: 'if (entry.started || !informer) continue;',
    tests: [SYNC],
  },
  {
    bug: 'cluster.close leaves the informers running',
    file: 'src/cluster/cluster.ts',
    original: '    this.#closing.abort();\n',
    replacement: '',
    tests: [CLOSE],
  },
  {
    bug: 'an informer leaves its listener on the cluster',
    file: 'src/informer/shared-index-informer.ts',
    original: '      forgetClosed();\n',
    replacement: '',
    tests: [CLOSE],
  },
  {
    bug: 'a closed transport is tried forever',
    file: 'src/informer/informer-origin.ts',
    original: "if (error instanceof TransportError && error.kind === 'closed') onClosed();",
    replacement: "if (error instanceof TransportError && error.kind === 'other') onClosed();",
    tests: [CLOSE],
  },
  {
    bug: 'an async tweakListOptions drops the options',
    file: 'src/reflector/resource-lister-watcher.ts',
    original: 'if (isPromise(returned)) {',
    replacement: 'if (returned === isPromise) {',
    tests: [CALLBACKS],
  },
  {
    bug: 'the promise of an async transform is stored',
    file: 'src/informer/transform.ts',
    original: 'if (isPromise(object)) {',
    replacement: 'if (isPromise(undefined)) {',
    tests: [CALLBACKS],
  },
  {
    bug: 'the failure of a callback that must not be async ends the process',
    file: 'src/api/promise-like.ts',
    original: '  Promise.resolve(returned).catch(() => {});\n',
    replacement: '',
    tests: ['src/api/promise-like.test.ts'],
  },
  {
    bug: 'apply without a field manager is sent',
    file: 'src/cluster/client.ts',
    original: 'if ((options.fieldManager ?? this.#options.fieldManager) === undefined) {',
    replacement: 'if (options.fieldManager === null) {',
    tests: [CLIENT],
  },
  {
    bug: 'the field manager of the cluster wins over that of the call',
    file: 'src/cluster/client.ts',
    original: 'checkFieldManager(options.fieldManager) ?? this.#options.fieldManager;',
    replacement: 'this.#options.fieldManager ?? checkFieldManager(options.fieldManager);',
    tests: [CLIENT],
  },
  {
    bug: 'the length of a field manager is counted in characters',
    file: 'src/cluster/field-manager.ts',
    original: 'Buffer.byteLength(name) <= MAX_BYTES',
    replacement: 'name.length <= MAX_BYTES',
    tests: [CLIENT],
  },
  {
    bug: 'a call that waits for another attempt outlives its cluster',
    file: 'src/cluster/api-requests.ts',
    original: 'const forgetClosed = onAbort(closed, () => {',
    replacement: 'const forgetClosed = onAbort(closed && undefined, () => {',
    tests: [CLIENT],
  },
  {
    bug: 'a forwarded port outlives its cluster',
    file: 'src/cluster/pods/port-forward-server.ts',
    original: '[parts.signal, parts.closed].map(',
    replacement: '[parts.signal].map(',
    tests: ['src/cluster/pods/pods.test.ts'],
  },
  {
    bug: 'what is asked for after the start stays empty without a word',
    file: 'src/informer/shared-informer-factory.ts',
    original: 'else if (this.#hasStarted) schedulerOf',
    replacement: 'else if (!this.#hasStarted) schedulerOf',
    tests: ['src/informer/option-check.test.ts'],
  },
];
