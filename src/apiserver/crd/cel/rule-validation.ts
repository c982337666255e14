import { type FieldError, fieldErrorText } from '../../request/field-error.ts';
import { goJson } from '../../table/go-number.ts';
import { getKey, isObject, type JsonObject, type JsonValue, jsonEqual } from '../../values/json.ts';
import { childPath, indexPath, keyPath } from '../child-path.ts';
import { MapList } from '../map-list.ts';
import { additionalSchema, type Schema } from '../structural-schema.ts';
import { CelError } from './cel-error.ts';
import { CostExceeded, Meter } from './cost/meter.ts';
import { evaluate } from './evaluator.ts';
import type { Expression } from './expression.ts';
import { toCel } from './json-values.ts';
import { compileRule, type RuleProgram } from './rule-program.ts';
import { normalFieldPath } from './rule-rules.ts';
import { Scope } from './scope.ts';
import { type CelValue, Optional } from './values.ts';

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

/** What the rules of one object may cost together. */
const OBJECT_BUDGET = 10_000_000;

/** The `x-kubernetes-validations` of one schema, compiled once. */
export class RuleValidator {
  readonly #schema: Schema;
  readonly #programs = new Map<Schema, readonly RuleProgram[]>();

  constructor(schema: Schema) {
    this.#schema = schema;
  }

  /**
   * What the rules say of an object, and of its change when `old` is given. Failures of parts that the update leaves as
   * they were are passed to `warn` instead. Rules that cost too much are an error, after which no further rule is evaluated.
   */
  validate(object: JsonObject, old: JsonObject | undefined, warn: (message: string) => void): FieldError[] {
    const run = new Run((schema, isRoot) => this.#programsOf(schema, isRoot), warn);
    run.value(object, old, this.#schema, '', true, old === undefined ? undefined : new Correlation(object, old));
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

/** A value and what it was before the update; they are compared at most once, when a rule has failed. */
class Correlation {
  readonly #value: JsonValue;
  readonly #old: JsonValue;
  #isSame: boolean | undefined;

  constructor(value: JsonValue, old: JsonValue) {
    this.#value = value;
    this.#old = old;
  }

  get isSame(): boolean {
    this.#isSame ??= jsonEqual(this.#old, this.#value);
    return this.#isSame;
  }
}

class Run {
  readonly errors: FieldError[] = [];
  readonly #programsOf: ProgramsOf;
  readonly #warn: (message: string) => void;
  /** What the object's rules may still cost; negative when no further rule may be evaluated. */
  #budget = OBJECT_BUDGET;

  constructor(programsOf: ProgramsOf, warn: (message: string) => void) {
    this.#programsOf = programsOf;
    this.#warn = warn;
  }

  /** `nearest` is the correlation of the value, or of the nearest value around it that has one. */
  value(
    value: JsonValue | undefined,
    old: JsonValue | undefined,
    schema: Schema,
    path: string,
    isRoot: boolean,
    nearest: Correlation | undefined,
  ): void {
    if (value === undefined || value === null) return;
    const programs = this.#programsOf(schema, isRoot);
    if (programs.length > 0) {
      const ruled = new RuledValue(value, old ?? undefined, schema, path, isRoot);
      if (this.#budget <= 0) this.#stop(ruled, OUT_OF_BUDGET);
      for (const program of programs) if (this.#budget >= 0) this.#rule(program, ruled, nearest);
    }
    if (Array.isArray(value)) this.#list(value, old, schema, path, nearest);
    else if (isObject(value)) this.#object(value, old, schema, path, nearest);
  }

  #list(
    value: readonly JsonValue[],
    old: JsonValue | undefined,
    schema: Schema,
    path: string,
    nearest: Correlation | undefined,
  ): void {
    const { items } = schema;
    if (items === undefined || !hasRules(items)) return;
    const olds = new MapList(schema, old);
    for (const [index, item] of value.entries()) {
      if (this.#budget < 0) return;
      const before = olds.find(item);
      const correlation = before === undefined ? nearest : new Correlation(item, before);
      this.value(item, before, items, indexPath(path, index), items.embeddedResource, correlation);
    }
  }

  #object(
    value: JsonObject,
    old: JsonValue | undefined,
    schema: Schema,
    path: string,
    nearest: Correlation | undefined,
  ): void {
    const additional = additionalSchema(schema);
    for (const [key, item] of Object.entries(value)) {
      if (this.#budget < 0) return;
      const property = schema.properties.get(key);
      const inner = property ?? additional;
      if (inner === undefined || item === undefined || !hasRules(inner)) continue;
      const before = isObject(old) ? getKey(old, key) : undefined;
      const at = property === undefined ? keyPath(path, key) : childPath(path, key);
      const correlation = before === undefined ? nearest : new Correlation(item, before);
      this.value(item, before, inner, at, inner.embeddedResource, correlation);
    }
  }

  #rule(program: RuleProgram, ruled: RuledValue, nearest: Correlation | undefined): void {
    if (program.usesOldSelf && ruled.old === undefined && !program.optionalOldSelf) return;
    const said = program.message || program.rule;
    const { value, problem, cost } = ruled.evaluate(program, program.expression);
    if (cost > this.#budget) {
      this.#stop(ruled, OUT_OF_BUDGET);
      return;
    }
    this.#budget -= cost;
    if (problem instanceof CostExceeded) {
      this.#stop(ruled, `'${problem.message}': ${NO_FURTHER} due to call cost exceeds limit for rule: ${said}`);
    } else if (problem !== undefined) {
      const detail = problem.message.startsWith('no such overload')
        ? `'${problem.message}': call arguments did not match a supported operator, function or macro signature for rule: ${said}`
        : `${problem.message} evaluating rule: ${said}`;
      this.errors.push(typedError(ruled.field, ruled.schema, detail));
    } else if (value !== true) this.#failed(program, ruled, nearest);
  }

  #failed(program: RuleProgram, ruled: RuledValue, nearest: Correlation | undefined): void {
    const { schema, path } = ruled;
    const below = program.fieldPath === '' ? undefined : normalFieldPath(program.fieldPath, schema);
    const field = below === undefined ? ruled.field : childPath(path, below);
    const add = (error: FieldError) => {
      if (!program.usesOldSelf && nearest?.isSame) this.#warn(fieldErrorText(error));
      else this.errors.push(error);
    };
    const message = this.#message(program, ruled);
    if ('stop' in message) {
      this.#budget = -1;
      add(typedError(field, schema, message.stop));
    } else {
      const detail = message.text ?? (program.message || `failed rule: ${program.rule}`);
      add(failure(program.reason, field, ruled.value, schema, detail));
    }
  }

  /** A message that cannot be made, or would not fit, is replaced by the plain one; but its costs count. */
  #message(program: RuleProgram, ruled: RuledValue): { text: string | undefined } | { stop: string } {
    const { messageExpression } = program;
    if (messageExpression === undefined) return { text: undefined };
    const { value, problem, cost } = ruled.evaluate(program, messageExpression);
    if (cost > this.#budget) return { stop: `messageExpression evaluation failed due to ${OUT_OF} ${NO_FURTHER}` };
    if (problem instanceof CostExceeded) {
      const source = JSON.stringify(program.messageSource);
      return { stop: `${NO_FURTHER} due to call cost exceeds limit for messageExpression: ${source}` };
    }
    this.#budget -= cost;
    const text = typeof value === 'string' ? value.trim() : '';
    const fits = text !== '' && !text.includes('\n') && Buffer.byteLength(text) <= MOST_MESSAGE_BYTES;
    return { text: fits ? text : undefined };
  }

  #stop(ruled: RuledValue, detail: string): void {
    this.#budget = -1;
    this.errors.push(typedError(ruled.field, ruled.schema, detail));
  }
}

const OUT_OF = 'running out of cost budget,';
const NO_FURTHER = 'no further validation rules will be run';
const OUT_OF_BUDGET = `validation failed due to ${OUT_OF} ${NO_FURTHER}`;

function typedError(field: string, schema: Schema, detail: string): FieldError {
  return { reason: 'FieldValueInvalid', field, message: `Invalid value: ${JSON.stringify(schema.type)}: ${detail}` };
}

interface Outcome {
  readonly value?: CelValue;
  readonly problem?: CelError | CostExceeded;
  readonly cost: number;
}

/** A value with rules of its own, as they see it. */
class RuledValue {
  readonly value: JsonValue;
  readonly old: JsonValue | undefined;
  readonly schema: Schema;
  readonly path: string;
  readonly #isRoot: boolean;
  #self: CelValue | undefined;
  #oldSelf: CelValue | undefined;

  constructor(value: JsonValue, old: JsonValue | undefined, schema: Schema, path: string, isRoot: boolean) {
    this.value = value;
    this.old = old;
    this.schema = schema;
    this.path = path;
    this.#isRoot = isRoot;
  }

  get field(): string {
    return this.path === '' ? '<nil>' : this.path;
  }

  evaluate(program: RuleProgram, expression: Expression): Outcome {
    const meter = new Meter();
    try {
      const value = evaluate(expression, new Scope(meter, this.#variables(program)));
      return { value, cost: meter.cost };
    } catch (error) {
      if (error instanceof CelError || error instanceof CostExceeded) return { problem: error, cost: meter.cost };
      throw error;
    }
  }

  #variables(program: RuleProgram): ReadonlyMap<string, CelValue> {
    this.#self ??= toCel(this.value, this.schema, this.#isRoot);
    const variables = new Map([['self', this.#self]]);
    if (!program.usesOldSelf && program.messageExpression === undefined) return variables;
    if (this.old !== undefined) this.#oldSelf ??= toCel(this.old, this.schema, this.#isRoot);
    if (program.optionalOldSelf) variables.set('oldSelf', new Optional(this.#oldSelf));
    else if (this.#oldSelf !== undefined) variables.set('oldSelf', this.#oldSelf);
    return variables;
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
