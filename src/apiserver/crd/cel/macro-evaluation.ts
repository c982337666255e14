import { CelError, noOverload } from './cel-error.ts';
import { isConstant } from './constants.ts';
import { comparison } from './cost/call-costs.ts';
import { evaluate, truth } from './evaluator.ts';
import type { Expression } from './expression.ts';
import { compare } from './operators.ts';
import type { Scope } from './scope.ts';
import { type CelValue, ListValue, MapValue, Optional } from './values.ts';

type Macro = Extract<Expression, { kind: 'macro' }>;
type Pair = readonly [key: CelValue, value: CelValue];

/**
 * What the server charges for the loop that a macro stands for, beside its parts: `all` asks its accumulator twice a turn
 * (whether to go on, and in `accumulator && body`), `map` makes a list of one item and joins it.
 */
const RESULT = 1;
const ALL_ASKED = 2;
const EXISTS_ASKED = 3;
const ACCUMULATOR = 1;
const COUNTED = 2;
const JOINED = 2;
const SINGLE = 10;
const INSERTED = 2;

export function evaluateMacro(macro: Macro, scope: Scope): CelValue {
  if (macro.name === 'optMap' || macro.name === 'optFlatMap') return optionalMacro(macro, scope);
  const range = evaluate(macro.range, scope);
  const pairs = pairsOf(range, macro.variables.length === 2);
  const value = looped(macro, pairs, scope);
  scope.meter.charge(RESULT);
  return value;
}

function looped(macro: Macro, pairs: readonly Pair[], scope: Scope): CelValue {
  const [first, second] = macro.bodies;
  const body = second ?? first;
  const { meter } = scope;
  const run = (part: Expression | undefined, pair: Pair): CelValue => {
    if (part === undefined) throw noOverload();
    return evaluate(part, bound(macro, pair, scope));
  };
  const chosen = (pair: Pair): boolean => second === undefined || truth(run(first, pair));
  switch (macro.name) {
    case 'all':
      return quantify(false, pairs, scope, (pair) => run(body, pair));
    case 'exists':
      return quantify(true, pairs, scope, (pair) => run(body, pair));
    case 'exists_one':
    case 'existsOne': {
      const count = pairs.filter((pair) => charged(truth(run(body, pair)), COUNTED, scope)).length;
      meter.charge(1);
      return count === 1;
    }
    case 'filter':
      return new ListValue(
        pairs.filter((pair) => charged(truth(run(body, pair)), JOINED + SINGLE + 1, scope)).map(([, value]) => value),
      );
    case 'sortBy': {
      meter.charge(2 + RESULT);
      const keyed = pairs.map((pair) => ({ key: run(body, pair), value: pair[1] }));
      meter.charge(keyed.length * (JOINED + SINGLE) + comparison(new ListValue(keyed.map(({ key }) => key))) - RESULT);
      return new ListValue(keyed.sort((a, b) => compare(a.key, b.key)).map(({ value }) => value));
    }
    case 'transformMap':
      return new MapValue(
        pairs.filter(chosen).map((pair): Pair => {
          meter.charge(INSERTED + 1);
          return [pair[0], run(body, pair)];
        }),
      );
    case 'transformMapEntry':
      return new MapValue(
        pairs.filter(chosen).flatMap((pair) => {
          meter.charge(INSERTED);
          const entry = run(body, pair);
          if (!(entry instanceof MapValue)) throw noOverload();
          return [...entry.entries.values()];
        }),
      );
    default: {
      const made = JOINED + (body !== undefined && isConstant(body) ? 0 : SINGLE);
      return new ListValue(
        pairs.filter(chosen).map((pair) => {
          meter.charge(made);
          return run(body, pair);
        }),
      );
    }
  }
}

function charged(holds: boolean, cost: number, scope: Scope): boolean {
  if (holds) scope.meter.charge(cost);
  return holds;
}

function bound({ variables }: Macro, [key, value]: Pair, scope: Scope): Scope {
  const [first = '', second] = variables;
  return second === undefined ? scope.with(first, value) : scope.with(first, key).with(second, value);
}

/** Keys and values; of a map with one variable, the keys alone. */
function pairsOf(range: CelValue, both: boolean): Pair[] {
  if (range instanceof ListValue) return range.items.map((item, at) => [BigInt(at), item]);
  if (!(range instanceof MapValue)) throw noOverload();
  return [...range.entries.values()].map(([key, value]) => [key, both ? value : key]);
}

/** As with && and ||, an item that decides hides the errors of others. */
function quantify(deciding: boolean, pairs: readonly Pair[], scope: Scope, test: (pair: Pair) => CelValue): boolean {
  const asked = deciding ? EXISTS_ASKED : ALL_ASKED;
  let failure: unknown;
  for (const [index, pair] of pairs.entries()) {
    scope.meter.charge(asked + ACCUMULATOR);
    try {
      if (truth(test(pair)) === deciding) {
        if (index + 1 < pairs.length) scope.meter.charge(asked);
        return deciding;
      }
    } catch (error) {
      if (!(error instanceof CelError)) throw error;
      failure ??= error;
    }
  }
  if (failure !== undefined) throw failure;
  return !deciding;
}

/** The server asks for the optional value twice: whether it is there, and what it is. */
function optionalMacro({ name, range, variables, bodies }: Macro, scope: Scope): CelValue {
  const [body] = bodies;
  const { meter } = scope;
  const before = meter.cost;
  const asked = evaluate(range, scope);
  if (!(asked instanceof Optional) || body === undefined) throw noOverload();
  meter.charge(2);
  if (asked.value === undefined) return asked;
  meter.charge(meter.cost - before - 2);
  const result = evaluate(body, scope.with(variables[0] ?? '', asked.value));
  if (name === 'optFlatMap') return result;
  meter.charge(1);
  return new Optional(result);
}
