import { goJson } from '../../table/go-number.ts';
import { asString, type JsonObject } from '../../values/json.ts';
import type { Schema } from '../structural-schema.ts';
import { CelSyntaxError } from './cel-error.ts';
import { typeOf, type Variables } from './checker.ts';
import { CostEstimator } from './cost/cost-estimator.ts';
import { type Declaration, declare } from './declaration.ts';
import type { Expression } from './expression.ts';
import { parseExpression } from './parser.ts';
import { type CelType, DYN, typeText } from './types.ts';

/** A rule of `x-kubernetes-validations`, ready to be evaluated. */
export interface RuleProgram {
  readonly rule: string;
  readonly expression: Expression;
  readonly usesOldSelf: boolean;
  readonly message: string;
  readonly messageExpression: Expression | undefined;
  /** The text of the messageExpression. */
  readonly messageSource: string;
  /** `FieldValueInvalid` unless the rule says otherwise. */
  readonly reason: string;
  /** Where under the value the error belongs, as the rule wrote it: `.spec.x`. */
  readonly fieldPath: string;
  readonly optionalOldSelf: boolean;
  /** What evaluating the rule, and its messageExpression, costs at most, by the estimate. */
  readonly cost: number;
  readonly messageCost: number;
}

/** Why a rule, or its messageExpression, cannot be compiled. */
export interface RuleProblem {
  readonly part: 'rule' | 'messageExpression';
  readonly detail: string;
}

export function compileRule(json: JsonObject, schema: Schema, isRoot: boolean): RuleProgram | RuleProblem {
  const optionalOldSelf = json.optionalOldSelf === true;
  const self = declare(schema, isRoot) ?? OPEN;
  const variables: Variables = new Map<string, CelType>([
    ['self', self.type],
    ['oldSelf', optionalOldSelf ? { kind: 'optional', inner: self.type } : self.type],
  ]);
  const rule = asString(json.rule);
  const expression = compile(rule, variables, self, BOOLEAN);
  if (typeof expression === 'string') return { part: 'rule', detail: expression };
  const messageText = asString(json.messageExpression);
  const message = messageText === '' ? undefined : compile(messageText, variables, self, TEXT);
  if (typeof message === 'string') return { part: 'messageExpression', detail: message };
  return {
    rule: rule.trim(),
    expression: expression.expression,
    usesOldSelf: mentions(expression.expression, 'oldSelf'),
    message: asString(json.message).trim(),
    messageExpression: message?.expression,
    messageSource: messageText,
    reason: asString(json.reason) || 'FieldValueInvalid',
    fieldPath: asString(json.fieldPath),
    optionalOldSelf,
    cost: expression.cost,
    messageCost: message?.cost ?? 0,
  };
}

/** Of a schema that says nothing of its type. */
const OPEN: Declaration = { type: DYN, maxElements: 0, minBytes: 2 };

/** What an expression must give, and how the server says that it does not. */
interface Wanted {
  readonly type: string;
  readonly prefix: string;
  readonly mistyped: string;
}

const BOOLEAN: Wanted = {
  type: 'bool',
  prefix: 'compilation failed: ',
  mistyped: 'cel expression must evaluate to a bool',
};
const TEXT: Wanted = {
  type: 'string',
  prefix: 'messageExpression compilation failed: ',
  mistyped: 'messageExpression must evaluate to a string',
};

/** The expression, with what it costs at most; or what is wrong with it. */
function compile(
  text: string,
  variables: Variables,
  self: Declaration,
  wanted: Wanted,
): { expression: Expression; cost: number } | string {
  try {
    const expression = parseExpression(text);
    const types = new Map<Expression, CelType>();
    const type = typeOf(expression, { variables, types });
    if (type.kind !== 'dyn' && typeText(type) !== wanted.type) return wanted.mistyped;
    return { expression, cost: new CostEstimator(types, self).cost(expression) };
  } catch (error) {
    if (!(error instanceof CelSyntaxError)) throw error;
    return wanted.prefix + located(error, text);
  }
}

/** As CEL shows an error: the line it is in, and an arrow below the place. */
export function located({ message, offset }: CelSyntaxError, text: string): string {
  const before = text.slice(0, offset).split('\n');
  const line = text.split('\n')[before.length - 1] ?? '';
  const column = before.at(-1)?.length ?? 0;
  return `ERROR: <input>:${before.length}:${column + 1}: ${message}\n | ${line}\n | ${'.'.repeat(column)}^`;
}

function mentions(expression: Expression, name: string): boolean {
  const inside = (...parts: readonly (Expression | undefined)[]) =>
    parts.some((part) => part !== undefined && mentions(part, name));
  switch (expression.kind) {
    case 'literal':
      return false;
    case 'identifier':
      return expression.name === name;
    case 'select':
      return inside(expression.operand);
    case 'index':
      return inside(expression.operand, expression.index);
    case 'list':
      return inside(...expression.items.map(({ value }) => value));
    case 'map':
      return inside(...expression.entries.flatMap(({ key, value }) => [key, value]));
    case 'macro':
      return inside(expression.range, ...expression.bodies);
    case 'call':
      return inside(expression.target, ...expression.args);
  }
}

/** The rule as the real server prints it: its Go struct, whose fields have no JSON names. */
export function printedRule(json: JsonObject): string {
  const fields = {
    Rule: asString(json.rule),
    Message: asString(json.message),
    MessageExpression: asString(json.messageExpression),
    Reason: json.reason ?? null,
    FieldPath: asString(json.fieldPath),
    OptionalOldSelf: json.optionalOldSelf ?? null,
  };
  const parts = Object.entries(fields).map(([key, value]) => `"${key}":${goJson(value)}`);
  return `{${parts.join(',')}}`;
}
