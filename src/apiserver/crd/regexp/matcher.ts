import { ASSERTION, CHARACTER, MATCH, type Program, SPLIT, START } from './program.ts';

/** Where the automaton may be between two characters. */
interface State {
  readonly instructions: readonly number[];
  /** What stands before. */
  readonly context: number;
  /** By the kind of the next character, as far as it has been asked for. */
  readonly next: (State | 'match' | undefined)[];
  matchesAtEnd: boolean | undefined;
}

/** What a matcher remembers at most, in instructions of states; beyond it computes each step. */
const MOST_REMEMBERED = 10_000;

/**
 * Runs a program in time linear in the text: whatever the pattern, each character costs at most one visit of each
 * instruction. States that were met once are remembered with their ways, so that further texts cost one look-up a character.
 */
export class Matcher {
  readonly #program: Program;
  readonly #states = new Map<string, State>();
  #remembered = 0;
  #first: State | undefined;
  /** Instructions that stand for one character, in order of preference; those of the last `#expand`. */
  #leaves: number[] = [];
  #leafStarts: number[] = [];
  readonly #seen: Uint32Array;
  #round = 0;
  #steps = 0;

  constructor(program: Program) {
    this.#program = program;
    this.#seen = new Uint32Array(program.operation.length);
  }

  /** How many characters and instructions have been looked at so far. */
  get steps(): number {
    return this.#steps;
  }

  test(text: string): boolean {
    const program = this.#program;
    if (this.#remembered > MOST_REMEMBERED) {
      this.#states.clear();
      this.#remembered = 0;
      this.#first = undefined;
    }
    this.#first ??= this.#state([program.start], START);
    let state = this.#first;
    for (let at = 0; at < text.length; at += 1) {
      let codePoint = text.charCodeAt(at);
      if (codePoint >= 0xd800 && codePoint <= 0xdfff) {
        codePoint = pairAt(text, at);
        if (codePoint > 0xffff) at += 1;
      }
      this.#steps += 1;
      const kind = program.kindOf(codePoint);
      const next = state.next[kind] ?? this.#step(state, kind);
      if (next === 'match') return true;
      if (next.instructions.length === 0) return false;
      state = next;
    }
    state.matchesAtEnd ??= this.#expand(state.instructions, program.holding(state.context, undefined)) >= 0;
    return state.matchesAtEnd;
  }

  /** Leftmost, and of those the one that the pattern prefers; what stands before `from` is looked at, not searched. */
  find(text: string, from = 0): readonly [start: number, end: number] | undefined {
    const program = this.#program;
    let found: [number, number] | undefined;
    let threads: number[] = [];
    let starts: number[] = [];
    let context = from === 0 ? START : program.contextAfter(codePointBefore(text, from));
    for (let at = from; at <= text.length; ) {
      const codePoint = at < text.length ? pairAt(text, at) : undefined;
      this.#steps += 1;
      if (found === undefined && !(program.anchored && at > 0)) {
        threads.push(program.start);
        starts.push(at);
      }
      if (threads.length === 0) break;
      const matched = this.#expand(threads, program.holding(context, codePoint), starts);
      if (matched >= 0) found = [starts[matched] ?? 0, at];
      if (codePoint === undefined) break;
      threads = [];
      const nextStarts: number[] = [];
      for (let index = 0; index < this.#leaves.length; index += 1) {
        const leaf = this.#leaves[index] ?? 0;
        if (!program.accepts(leaf, codePoint)) continue;
        threads.push(program.next[leaf] ?? 0);
        nextStarts.push(this.#leafStarts[index] ?? 0);
      }
      starts = nextStarts;
      context = program.contextAfter(codePoint);
      at += codePoint > 0xffff ? 2 : 1;
    }
    return found;
  }

  #step(state: State, kind: number): State | 'match' {
    const program = this.#program;
    const codePoint = program.sample(kind);
    const matched = this.#expand(state.instructions, program.holding(state.context, codePoint)) >= 0;
    const next = matched ? 'match' : this.#state(this.#after(codePoint), program.contextAfter(codePoint));
    state.next[kind] = next;
    return next;
  }

  /** Where the leaves lead with a character, each place once, and the start where another match may begin. */
  #after(codePoint: number): number[] {
    const program = this.#program;
    const places = new Set<number>();
    for (const leaf of this.#leaves) if (program.accepts(leaf, codePoint)) places.add(program.next[leaf] ?? 0);
    if (!program.anchored) places.add(program.start);
    return [...places];
  }

  #state(instructions: readonly number[], context: number): State {
    const made = { instructions, context, next: [], matchesAtEnd: undefined };
    if (this.#remembered > MOST_REMEMBERED) return made;
    const key = `${context}:${instructions.join()}`;
    const known = this.#states.get(key);
    if (known !== undefined) return known;
    this.#states.set(key, made);
    this.#remembered += instructions.length + 1;
    return made;
  }

  /**
   * Follows the instructions that read no character, in order of preference. Gives the index of the thread that matched,
   * -1 when none did; threads after it are left out.
   */
  #expand(threads: readonly number[], holding: number, starts?: readonly number[]): number {
    const { operation, next, argument } = this.#program;
    this.#leaves = [];
    this.#leafStarts = [];
    this.#round += 1;
    const stack: number[] = [];
    for (let index = 0; index < threads.length; index += 1) {
      stack.push(threads[index] ?? 0);
      for (let at = stack.pop(); at !== undefined; at = stack.pop()) {
        if (this.#seen[at] === this.#round) continue;
        this.#seen[at] = this.#round;
        this.#steps += 1;
        const code = operation[at];
        if (code === CHARACTER) {
          this.#leaves.push(at);
          if (starts !== undefined) this.#leafStarts.push(starts[index] ?? 0);
        } else if (code === SPLIT) stack.push(argument[at] ?? 0, next[at] ?? 0);
        else if (code === ASSERTION) {
          if (((argument[at] ?? 0) & holding) !== 0) stack.push(next[at] ?? 0);
        } else if (code === MATCH) return index;
      }
    }
    return -1;
  }
}

/** The code point at a place; half a pair alone is what Go reads for it. */
function pairAt(text: string, at: number): number {
  const codePoint = text.codePointAt(at) ?? 0;
  return codePoint >= 0xd800 && codePoint <= 0xdfff ? 0xfffd : codePoint;
}

function codePointBefore(text: string, at: number): number {
  const codePoint = at >= 2 ? pairAt(text, at - 2) : 0;
  return codePoint > 0xffff ? codePoint : pairAt(text, at - 1);
}
