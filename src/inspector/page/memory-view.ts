import type { InformerNow } from '../protocol.ts';
import { element, KeyedList, setText } from './dom.ts';
import type { Model } from './model.ts';
import { Sparkline } from './sparkline.ts';
import { bytes, count } from './text.ts';
import { scrollable } from './timeline-view.ts';
import type { View, ViewContext } from './view.ts';

/** What the caches take, by kind, beside the whole process. */
export class MemoryView implements View {
  readonly root = element('div', 'memory');
  readonly #model: Model;
  readonly #process = [new Total('Process (RSS)', 'rss'), new Total('Heap in use', 'heap')] as const;
  readonly #external = element('p', 'note');
  readonly #rows: KeyedList<InformerNow, HTMLTableRowElement>;

  constructor({ model }: ViewContext) {
    this.#model = model;
    const body = element('tbody');
    this.#rows = new KeyedList(body, () => new MemoryRow(model));
    const head = element('tr');
    for (const title of ['Informer', 'Objects', 'In use', 'Set aside', 'A piece', 'Share']) {
      head.append(element('th', { text: title, attributes: { scope: 'col' } }));
    }
    this.root.append(
      element('h2', { text: 'Memory' }),
      element('div', 'cards', ...this.#process.map(({ root }) => root)),
      this.#external,
      element('h2', { text: 'By kind' }),
      element('div', scrollable('Memory by kind'), element('table', '', element('thead', '', head), body)),
      element('p', {
        class: 'note',
        text: 'A compact cache holds objects in bytes outside the heap. Of a plain one only the number of objects is known.',
      }),
    );
  }

  update(): void {
    const { tick } = this.#model;
    if (tick === undefined) return;
    for (const total of this.#process) total.update(this.#model);
    setText(this.#external, `Outside the heap: ${bytes(tick.memory.externalBytes)}`);
    const sorted = tick.informers.toSorted((a, b) => (b.liveBytes ?? 0) - (a.liveBytes ?? 0));
    this.#rows.update(sorted, ({ id }) => String(id));
  }
}

class Total {
  readonly root: HTMLElement;
  readonly #of: string;
  readonly #value = element('b', 'big');
  readonly #line = new Sparkline();

  constructor(title: string, of: string) {
    this.#of = of;
    this.root = element('article', 'card', element('h3', { text: title }), this.#value, this.#line.root);
  }

  update(model: Model): void {
    const points = model.points(this.#of);
    setText(this.#value, bytes(points.at(-1) ?? 0));
    this.#line.update(points);
  }
}

class MemoryRow {
  readonly root: HTMLTableRowElement;
  readonly #model: Model;
  readonly #cells = Array.from({ length: 5 }, (_, at) => element('td', at === 0 ? '' : 'number'));
  readonly #bar = element('span', 'bar');

  constructor(model: Model) {
    this.#model = model;
    const track = element(
      'td',
      '',
      element('span', { class: 'track', attributes: { 'aria-hidden': 'true' } }, this.#bar),
    );
    this.root = element('tr', '', ...this.#cells, track);
  }

  update({ name, objects, liveBytes, heldBytes }: InformerNow): void {
    const all = this.#model.tick?.informers.reduce((sum, informer) => sum + (informer.liveBytes ?? 0), 0) ?? 0;
    const text = [
      name,
      count(objects),
      liveBytes === undefined ? 'plain' : bytes(liveBytes),
      heldBytes === undefined ? '' : bytes(heldBytes),
      liveBytes === undefined || objects === 0 ? '' : bytes(liveBytes / objects),
    ];
    for (const [at, value] of text.entries()) setText(this.#cells[at] as Node, value);
    this.#bar.style.width = `${all === 0 ? 0 : ((liveBytes ?? 0) / all) * 100}%`;
  }
}
