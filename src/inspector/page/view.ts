import type { Connection } from './connection.ts';
import type { Model } from './model.ts';

/** One of the things that the page can show. */
export interface View {
  readonly root: HTMLElement;
  /** With each tick while it is shown, and when it begins to be. */
  update(): void;
  /** It is not shown any more. */
  hide?(): void;
}

export interface ViewContext {
  readonly model: Model;
  readonly connection: Connection;
}
