import type { FieldChange, ObjectAnswer, ObjectChange, TimedStep } from '../protocol.ts';
import { Refused } from './connection.ts';
import { element, KeyedList, setAttribute, setText, svgElement } from './dom.ts';
import { clockTime, duration } from './text.ts';
import { scrollable } from './timeline-view.ts';
import type { View, ViewContext } from './view.ts';

const WIDTH = 360;
const LINE = 18;
const NAME_WIDTH = 130;

/** One object: as it is, and each change since the page was opened. */
export class ObjectView implements View {
  readonly root = element('div', 'object');
  readonly #context: ViewContext;
  readonly #back = element('a', { text: '← All objects', attributes: { href: '#/objects' } });
  readonly #title = element('h2');
  readonly #message = element('p', { class: 'note', attributes: { 'aria-live': 'polite' } });
  readonly #text = element('pre');
  readonly #changes: KeyedList<ObjectChange, HTMLElement>;
  readonly #none = element('p', { class: 'note', text: 'It has not changed since the page was opened.' });
  #informer = '';
  #key = '';
  #abort: AbortController | undefined;

  constructor(context: ViewContext) {
    this.#context = context;
    const changes = element('div', 'changes');
    this.#changes = new KeyedList(changes, () => new ChangeCard());
    this.root.append(
      this.#back,
      this.#title,
      this.#message,
      element(
        'div',
        'columns',
        element('section', '', element('h3', { text: 'Changes, the newest first' }), this.#none, changes),
        element(
          'section',
          '',
          element('h3', { text: 'As it is' }),
          element('div', scrollable('The object'), this.#text),
        ),
      ),
    );
  }

  show(informer: string, key: string): void {
    this.#abort?.abort();
    this.#abort = undefined;
    this.#informer = informer;
    this.#key = key;
    setText(this.#title, key);
    setText(this.#text, '');
    setText(this.#message, '');
    setAttribute(this.#back, 'href', `#/objects/${informer}`);
    this.#changes.update([], () => '');
  }

  update(): void {
    if (this.#abort === undefined) void this.#ask();
  }

  hide(): void {
    this.#abort?.abort();
    this.#abort = undefined;
  }

  async #ask(): Promise<void> {
    const abort = new AbortController();
    this.#abort = abort;
    const query = { informer: this.#informer, key: this.#key };
    try {
      const answer = await this.#context.connection.get<ObjectAnswer>('object', query, abort.signal);
      if (!abort.signal.aborted) this.#take(answer);
    } catch (error) {
      if (abort.signal.aborted) return;
      setText(this.#message, error instanceof Refused ? error.message : 'The program does not answer.');
    }
    if (this.#abort === abort) this.#abort = undefined;
  }

  #take({ object, isPartial, changes }: ObjectAnswer): void {
    setText(this.#text, object === undefined ? '' : JSON.stringify(object, undefined, 2));
    const hidden = isPartial ? 'Spec, data and the values of annotations are hidden. ' : '';
    setText(
      this.#message,
      object === undefined ? 'It is not in the cache.' : `${hidden}Environment values are never shown.`,
    );
    this.#changes.update(changes.toReversed(), ({ seq }) => String(seq));
    this.#none.hidden = changes.length > 0;
  }
}

class ChangeCard {
  readonly root = element('article', 'card change');
  readonly #head = element('header', 'lane-head');
  readonly #fields = element('div', 'diff');
  readonly #times = svgElement('svg', { class: 'times', attributes: { role: 'img' } });
  #steps = -1;

  update(change: ObjectChange): void {
    const { type, version, atMs, differences, handlers, runs, storedAfterMs } = change;
    if (this.#steps < 0) {
      this.#head.append(
        element('span', { class: `badge ${type}`, text: type }),
        element('span', { class: 'time', text: clockTime(atMs) }),
        element('span', { class: 'note', text: `version ${version}` }),
      );
      this.#fields.append(...(differences ?? []).flatMap(fieldLines));
      const note = noteOf(change);
      if (note !== '') this.#fields.append(element('p', { class: 'note', text: note }));
      this.root.append(this.#head, this.#fields, this.#times);
    }
    // Handlers and runs may end long after the change has come.
    const steps = handlers.length + runs.length;
    if (steps === this.#steps) return;
    this.#steps = steps;
    this.#draw(storedAfterMs, handlers, runs);
  }

  #draw(storedAfterMs: number | undefined, handlers: readonly TimedStep[], runs: readonly TimedStep[]): void {
    const stored: TimedStep[] =
      storedAfterMs === undefined ? [] : [{ name: 'store', startMs: 0, endMs: storedAfterMs, failed: false }];
    const steps = [
      ...stored.map((step) => ({ ...step, kind: 'store' })),
      ...handlers.map((step) => ({ ...step, kind: 'handler', name: step.name.slice(step.name.indexOf('/') + 1) })),
      ...runs.map((step) => ({ ...step, kind: 'run', name: `run of ${step.name}` })),
    ];
    const endMs = Math.max(0.001, ...steps.map((step) => step.endMs));
    const x = (ms: number) => NAME_WIDTH + (Math.max(0, ms) / endMs) * (WIDTH - NAME_WIDTH - 64);
    setAttribute(this.#times, 'viewBox', `0 0 ${WIDTH} ${Math.max(1, steps.length) * LINE}`);
    this.#times.toggleAttribute('hidden', steps.length === 0);
    const from = storedAfterMs === undefined ? 'From the store' : 'From the arrival of the bytes';
    const told = steps.map(({ name, endMs: ms }) => `${name} ${duration(ms)}`).join(', ');
    setAttribute(this.#times, 'aria-label', `${from}: ${told}`);
    this.#times.replaceChildren(
      ...steps.flatMap(({ name, kind, startMs, endMs: ms, failed }, line) => {
        const y = line * LINE;
        const width = Math.max(2, x(ms) - x(startMs));
        return [
          svgElement('text', {
            class: 'who',
            text: name.length > 18 ? `${name.slice(0, 17)}…` : name,
            attributes: { x: '0', y: String(y + 13) },
          }),
          svgElement('rect', {
            class: `step ${failed ? 'bad' : kind}`,
            attributes: { x: x(startMs).toFixed(1), y: String(y + 4), width: width.toFixed(1), height: '10', rx: '2' },
          }),
          svgElement('text', {
            class: 'axis',
            text: duration(ms),
            attributes: { x: (x(startMs) + width + 5).toFixed(1), y: String(y + 13) },
          }),
        ];
      }),
    );
  }
}

function noteOf({ type, differences, more }: ObjectChange): string {
  if (differences === undefined) return 'What it changed is not known any more: many other objects have changed since.';
  if (more > 0) return `and ${more} more`;
  return differences.length === 0 && type === 'update' ? 'Only what this page does not show has changed.' : '';
}

function fieldLines({ path, before, after }: FieldChange): HTMLElement[] {
  return [
    element('p', { class: 'path', text: path }),
    ...(before === undefined ? [] : [element('p', { class: 'before', text: `− ${before}` })]),
    ...(after === undefined ? [] : [element('p', { class: 'after', text: `+ ${after}` })]),
  ];
}
