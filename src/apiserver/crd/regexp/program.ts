import { type CodePoints, codePoints, firstAbove, includes } from './code-points.ts';
import { PERL_CLASSES } from './named-classes.ts';
import type { Assertion, Node } from './syntax-tree.ts';

export const CHARACTER = 0;
export const SPLIT = 1;
export const ASSERTION = 2;
export const MATCH = 3;

/** The bits of what holds at a place between two characters. */
const BITS: Readonly<Record<Assertion, number>> = {
  beginText: 1,
  endText: 2,
  beginLine: 4,
  endLine: 8,
  wordBoundary: 16,
  noWordBoundary: 32,
};
/** What stands before a place: nothing, or one of three sorts of characters. */
export const START = 0;
const NEWLINE = 1;
const WORD = 2;
const OTHER = 3;
const ASCII = 128;

/**
 * A pattern as instructions of an automaton: CHARACTER goes to `next` with one character of the class `argument`, SPLIT to
 * `next` or else to `argument`, ASSERTION to `next` where the bits of `argument` hold.
 */
export class Program {
  readonly operation: number[] = [];
  readonly next: number[] = [];
  readonly argument: number[] = [];
  readonly start: number;
  /** Whether it can match at the start of a text only. */
  readonly anchored: boolean;
  /** Whether anything depends on what stands around a place. */
  readonly looksAround: boolean;
  readonly #classes: CodePoints[] = [];
  readonly #classNumbers = new Map<CodePoints, number>();
  readonly #edges: readonly number[];
  readonly #asciiKinds: readonly number[];

  constructor(root: Node) {
    this.start = this.#compile(root, this.#emit(MATCH, 0, 0));
    this.anchored = startsText(root);
    this.looksAround = this.operation.includes(ASSERTION);
    const separate = this.looksAround ? [...this.#classes, PERL_CLASSES.w ?? [], [10, 10]] : this.#classes;
    const edges = new Set(separate.flatMap((set) => set.map((end, at) => end + (at % 2))));
    edges.delete(0);
    this.#edges = [...edges].sort((a, b) => a - b);
    this.#asciiKinds = Array.from({ length: ASCII }, (_, codePoint) => firstAbove(this.#edges, codePoint));
  }

  /** Characters of one kind are alike to every instruction. */
  kindOf(codePoint: number): number {
    return codePoint < ASCII ? (this.#asciiKinds[codePoint] ?? 0) : firstAbove(this.#edges, codePoint);
  }

  /** A character of a kind. */
  sample(kind: number): number {
    return kind === 0 ? 0 : (this.#edges[kind - 1] ?? 0);
  }

  accepts(instruction: number, codePoint: number): boolean {
    return includes(this.#classes[this.argument[instruction] ?? 0] ?? [], codePoint);
  }

  /** What a character is to the place after it. */
  contextAfter(codePoint: number): number {
    if (!this.looksAround) return OTHER;
    return codePoint === 10 ? NEWLINE : isWord(codePoint) ? WORD : OTHER;
  }

  /** The assertions that hold between a context and the next character, undefined at the end of the text. */
  holding(before: number, after: number | undefined): number {
    if (!this.looksAround) return 0;
    const boundary = (before === WORD) !== (after !== undefined && isWord(after));
    return (
      (before === START ? BITS.beginText : 0) |
      (before === START || before === NEWLINE ? BITS.beginLine : 0) |
      (after === undefined ? BITS.endText : 0) |
      (after === undefined || after === 10 ? BITS.endLine : 0) |
      (boundary ? BITS.wordBoundary : BITS.noWordBoundary)
    );
  }

  #emit(operation: number, next: number, argument: number): number {
    this.next.push(next);
    this.argument.push(argument);
    return this.operation.push(operation) - 1;
  }

  #classNumber(set: CodePoints): number {
    const known = this.#classNumbers.get(set);
    if (known !== undefined) return known;
    const number = this.#classes.push(set) - 1;
    this.#classNumbers.set(set, number);
    return number;
  }

  /** The first instruction of a node that goes on with `after`. */
  #compile(node: Node, after: number): number {
    switch (node.kind) {
      case 'empty':
        return after;
      case 'class':
        return this.#emit(CHARACTER, after, this.#classNumber(node.inside));
      case 'assertion':
        return this.#emit(ASSERTION, after, BITS[node.assertion]);
      case 'capture':
        return this.#compile(node.inner, after);
      case 'concat':
        return node.parts.reduceRight((next, part) => this.#compile(part, next), after);
      case 'alternate': {
        const entries = node.parts.map((part) => this.#compile(part, after));
        return entries.reduceRight((rest, entry) => this.#emit(SPLIT, entry, rest));
      }
      case 'repeat':
        return this.#repeat(node, after);
    }
  }

  #repeat(node: Extract<Node, { kind: 'repeat' }>, after: number): number {
    const { inner, min, max, greedy } = node;
    let entry = after;
    let copies = min;
    if (max === Number.POSITIVE_INFINITY) {
      entry = this.#loop(inner, greedy, after, min > 0);
      copies = Math.max(0, min - 1);
    } else {
      for (let count = min; count < max; count += 1) entry = this.#split(greedy, this.#compile(inner, entry), after);
    }
    for (let count = 0; count < copies; count += 1) entry = this.#compile(inner, entry);
    return entry;
  }

  #loop(inner: Node, greedy: boolean, after: number, atLeastOnce: boolean): number {
    const turn = this.#emit(SPLIT, after, after);
    const body = this.#compile(inner, turn);
    if (greedy) this.next[turn] = body;
    else this.argument[turn] = body;
    if (atLeastOnce) return body;
    // A body that may be empty is entered once more than it is left, or its empty match would end the loop.
    return inner.nullable ? this.#split(greedy, body, after) : turn;
  }

  #split(greedy: boolean, body: number, after: number): number {
    return greedy ? this.#emit(SPLIT, body, after) : this.#emit(SPLIT, after, body);
  }
}

function isWord(codePoint: number): boolean {
  return includes(WORD_CHARACTERS, codePoint);
}

const WORD_CHARACTERS = codePoints([0x30, 0x39, 0x41, 0x5a, 0x5f, 0x5f, 0x61, 0x7a]);

function startsText(node: Node): boolean {
  switch (node.kind) {
    case 'assertion':
      return node.assertion === 'beginText';
    case 'capture':
      return startsText(node.inner);
    case 'concat':
      return node.parts[0] !== undefined && startsText(node.parts[0]);
    case 'alternate':
      return node.parts.every(startsText);
    case 'repeat':
      return node.min > 0 && startsText(node.inner);
    default:
      return false;
  }
}
