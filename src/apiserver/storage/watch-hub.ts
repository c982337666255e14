import { FrameCache } from '../handlers/frame-cache.ts';
import type { Change, Table } from './storage.ts';

/** Who is offered the changes of a table: the body of a watch, or what stands before it. */
export interface Watcher {
  /** `frames` is shared by all watchers of the change. */
  offer(change: Change, frames: FrameCache): void;
  /** Ends the watch after what is queued. */
  end(): void;
  /** Breaks the connection. */
  break(): void;
}

/** The watchers of one table, by the namespace they look at; "" holds those that look at all. */
class TableWatchers {
  readonly byNamespace = new Map<string, Set<Watcher>>();

  readonly dispatch = (change: Change): void => {
    const frames = new FrameCache();
    const namespace = (change.current ?? change.previous)?.namespace ?? '';
    for (const stream of this.byNamespace.get('') ?? []) stream.offer(change, frames);
    if (namespace === '') return;
    for (const stream of this.byNamespace.get(namespace) ?? []) stream.offer(change, frames);
  };
}

/** Every open watch of the server. A change is put into one frame for each form, however many watch it. */
export class WatchHub {
  readonly #tables = new Map<Table, TableWatchers>();
  readonly #streams = new Set<Watcher>();

  get size(): number {
    return this.#streams.size;
  }

  /** From now on, changes of the table are offered to the stream. Returns the way out. */
  add(table: Table, namespace: string, stream: Watcher): () => void {
    let watchers = this.#tables.get(table);
    if (!watchers) {
      watchers = new TableWatchers();
      this.#tables.set(table, watchers);
      table.listeners.add(watchers.dispatch);
    }
    const { byNamespace, dispatch } = watchers;
    const streams = byNamespace.get(namespace) ?? new Set();
    byNamespace.set(namespace, streams);
    streams.add(stream);
    this.#streams.add(stream);
    return () => {
      this.#streams.delete(stream);
      streams.delete(stream);
      if (streams.size === 0) byNamespace.delete(namespace);
      if (byNamespace.size === 0 && this.#tables.get(table)?.byNamespace === byNamespace) {
        table.listeners.delete(dispatch);
        this.#tables.delete(table);
      }
    };
  }

  /** Breaks the connections of all watches. */
  breakAll(): void {
    for (const stream of [...this.#streams]) stream.break();
  }

  /** Ends the watches of a table, or all of them, cleanly. */
  endAll(table?: Table): void {
    if (table === undefined) {
      for (const stream of [...this.#streams]) stream.end();
      return;
    }
    const groups = [...(this.#tables.get(table)?.byNamespace.values() ?? [])];
    for (const stream of groups.flatMap((streams) => [...streams])) stream.end();
  }
}
