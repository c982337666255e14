import { CelError, noOverload } from './cel-error.ts';
import { isConstant } from './constants.ts';
import { additionCost, callCost, comparisonCost, sizeOf } from './cost/call-costs.ts';
import type { Expression } from './expression.ts';
import { callFunction } from './functions.ts';
import { evaluateMacro } from './macro-evaluation.ts';
import { arithmetic, compare, contains, equal, int64, lookUp } from './operators.ts';
import type { Scope } from './scope.ts';
import { makeStruct, structOf } from './struct-value.ts';
import { type CelValue, LibraryValue, ListValue, MapValue, ObjectValue, Optional, TypeName } from './values.ts';

const TYPE_NAMES = new Set(['bool', 'int', 'uint', 'double', 'string', 'bytes', 'list', 'map', 'null_type', 'type']);
const LIST_COST = 10;
const MAP_COST = 30;

/**
 * The value of an expression. Throws `CelError`, and `CostExceeded` when the meter of the scope has reached its limit. It is
 * charged what the server charges: for variables, fields, calls and made lists, not for literals.
 */
export function evaluate(expression: Expression, scope: Scope): CelValue {
  switch (expression.kind) {
    case 'literal':
      return expression.value;
    case 'identifier':
    case 'select':
    case 'index':
      if (startsAtValue(expression, scope)) scope.meter.charge(1);
      return resolve(expression, scope);
    case 'list':
      if (!isConstant(expression)) scope.meter.charge(LIST_COST);
      return new ListValue(
        expression.items.flatMap(({ value, optional }) => element(evaluate(value, scope), optional)),
      );
    case 'map':
      if (!isConstant(expression)) scope.meter.charge(MAP_COST);
      return new MapValue(
        expression.entries.flatMap(({ key, value, optional }) => {
          const name = evaluate(key, scope);
          return element(evaluate(value, scope), optional).map((item): [CelValue, CelValue] => [name, item]);
        }),
      );
    case 'macro':
      return evaluateMacro(expression, scope);
    case 'call':
      return call(expression, scope);
  }
}

/** What a condition chooses is free of the charge for the value that fields start at; so are `has` and names of types. */
function startsAtValue(expression: Expression, scope: Scope): boolean {
  if (expression.kind === 'select' && expression.test) return false;
  let start = expression;
  while (start.kind === 'select' || start.kind === 'index') start = start.operand;
  if (start.kind === 'call') return start.name !== '?:' || start.target !== undefined;
  return start.kind !== 'identifier' || scope.get(start.name) !== undefined;
}

/** As `evaluate`, without the charge for the value at which a chain of fields starts. */
function resolve(expression: Expression, scope: Scope): CelValue {
  switch (expression.kind) {
    case 'identifier':
      return variable(expression.name, scope);
    case 'select':
      return select(resolve(expression.operand, scope), expression, scope);
    case 'index': {
      const operand = resolve(expression.operand, scope);
      return index(operand, resolve(expression.index, scope), expression.optional, scope);
    }
    default:
      return evaluate(expression, scope);
  }
}

function variable(name: string, scope: Scope): CelValue {
  const value = scope.get(name);
  if (value !== undefined) return value;
  if (TYPE_NAMES.has(name)) return new TypeName(name);
  throw new CelError(`no such attribute(s): ${name}`);
}

function element(value: CelValue, optional: boolean): CelValue[] {
  if (!optional) return [value];
  if (!(value instanceof Optional)) throw noOverload();
  return value.value === undefined ? [] : [value.value];
}

interface Selection {
  readonly field: string;
  readonly test: boolean;
  readonly optional: boolean;
}

function select(operand: CelValue, how: Selection, scope: Scope): CelValue {
  if (operand instanceof Optional) {
    if (operand.value === undefined) return how.test ? false : operand;
    const inner = select(operand.value, { ...how, optional: true }, scope);
    return how.test || inner instanceof Optional ? inner : new Optional(inner);
  }
  if (operand === null && !how.test) throw new CelError(`no such key: ${how.field}`);
  const isLibrary = operand instanceof LibraryValue;
  if (!(isLibrary || operand instanceof ObjectValue || operand instanceof MapValue)) throw noOverload();
  const value = isLibrary ? operand.field(how.field) : lookUp(operand, how.field);
  if (isLibrary && value === undefined) throw noOverload();
  if (value !== undefined || !how.optional) scope.meter.charge(1);
  if (how.test) return value !== undefined;
  if (how.optional) return new Optional(value);
  if (value === undefined) throw new CelError(`no such key: ${how.field}`);
  return value;
}

function index(operand: CelValue, key: CelValue, optional: boolean, scope: Scope): CelValue {
  if (operand instanceof Optional) {
    return operand.value === undefined ? operand : index(operand.value, key, true, scope);
  }
  const value = lookUp(operand, key);
  if (value !== undefined || !optional) scope.meter.charge(1);
  if (optional) return new Optional(value);
  if (value !== undefined) return value;
  throw new CelError(
    operand instanceof ListValue ? `index out of bounds: ${String(key)}` : `no such key: ${String(key)}`,
  );
}

function call(expression: Extract<Expression, { kind: 'call' }>, scope: Scope): CelValue {
  const { name, target, args } = expression;
  const [first, second, third] = args;
  if (target === undefined && first !== undefined) {
    if (name === '?:' && second !== undefined && third !== undefined) {
      return resolve(truth(evaluate(first, scope)) ? second : third, scope);
    }
    if ((name === '&&' || name === '||') && second !== undefined) return logic(name === '||', first, second, scope);
    const operator = operatorResult(name, first, second, scope);
    if (operator !== undefined) return operator;
  }
  const struct = structOf(name);
  if (struct !== undefined) return makeStruct(struct, first && evaluate(first, scope));
  const namespaced = namespacedCall(expression);
  if (
    namespaced === undefined &&
    target !== undefined &&
    first !== undefined &&
    (name === 'or' || name === 'orValue')
  ) {
    return alternative(name, evaluate(target, scope), first, scope);
  }
  const all = namespaced !== undefined || target === undefined ? args : [target, ...args];
  const called = namespaced ?? (target === undefined ? name : `.${name}`);
  const { values, failure } = evaluateAll(all, scope);
  if (isConstant(expression)) return callFunction(called, values);
  let result: CelValue | undefined;
  try {
    if (failure !== undefined) throw failure;
    result = callFunction(called, values);
    return result;
  } finally {
    scope.meter.charge(callCost(called, values, result));
  }
}

/** Arguments are evaluated, and paid for, also after one that failed; null stands for it. */
function evaluateAll(
  expressions: readonly Expression[],
  scope: Scope,
): { values: CelValue[]; failure: CelError | undefined } {
  let failure: CelError | undefined;
  const values = expressions.map((expression) => {
    try {
      return evaluate(expression, scope);
    } catch (error) {
      if (!(error instanceof CelError)) throw error;
      failure ??= error;
      return null;
    }
  });
  return { values, failure };
}

/** The other value is looked at only when it is needed. */
function alternative(name: string, value: CelValue, other: Expression, scope: Scope): CelValue {
  if (!(value instanceof Optional)) throw noOverload();
  if (value.value === undefined) return evaluate(other, scope);
  return name === 'or' ? value : value.value;
}

/** `sets.contains(a, b)` looks like a method of `sets`. */
export function namespacedCall(expression: Extract<Expression, { kind: 'call' }>): string | undefined {
  const { target, name } = expression;
  if (target?.kind !== 'identifier' || !NAMESPACES.has(target.name)) return undefined;
  return `${target.name}.${name}`;
}

const NAMESPACES = new Set(['sets', 'strings', 'lists', 'optional', 'ip', 'format', 'jsonpatch']);

export function truth(value: CelValue): boolean {
  if (typeof value !== 'boolean') throw noOverload();
  return value;
}

/** The side that decides hides an error of the other. */
function logic(deciding: boolean, left: Expression, right: Expression, scope: Scope): boolean {
  let failure: unknown;
  for (const side of [left, right]) {
    try {
      if (truth(evaluate(side, scope)) === deciding) return deciding;
    } catch (error) {
      if (!(error instanceof CelError)) throw error;
      failure ??= error;
    }
  }
  if (failure !== undefined) throw failure;
  return !deciding;
}

function operatorResult(
  name: string,
  first: Expression,
  second: Expression | undefined,
  scope: Scope,
): CelValue | undefined {
  const isBinary = BINARY.has(name);
  if (isBinary ? second === undefined : name !== '!' && name !== 'neg') return undefined;
  const { values, failure } = evaluateAll(second === undefined ? [first] : [first, second], scope);
  const [a = null, b = null] = values;
  scope.meter.charge(operatorCost(name, a, b, second));
  if (failure !== undefined) throw failure;
  switch (name) {
    case '!':
      return !truth(a);
    case 'neg':
      if (typeof a === 'bigint') return int64(-a);
      if (typeof a === 'number') return -a;
      throw noOverload();
    case '==':
    case '!=':
      return equal(a, b) === (name === '==');
    case 'in':
      return contains(b, a);
    case '<':
    case '<=':
    case '>':
    case '>=':
      return ordered(name, compare(a, b));
    default:
      return arithmetic(name, a, b);
  }
}

function operatorCost(name: string, a: CelValue, b: CelValue, second: Expression | undefined): number {
  switch (name) {
    case '==':
    case '!=':
      return comparisonCost(a, b);
    case 'in':
      // The server looks values up in a list of literals as in a set.
      if (second !== undefined && isConstant(second) && b instanceof ListValue) return 0;
      return b instanceof ListValue ? sizeOf(b) : 1;
    case '<':
    case '<=':
    case '>':
    case '>=':
      return typeof a === 'string' || a instanceof Uint8Array ? comparisonCost(a, b) : 1;
    default:
      return name === '+' ? additionCost(a, b) : 1;
  }
}

function ordered(name: string, order: number): boolean {
  if (name === '<') return order < 0;
  if (name === '<=') return order <= 0;
  return name === '>' ? order > 0 : order >= 0;
}

const BINARY: ReadonlySet<string> = new Set('== != in < <= > >= + - * / %'.split(' '));
