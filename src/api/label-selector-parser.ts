import { SelectorError } from './selector-error.ts';

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

const NAME = /^[A-Za-z0-9](?:[-A-Za-z0-9_.]*[A-Za-z0-9])?$/;
const SUBDOMAIN = /^[a-z0-9](?:[-a-z0-9]*[a-z0-9])?(?:\.[a-z0-9](?:[-a-z0-9]*[a-z0-9])?)*$/;

/** What is wrong with a label key (`name` or `prefix/name`), or undefined. */
export function labelKeyProblem(key: string): string | undefined {
  const slash = key.indexOf('/');
  const prefix = slash < 0 ? undefined : key.slice(0, slash);
  const name = key.slice(slash + 1);
  if (prefix !== undefined && (prefix.length > 253 || !SUBDOMAIN.test(prefix))) {
    return `the prefix of the label key "${key}" must be a lower-case DNS name of at most 253 characters`;
  }
  if (name.length > 63 || !NAME.test(name)) {
    return `the label key "${key}" must be at most 63 letters, digits, "-", "_" or ".", and begin and end with a letter or digit`;
  }
  return undefined;
}

/** What is wrong with a label value, or undefined. */
export function labelValueProblem(value: string): string | undefined {
  if (value === '' || (value.length <= 63 && NAME.test(value))) return undefined;
  return `the label value "${value}" must be empty or at most 63 letters, digits, "-", "_" or ".", and begin and end with a letter or digit`;
}

const TOKENS = /==|!=|[=!<>(),]|[^\s=!<>(),]+/g;
const SYMBOLS = ['==', '!=', '=', '!', '<', '>', '(', ')', ','];
const COMPARISONS = new Set(['=', '==', '!=', '<', '>']);

/** Reads Kubernetes' label selector grammar. A word is anything between symbols and white space, `in` and `notin` included. */
export function parseLabelSelector(text: string): LabelRequirement[] {
  const tokens = Array.from(text.matchAll(TOKENS), ({ 0: token, index }) => ({ text: token, at: index }));
  const requirements: LabelRequirement[] = [];
  let position = 0;

  const peek = () => tokens[position]?.text;
  const isWord = (token: string | undefined) => token !== undefined && !SYMBOLS.includes(token);
  const fail = (expected: string): never => {
    const found = tokens[position];
    const where = found ? `"${found.text}" at position ${found.at + 1}` : 'the end';
    throw new SelectorError(`"${text}" is not a label selector: expected ${expected}, found ${where}`);
  };
  const word = (expected: string): string => {
    const token = peek();
    if (token === undefined || !isWord(token)) return fail(expected);
    position++;
    return token;
  };
  const add = (key: string, operator: LabelOperator, values: string[]) => {
    requirements.push(checkedRequirement(`"${text}"`, { key, operator, values }));
  };

  const parseSet = (): string[] => {
    if (peek() !== '(') fail('"("');
    position++;
    const values = new Set<string>();
    let pendingEmpty = true;
    while (peek() !== ')') {
      if (isWord(peek())) {
        values.add(word('a value'));
        pendingEmpty = false;
        if (peek() !== ',' && peek() !== ')') fail('"," or ")"');
      } else if (peek() === ',') {
        position++;
        if (pendingEmpty) values.add('');
        pendingEmpty = true;
        if (peek() === ')') values.add('');
      } else fail('a value, "," or ")"');
    }
    position++;
    // As in Kubernetes, `()` holds the empty value.
    return values.size === 0 ? [''] : [...values].sort();
  };

  while (position < tokens.length) {
    if (peek() === '!') {
      position++;
      add(word('a label key after "!"'), '!', []);
    } else {
      const key = word('a label key or "!"');
      const operator = peek();
      if (operator === undefined || operator === ',') add(key, 'exists', []);
      else if (operator === 'in' || operator === 'notin') {
        position++;
        add(key, operator, parseSet());
      } else if (COMPARISONS.has(operator)) {
        position++;
        add(key, operator as LabelOperator, [isWord(peek()) ? word('a value') : '']);
      } else fail('"=", "==", "!=", "in", "notin", "<", ">" or ","');
    }
    if (position === tokens.length) break;
    if (peek() !== ',') fail('"," or the end');
    position++;
    if (position === tokens.length) fail('a label key or "!" after ","');
  }
  return requirements;
}

/** The requirement, when its parts can be those of labels; otherwise throws a `SelectorError` about `what`. */
export function checkedRequirement(what: string, requirement: LabelRequirement): LabelRequirement {
  const { key, operator, values } = requirement;
  const problem =
    labelKeyProblem(key) ??
    ((operator === '<' || operator === '>') && parseInt64(values[0]) === undefined
      ? `"${operator}" needs an integer, not "${values[0]}"`
      : undefined) ??
    values.map(labelValueProblem).find((found) => found !== undefined);
  if (problem !== undefined) throw new SelectorError(`${what} is not a label selector: ${problem}`);
  return requirement;
}
