import type { Cached } from '../api/cached.ts';
import type { KubernetesObject, Stored } from '../api/metadata.ts';
import type { ResourceEvent } from './processor.ts';

/**
 * One change on its way to every listener. All of them share its views, which are made when the first one looks and given up
 * when the last one is through: one that waited long would keep them alive until the next large collection of garbage.
 */
export class Notification<T extends KubernetesObject> {
  readonly type: 'add' | 'update' | 'delete';
  /** The new state; for a delete, the last one. */
  readonly object: Cached<T>;
  /** The state before; undefined for an add. */
  readonly old: Cached<T> | undefined;
  /** `isInInitialList` of an add, `finalStateUnknown` of a delete. */
  readonly flag: boolean;
  /** When it was made, in monotonic time. */
  readonly atMs: number;
  /** The id of the store change, where somebody looks inside; 0: nobody does. */
  change = 0;
  /** How many listeners it waits for. */
  #awaited = 0;
  #view: Stored<T> | undefined;
  #oldView: Stored<T> | undefined;

  private constructor(
    type: 'add' | 'update' | 'delete',
    object: Cached<T>,
    old: Cached<T> | undefined,
    flag: boolean,
    atMs: number,
  ) {
    this.type = type;
    this.object = object;
    this.old = old;
    this.flag = flag;
    this.atMs = atMs;
  }

  static add<T extends KubernetesObject>(object: Cached<T>, isInInitialList: boolean, atMs: number): Notification<T> {
    return new Notification('add', object, undefined, isInInitialList, atMs);
  }

  static update<T extends KubernetesObject>(old: Cached<T>, object: Cached<T>, atMs: number): Notification<T> {
    return new Notification('update', object, old, false, atMs);
  }

  /** `old` is the last state that was stored, where the final one is another. */
  static delete<T extends KubernetesObject>(
    object: Cached<T>,
    finalStateUnknown: boolean,
    atMs: number,
    old: Cached<T> = object,
  ): Notification<T> {
    return new Notification('delete', object, old, finalStateUnknown, atMs);
  }

  get isInitial(): boolean {
    return this.type === 'add' && this.flag;
  }

  /** How many notifications of the initial list this settles. */
  get initial(): number {
    return this.isInitial ? 1 : 0;
  }

  /** Whether somebody has looked. */
  get hasView(): boolean {
    return this.#view !== undefined;
  }

  /** It waits for one listener more. */
  awaited(): void {
    this.#awaited++;
  }

  /** One listener is through with it. */
  delivered(): void {
    if (--this.#awaited > 0) return;
    this.#view = undefined;
    this.#oldView = undefined;
  }

  view(): Stored<T> {
    this.#view ??= this.object.view();
    return this.#view;
  }

  oldView(): Stored<T> {
    if (this.old === this.object) return this.view();
    this.#oldView ??= (this.old ?? this.object).view();
    return this.#oldView;
  }

  toEvent(): ResourceEvent<T> {
    switch (this.type) {
      case 'add':
        return { type: 'add', object: this.view(), isInInitialList: this.flag };
      case 'update':
        return { type: 'update', oldObject: this.oldView(), object: this.view() };
      case 'delete':
        return { type: 'delete', object: this.view(), finalStateUnknown: this.flag };
    }
  }
}
