import type { CelValue } from './values.ts';

/** The syntax tree of a rule; `offset` is where the node stands in the text. */
export type Expression =
  | { readonly kind: 'literal'; readonly value: CelValue; readonly offset: number }
  | { readonly kind: 'identifier'; readonly name: string; readonly offset: number }
  | {
      readonly kind: 'select';
      readonly operand: Expression;
      readonly field: string;
      /** `has(a.b)`: whether it is there. */
      readonly test: boolean;
      /** `a.?b`. */
      readonly optional: boolean;
      readonly offset: number;
    }
  | {
      readonly kind: 'index';
      readonly operand: Expression;
      readonly index: Expression;
      readonly optional: boolean;
      readonly offset: number;
    }
  | {
      readonly kind: 'call';
      /** Operators are named by their symbol: `&&`, `-` (binary), `neg`, `?:`. */
      readonly name: string;
      readonly target: Expression | undefined;
      readonly args: readonly Expression[];
      readonly offset: number;
    }
  | { readonly kind: 'list'; readonly items: readonly Element[]; readonly offset: number }
  | { readonly kind: 'map'; readonly entries: readonly (Element & { key: Expression })[]; readonly offset: number }
  | {
      readonly kind: 'macro';
      readonly name: string;
      readonly range: Expression;
      readonly variables: readonly string[];
      readonly bodies: readonly Expression[];
      readonly offset: number;
    };

export interface Element {
  readonly value: Expression;
  /** `[?a]`: left out when the optional value is absent. */
  readonly optional: boolean;
}
