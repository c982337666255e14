import type { ObjectRow, RowsAnswer } from '../protocol.ts';
import { element, setAttribute, setClass, setText } from './dom.ts';
import { RowWindow } from './row-window.ts';
import { ageOf } from './text.ts';

const ROW_HEIGHT = 30;
/** Above and below what is seen. */
const MARGIN_ROWS = 6;
/** What a browser can scroll. */
const MAX_ROWS = 1_000_000;

export interface TableQuery {
  readonly sort: string;
  readonly descending: boolean;
}

export interface ObjectTableOptions {
  fetch(query: TableQuery, from: number, count: number, signal: AbortSignal): Promise<RowsAnswer>;
  open(key: string): void;
  onAnswer(answer: RowsAnswer | undefined, error?: unknown): void;
  nowMs(): number;
}

/** A table of which only the rows that are seen exist. By keyboard: arrows, page keys, Home, End, Enter. */
export class ObjectTable {
  readonly root: HTMLElement;
  readonly #options: ObjectTableOptions;
  readonly #head = element('div', { class: 'grid-row grid-head', attributes: { role: 'row', 'aria-rowindex': '1' } });
  readonly #body = element('div', { class: 'grid-body', attributes: { role: 'rowgroup' } });
  readonly #scroller: HTMLElement;
  readonly #rows: HTMLElement[] = [];
  readonly #window: RowWindow;
  #query: TableQuery = { sort: '', descending: false };
  #columns: readonly string[] = [];
  #matched = 0;
  #active = 0;
  #isPainting = false;
  /** Whether anybody sees it, and of what. */
  #isShown = false;

  constructor(options: ObjectTableOptions) {
    this.#options = options;
    this.#window = new RowWindow(
      (from, count, signal) => options.fetch(this.#query, from, count, signal),
      (answer, error) => {
        if (answer !== undefined) this.#take(answer);
        options.onAnswer(answer, error);
      },
    );
    this.#scroller = element(
      'div',
      {
        class: 'grid',
        attributes: { role: 'grid', tabindex: '0', 'aria-label': 'Objects' },
        on: {
          scroll: () => this.#paintSoon(),
          keydown: (event) => this.#onKey(event as KeyboardEvent),
          click: (event) => this.#onClick(event),
        },
      },
      element('div', { class: 'grid-top', attributes: { role: 'rowgroup' } }, this.#head),
      this.#body,
    );
    this.root = this.#scroller;
    new ResizeObserver(() => this.#paintSoon()).observe(this.#scroller);
    this.#drawHead();
  }

  /** Another informer, filter or order. */
  reset(): void {
    this.#window.reset();
    this.#isShown = true;
    this.#active = 0;
    this.#matched = 0;
    this.#scroller.scrollTop = 0;
    this.#paint();
  }

  refresh(): void {
    this.#isShown = true;
    this.#window.refresh();
  }

  stop(): void {
    this.#isShown = false;
    this.#window.stop();
  }

  #take(answer: RowsAnswer): void {
    this.#matched = Math.min(answer.matched, MAX_ROWS);
    if (answer.columns.join() !== this.#columns.join()) {
      this.#columns = answer.columns;
      this.#drawHead();
    }
    this.#active = Math.min(this.#active, Math.max(0, this.#matched - 1));
    this.#paint();
  }

  #drawHead(): void {
    const columns: readonly (readonly [string, string])[] = [
      ['Namespace', 'metadata.namespace'],
      ['Name', 'metadata.name'],
      ...this.#columns.map((path) => [path, path] as const),
      ['Version', ''],
      ['Age', 'metadata.creationTimestamp'],
    ];
    const own = this.#columns.map(() => 'minmax(90px, 1fr)').join(' ');
    this.#scroller.style.setProperty('--columns', `minmax(90px, 1fr) minmax(160px, 2fr) ${own} 100px 90px`);
    const hadFocus = document.activeElement?.getAttribute('data-path');
    this.#head.replaceChildren(...columns.map(([title, path], at) => this.#headCell(title, path, at + 1)));
    if (hadFocus) this.#head.querySelector<HTMLElement>(`[data-path="${CSS.escape(hadFocus)}"]`)?.focus();
  }

  #headCell(title: string, path: string, index: number): HTMLElement {
    const { sort, descending } = this.#query;
    const isSorted = path !== '' && sort === path;
    const attributes: Record<string, string> = { role: 'columnheader', 'aria-colindex': String(index) };
    if (path !== '') attributes['aria-sort'] = isSorted ? (descending ? 'descending' : 'ascending') : 'none';
    if (path === '') return element('div', { class: 'cell', text: title, attributes });
    const button = element('button', {
      text: `${title}${isSorted ? (descending ? ' ▾' : ' ▴') : ''}`,
      attributes: { type: 'button', 'data-path': path, 'aria-label': `Sort by ${title}` },
      on: {
        click: () => {
          this.#query = { sort: path, descending: isSorted && !descending };
          this.#drawHead();
          this.reset();
        },
      },
    });
    return element('div', { class: 'cell', attributes }, button);
  }

  #paintSoon(): void {
    if (this.#isPainting) return;
    this.#isPainting = true;
    requestAnimationFrame(() => {
      this.#isPainting = false;
      this.#paint();
    });
  }

  #paint(): void {
    const { scrollTop, clientHeight } = this.#scroller;
    this.#body.style.height = `${this.#matched * ROW_HEIGHT}px`;
    setAttribute(this.#scroller, 'aria-rowcount', String(this.#matched + 1));
    const first = Math.max(0, Math.floor(scrollTop / ROW_HEIGHT) - MARGIN_ROWS);
    const seen = Math.ceil(clientHeight / ROW_HEIGHT) + 2 * MARGIN_ROWS;
    const last = Math.min(this.#matched, first + seen) - 1;
    if (this.#isShown) this.#window.see(first, Math.max(first, last));
    while (this.#rows.length < seen) this.#rows.push(this.#body.appendChild(newRow()));
    const nowMs = this.#options.nowMs();
    this.#rows.forEach((row, slot) => {
      // The row for an index is always the same element, so that scrolling moves few of them.
      const index = first + ((slot - (first % seen) + seen) % seen);
      this.#fill(row, index, index <= last, nowMs);
    });
    const active = this.#rows.find((row) => !row.hidden && row.dataset.index === String(this.#active));
    if (active === undefined) this.#scroller.removeAttribute('aria-activedescendant');
    else setAttribute(this.#scroller, 'aria-activedescendant', active.id);
  }

  #fill(row: HTMLElement, index: number, isSeen: boolean, nowMs: number): void {
    row.hidden = !isSeen;
    if (!isSeen) return;
    const object = this.#window.row(index);
    row.dataset.index = String(index);
    row.dataset.key = object?.key ?? '';
    row.style.transform = `translateY(${index * ROW_HEIGHT}px)`;
    setAttribute(row, 'aria-rowindex', String(index + 2));
    setAttribute(row, 'aria-selected', String(index === this.#active));
    setClass(row, `grid-row${index === this.#active ? ' active' : ''}${object?.isDeleting ? ' deleting' : ''}`);
    const texts = object === undefined ? this.#emptyTexts(index) : this.#texts(object, nowMs);
    while (row.children.length > texts.length) row.lastChild?.remove();
    texts.forEach((text, at) => {
      const cell = row.children[at] ?? row.appendChild(newCell(at + 1));
      setText(cell, text);
    });
  }

  #texts({ namespace, name, values, version, created }: ObjectRow, nowMs: number): string[] {
    const own = this.#columns.map((_, at) => values[at] ?? '');
    return [namespace, name, ...own, version === '' ? 'gone' : version, ageOf(created, nowMs)];
  }

  /** Not here yet. */
  #emptyTexts(index: number): string[] {
    return ['', `row ${index + 1} …`, ...this.#columns.map(() => ''), '', ''];
  }

  #onClick(event: Event): void {
    const row = (event.target as Element).closest<HTMLElement>('.grid-body .grid-row');
    if (row?.dataset.key) this.#options.open(row.dataset.key);
  }

  #onKey(event: KeyboardEvent): void {
    if (event.target !== this.#scroller || event.ctrlKey || event.metaKey || event.altKey) return;
    const page = Math.max(1, Math.floor(this.#scroller.clientHeight / ROW_HEIGHT) - 2);
    const steps: Readonly<Record<string, number>> = {
      ArrowDown: 1,
      ArrowUp: -1,
      PageDown: page,
      PageUp: -page,
      Home: Number.NEGATIVE_INFINITY,
      End: Number.POSITIVE_INFINITY,
    };
    const step = steps[event.key];
    if (step !== undefined) {
      event.preventDefault();
      this.#activate(Math.max(0, Math.min(this.#matched - 1, this.#active + step)));
    } else if (event.key === 'Enter') {
      const key = this.#window.row(this.#active)?.key;
      if (key !== undefined) this.#options.open(key);
    }
  }

  #activate(index: number): void {
    this.#active = index;
    const top = index * ROW_HEIGHT;
    const { scrollTop, clientHeight } = this.#scroller;
    const room = clientHeight - this.#head.offsetHeight - ROW_HEIGHT;
    if (top < scrollTop) this.#scroller.scrollTop = top;
    else if (top > scrollTop + room) this.#scroller.scrollTop = top - room;
    this.#paint();
  }
}

let rows = 0;

function newRow(): HTMLElement {
  return element('div', { class: 'grid-row', attributes: { role: 'row', id: `row-${rows++}` } });
}

function newCell(index: number): HTMLElement {
  return element('div', { class: 'cell', attributes: { role: 'gridcell', 'aria-colindex': String(index) } });
}
