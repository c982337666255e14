import { foldCase } from './case-folding.ts';
import { ClassParser } from './class-parser.ts';
import { ANY, ANY_BUT_NEWLINE, type CodePoints } from './code-points.ts';
import { PatternError } from './pattern-error.ts';
import { type Assertion, type Node, NodeMaker } from './syntax-tree.ts';

const MAX_CLASS_ENDS = (128 << 20) / 4;
const MAX_REPEAT = 1000;
const ASSERTIONS: ReadonlyMap<string, Assertion> = new Map([
  ['A', 'beginText'],
  ['z', 'endText'],
  ['b', 'wordBoundary'],
  ['B', 'noWordBoundary'],
]);

/** Which flags hold at a place; they end with the group in which they were set. */
interface Flags {
  readonly i: boolean;
  readonly m: boolean;
  readonly s: boolean;
  readonly U: boolean;
}

interface Group {
  /** What stands around the group. */
  readonly flags: Flags;
  readonly captures: boolean;
  readonly branches: Node[];
  parts: Node[];
}

/** Reads a pattern in the syntax of Go's regexp package (RE2's). Throws `PatternError`, worded as Go does. */
export function parsePattern(pattern: string): Node {
  return new PatternParser(pattern).parse();
}

class PatternParser {
  readonly #text: string;
  readonly #make: NodeMaker;
  readonly #groups: Group[] = [];
  readonly #literals = new Map<number, CodePoints>();
  readonly #folded = new Map<number, CodePoints>();
  #flags: Flags = { i: false, m: false, s: false, U: false };
  #group: Group;
  #at = 0;
  #classEnds = 0;
  /** Where the repetition starts that ended just before this place. */
  #repetition: number | undefined;

  constructor(text: string) {
    this.#text = text;
    this.#make = new NodeMaker(text);
    this.#group = { flags: this.#flags, captures: false, branches: [], parts: [] };
  }

  parse(): Node {
    while (this.#at < this.#text.length) {
      const start = this.#at;
      const repeated = this.#next();
      this.#repetition = repeated ? start : undefined;
    }
    if (this.#groups.length > 0) throw new PatternError('missing closing )', this.#text);
    return this.#close();
  }

  /** Reads one element; tells whether it was a repetition. */
  #next(): boolean {
    const char = this.#text[this.#at];
    switch (char) {
      case '(':
        this.#open();
        return false;
      case '|':
        this.#group.branches.push(this.#make.concat(this.#group.parts));
        this.#group.parts = [];
        this.#at += 1;
        return false;
      case ')':
        this.#end();
        return false;
      case '^':
        return this.#assertion(this.#flags.m ? 'beginLine' : 'beginText', 1);
      case '$':
        return this.#assertion(this.#flags.m ? 'endLine' : 'endText', 1);
      case '.':
        this.#at += 1;
        return this.#class(this.#flags.s ? ANY : ANY_BUT_NEWLINE);
      case '[':
        return this.#brackets();
      case '*':
        return this.#repeat(0, Number.POSITIVE_INFINITY, 1, false);
      case '+':
        return this.#repeat(1, Number.POSITIVE_INFINITY, 1, false);
      case '?':
        return this.#repeat(0, 1, 1, false);
      case '{':
        return this.#braces();
      case '\\':
        return this.#escape();
      default:
        return this.#literal(this.#codePoint());
    }
  }

  #codePoint(): number {
    const codePoint = this.#text.codePointAt(this.#at) ?? 0;
    this.#at += codePoint > 0xffff ? 2 : 1;
    return codePoint;
  }

  #literal(codePoint: number): false {
    const known = this.#flags.i ? this.#folded : this.#literals;
    let own = known.get(codePoint);
    if (own === undefined) {
      own = this.#flags.i ? foldCase([codePoint, codePoint]) : [codePoint, codePoint];
      known.set(codePoint, own);
    }
    return this.#class(own);
  }

  #class(inside: CodePoints): false {
    this.#classEnds += inside.length;
    if (this.#classEnds > MAX_CLASS_ENDS) throw new PatternError('expression too large', this.#text);
    this.#group.parts.push(this.#make.class(inside));
    return false;
  }

  #assertion(assertion: Assertion, length: number): false {
    this.#at += length;
    this.#group.parts.push(this.#make.assertion(assertion));
    return false;
  }

  #brackets(): false {
    const parser = new ClassParser(this.#text, this.#at, this.#flags.i);
    const inside = parser.brackets();
    this.#at = parser.at;
    return this.#class(inside);
  }

  #escape(): false {
    const letter = this.#text[this.#at + 1] ?? '';
    const assertion = ASSERTIONS.get(letter);
    if (assertion !== undefined) return this.#assertion(assertion, 2);
    if (letter === 'C') throw new PatternError('invalid escape sequence', '\\C');
    if (letter === 'Q') return this.#quoted();
    const parser = new ClassParser(this.#text, this.#at, this.#flags.i);
    const inside = parser.namedClass();
    if (inside !== undefined) {
      this.#at = parser.at;
      return this.#class(inside);
    }
    const codePoint = parser.character();
    this.#at = parser.at;
    return this.#literal(codePoint);
  }

  #quoted(): false {
    const start = this.#at + 2;
    const end = this.#text.indexOf('\\E', start);
    this.#at = start;
    const stop = end < 0 ? this.#text.length : end;
    while (this.#at < stop) this.#literal(this.#codePoint());
    if (end >= 0) this.#at += 2;
    return false;
  }

  /** Braces that are not a repetition stand for themselves. */
  #braces(): boolean {
    const [whole, from, comma, to] =
      /^\{(0|[1-9]\d*)(?:(,)(0|[1-9]\d*)?)?\}/.exec(this.#text.slice(this.#at, this.#at + 100)) ?? [];
    if (whole === undefined) {
      this.#at += 1;
      return this.#literal(0x7b);
    }
    const min = Number(from);
    const max = comma === undefined ? min : to === undefined ? Number.POSITIVE_INFINITY : Number(to);
    const tooMany = min > MAX_REPEAT || (to !== undefined && max > MAX_REPEAT);
    if (tooMany || min > max) throw new PatternError('invalid repeat count', whole);
    return this.#repeat(min, max, whole.length, true);
  }

  #repeat(min: number, max: number, length: number, counted: boolean): true {
    const start = this.#at;
    this.#at += length;
    let greedy = !this.#flags.U;
    if (this.#text[this.#at] === '?') {
      this.#at += 1;
      greedy = !greedy;
    }
    const written = this.#text.slice(start, this.#at);
    if (this.#repetition !== undefined) {
      throw new PatternError('invalid nested repetition operator', this.#text.slice(this.#repetition, this.#at));
    }
    const inner = this.#group.parts.pop();
    if (inner === undefined) throw new PatternError('missing argument to repetition operator', written);
    const repeated = this.#make.repeat(inner, min, max, greedy, counted);
    const isCopied = counted && (min >= 2 || (max >= 2 && max !== Number.POSITIVE_INFINITY));
    if (isCopied && repeated.copies > MAX_REPEAT) throw new PatternError('invalid repeat count', written);
    this.#group.parts.push(repeated);
    return true;
  }

  #open(): void {
    if (this.#text[this.#at + 1] !== '?') {
      this.#at += 1;
      this.#enter(true, this.#flags);
      return;
    }
    const rest = this.#text.slice(this.#at);
    const named = /^\(\?P?</.exec(rest)?.[0];
    if (named !== undefined && rest.length > named.length) this.#named(rest, named.length);
    else this.#flagGroup(rest);
  }

  #enter(captures: boolean, flags: Flags): void {
    this.#groups.push(this.#group);
    this.#group = { flags: this.#flags, captures, branches: [], parts: [] };
    this.#flags = flags;
  }

  #named(rest: string, opening: number): void {
    const end = rest.indexOf('>');
    if (end < 0) throw new PatternError('invalid named capture', rest);
    if (!/^\w+$/.test(rest.slice(opening, end))) {
      throw new PatternError('invalid named capture', rest.slice(0, end + 1));
    }
    this.#at += end + 1;
    this.#enter(true, this.#flags);
  }

  #flagGroup(rest: string): void {
    const [whole, set = '', cleared, end] = /^\(\?([imsU]*)(?:-([imsU]+))?([:)])/.exec(rest) ?? [];
    if (whole === undefined) {
      const [read = ''] = /^\(\?[imsU]*(?:-[imsU]*)?.?/su.exec(rest) ?? [];
      throw new PatternError('invalid or unsupported Perl syntax', read);
    }
    this.#at += whole.length;
    const flag = (name: keyof Flags) => (set.includes(name) || this.#flags[name]) && !cleared?.includes(name);
    const flags = { i: flag('i'), m: flag('m'), s: flag('s'), U: flag('U') };
    if (end === ':') this.#enter(false, flags);
    else this.#flags = flags;
  }

  #end(): void {
    const outer = this.#groups.pop();
    if (outer === undefined) throw new PatternError('unexpected )', this.#text);
    const { flags, captures } = this.#group;
    const inner = this.#close();
    this.#group = outer;
    this.#flags = flags;
    outer.parts.push(captures ? this.#make.capture(inner) : inner);
    this.#at += 1;
  }

  #close(): Node {
    const { branches, parts } = this.#group;
    return this.#make.alternate([...branches, this.#make.concat(parts)]);
  }
}
