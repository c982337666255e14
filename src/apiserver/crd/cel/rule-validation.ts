import { type FieldError, fieldErrorText } from '../../field-error.ts';
import { getKey, isObject, type JsonObject, type JsonValue, jsonEqual } from '../../json.ts';
import { goJson } from '../../table/go-text.ts';
import { childPath, indexPath, keyPath } from '../field-path.ts';
import { MapList } from '../map-list.ts';
import { additionalSchema, type Schema } from '../structural-schema.ts';
import { CelError } from './cel-error.ts';
import { evaluate, type Scope } from './evaluator.ts';
import { toCel } from './json-values.ts';
import { compileRule, type RuleProgram } from './rule-program.ts';
import { normalFieldPath } from './rule-rules.ts';
import { Optional } from './values.ts';

const MOST_MESSAGE_BYTES = 5 * 1024;
const BLOCKING = new Set([
  'FieldValueNotSupported',
  'FieldValueRequired',
  'FieldValueTooLong',
  'FieldValueTooMany',
  'FieldValueTypeInvalid',
]);

/** Said instead of evaluating rules on an object of the wrong shape; undefined when its shape is right. */
export function blockedRules(errors: readonly FieldError[]): FieldError | undefined {
  if (!errors.some(({ reason }) => BLOCKING.has(reason))) return undefined;
  const message =
    'Invalid value: null: some validation rules were not checked because the object was invalid; correct the existing errors to complete validation';
  return { reason: 'FieldValueInvalid', field: '<nil>', message };
}

const withRules = new WeakMap<Schema, boolean>();

/** Whether any rule stands in the schema. */
export function hasRules(schema: Schema | undefined): boolean {
  if (schema === undefined) return false;
  const known = withRules.get(schema);
  if (known !== undefined) return known;
  const inner = [...schema.properties.values(), schema.items, additionalSchema(schema)];
  const found = schema.rules.length > 0 || inner.some(hasRules);
  withRules.set(schema, found);
  return found;
}

/** The `x-kubernetes-validations` of one schema, compiled once. */
export class RuleValidator {
  readonly #schema: Schema;
  readonly #programs = new Map<Schema, readonly RuleProgram[]>();

  constructor(schema: Schema) {
    this.#schema = schema;
  }

  /**
   * What the rules say of an object, and of its change when `old` is given. Failures of parts that the update leaves as
   * they were are passed to `warn` instead.
   */
  validate(object: JsonObject, old: JsonObject | undefined, warn: (message: string) => void): FieldError[] {
    const run = new Run((schema, isRoot) => this.#programsOf(schema, isRoot), warn);
    run.value(object, old, this.#schema, '', true, old !== undefined, false);
    return run.errors;
  }

  #programsOf(schema: Schema, isRoot: boolean): readonly RuleProgram[] {
    const known = this.#programs.get(schema);
    if (known !== undefined) return known;
    const compiled = schema.rules.map((rule) => compileRule(rule, schema, isRoot));
    const programs = compiled.filter((program): program is RuleProgram => !('part' in program));
    this.#programs.set(schema, programs);
    return programs;
  }
}

type ProgramsOf = (schema: Schema, isRoot: boolean) => readonly RuleProgram[];

class Run {
  readonly errors: FieldError[] = [];
  readonly #programsOf: ProgramsOf;
  readonly #warn: (message: string) => void;

  constructor(programsOf: ProgramsOf, warn: (message: string) => void) {
    this.#programsOf = programsOf;
    this.#warn = warn;
  }

  /** `correlated` says whether `old` is what the value was before; `unchanged` that it lies in a part that stayed equal. */
  value(
    value: JsonValue | undefined,
    old: JsonValue | undefined,
    schema: Schema,
    path: string,
    isRoot: boolean,
    correlated: boolean,
    unchanged: boolean,
  ): void {
    if (value === undefined || value === null) return;
    const same = correlated && old !== undefined ? jsonEqual(old, value) : unchanged;
    for (const program of this.#programsOf(schema, isRoot)) {
      this.#rule(program, value, old ?? undefined, schema, path, isRoot, same);
    }
    if (Array.isArray(value)) this.#list(value, old, schema, path, correlated, same);
    else if (isObject(value)) this.#object(value, old, schema, path, correlated, same);
  }

  #list(
    value: readonly JsonValue[],
    old: JsonValue | undefined,
    schema: Schema,
    path: string,
    correlated: boolean,
    same: boolean,
  ): void {
    const { items } = schema;
    if (items === undefined || !hasRules(items)) return;
    const olds = new MapList(schema, old);
    for (const [index, item] of value.entries()) {
      const before = olds.find(item);
      this.value(item, before, items, indexPath(path, index), false, correlated && before !== undefined, same);
    }
  }

  #object(
    value: JsonObject,
    old: JsonValue | undefined,
    schema: Schema,
    path: string,
    correlated: boolean,
    same: boolean,
  ): void {
    const additional = additionalSchema(schema);
    for (const [key, item] of Object.entries(value)) {
      const property = schema.properties.get(key);
      const inner = property ?? additional;
      if (inner === undefined || !hasRules(inner)) continue;
      const before = isObject(old) ? getKey(old, key) : undefined;
      const at = property === undefined ? keyPath(path, key) : childPath(path, key);
      this.value(item, before, inner, at, inner.embeddedResource, correlated && before !== undefined, same);
    }
  }

  #rule(
    program: RuleProgram,
    value: JsonValue,
    old: JsonValue | undefined,
    schema: Schema,
    path: string,
    isRoot: boolean,
    same: boolean,
  ): void {
    if (program.usesOldSelf && old === undefined && !program.optionalOldSelf) return;
    const scope = scopeOf(program, value, old, schema, isRoot);
    const field = path === '' ? '<nil>' : path;
    const said = program.message || program.rule;
    try {
      if (evaluate(program.expression, scope) === true) return;
    } catch (error) {
      if (!(error instanceof CelError)) throw error;
      const detail = error.message.startsWith('no such overload')
        ? `'${error.message}': call arguments did not match a supported operator, function or macro signature for rule: ${said}`
        : `${error.message} evaluating rule: ${said}`;
      this.errors.push({
        reason: 'FieldValueInvalid',
        field,
        message: `Invalid value: ${JSON.stringify(schema.type)}: ${detail}`,
      });
      return;
    }
    const below = program.fieldPath === '' ? undefined : normalFieldPath(program.fieldPath, schema);
    const detail = messageOf(program, scope) ?? (program.message || `failed rule: ${program.rule}`);
    const error = failure(program.reason, below === undefined ? field : childPath(path, below), value, schema, detail);
    if (!program.usesOldSelf && same) this.#warn(fieldErrorText(error));
    else this.errors.push(error);
  }
}

function scopeOf(
  program: RuleProgram,
  value: JsonValue,
  old: JsonValue | undefined,
  schema: Schema,
  isRoot: boolean,
): Scope {
  const scope = new Map([['self', toCel(value, schema, isRoot)]]);
  if (!program.usesOldSelf && program.messageExpression === undefined) return scope;
  const before = old === undefined ? undefined : toCel(old, schema, isRoot);
  if (program.optionalOldSelf) scope.set('oldSelf', new Optional(before));
  else if (before !== undefined) scope.set('oldSelf', before);
  return scope;
}

/** A message that cannot be made, or would not fit, is replaced by the plain one. */
function messageOf({ messageExpression }: RuleProgram, scope: Scope): string | undefined {
  if (messageExpression === undefined) return undefined;
  try {
    const message = evaluate(messageExpression, scope);
    const text = typeof message === 'string' ? message.trim() : '';
    return text === '' || text.includes('\n') || Buffer.byteLength(text) > MOST_MESSAGE_BYTES ? undefined : text;
  } catch (error) {
    if (error instanceof CelError) return undefined;
    throw error;
  }
}

function failure(reason: string, field: string, value: JsonValue, schema: Schema, detail: string): FieldError {
  const isShown = schema.type !== 'object' && schema.type !== 'array';
  const shown = isShown ? `: ${typeof value === 'string' ? JSON.stringify(value) : goJson(value)}` : '';
  switch (reason) {
    case 'FieldValueForbidden':
      return { reason, field, message: `Forbidden: ${detail}` };
    case 'FieldValueRequired':
      return { reason, field, message: `Required value: ${detail}` };
    case 'FieldValueDuplicate':
      return { reason, field, message: `Duplicate value${shown}` };
    default:
      return { reason: 'FieldValueInvalid', field, message: `Invalid value${shown}: ${detail}` };
  }
}
