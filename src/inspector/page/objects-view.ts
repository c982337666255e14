import type { InformerNow, RowsAnswer } from '../protocol.ts';
import { Refused } from './connection.ts';
import { element, KeyedList, setText } from './dom.ts';
import { ObjectTable } from './object-table.ts';
import { clockTime, count, many } from './text.ts';
import type { View, ViewContext } from './view.ts';

const TYPING_MS = 250;
/** Of the two ticks a second, every other one is enough for a table. */
const TICKS = 2;

/** The objects of one informer. */
export class ObjectsView implements View {
  readonly root = element('div', 'objects');
  readonly #context: ViewContext;
  readonly #select = element('select', { attributes: { id: 'informer' } });
  readonly #options: KeyedList<InformerNow, HTMLOptionElement>;
  readonly #filters = {
    text: field('Name', 'a part of it'),
    labels: field('Labels', 'app=web,tier in (api,db)'),
    fields: field('Fields', 'status.phase=Running'),
    columns: field('Columns', 'status.phase, …'),
  };
  readonly #message = element('p', { class: 'note', attributes: { 'aria-live': 'polite' } });
  readonly #table: ObjectTable;
  #informer = '';
  /** What is shown is by these filters, also while somebody types others. */
  #applied: Record<string, string> = {};
  #typing: number | undefined;
  #ticks = 0;

  constructor(context: ViewContext) {
    this.#context = context;
    this.#options = new KeyedList(this.#select, ({ id }) => ({
      root: element('option', { attributes: { value: String(id) } }),
      update({ name }) {
        setText(this.root, name);
      },
    }));
    this.#table = new ObjectTable({
      fetch: ({ sort, descending }, from, rowCount, signal) =>
        context.connection.get<RowsAnswer>(
          'rows',
          {
            informer: this.#informer,
            from: String(from),
            count: String(rowCount),
            sort,
            order: descending ? 'descending' : 'ascending',
            ...this.#applied,
          },
          signal,
        ),
      open: (key) => {
        location.hash = `#/object/${this.#informer}/${encodeURIComponent(key)}`;
      },
      onAnswer: (answer, error) => this.#say(answer, error),
      nowMs: () => context.model.tick?.nowMs ?? 0,
    });
    this.#select.addEventListener('change', () => {
      location.hash = `#/objects/${this.#select.value}`;
    });
    for (const { input } of Object.values(this.#filters)) {
      input.addEventListener('input', () => {
        clearTimeout(this.#typing);
        this.#typing = setTimeout(() => this.#apply(), TYPING_MS);
      });
    }
    const label = element('label', { text: 'Informer', attributes: { for: 'informer' } });
    this.root.append(
      element('h2', { text: 'Objects' }),
      element(
        'form',
        { class: 'query', attributes: { role: 'search' }, on: { submit: (event) => event.preventDefault() } },
        element('div', 'field', label, this.#select),
        ...Object.values(this.#filters).map(({ root }) => root),
      ),
      this.#message,
      this.#table.root,
    );
  }

  /** @param informer its id; "" for the one that is shown already, or the first. */
  show(informer: string): void {
    const { tick } = this.#context.model;
    const wanted = informer || this.#informer || String(tick?.informers[0]?.id ?? '');
    if (wanted === this.#informer) return;
    this.#informer = wanted;
    this.#table.reset();
  }

  focusFilter(): void {
    this.#filters.text.input.focus();
  }

  update(): void {
    const { tick } = this.#context.model;
    if (tick === undefined) return;
    this.#options.update(tick.informers, ({ id }) => String(id));
    if (this.#informer === '') this.show('');
    if (this.#select.value !== this.#informer) this.#select.value = this.#informer;
    if (this.#ticks++ % TICKS === 0) this.#table.refresh();
  }

  hide(): void {
    this.#table.stop();
  }

  #apply(): void {
    const { text, labels, fields, columns } = this.#filters;
    const own = columns.input.value.replaceAll(/\s/g, '');
    this.#applied = {
      text: text.input.value.trim(),
      labels: labels.input.value.trim(),
      fields: fields.input.value.trim(),
      ...(own !== '' && { columns: own }),
    };
    this.#table.reset();
  }

  #say(answer: RowsAnswer | undefined, error: unknown): void {
    if (answer === undefined) {
      setText(this.#message, error instanceof Refused ? error.message : 'The program does not answer.');
      this.#message.className = 'note bad';
      return;
    }
    const { matched, total, orderedAtMs } = answer;
    const { columns: _, ...filters } = this.#applied;
    const isFiltered = Object.values(filters).some((filter) => filter !== '');
    // The order is a little older than the cache: objects of it may be gone.
    const which = isFiltered ? `${count(Math.min(matched, total))} of ${many(total, 'object')}` : many(total, 'object');
    setText(this.#message, `${which}, sorted at ${clockTime(orderedAtMs)}`);
    this.#message.className = 'note';
  }
}

function field(title: string, example: string): { root: HTMLElement; input: HTMLInputElement } {
  const id = `filter-${title.toLowerCase()}`;
  const input = element('input', {
    attributes: { id, type: 'text', placeholder: example, autocomplete: 'off', spellcheck: 'false' },
  });
  return { root: element('div', 'field', element('label', { text: title, attributes: { for: id } }), input), input };
}
