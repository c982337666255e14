import { CelError, noOverload } from './cel-error.ts';
import type { Expression } from './expression.ts';
import { callFunction } from './functions.ts';
import { arithmetic, compare, contains, equal, int64, lookUp } from './operators.ts';
import { type CelValue, ListValue, MapValue, ObjectValue, Optional, TypeName } from './values.ts';

/** The variables of a rule. */
export type Scope = ReadonlyMap<string, CelValue>;

const TYPE_NAMES = new Set(['bool', 'int', 'uint', 'double', 'string', 'bytes', 'list', 'map', 'null_type', 'type']);

/** The value of an expression; throws `CelError`. */
export function evaluate(expression: Expression, scope: Scope): CelValue {
  switch (expression.kind) {
    case 'literal':
      return expression.value;
    case 'identifier':
      return variable(expression.name, scope);
    case 'select':
      return select(evaluate(expression.operand, scope), expression.field, expression);
    case 'index':
      return index(evaluate(expression.operand, scope), evaluate(expression.index, scope), expression.optional);
    case 'list':
      return new ListValue(
        expression.items.flatMap(({ value, optional }) => element(evaluate(value, scope), optional)),
      );
    case 'map':
      return new MapValue(
        expression.entries.flatMap(({ key, value, optional }) => {
          const name = evaluate(key, scope);
          return element(evaluate(value, scope), optional).map((item): [CelValue, CelValue] => [name, item]);
        }),
      );
    case 'macro':
      return macro(expression, scope);
    case 'call':
      return call(expression, scope);
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

function select(operand: CelValue, field: string, how: { test: boolean; optional: boolean }): CelValue {
  if (operand instanceof Optional) {
    if (operand.value === undefined) return how.test ? false : operand;
    const inner = select(operand.value, field, { test: how.test, optional: true });
    return how.test || inner instanceof Optional ? inner : new Optional(inner);
  }
  if (!(operand instanceof ObjectValue || operand instanceof MapValue)) throw noOverload();
  const value = lookUp(operand, field);
  if (how.test) return value !== undefined;
  if (how.optional) return new Optional(value);
  if (value === undefined) throw new CelError(`no such key: ${field}`);
  return value;
}

function index(operand: CelValue, key: CelValue, optional: boolean): CelValue {
  if (operand instanceof Optional) {
    return operand.value === undefined ? operand : index(operand.value, key, true);
  }
  const value = lookUp(operand, key);
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
      return evaluate(truth(evaluate(first, scope)) ? second : third, scope);
    }
    if ((name === '&&' || name === '||') && second !== undefined) return logic(name === '||', first, second, scope);
    const operator = operatorResult(name, first, second, scope);
    if (operator !== undefined) return operator;
  }
  const namespaced = namespacedCall(expression);
  if (namespaced !== undefined) {
    return callFunction(
      namespaced,
      undefined,
      args.map((arg) => evaluate(arg, scope)),
    );
  }
  const receiver = target === undefined ? undefined : evaluate(target, scope);
  return callFunction(
    name,
    receiver,
    args.map((arg) => evaluate(arg, scope)),
  );
}

/** `sets.contains(a, b)` looks like a method of `sets`. */
export function namespacedCall(expression: Extract<Expression, { kind: 'call' }>): string | undefined {
  const { target, name } = expression;
  if (target?.kind !== 'identifier' || !NAMESPACES.has(target.name)) return undefined;
  return `${target.name}.${name}`;
}

const NAMESPACES = new Set(['sets', 'strings', 'lists', 'optional', 'ip', 'format']);

function truth(value: CelValue): boolean {
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
  if (name === '!') return !truth(evaluate(first, scope));
  if (name === 'neg') {
    const value = evaluate(first, scope);
    if (typeof value === 'bigint') return int64(-value);
    if (typeof value === 'number') return -value;
    throw noOverload();
  }
  if (second === undefined || !BINARY.has(name)) return undefined;
  const a = evaluate(first, scope);
  const b = evaluate(second, scope);
  switch (name) {
    case '==':
      return equal(a, b);
    case '!=':
      return !equal(a, b);
    case 'in':
      return contains(b, a);
    case '<':
      return compare(a, b) < 0;
    case '<=':
      return compare(a, b) <= 0;
    case '>':
      return compare(a, b) > 0;
    case '>=':
      return compare(a, b) >= 0;
    default:
      return arithmetic(name, a, b);
  }
}

const BINARY: ReadonlySet<string> = new Set('== != in < <= > >= + - * / %'.split(' '));

function macro(expression: Extract<Expression, { kind: 'macro' }>, scope: Scope): CelValue {
  const range = evaluate(expression.range, scope);
  if (expression.name === 'optMap' || expression.name === 'optFlatMap') return optionalMacro(expression, range, scope);
  const { variables, bodies } = expression;
  const run = (body: Expression | undefined, [key, value]: readonly [CelValue, CelValue]): CelValue => {
    const inner = new Map(scope);
    const [first = '', second] = variables;
    if (second === undefined) inner.set(first, value);
    else inner.set(first, key).set(second, value);
    if (body === undefined) throw noOverload();
    return evaluate(body, inner);
  };
  const pairs = pairsOf(range, variables.length === 2);
  const [body, otherBody] = bodies;
  const filtered = otherBody === undefined ? pairs : pairs.filter((pair) => truth(run(body, pair)));
  const result = otherBody ?? body;
  switch (expression.name) {
    case 'all':
      return quantify(false, pairs, (pair) => run(body, pair));
    case 'exists':
      return quantify(true, pairs, (pair) => run(body, pair));
    case 'exists_one':
    case 'existsOne':
      return pairs.filter((pair) => truth(run(body, pair))).length === 1;
    case 'filter':
      return new ListValue(pairs.filter((pair) => truth(run(body, pair))).map(([, value]) => value));
    case 'sortBy': {
      const keyed = pairs.map((pair) => ({ key: run(body, pair), value: pair[1] }));
      return new ListValue(keyed.sort((a, b) => compare(a.key, b.key)).map(({ value }) => value));
    }
    case 'transformMap':
      return new MapValue(filtered.map((pair): [CelValue, CelValue] => [pair[0], run(result, pair)]));
    case 'transformMapEntry':
      return new MapValue(
        filtered.flatMap((pair) => {
          const entry = run(result, pair);
          if (!(entry instanceof MapValue)) throw noOverload();
          return [...entry.entries.values()];
        }),
      );
    default:
      return new ListValue(filtered.map((pair) => run(result, pair)));
  }
}

/** Keys and values; of a map with one variable, the keys alone. */
function pairsOf(range: CelValue, both: boolean): (readonly [CelValue, CelValue])[] {
  if (range instanceof ListValue) return range.items.map((item, at) => [BigInt(at), item]);
  if (!(range instanceof MapValue)) throw noOverload();
  return [...range.entries.values()].map(([key, value]) => [key, both ? value : key]);
}

/** As with && and ||, an item that decides hides the errors of others. */
function quantify(
  deciding: boolean,
  pairs: readonly (readonly [CelValue, CelValue])[],
  test: (pair: readonly [CelValue, CelValue]) => CelValue,
): boolean {
  let failure: unknown;
  for (const pair of pairs) {
    try {
      if (truth(test(pair)) === deciding) return deciding;
    } catch (error) {
      if (!(error instanceof CelError)) throw error;
      failure ??= error;
    }
  }
  if (failure !== undefined) throw failure;
  return !deciding;
}

function optionalMacro(
  { name, variables, bodies }: Extract<Expression, { kind: 'macro' }>,
  range: CelValue,
  scope: Scope,
): CelValue {
  const [body] = bodies;
  if (!(range instanceof Optional) || body === undefined) throw noOverload();
  if (range.value === undefined) return range;
  const result = evaluate(body, new Map(scope).set(variables[0] ?? '', range.value));
  return name === 'optMap' ? new Optional(result) : result;
}
