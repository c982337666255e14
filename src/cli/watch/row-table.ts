import { metaNamespaceKey } from '../../api/key.ts';
import type { TableRow } from './table-rows.ts';

/** What happened to a row last, and when. */
export type Mark = 'added' | 'changed' | 'deleted';

export interface RowEntry {
  readonly key: string;
  /** For sorting: the namespace before the name, as the server keeps them. */
  readonly place: string;
  row: TableRow;
  mark: Mark | undefined;
  markedMs: number;
}

/** How long a change can be seen. */
export const MARK_MS = 3_000;

/**
 * The rows that a screen shows, in the server's order. Changes cost next to nothing; what they mean for the order is
 * worked out when somebody looks. A deleted row stays for a moment, so that it can be seen to go.
 */
export class RowTable {
  readonly #entries = new Map<string, RowEntry>();
  #order: RowEntry[] = [];
  #added: RowEntry[] = [];
  /** Deleted, and to be taken out when their time has come; oldest first. */
  #leaving: RowEntry[] = [];
  #live = 0;

  /** Without those that are on their way out. */
  get size(): number {
    return this.#live;
  }

  put(row: TableRow, mark: Mark | undefined, nowMs: number): void {
    const key = metaNamespaceKey(row);
    const known = this.#entries.get(key);
    if (known) {
      if (known.mark === 'deleted') this.#live++;
      known.row = row;
      // What was new a moment ago is still new.
      if (known.mark === 'added' && mark === 'changed' && nowMs - known.markedMs < MARK_MS) return;
      known.mark = mark;
      known.markedMs = nowMs;
      return;
    }
    const place = `${row.metadata?.namespace ?? ''}/${row.metadata?.name ?? ''}`;
    const entry = { key, place, row, mark, markedMs: nowMs };
    this.#entries.set(key, entry);
    this.#added.push(entry);
    this.#live++;
  }

  delete(row: TableRow, nowMs: number): void {
    const entry = this.#entries.get(metaNamespaceKey(row));
    if (entry === undefined || entry.mark === 'deleted') return;
    entry.mark = 'deleted';
    entry.markedMs = nowMs;
    this.#leaving.push(entry);
    this.#live--;
  }

  /** All rows in order. Live: to be used before the next change. */
  rows(nowMs: number): readonly RowEntry[] {
    const gone = this.#takeGone(nowMs);
    if (gone.size > 0) this.#order = this.#order.filter((entry) => !gone.has(entry));
    if (this.#added.length > 0) {
      const fresh = this.#added.filter((entry) => !gone.has(entry)).sort(byPlace);
      this.#order = this.#order.length === 0 ? fresh : merged(this.#order, fresh);
      this.#added = [];
    }
    return this.#order;
  }

  #takeGone(nowMs: number): Set<RowEntry> {
    const gone = new Set<RowEntry>();
    const staying: RowEntry[] = [];
    for (const entry of this.#leaving) {
      // It may have come back under the same name.
      if (entry.mark !== 'deleted') continue;
      if (nowMs - entry.markedMs < MARK_MS) staying.push(entry);
      else {
        gone.add(entry);
        this.#entries.delete(entry.key);
      }
    }
    this.#leaving = staying;
    return gone;
  }
}

function byPlace(a: RowEntry, b: RowEntry): number {
  return a.place < b.place ? -1 : a.place > b.place ? 1 : 0;
}

function merged(a: readonly RowEntry[], b: readonly RowEntry[]): RowEntry[] {
  const all: RowEntry[] = [];
  let [i, j] = [0, 0];
  for (;;) {
    const [left, right] = [a[i], b[j]];
    if (left === undefined) return [...all, ...b.slice(j)];
    if (right === undefined) return [...all, ...a.slice(i)];
    if (byPlace(left, right) <= 0) {
      all.push(left);
      i++;
    } else {
      all.push(right);
      j++;
    }
  }
}
