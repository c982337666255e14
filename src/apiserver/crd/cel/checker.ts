import { goRegExp, PatternError } from '../go-regexp.ts';
import { CelSyntaxError } from './cel-error.ts';
import { namespacedCall } from './evaluator.ts';
import type { Expression } from './expression.ts';
import { isFunction } from './functions.ts';
import { resultType } from './result-types.ts';
import { structOf } from './struct-value.ts';
import { BOOL, type CelType, DYN, INT, STRING, scalar, typeText } from './types.ts';

const TYPE_NAMES = new Set(['bool', 'int', 'uint', 'double', 'string', 'bytes', 'list', 'map', 'null_type', 'type']);
const NUMBERS = new Set(['int', 'uint', 'double']);
const ORDERED = new Set([
  ...NUMBERS,
  'string',
  'bool',
  'bytes',
  'google.protobuf.Timestamp',
  'google.protobuf.Duration',
]);
const REFUSAL =
  'which the embedded API server does not know: leave the rule out of the definition for this test, or run the test on a real API server';

export type Variables = ReadonlyMap<string, CelType>;

export interface CheckContext {
  readonly variables: Variables;
  /** Whether objects can be made: `Object{…}`, `JSONPatch{…}`. Default false. */
  readonly structs?: boolean;
  /** Filled with the type of each part. */
  readonly types: Map<Expression, CelType>;
}

/**
 * The type of an expression. Throws `CelSyntaxError` for what the real server would refuse (names and fields that do not
 * exist, operators between types that do not go together), as far as types are known, and for functions that this
 * evaluator lacks.
 */
export function typeOf(expression: Expression, context: CheckContext): CelType {
  const type = partType(expression, context);
  context.types.set(expression, type);
  return type;
}

function partType(expression: Expression, context: CheckContext): CelType {
  switch (expression.kind) {
    case 'literal':
      return literalType(expression.value);
    case 'identifier':
      return identifierType(expression.name, expression.offset, context.variables);
    case 'select':
      return selectType(expression, context);
    case 'index':
      return indexType(expression, context);
    case 'list': {
      const [first] = expression.items.map(({ value }) => typeOf(value, context));
      return { kind: 'list', items: first ?? DYN };
    }
    case 'map': {
      const [first] = expression.entries.map(({ key, value }) => {
        typeOf(key, context);
        return typeOf(value, context);
      });
      return { kind: 'map', values: first ?? DYN };
    }
    case 'macro':
      return macroType(expression, context);
    case 'call':
      return callType(expression, context);
  }
}

function literalType(value: unknown): CelType {
  if (typeof value === 'boolean') return BOOL;
  if (typeof value === 'bigint') return INT;
  if (typeof value === 'number') return scalar('double');
  if (typeof value === 'string') return STRING;
  if (value === null) return scalar('null');
  return value instanceof Uint8Array ? scalar('bytes') : scalar('uint');
}

function identifierType(name: string, offset: number, variables: Variables): CelType {
  const type = variables.get(name);
  if (type !== undefined) return type;
  if (TYPE_NAMES.has(name)) return scalar('type');
  throw new CelSyntaxError(`undeclared reference to '${name}' (in container '')`, offset);
}

function selectType(expression: Extract<Expression, { kind: 'select' }>, context: CheckContext): CelType {
  const { field, offset, test, optional } = expression;
  const operand = typeOf(expression.operand, context);
  const inner = operand.kind === 'optional' ? operand.inner : operand;
  const found = fieldType(inner, field, offset);
  if (test) return BOOL;
  return optional || operand.kind === 'optional' ? { kind: 'optional', inner: found } : found;
}

function fieldType(type: CelType, field: string, offset: number): CelType {
  if (type.kind === 'dyn') return DYN;
  if (type.kind === 'map') return type.values;
  if (type.kind === 'object') {
    const found = type.fields.get(field);
    if (found === undefined) throw new CelSyntaxError(`undefined field '${field}'`, offset);
    return found;
  }
  throw new CelSyntaxError(`type '${typeText(type) ?? type.kind}' does not support field selection`, offset);
}

function indexType(expression: Extract<Expression, { kind: 'index' }>, context: CheckContext): CelType {
  const operand = typeOf(expression.operand, context);
  typeOf(expression.index, context);
  const inner = operand.kind === 'optional' ? operand.inner : operand;
  const found = inner.kind === 'list' ? inner.items : inner.kind === 'map' ? inner.values : DYN;
  return expression.optional || operand.kind === 'optional' ? { kind: 'optional', inner: found } : found;
}

function macroType(expression: Extract<Expression, { kind: 'macro' }>, context: CheckContext): CelType {
  const { name, offset } = expression;
  const range = typeOf(expression.range, context);
  if (range.kind === 'scalar' || range.kind === 'object') {
    const shown = typeText(range) ?? 'object';
    throw new CelSyntaxError(
      `expression of type '${shown}' cannot be range of a comprehension (must be list, map, or dynamic)`,
      offset,
    );
  }
  const [first = '', second] = expression.variables;
  const inner = new Map(context.variables);
  const values = range.kind === 'list' ? range.items : range.kind === 'map' ? range.values : DYN;
  const keys = range.kind === 'map' ? STRING : range.kind === 'list' ? INT : DYN;
  const only = range.kind === 'optional' ? range.inner : range.kind === 'map' ? STRING : values;
  if (second === undefined) inner.set(first, only);
  else inner.set(first, keys).set(second, values);
  const results = expression.bodies.map((body) => typeOf(body, { ...context, variables: inner }));
  const result = results.at(-1) ?? DYN;
  switch (name) {
    case 'filter':
      return { kind: 'list', items: only };
    case 'sortBy':
      return range;
    case 'map':
    case 'transformList':
      return { kind: 'list', items: result };
    case 'transformMap':
      return { kind: 'map', values: result };
    case 'transformMapEntry':
      return result.kind === 'map' ? result : { kind: 'map', values: DYN };
    case 'optMap':
      return { kind: 'optional', inner: result };
    case 'optFlatMap':
      return result;
    default:
      return BOOL;
  }
}

function callType(expression: Extract<Expression, { kind: 'call' }>, context: CheckContext): CelType {
  const { name, target, args, offset } = expression;
  const struct = structOf(name);
  if (struct !== undefined) {
    const isKnown = struct === 'JSONPatch' || /^Object(?:\.|$)/.test(struct);
    if (!context.structs || !isKnown) {
      throw new CelSyntaxError(`undeclared reference to '${struct}' (in container '')`, offset);
    }
    for (const arg of args) typeOf(arg, context);
    return scalar(struct);
  }
  const namespaced = namespacedCall(expression);
  if (namespaced !== undefined) {
    if (!isFunction(namespaced, false)) throw unknownFunction(namespaced, offset);
    return resultType(
      namespaced,
      args.map((arg) => typeOf(arg, context)),
    );
  }
  const receiver = target === undefined ? undefined : typeOf(target, context);
  const types = args.map((arg) => typeOf(arg, context));
  if (target === undefined && (name === '&&' || name === '||')) return logicType(args, types);
  const operator = target === undefined ? operatorType(name, types, offset) : undefined;
  if (operator !== undefined) return operator;
  if (!isFunction(name, target !== undefined)) throw unknownFunction(name, offset);
  checkPattern(name, args.at(-1));
  return receiver === undefined ? resultType(name, types) : resultType(`.${name}`, [receiver, ...types]);
}

function unknownFunction(name: string, offset: number): CelSyntaxError {
  return new CelSyntaxError(`undeclared reference to '${name}', ${REFUSAL}`, offset);
}

function checkPattern(name: string, pattern: Expression | undefined): void {
  if (name !== 'matches' && name !== 'find' && name !== 'findAll') return;
  if (pattern?.kind !== 'literal' || typeof pattern.value !== 'string') return;
  try {
    goRegExp(pattern.value);
  } catch (error) {
    if (!(error instanceof PatternError)) throw error;
    throw new CelSyntaxError(`invalid ${name} argument`, pattern.offset);
  }
}

function logicType(args: readonly Expression[], types: readonly CelType[]): CelType {
  for (const [index, type] of types.entries()) {
    if (type.kind === 'dyn' || (type.kind === 'scalar' && type.name === 'bool')) continue;
    const offset = args[index]?.offset ?? 0;
    throw new CelSyntaxError(`expected type 'bool' but found '${typeText(type) ?? 'object'}'`, offset);
  }
  return BOOL;
}

/** The type that an operator gives; undefined when no operator has the name. */
function operatorType(name: string, types: readonly CelType[], offset: number): CelType | undefined {
  const [a = DYN, b = DYN, c = DYN] = types;
  const mismatch = (symbol: string) => {
    const shown = types.map(typeText);
    if (shown.includes(undefined)) return new CelSyntaxError(`found no matching overload for '${symbol}'`, offset);
    return new CelSyntaxError(`found no matching overload for '${symbol}' applied to '(${shown.join(', ')})'`, offset);
  };
  const isOr = (type: CelType, accepted: ReadonlySet<string>) =>
    type.kind === 'dyn' || (type.kind === 'scalar' && accepted.has(type.name));
  const isBool = (type: CelType) => isOr(type, new Set(['bool']));
  switch (name) {
    case '?:':
      if (!isBool(a)) throw mismatch('_?_:_');
      return typeText(b) === typeText(c) && typeText(b) !== undefined ? b : DYN;
    case '!':
      if (!isBool(a)) throw mismatch('!_');
      return BOOL;
    case 'neg':
      if (!isOr(a, NUMBERS) && !isOr(a, new Set(['google.protobuf.Duration']))) throw mismatch('-_');
      return a;
    case 'in':
      return BOOL;
    case '==':
    case '!=':
      if (a.kind === 'scalar' && b.kind === 'scalar' && a.name !== b.name) throw mismatch(`_${name}_`);
      return BOOL;
    case '<':
    case '<=':
    case '>':
    case '>=':
      if (!isOr(a, ORDERED) || !isOr(b, ORDERED) || !goTogether(a, b)) throw mismatch(`_${name}_`);
      return BOOL;
    case '+':
    case '-':
    case '*':
    case '/':
    case '%':
      if (a.kind === 'scalar' && b.kind === 'scalar' && a.name !== b.name && !isTime(a) && !isTime(b)) {
        throw mismatch(`_${name}_`);
      }
      return a.kind === 'scalar' && b.kind === 'scalar' && !isTime(a) && !isTime(b) ? a : a.kind === 'list' ? a : DYN;
    default:
      return undefined;
  }
}

function goTogether(a: CelType, b: CelType): boolean {
  if (a.kind !== 'scalar' || b.kind !== 'scalar') return true;
  return a.name === b.name || (NUMBERS.has(a.name) && NUMBERS.has(b.name));
}

function isTime(type: CelType): boolean {
  return type.kind === 'scalar' && type.name.startsWith('google.protobuf.');
}
