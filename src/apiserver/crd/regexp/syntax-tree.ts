import type { CodePoints } from './code-points.ts';
import { PatternError } from './pattern-error.ts';

export type Assertion = 'beginText' | 'endText' | 'beginLine' | 'endLine' | 'wordBoundary' | 'noWordBoundary';

type Shape =
  | { readonly kind: 'empty' }
  | { readonly kind: 'class'; readonly inside: CodePoints }
  | { readonly kind: 'assertion'; readonly assertion: Assertion }
  | { readonly kind: 'concat' | 'alternate'; readonly parts: readonly Node[] }
  | { readonly kind: 'capture'; readonly inner: Node }
  | {
      readonly kind: 'repeat';
      readonly inner: Node;
      readonly min: number;
      /** Infinity for no limit. */
      readonly max: number;
      readonly greedy: boolean;
    };

/** A part of a pattern, with what Go's limits look at. */
export type Node = Shape & {
  /** How many instructions it takes. */
  readonly size: number;
  readonly height: number;
  /** How often counted repetitions copy the part of it that they copy most. */
  readonly copies: number;
  /** Whether it matches the empty text. */
  readonly nullable: boolean;
};

const MAX_SIZE = Math.floor((128 << 20) / 40);
const MAX_HEIGHT = 1000;

/** Makes nodes of one pattern; throws `PatternError` where Go finds a pattern too large or too deep. */
export class NodeMaker {
  readonly #pattern: string;

  constructor(pattern: string) {
    this.#pattern = pattern;
  }

  empty(): Node {
    return { kind: 'empty', size: 1, height: 1, copies: 1, nullable: true };
  }

  class(inside: CodePoints): Node {
    return { kind: 'class', inside, size: 1, height: 1, copies: 1, nullable: false };
  }

  assertion(assertion: Assertion): Node {
    return { kind: 'assertion', assertion, size: 1, height: 1, copies: 1, nullable: true };
  }

  capture(inner: Node): Node {
    return this.#checked({ ...inner, kind: 'capture', inner, size: inner.size + 2, height: inner.height + 1 });
  }

  concat(parts: readonly Node[]): Node {
    const [first = this.empty()] = parts;
    if (parts.length < 2) return first;
    return this.#joined(
      'concat',
      parts,
      0,
      parts.every(({ nullable }) => nullable),
    );
  }

  alternate(parts: readonly Node[]): Node {
    const [first = this.empty()] = parts;
    if (parts.length < 2) return first;
    return this.#joined(
      'alternate',
      parts,
      parts.length - 1,
      parts.some(({ nullable }) => nullable),
    );
  }

  /** `counted` for `{2,3}`, as opposed to `*`, `+` and `?`. */
  repeat(inner: Node, min: number, max: number, greedy: boolean, counted: boolean): Node {
    const times = max === Number.POSITIVE_INFINITY ? min : max;
    return this.#checked({
      kind: 'repeat',
      inner,
      min,
      max,
      greedy,
      size: Math.max(1, repeatedSize(inner.size, min, max)),
      height: inner.height + 1,
      copies: !counted ? inner.copies : max === 0 ? 1 : Math.max(1, times) * inner.copies,
      nullable: min === 0 || inner.nullable,
    });
  }

  #joined(kind: 'concat' | 'alternate', parts: readonly Node[], splits: number, nullable: boolean): Node {
    let size = splits;
    let height = 0;
    let copies = 1;
    for (const part of parts) {
      size += part.size;
      height = Math.max(height, part.height);
      copies = Math.max(copies, part.copies);
    }
    return this.#checked({ kind, parts, size, height: height + 1, copies, nullable });
  }

  #checked(node: Node): Node {
    if (node.size > MAX_SIZE) throw new PatternError('expression too large', this.#pattern);
    if (node.height > MAX_HEIGHT) throw new PatternError('expression nests too deeply', this.#pattern);
    return node;
  }
}

function repeatedSize(inner: number, min: number, max: number): number {
  if (max === Number.POSITIVE_INFINITY) return min === 0 ? inner + 2 : min * inner + 1;
  return max * inner + max - min;
}
