import { CelSyntaxError } from './cel-error.ts';
import type { Expression } from './expression.ts';

/** For each macro that goes through a list or map: how many variables and bodies it may have. */
const MACROS: ReadonlyMap<string, readonly (readonly [variables: number, bodies: number])[]> = new Map([
  [
    'all',
    [
      [1, 1],
      [2, 1],
    ],
  ],
  [
    'exists',
    [
      [1, 1],
      [2, 1],
    ],
  ],
  ['exists_one', [[1, 1]]],
  [
    'existsOne',
    [
      [1, 1],
      [2, 1],
    ],
  ],
  ['filter', [[1, 1]]],
  [
    'map',
    [
      [1, 1],
      [1, 2],
    ],
  ],
  [
    'transformList',
    [
      [2, 1],
      [2, 2],
    ],
  ],
  [
    'transformMap',
    [
      [2, 1],
      [2, 2],
    ],
  ],
  [
    'transformMapEntry',
    [
      [2, 1],
      [2, 2],
    ],
  ],
  ['sortBy', [[1, 1]]],
  ['optMap', [[1, 1]]],
  ['optFlatMap', [[1, 1]]],
]);

/** The macro that a call stands for, or undefined when it is an ordinary call. */
export function parseMacro(
  name: string,
  target: Expression | undefined,
  args: readonly Expression[],
  offset: number,
): Expression | undefined {
  if (target === undefined) return name === 'has' ? hasMacro(args, offset) : undefined;
  const forms = MACROS.get(name);
  if (forms === undefined) return undefined;
  for (const [count, bodies] of forms) {
    if (args.length !== count + bodies) continue;
    const variables = args.slice(0, count).map((arg) => variableName(arg));
    if (variables.some((variable) => variable === undefined)) continue;
    return {
      kind: 'macro',
      name,
      range: target,
      variables: variables.filter((variable) => variable !== undefined),
      bodies: args.slice(count),
      offset,
    };
  }
  return undefined;
}

function variableName(arg: Expression): string | undefined {
  return arg.kind === 'identifier' ? arg.name : undefined;
}

function hasMacro(args: readonly Expression[], offset: number): Expression {
  const [arg] = args;
  if (args.length !== 1 || arg?.kind !== 'select' || arg.test || arg.optional) {
    throw new CelSyntaxError('invalid argument to has() macro', offset);
  }
  return { ...arg, test: true };
}
