import type { Mutant } from './mutant.ts';

const RULES = 'src/apiserver/rbac/policy-rule.test.ts';
const RBAC = 'src/apiserver/rbac/rbac.test.ts';
const QUOTAS = 'src/apiserver/admission/limits-and-quotas.test.ts';
const POLICIES = 'src/apiserver/admission/policy/validating-policies.test.ts';
const WEBHOOKS = 'src/testing/webhook-server.test.ts';
const CONVERSIONS = 'src/testing/conversion-webhook.test.ts';
const CONVERTER = 'src/apiserver/crd/conversion/webhook-converter.test.ts';
const DOCUMENTS = 'src/apiserver/wire/protobuf-document.test.ts';
const ANSWERS = 'src/apiserver/handlers/protobuf-answers.test.ts';
const STORAGE = 'src/apiserver/storage/storage.test.ts';
const SORTED = 'src/apiserver/storage/sorted-map.test.ts';
const WATCHES = 'src/apiserver/handlers/watch-handler.test.ts';
const LISTS = 'src/apiserver/handlers/list.test.ts';
const WRITES = 'src/apiserver/writes.test.ts';
const BAD_INPUT = 'src/apiserver/bad-input.test.ts';
const SCALES = 'src/apiserver/handlers/scale.test.ts';
const SCALE_OWNERS = 'src/apiserver/apply/scale-managers.test.ts';
const REFUSALS = 'src/apiserver/kinds/refusals.test.ts';
const DELETIONS = 'src/apiserver/deletion.test.ts';

export const APISERVER_MUTANTS: readonly Mutant[] = [
  {
    bug: 'a right to one object is a right to all',
    file: 'src/apiserver/rbac/policy-rule.ts',
    original: '(rule.resourceNames.length === 0 || rule.resourceNames.includes(name))',
    replacement: '(rule.resourceNames.length >= 0 || rule.resourceNames.includes(name))',
    tests: [RULES],
  },
  {
    bug: 'a right to a resource is a right to its subresources',
    file: 'src/apiserver/rbac/policy-rule.ts',
    original: "const combined = subresource === '' ? resource : `${resource}/${subresource}`;",
    replacement: 'const combined = resource;',
    tests: [RULES],
  },
  {
    bug: 'a right to a path is a right to what begins like it',
    file: 'src/apiserver/rbac/policy-rule.ts',
    original: "(pattern.endsWith('*') && path.startsWith(",
    replacement: '(path.startsWith(',
    tests: [RULES],
  },
  {
    bug: 'who holds a right to some objects may give it away to all',
    file: 'src/apiserver/rbac/policy-rule.ts',
    original: '    names &&\n',
    replacement: '    (names || true) &&\n',
    tests: [RULES],
  },
  {
    bug: 'a binding of one namespace counts in the others',
    file: 'src/apiserver/rbac/rule-resolver.ts',
    original: "rolebindings.objects.values('', `${namespace}/`)",
    replacement: 'rolebindings.objects.values()',
    tests: [RBAC],
  },
  {
    bug: 'service accounts of the same name are one',
    file: 'src/apiserver/rbac/rule-resolver.ts',
    original: 'user.name === `system:serviceaccount:${where}:${name}`',
    replacement: 'user.name.endsWith(`:${name}`)',
    tests: [RBAC],
  },
  {
    bug: 'whoever may update a role may add rights to it',
    file: 'src/apiserver/rbac/escalation.ts',
    original: 'if (old && isBookkeeping(object, old)) return;',
    replacement: 'if (old) return;',
    tests: [RBAC],
  },
  {
    bug: 'a role may be bound by who does not have its rights',
    file: 'src/apiserver/rbac/escalation.ts',
    original: '    this.#demand(request, rules);\n',
    replacement: '',
    tests: [RBAC],
  },
  {
    bug: 'who may bind one role may bind them all',
    file: 'src/apiserver/rbac/escalation.ts',
    original: 'resource: plural, name: role.name }',
    replacement: "resource: plural, name: 'one' }",
    tests: [RBAC],
  },
  {
    bug: 'everybody may aggregate roles',
    file: 'src/apiserver/rbac/escalation.ts',
    original: 'if (!hasAggregation(object) && !hasAggregation(old)) return;',
    replacement: 'if (!hasAggregation(old)) return;',
    tests: [RBAC],
  },
  {
    bug: 'a quota gives away one more than it has',
    file: 'src/apiserver/admission/resource-quota.ts',
    original: '(after.get(name)?.nanos ?? 0n) > limit.nanos',
    replacement: '(used.get(name)?.nanos ?? 0n) > limit.nanos',
    tests: [QUOTAS],
  },
  {
    bug: 'an update is charged for what was there before it',
    file: 'src/apiserver/admission/resource-quota.ts',
    original: '? increase(usage, kind.usage(before, nowMs)) : usage',
    replacement: '? usage : usage',
    tests: [QUOTAS],
  },
  {
    bug: 'a dry run is charged',
    file: 'src/apiserver/admission/admission.ts',
    original: '    if (request.dryRun) return;\n',
    replacement: '',
    tests: [QUOTAS],
  },
  {
    bug: 'a LimitRange overwrites what a container asks for',
    file: 'src/apiserver/admission/limit-ranger.ts',
    original: 'Object.keys(defaults).filter((name) => present[name] === undefined)',
    replacement: 'Object.keys(defaults)',
    tests: [QUOTAS],
  },
  {
    bug: 'a webhook that may fail stops the request',
    file: 'src/apiserver/admission/webhook/webhooks.ts',
    original: "if (spec.failurePolicy !== 'Ignore') throw internalError(message);",
    replacement: "if (spec.failurePolicy !== '') throw internalError(message);",
    tests: [WEBHOOKS],
  },
  {
    bug: 'the answer to another review counts',
    file: 'src/apiserver/admission/webhook/admission-review.ts',
    original: 'if (asString(response.uid) !== uid) {',
    replacement: "if (asString(response.uid) === '') {",
    tests: ['src/apiserver/admission/webhook/admission-review.test.ts'],
  },
  {
    bug: 'a webhook that hangs is waited for',
    file: 'src/apiserver/admission/webhook/webhook-client.ts',
    original: '() => call.abort(), timeoutSeconds * 1000',
    replacement: '() => call.abort(), timeoutSeconds * 1_000_000',
    tests: [WEBHOOKS],
  },
  {
    bug: 'what was written while a webhook was asked is overwritten',
    file: 'src/apiserver/storage/object-writer.ts',
    original: 'if (table.objects.get(existing.key) !== existing) return undefined;',
    replacement: 'if (!table.objects.has(existing.key)) return undefined;',
    tests: [WEBHOOKS],
  },
  {
    bug: 'an expression that fails lets the request pass',
    file: 'src/apiserver/admission/policy/validating-policies.ts',
    original: '      if (error !== undefined) return failed(error);\n      return value',
    replacement: '      if (error !== undefined) return [];\n      return value',
    tests: [POLICIES],
  },
  {
    bug: 'admission matches the version of the request alone',
    file: 'src/apiserver/admission/policy/policy-matching.ts',
    original: "matchResources.matchPolicy === 'Exact' ? [request.resource] : [request.resource, ...others()]",
    replacement: '[request.resource]',
    tests: [CONVERSIONS],
  },
  {
    bug: 'what a webhook made in another version is stored as it is',
    file: 'src/apiserver/admission/versioned-request.ts',
    original: 'const changed = yield* this.#converted(version, resource, after);',
    replacement: 'const changed = after;',
    tests: [CONVERSIONS],
  },
  {
    bug: 'maps are written in the order in which they came',
    file: 'src/apiserver/wire/message-writer.ts',
    original: 'Object.keys(map).sort().reverse()',
    replacement: 'Object.keys(map).reverse()',
    tests: [DOCUMENTS],
  },
  {
    bug: 'what is zero is not written',
    file: 'src/apiserver/wire/message-writer.ts',
    original: 'if (value === undefined || value === null) writer.raw(absent);',
    replacement: 'if (value === undefined || value === null) return;',
    tests: [DOCUMENTS],
  },
  {
    bug: 'the length of a frame counts itself',
    file: 'src/apiserver/wire/protobuf-document.ts',
    original: 'writer.uint32BE(writer.size);',
    replacement: 'writer.uint32BE(writer.size + 4);',
    tests: [DOCUMENTS],
  },
  {
    bug: 'what is written is lost when the writer grows',
    file: 'src/apiserver/wire/wire-writer.ts',
    original: '    this.#bytes.copy(larger, start, this.#start);\n',
    replacement: '',
    tests: [DOCUMENTS],
  },
  {
    bug: 'microseconds are left out of protobuf',
    file: 'src/apiserver/wire/scalar-writers.ts',
    original: 'writeTime(writer, value, nanosOf(value))',
    replacement: 'writeTime(writer, value, 0)',
    tests: [DOCUMENTS],
  },
  {
    bug: 'a list in protobuf says less than its length',
    file: 'src/apiserver/wire/protobuf-document.ts',
    original: '  writer.varint(size);\n',
    replacement: '  writer.varint(size - 1);\n',
    tests: [ANSWERS],
  },
  {
    bug: 'a deleted object keeps its last revision',
    file: 'src/apiserver/storage/storage.ts',
    original: 'const last = previous.at(revision);',
    replacement: 'const last = previous;',
    tests: [STORAGE, WATCHES],
  },
  {
    bug: 'a compaction leaves the revision that it names',
    file: 'src/apiserver/storage/storage.ts',
    original: 'if (revision < this.#compacted) throw expired(',
    replacement: 'if (revision < this.#compacted - 1) throw expired(',
    tests: [STORAGE, LISTS],
  },
  {
    bug: 'a page of the past shows what was created since',
    file: 'src/apiserver/storage/storage.ts',
    original: 'table.objects.values(from, prefix).filter((object) => !undone.has(object.key))',
    replacement: 'table.objects.values(from, prefix).filter((object) => undone.get(object.key) === undefined)',
    tests: [STORAGE, LISTS],
  },
  {
    bug: 'one namespace is listed with those whose names begin like it',
    file: 'src/apiserver/storage/sorted-map.ts',
    original: 'if (!whole && !(chunk.keys[index] as string).startsWith(prefix)) return found;',
    replacement: '',
    tests: [SORTED],
  },
  {
    bug: 'an update of an older version wins',
    file: 'src/apiserver/storage/object-writer.ts',
    original: 'if (version !== String(existing.revision)) throw',
    replacement: 'if (Number(version) > existing.revision) throw',
    tests: [WRITES],
  },
  {
    bug: 'finalizers do not hold an object',
    file: 'src/apiserver/storage/object-deleter.ts',
    original: 'const held = finalizersOf(object).length > 0;',
    replacement: 'const held = finalizersOf(object).length > 1;',
    tests: [DELETIONS],
  },
  {
    bug: 'a converted object may be another one',
    file: 'src/apiserver/crd/conversion/converted-object.ts',
    original: "    ['uid', 'UID'],\n",
    replacement: '',
    tests: [CONVERTER],
  },
  {
    bug: 'a conversion may change all metadata',
    file: 'src/apiserver/crd/conversion/converted-object.ts',
    original: 'return { ...converted, metadata };',
    replacement: 'return { ...converted, metadata: { ...metadata, ...metadataOf(converted) } };',
    tests: [CONVERTER],
  },
  {
    bug: 'a conversion that failed once is not tried again',
    file: 'src/apiserver/storage/outside-conversion.ts',
    original: '() => this.#known.delete(stored),',
    replacement: '() => {},',
    tests: [CONVERSIONS],
  },
  {
    bug: 'objects are read as the version that is stored now',
    file: 'src/apiserver/storage/outside-conversion.ts',
    original: 'this.#outside.fromStorage(stored.decode(), stored.apiVersion)',
    replacement: 'this.#outside.fromStorage(stored.decode(), this.#version.table.storageVersion)',
    tests: [CONVERSIONS],
  },
  {
    bug: 'a watch goes on after a conversion has failed',
    file: 'src/apiserver/handlers/converted-watch.ts',
    original: '      if (error instanceof StatusError) stream.fail(error.status);\n      this.end();\n',
    replacement: '',
    tests: [CONVERSIONS],
  },
  {
    bug: 'who scales an object does not take the replicas from their owners',
    file: 'src/apiserver/apply/scale-managers.ts',
    original: 'const fields = entry.fields.difference(FieldSet.of(path));',
    replacement: 'const fields = entry.fields;',
    tests: [SCALE_OWNERS, SCALES],
  },
  {
    bug: 'an empty body is an object',
    file: 'src/apiserver/request/body.ts',
    original: '    throw new Error(goJsonProblem(text), { cause: error });',
    replacement: "    if (text === '') return {};\n    throw new Error(goJsonProblem(text), { cause: error });",
    tests: [BAD_INPUT],
  },
  {
    bug: 'a limit range may ask for more than it allows',
    file: 'src/apiserver/kinds/limit-range.ts',
    original: 'if (!less || !more || less.nanos <= more.nanos) continue;',
    replacement: 'if (!less || !more || less.nanos >= more.nanos) continue;',
    tests: [REFUSALS],
  },
  {
    bug: 'a metric may have several sources',
    file: 'src/apiserver/kinds/metric-rules.ts',
    original: '  if (present.length === 1) return errors;',
    replacement: '  if (present.length >= 1) return errors;',
    tests: [REFUSALS],
  },
  {
    bug: 'two files of a projected volume may have one path',
    file: 'src/apiserver/kinds/projected-volume.ts',
    original: "if (path !== '' && paths.has(path)) errors",
    replacement: "if (path === '' && paths.has(path)) errors",
    tests: [REFUSALS],
  },
  {
    bug: 'a variable that refers to its first value is taken for one that hides it',
    file: 'src/apiserver/kinds/pod-warnings.ts',
    original: '|| !text.includes(reference))',
    replacement: '|| text.includes(reference))',
    tests: [REFUSALS],
  },
];
