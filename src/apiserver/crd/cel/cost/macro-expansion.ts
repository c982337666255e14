import type { Expression } from '../expression.ts';
import { BOOL, type CelType, INT } from '../types.ts';

type Macro = Extract<Expression, { kind: 'macro' }>;

/** A macro as the loop that it stands for: `step` gives the accumulator its next value, while `condition` holds. */
export interface Loop {
  readonly initial: Expression;
  readonly condition: Expression;
  readonly step: Expression;
  readonly result: Expression;
}

/** The accumulator of a loop. */
export const ACCUMULATOR = '@result';

/** Makes the loops of macros; the types of the expressions that it makes are added to `types`. */
export class MacroExpansion {
  readonly #types: Map<Expression, CelType>;

  constructor(types: Map<Expression, CelType>) {
    this.#types = types;
  }

  /** Not for optMap, optFlatMap and sortBy, which bind a variable. */
  loop(macro: Macro, accumulated: CelType): Loop {
    const [first, second] = macro.bodies;
    const body = second ?? first ?? this.#literal(true, BOOL);
    const at = macro.offset;
    const chosen = (step: Expression, filter: Expression | undefined) =>
      filter === undefined
        ? step
        : this.#call('?:', [filter, step, this.accumulator(accumulated, at)], accumulated, at);
    switch (macro.name) {
      case 'all':
        return this.#quantifier(true, body, at);
      case 'exists':
        return this.#quantifier(false, body, at);
      case 'exists_one':
      case 'existsOne':
        return this.#counter(body, at);
      case 'filter': {
        const [name = ''] = macro.variables;
        const item = this.#typed({ kind: 'identifier', name, offset: at }, itemsOf(accumulated));
        return this.#collector(chosen(this.#appended(item, accumulated, at), body), accumulated, at);
      }
      case 'transformMap':
      case 'transformMapEntry': {
        const [name = ''] = macro.variables;
        const key = this.#typed({ kind: 'identifier', name, offset: at }, INT);
        const args = macro.name === 'transformMap' ? [key, body] : [body];
        const insert = this.#call('@mapInsert', [this.accumulator(accumulated, at), ...args], accumulated, at);
        return this.#collector(chosen(insert, second && first), accumulated, at);
      }
      default:
        return this.#collector(chosen(this.#appended(body, accumulated, at), second && first), accumulated, at);
    }
  }

  accumulator(type: CelType, offset: number): Expression {
    return this.#typed({ kind: 'identifier', name: ACCUMULATOR, offset }, type);
  }

  #quantifier(all: boolean, body: Expression, at: number): Loop {
    const accumulator = () => this.accumulator(BOOL, at);
    const open = all ? accumulator() : this.#call('!', [accumulator()], BOOL, at);
    return {
      initial: this.#literal(all, BOOL),
      condition: this.#call('@notStrictlyFalse', [open], BOOL, at),
      step: this.#call(all ? '&&' : '||', [accumulator(), body], BOOL, at),
      result: accumulator(),
    };
  }

  #counter(body: Expression, at: number): Loop {
    const accumulator = () => this.accumulator(INT, at);
    const one = () => this.#literal(1n, INT);
    return {
      initial: this.#literal(0n, INT),
      condition: this.#literal(true, BOOL),
      step: this.#call('?:', [body, this.#call('+', [accumulator(), one()], INT, at), accumulator()], INT, at),
      result: this.#call('==', [accumulator(), one()], BOOL, at),
    };
  }

  #collector(step: Expression, type: CelType, offset: number): Loop {
    const initial: Expression =
      type.kind === 'map' ? { kind: 'map', entries: [], offset } : { kind: 'list', items: [], offset };
    return {
      initial: this.#typed(initial, type),
      condition: this.#literal(true, BOOL),
      step,
      result: this.accumulator(type, offset),
    };
  }

  #appended(item: Expression, type: CelType, offset: number): Expression {
    const single = this.#typed({ kind: 'list', items: [{ value: item, optional: false }], offset }, type);
    return this.#call('+', [this.accumulator(type, offset), single], type, offset);
  }

  #literal(value: boolean | bigint, type: CelType): Expression {
    return this.#typed({ kind: 'literal', value, offset: 0 }, type);
  }

  #call(name: string, args: readonly Expression[], type: CelType, offset: number): Expression {
    return this.#typed({ kind: 'call', name, target: undefined, args, offset }, type);
  }

  #typed(expression: Expression, type: CelType): Expression {
    this.#types.set(expression, type);
    return expression;
  }
}

function itemsOf(type: CelType): CelType {
  return type.kind === 'list' ? type.items : { kind: 'dyn' };
}
