import type { ControllerNow, HandlerNow, InformerNow } from '../protocol.ts';
import { element, KeyedList, setAttribute, setClass, setText, svgElement } from './dom.ts';
import type { Model } from './model.ts';
import { Sparkline } from './sparkline.ts';
import { bytes, count, duration, many, rate } from './text.ts';
import type { View, ViewContext } from './view.ts';

/** A backlog of this many fills its bar. */
const FULL_BACKLOG = 1_000;
const LATE_MS = 1_000;

/** The stages from the reflector to the reconcilers, as they are. */
export class PipelineView implements View {
  readonly root = element('div', 'pipeline');
  readonly #model: Model;
  readonly #informers: KeyedList<InformerNow, HTMLElement>;
  readonly #controllers: KeyedList<ControllerNow, HTMLElement>;
  readonly #controllerPart = element('section', { attributes: { 'aria-labelledby': 'controllers-title' } });
  readonly #none = element('p', { class: 'note', text: 'There is no informer yet.' });

  constructor({ model }: ViewContext) {
    this.#model = model;
    const informers = element('div', 'lanes');
    const controllers = element('div', 'lanes');
    this.#informers = new KeyedList(informers, () => new InformerLane(model));
    this.#controllers = new KeyedList(controllers, () => new ControllerLane(model));
    this.#controllerPart.append(
      element('h2', { text: 'Controllers', attributes: { id: 'controllers-title' } }),
      controllers,
    );
    this.root.append(
      element(
        'section',
        { attributes: { 'aria-labelledby': 'informers-title' } },
        element('h2', { text: 'Informers', attributes: { id: 'informers-title' } }),
        this.#none,
        informers,
      ),
      this.#controllerPart,
    );
  }

  update(): void {
    const { tick } = this.#model;
    if (tick === undefined) return;
    this.#informers.update(tick.informers, ({ id }) => String(id));
    const controllers = tick.managers.flatMap((manager) => manager.controllers);
    this.#controllers.update(controllers, ({ name }) => name);
    this.#none.hidden = tick.informers.length > 0;
    this.#controllerPart.hidden = controllers.length === 0;
  }
}

/** One informer: reflector, queue, store, handlers. */
class InformerLane {
  readonly root: HTMLElement;
  readonly #model: Model;
  readonly #name = element('a', 'lane-name');
  readonly #phase = element('span', 'badge');
  readonly #problem = element('p', 'problem');
  readonly #reflector = new Stage('Reflector');
  readonly #queue = new Stage('Queue');
  readonly #store = new Stage('Store');
  readonly #changes = new Sparkline();
  readonly #handlers: KeyedList<HandlerNow, HTMLElement>;
  readonly #arrows = [arrow(), arrow(), arrow()] as const;
  readonly #noHandlers = element('p', { class: 'note', text: 'none' });

  constructor(model: Model) {
    this.#model = model;
    const handlers = element('div', 'stage handlers', element('h4', { text: 'Handlers' }));
    const list = element('ul', 'handler-list');
    handlers.append(this.#noHandlers, list);
    this.#handlers = new KeyedList(list, () => new HandlerLine());
    this.#store.root.append(this.#changes.root);
    const [first, second, third] = this.#arrows;
    this.root = element(
      'article',
      'lane',
      element('header', 'lane-head', element('h3', '', this.#name), this.#phase),
      this.#problem,
      element('div', 'flow', this.#reflector.root, first, this.#queue.root, second, this.#store.root, third, handlers),
    );
  }

  update(informer: InformerNow): void {
    const { id, name, phase, parts, objects, liveBytes, handlers, frames, changes } = informer;
    const nowMs = this.#model.tick?.nowMs ?? 0;
    setText(this.#name, name);
    setAttribute(this.#name, 'href', `#/objects/${id}`);
    setText(this.#phase, phase);
    setClass(this.#phase, `badge ${tone(phase)}`);
    setClass(this.root, `lane ${tone(phase)}`);
    const problem = problemOf(informer, nowMs);
    setText(this.#problem, problem);
    this.#problem.hidden = problem === '';
    const queued = parts.reduce((sum, part) => sum + part.queued, 0);
    this.#reflector.update([
      [rate(frames), 'frames'],
      [`${bytes(informer.bytes)}/s`, 'read'],
      [versionText(parts), parts.length > 1 ? '' : 'version'],
    ]);
    this.#queue.update([[count(queued), 'objects wait']], queued > 0 ? 'warn' : '');
    this.#store.update([
      [count(objects), objects === 1 ? 'object' : 'objects'],
      [liveBytes === undefined ? '' : bytes(liveBytes), ''],
      [rate(changes), 'changes'],
    ]);
    this.#changes.update(this.#model.points(`changes ${id}`));
    this.#handlers.update(handlers, (handler) => handler.name);
    this.#noHandlers.hidden = handlers.length > 0;
    const calls = handlers.reduce((sum, handler) => sum + handler.calls, 0);
    const [first, second, third] = this.#arrows;
    for (const [line, flow] of [
      [first, frames],
      [second, changes],
      [third, calls],
    ] as const) {
      setClass(line, flow > 0 ? 'arrow flowing' : 'arrow');
    }
  }
}

class HandlerLine {
  readonly root = element('li', 'handler');
  readonly #name = element('span', 'handler-name');
  readonly #bar = element('span', 'bar');
  readonly #numbers = element('span', 'numbers');

  constructor() {
    this.root.append(
      this.#name,
      element('span', { class: 'track', attributes: { 'aria-hidden': 'true' } }, this.#bar),
      this.#numbers,
    );
  }

  update({ name, delivery, pending, lagMs, failures, calls }: HandlerNow): void {
    setText(this.#name, name.slice(name.indexOf('/') + 1) + (delivery === 'latest' ? ' (latest)' : ''));
    this.#bar.style.width = `${Math.min(100, (Math.log1p(pending) / Math.log1p(FULL_BACKLOG)) * 100)}%`;
    const isLate = lagMs >= LATE_MS;
    setClass(this.root, `handler ${failures > 0 ? 'bad' : isLate ? 'warn' : ''}`);
    const late = isLate ? `, ${duration(lagMs)} behind` : '';
    const failed = failures > 0 ? `, ${many(failures, 'failure')}` : '';
    setText(this.#numbers, `${rate(calls)}, ${count(pending)} waiting${late}${failed}`);
  }
}

/** One controller: its work queue and its runs. */
class ControllerLane {
  readonly root: HTMLElement;
  readonly #model: Model;
  readonly #name = element('a', { class: 'lane-name', attributes: { href: '#/queues' } });
  readonly #phase = element('span', 'badge');
  readonly #queue = new Stage('Work queue');
  readonly #runs = new Stage('Reconciler');
  readonly #failing = new Stage('Failing');
  readonly #rate = new Sparkline();
  readonly #arrows = [arrow(), arrow()] as const;

  constructor(model: Model) {
    this.#model = model;
    this.#runs.root.append(this.#rate.root);
    const [first, second] = this.#arrows;
    this.root = element(
      'article',
      'lane',
      element('header', 'lane-head', element('h3', '', this.#name), this.#phase),
      element('div', 'flow', this.#queue.root, first, this.#runs.root, second, this.#failing.root),
    );
  }

  update({
    name,
    kind,
    phase,
    concurrency,
    waiting,
    delayed,
    running,
    failing,
    failingCount,
    runs,
    errors,
  }: ControllerNow): void {
    setText(this.#name, kind === '' ? name : `${name}: ${kind}`);
    setText(this.#phase, phase);
    setClass(this.#phase, `badge ${tone(phase)}`);
    setClass(this.root, `lane ${tone(phase)}`);
    this.#queue.update([
      [count(waiting), 'wait'],
      [count(delayed), 'delayed'],
    ]);
    this.#runs.update([
      [`${running.length} of ${concurrency}`, 'running'],
      [rate(runs), 'runs'],
      [rate(errors), 'errors'],
    ]);
    this.#rate.update(this.#model.points(`runs ${name}`));
    const [first] = failing;
    this.#failing.update(
      [
        [count(failingCount), failingCount === 1 ? 'key' : 'keys'],
        [first === undefined ? '' : first.key, first === undefined ? '' : `attempt ${first.attempts}`],
      ],
      failingCount > 0 ? 'bad' : '',
    );
    const [toRuns, toFailing] = this.#arrows;
    setClass(toRuns, runs > 0 ? 'arrow flowing' : 'arrow');
    setClass(toFailing, errors > 0 ? 'arrow flowing bad' : 'arrow');
  }
}

/** A box with a title and numbers with their units. */
class Stage {
  readonly root: HTMLElement;
  readonly #lines: KeyedList<readonly [string, string], HTMLElement>;

  constructor(title: string) {
    const list = element('div', 'facts');
    this.root = element('div', 'stage', element('h4', { text: title }), list);
    this.#lines = new KeyedList(list, () => {
      const value = element('b');
      const unit = element('span');
      return {
        root: element('p', '', value, ' ', unit),
        update([number, what]) {
          setText(value, number);
          setText(unit, what);
        },
      };
    });
  }

  update(facts: readonly (readonly [string, string])[], toneName = ''): void {
    setClass(this.root, `stage ${toneName}`);
    const said = facts.filter(([value]) => value !== '');
    this.#lines.update(said, (fact) => String(said.indexOf(fact)));
  }
}

function arrow(): SVGSVGElement {
  return svgElement(
    'svg',
    { class: 'arrow', attributes: { viewBox: '0 0 40 16', 'aria-hidden': 'true' } },
    svgElement('path', { class: 'shaft', attributes: { d: 'M0 8H32' } }),
    svgElement('path', { class: 'head', attributes: { d: 'M31 3L39 8L31 13Z' } }),
  );
}

function versionText(parts: InformerNow['parts']): string {
  const [only] = parts;
  if (parts.length > 1) return many(parts.length, 'namespace');
  return only?.version ?? '';
}

function problemOf({ phase, lastError, nextAttemptMs }: InformerNow, nowMs: number): string {
  if (lastError === undefined || tone(phase) === 'ok') return '';
  const wait = nextAttemptMs === undefined ? '' : `, next attempt in ${duration(Math.max(0, nextAttemptMs - nowMs))}`;
  return `${lastError}${wait}`;
}

/** Of a phase of an informer or a controller. */
export function tone(phase: string): string {
  if (phase === 'watching' || phase === 'running') return 'ok';
  if (phase === 'listing' || phase === 'waiting' || phase === 'held') return 'warn';
  return phase === 'idle' || phase === 'new' || phase === 'stopped' ? 'quiet' : 'bad';
}
