import type { TimelineEvent, TimelineKind } from '../protocol.ts';
import { element, KeyedList, setAttribute, setText, svgElement } from './dom.ts';
import type { Model } from './model.ts';
import { clockTime, duration, many } from './text.ts';
import type { View, ViewContext } from './view.ts';

/** What the strip spans. */
const WINDOW_MS = 120_000;
const MAX_LANES = 12;
const LANE_HEIGHT = 26;
const AXIS_HEIGHT = 22;
const NAME_WIDTH = 150;
/** Of the strip, with its border, on both sides. */
const STRIP_PADDING = 26;
/** In the list; the rest of the history is a matter of filtering. */
const MAX_SHOWN = 300;

const KINDS: readonly (readonly [TimelineKind, string])[] = [
  ['list', 'lists'],
  ['watch', 'watches'],
  ['end', 'ends'],
  ['failure', 'failures'],
  ['state', 'states'],
  ['handler', 'handler failures'],
  ['run', 'run failures'],
];

/** Lists, watches, failures and faults, on a strip of time and as a list. */
export class TimelineView implements View {
  readonly root = element('div', 'timeline');
  readonly #model: Model;
  readonly #strip = svgElement('svg', { class: 'strip', attributes: { role: 'img' } });
  readonly #rows: KeyedList<TimelineEvent, HTMLTableRowElement>;
  readonly #hidden = new Set<TimelineKind>();
  readonly #none = element('p', { class: 'note', text: 'Nothing has happened since this page was opened.' });

  constructor({ model }: ViewContext) {
    this.#model = model;
    const filters = element('fieldset', 'filters', element('legend', { text: 'Show' }));
    for (const [kind, label] of KINDS) filters.append(this.#filter(kind, label));
    const body = element('tbody');
    this.#rows = new KeyedList(body, (event) => ({ root: eventRow(event), update() {} }));
    const head = element('tr');
    for (const title of ['Time', 'What', 'Who', 'Event', 'Took']) {
      head.append(element('th', { text: title, attributes: { scope: 'col' } }));
    }
    this.root.append(
      element('h2', { text: 'Timeline' }),
      this.#strip,
      filters,
      this.#none,
      element(
        'div',
        scrollable('Events, the newest first'),
        element('table', 'events', element('thead', '', head), body),
      ),
    );
  }

  update(): void {
    const { events, tick } = this.#model;
    if (tick === undefined) return;
    const shown = events.filter(({ kind }) => !this.#hidden.has(kind));
    this.#rows.update(shown.slice(-MAX_SHOWN).reverse(), ({ seq }) => String(seq));
    this.#none.hidden = shown.length > 0;
    this.#draw(shown, tick.nowMs);
  }

  #filter(kind: TimelineKind, label: string): HTMLElement {
    const box = element('input', { attributes: { type: 'checkbox' } });
    box.checked = true;
    box.addEventListener('change', () => {
      if (box.checked) this.#hidden.delete(kind);
      else this.#hidden.add(kind);
      this.update();
    });
    const mark = svgElement(
      'svg',
      { class: 'key', attributes: { viewBox: '-8 -8 16 16', 'aria-hidden': 'true' } },
      markOf(kind),
    );
    return element('label', '', box, mark, label);
  }

  #draw(events: readonly TimelineEvent[], nowMs: number): void {
    const recent = events.filter(({ atMs }) => nowMs - atMs < WINDOW_MS);
    const lanes = [...new Set(recent.map(({ who }) => who))].sort().slice(0, MAX_LANES);
    const width = Math.max(280, this.root.clientWidth - STRIP_PADDING);
    const left = width < 500 ? 8 : NAME_WIDTH;
    const height = Math.max(1, lanes.length) * LANE_HEIGHT + AXIS_HEIGHT;
    const x = (atMs: number) => left + ((atMs - nowMs + WINDOW_MS) / WINDOW_MS) * (width - left - 12);
    const strip: SVGElement[] = [];
    for (let back = 0; back <= WINDOW_MS; back += 30_000) {
      const at = x(nowMs - back).toFixed(1);
      strip.push(
        svgElement('path', { class: 'grid', attributes: { d: `M${at} 0V${height - AXIS_HEIGHT}` } }),
        svgElement('text', {
          class: 'axis',
          text: back === 0 ? 'now' : `−${duration(back).replace(/\.0| 0 s$/, '')}`,
          attributes: { x: at, y: String(height - 6), 'text-anchor': anchorOf(back) },
        }),
      );
    }
    lanes.forEach((who, lane) => {
      const y = lane * LANE_HEIGHT + LANE_HEIGHT / 2;
      strip.push(svgElement('path', { class: 'lane-line', attributes: { d: `M${left} ${y}H${width - 12}` } }));
      if (left > 8)
        strip.push(svgElement('text', { class: 'who', text: clipped(who), attributes: { x: '0', y: String(y + 4) } }));
    });
    for (const { atMs, who, kind, text } of recent) {
      const lane = lanes.indexOf(who);
      if (lane < 0) continue;
      const mark = markOf(kind);
      mark.setAttribute('transform', `translate(${x(atMs).toFixed(1)} ${lane * LANE_HEIGHT + LANE_HEIGHT / 2})`);
      mark.append(svgElement('title', { text: `${clockTime(atMs)} ${who}: ${text}` }));
      strip.push(mark);
    }
    setAttribute(this.#strip, 'viewBox', `0 0 ${width} ${height}`);
    setAttribute(this.#strip, 'height', String(height));
    setAttribute(
      this.#strip,
      'aria-label',
      `${many(recent.length, 'event')} in the last two minutes; the table below has them`,
    );
    this.#strip.replaceChildren(...strip);
  }
}

function eventRow({ atMs, kind, who, text, tookMs }: TimelineEvent): HTMLTableRowElement {
  const mark = svgElement(
    'svg',
    { class: 'key', attributes: { viewBox: '-8 -8 16 16', 'aria-hidden': 'true' } },
    markOf(kind),
  );
  const what = element('td', 'kind', mark);
  what.append(kind);
  const row = element(
    'tr',
    `event-${kind}`,
    element('td', { class: 'time', text: clockTime(atMs) }),
    what,
    element('td', { class: 'kind', text: who }),
    element('td', 'event-text'),
    element('td', { class: 'number', text: tookMs === undefined ? '' : duration(tookMs) }),
  );
  setText(row.cells[3] as Node, text);
  return row;
}

/** Told apart by shape as well as by colour. */
function markOf(kind: TimelineKind): SVGElement {
  const shapes: Readonly<Record<TimelineKind, string>> = {
    list: 'M-5 -5H5V5H-5Z',
    watch: 'M-4 -6L6 0L-4 6Z',
    end: 'M-2 -6H2V6H-2Z',
    failure: 'M-6 -4L-4 -6L0 -2L4 -6L6 -4L2 0L6 4L4 6L0 2L-4 6L-6 4L-2 0Z',
    state: 'M0 -5A5 5 0 1 0 0 5A5 5 0 1 0 0 -5Z',
    handler: 'M0 -6L6 5H-6Z',
    run: 'M0 -6L6 0L0 6L-6 0Z',
  };
  return svgElement('path', { class: `mark ${kind}`, attributes: { d: shapes[kind] } });
}

/** Of a time on the axis, so that neither end is cut off. */
function anchorOf(back: number): string {
  if (back === 0) return 'end';
  return back === WINDOW_MS ? 'start' : 'middle';
}

function clipped(name: string): string {
  return name.length > 22 ? `${name.slice(0, 21)}…` : name;
}

/** A part that scrolls must be reached by the keyboard. */
export function scrollable(label: string): { class: string; attributes: Record<string, string> } {
  return { class: 'scroll', attributes: { tabindex: '0', role: 'region', 'aria-label': label } };
}
