import { CelError, CelSyntaxError } from '../../crd/cel/cel-error.ts';
import { typeOf, type Variables } from '../../crd/cel/checker.ts';
import { CostExceeded, Meter } from '../../crd/cel/cost/meter.ts';
import { evaluate } from '../../crd/cel/evaluator.ts';
import type { Expression } from '../../crd/cel/expression.ts';
import { parseExpression } from '../../crd/cel/parser.ts';
import { located } from '../../crd/cel/rule-program.ts';
import { Scope } from '../../crd/cel/scope.ts';
import { BOOL, type CelType, DYN, STRING, STRINGS, typeText } from '../../crd/cel/types.ts';
import { type CelValue, ObjectValue } from '../../crd/cel/values.ts';

/** An expression of a policy, ready to be evaluated; or what is wrong with it. */
export interface PolicyExpression {
  readonly text: string;
  readonly expression: Expression | undefined;
  readonly type: CelType;
  readonly problem: string | undefined;
}

/** What an expression may give. Null stands for audit annotations and messages that have nothing to say. */
export type Wanted = 'bool' | 'string' | 'anything' | 'string or null' | 'Object' | 'list(JSONPatch)';

const object = (fields: Record<string, CelType>): CelType => ({
  kind: 'object',
  fields: new Map(Object.entries(fields)),
});
const KIND = object({ group: STRING, version: STRING, kind: STRING });
const RESOURCE = object({ group: STRING, version: STRING, resource: STRING });
const REQUEST = object({
  kind: KIND,
  resource: RESOURCE,
  subResource: STRING,
  requestKind: KIND,
  requestResource: RESOURCE,
  requestSubResource: STRING,
  name: STRING,
  namespace: STRING,
  operation: STRING,
  userInfo: object({ username: STRING, uid: STRING, groups: STRINGS, extra: { kind: 'map', values: STRINGS } }),
  dryRun: BOOL,
  options: DYN,
});

export interface Environment {
  readonly params: boolean;
  readonly authorizer: boolean;
  /** Set when the policy may have variables; filled as they are declared. */
  readonly variables?: Map<string, CelType>;
  /** Whether expressions may make objects. Default false. */
  readonly structs?: boolean;
  /** The type of `object` and `oldObject`, when one is known. */
  readonly object?: CelType;
}

function declared({ params, authorizer, variables, object: type = DYN }: Environment): Variables {
  return new Map<string, CelType>([
    ['object', type],
    ['oldObject', type],
    ['request', REQUEST],
    ['namespaceObject', DYN],
    ...(params ? ([['params', DYN]] as const) : []),
    ...(authorizer
      ? ([
          ['authorizer', DYN],
          ['authorizer.requestResource', DYN],
        ] as const)
      : []),
    ...(variables ? ([['variables', { kind: 'object', fields: variables }]] as const) : []),
  ]);
}

export function compilePolicy(text: string, wanted: Wanted, environment: Environment): PolicyExpression {
  try {
    const expression = parseExpression(text);
    const { structs = false } = environment;
    const type = typeOf(expression, { variables: declared(environment), types: new Map(), structs });
    const problem = mistyped(expression, type, wanted);
    return { text, expression: problem === undefined ? expression : undefined, type, problem };
  } catch (error) {
    if (!(error instanceof CelSyntaxError)) throw error;
    return { text, expression: undefined, type: DYN, problem: `compilation failed: ${located(error, text)}` };
  }
}

/** The checker is not sure of everything that it calls `dyn`; of what is read from an object it is. */
function mistyped({ kind }: Expression, type: CelType, wanted: Wanted): string | undefined {
  if (wanted === 'anything') return undefined;
  const shown = typeText(type) ?? 'object';
  const accepted = wanted === 'string or null' ? ['string', 'null'] : [wanted];
  if (accepted.includes(shown) || (wanted === 'list(JSONPatch)' && shown === 'list(dyn)')) return undefined;
  if (shown === 'dyn' && kind !== 'select' && kind !== 'index' && kind !== 'identifier') return undefined;
  if (wanted === 'string or null') return `must evaluate to one of [string null_type] but got ${shown}`;
  return `must evaluate to ${wanted} but got ${shown}`;
}

export interface Evaluated {
  readonly value?: CelValue;
  readonly error?: string;
}

/** Evaluates with these variables; errors are in the words of the real server. */
export function evaluatePolicy(
  { text, expression, problem }: PolicyExpression,
  variables: ReadonlyMap<string, CelValue>,
): Evaluated {
  if (!expression) return { error: `compilation error: ${problem ?? ''}` };
  try {
    return { value: evaluate(expression, new Scope(new Meter(), variables)) };
  } catch (error) {
    if (error instanceof CelError || error instanceof CostExceeded) {
      return { error: `expression '${text}' resulted in error: ${error.message}` };
    }
    throw error;
  }
}

/** `variables`: each is evaluated when it is first read, and may read those before it. */
export function composedVariables(
  expressions: ReadonlyMap<string, PolicyExpression>,
  others: Map<string, CelValue>,
): ObjectValue {
  const fields = new Map<string, () => CelValue>();
  for (const [name, compiled] of expressions) {
    let known: { value: CelValue } | undefined;
    fields.set(name, () => {
      known ??= { value: variable(name, compiled, others) };
      return known.value;
    });
  }
  return new ObjectValue(fields);
}

function variable(name: string, { expression, problem }: PolicyExpression, others: Map<string, CelValue>): CelValue {
  const refuse = (why: string) => new CelError(`composited variable ${JSON.stringify(name)} fails to evaluate: ${why}`);
  if (!expression) throw refuse(problem ?? '');
  try {
    return evaluate(expression, new Scope(new Meter(), others));
  } catch (error) {
    if (error instanceof CelError) throw refuse(error.message);
    throw error;
  }
}
