import type { FieldSet } from './field-set.ts';
import type { PathElement } from './path-element.ts';

/**
 * Where a walk stands, and a way to make that place a member of sets without looking for it from the root each time: a
 * walk to the ground of an object takes as many steps as the object is deep, not the square of that.
 */
export class PathCursor {
  readonly #path: PathElement[] = [];
  /** For each set, its subsets along the path, as far as they have been needed. */
  readonly #trails: ReadonlyMap<FieldSet, FieldSet[]>;

  constructor(...sets: readonly FieldSet[]) {
    this.#trails = new Map(sets.map((set) => [set, [set]]));
  }

  enter(element: PathElement): void {
    this.#path.push(element);
  }

  leave(): void {
    this.#path.pop();
    for (const trail of this.#trails.values()) {
      if (trail.length > this.#path.length + 1) trail.length = this.#path.length + 1;
    }
  }

  /** Makes the place a member of one of the sets; the root is never one. */
  insertInto(set: FieldSet): void {
    const last = this.#path.length - 1;
    if (last >= 0) this.#subset(set, last).members.add(this.#path[last] as PathElement);
  }

  /** Makes what is one step further a member. */
  insertBelow(set: FieldSet, element: PathElement): void {
    this.#subset(set, this.#path.length).members.add(element);
  }

  #subset(set: FieldSet, depth: number): FieldSet {
    const trail = this.#trails.get(set) ?? [set];
    for (let at = trail.length; at <= depth; at++) {
      trail.push((trail[at - 1] as FieldSet).below(this.#path[at - 1] as PathElement));
    }
    return trail[depth] as FieldSet;
  }
}
