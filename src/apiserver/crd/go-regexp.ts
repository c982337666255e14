import { Matcher } from './regexp/matcher.ts';
import { parsePattern } from './regexp/pattern-parser.ts';
import { Program } from './regexp/program.ts';

export { PatternError } from './regexp/pattern-error.ts';

const compiled = new Map<string, GoRegExp>();
/** Instructions of all patterns that are remembered. */
const MOST_INSTRUCTIONS = 1_000_000;
let instructions = 0;

/** A regular expression in Go's syntax (RE2), compiled once. Throws `PatternError` for what Go refuses. */
export function goRegExp(pattern: string): GoRegExp {
  const known = compiled.get(pattern);
  if (known !== undefined) return known;
  const expression = new GoRegExp(pattern);
  instructions += expression.size + pattern.length;
  if (instructions > MOST_INSTRUCTIONS) {
    compiled.clear();
    instructions = expression.size + pattern.length;
  }
  compiled.set(pattern, expression);
  return expression;
}

/** Finds what Go's regexp package finds, in time linear in the text. */
export class GoRegExp {
  /** How many instructions the pattern has become. */
  readonly size: number;
  readonly #matcher: Matcher;

  constructor(pattern: string) {
    const program = new Program(parsePattern(pattern));
    this.size = program.operation.length;
    this.#matcher = new Matcher(program);
  }

  /** How many characters and instructions have been looked at so far. @testonly */
  get steps(): number {
    return this.#matcher.steps;
  }

  /** Whether any part of the text matches. */
  test(text: string): boolean {
    return this.#matcher.test(text);
  }

  /** The leftmost match; undefined when there is none. */
  find(text: string): string | undefined {
    const found = this.#matcher.find(text);
    return found === undefined ? undefined : text.slice(...found);
  }

  /**
   * All matches that do not overlap, `limit` at most. An empty match directly after another one does not count. Each
   * search starts where the last match ended: many short matches of a pattern that looks far ahead take long.
   */
  findAll(text: string, limit = Number.POSITIVE_INFINITY): string[] {
    const matches: string[] = [];
    let lastEnd = -1;
    for (let at = 0; matches.length < limit && at <= text.length; ) {
      const found = this.#matcher.find(text, at);
      if (found === undefined) break;
      const [start, end] = found;
      const isRepeated = end === at && start === lastEnd;
      if (end === at) at += (text.codePointAt(at) ?? 0) > 0xffff ? 2 : 1;
      else at = end;
      lastEnd = end;
      if (!isRepeated) matches.push(text.slice(start, end));
    }
    return matches;
  }
}
