/** How a label is compared; `exists` and `!` look for the key alone. */
export type LabelOperator = '=' | '==' | '!=' | 'in' | 'notin' | 'exists' | '!' | '>' | '<';

/** One comparison of a label selector. */
export interface LabelRequirement {
  readonly key: string;
  readonly operator: LabelOperator;
  /** One for `=`, `==`, `!=`, `>`, `<`; at least one, sorted, for `in` and `notin`; none for `exists` and `!`. */
  readonly values: readonly string[];
}

/** As Go's `strconv.ParseInt(text, 10, 64)`. */
export function parseInt64(text: string | undefined): bigint | undefined {
  if (text === undefined || !/^[+-]?[0-9]+$/.test(text)) return undefined;
  const value = BigInt(text.replace(/^\+/, ''));
  return BigInt.asIntN(64, value) === value ? value : undefined;
}
