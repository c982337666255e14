/** A node carries its own link, so that queueing allocates nothing beside it. */
export interface Linked<N> {
  next: N | undefined;
}

/** First in, first out, in constant time; a node that has left is not held. A node is in at most one list. */
export class LinkedFifo<N extends Linked<N>> {
  #head: N | undefined;
  #tail: N | undefined;
  #length = 0;

  get length(): number {
    return this.#length;
  }

  /** The oldest; follow `next` for the others. */
  get head(): N | undefined {
    return this.#head;
  }

  push(node: N): void {
    if (this.#tail === undefined) this.#head = node;
    else this.#tail.next = node;
    this.#tail = node;
    this.#length++;
  }

  /** Puts all that `other` holds at the end, in its order; `other` is empty afterwards. */
  append(other: LinkedFifo<N>): void {
    if (other.#head === undefined) return;
    if (this.#tail === undefined) this.#head = other.#head;
    else this.#tail.next = other.#head;
    this.#tail = other.#tail;
    this.#length += other.#length;
    other.clear();
  }

  unshift(node: N): void {
    node.next = this.#head;
    this.#head = node;
    this.#tail ??= node;
    this.#length++;
  }

  shift(): N | undefined {
    const node = this.#head;
    if (node === undefined) return undefined;
    this.#head = node.next;
    if (this.#head === undefined) this.#tail = undefined;
    // An old node that still pointed at a young one would keep it alive until the next full collection.
    node.next = undefined;
    this.#length--;
    return node;
  }

  clear(): void {
    this.#head = undefined;
    this.#tail = undefined;
    this.#length = 0;
  }
}
