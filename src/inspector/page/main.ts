import type { Tick } from '../protocol.ts';
import { Connection, type ConnectionState } from './connection.ts';
import { element, setAttribute, setText } from './dom.ts';
import { MemoryView } from './memory-view.ts';
import { Model } from './model.ts';
import { ObjectView } from './object-view.ts';
import { ObjectsView } from './objects-view.ts';
import { PipelineView } from './pipeline-view.ts';
import { QueuesView } from './queues-view.ts';
import { many } from './text.ts';
import { TimelineView } from './timeline-view.ts';
import type { View } from './view.ts';

const VIEWS = [
  ['pipeline', 'Pipeline'],
  ['timeline', 'Timeline'],
  ['objects', 'Objects'],
  ['queues', 'Queues'],
  ['memory', 'Memory'],
] as const;

const model = new Model();
const connection = new Connection(onTick, onState);
const context = { model, connection };
const objects = new ObjectsView(context);
const object = new ObjectView(context);
const views: ReadonlyMap<string, View> = new Map<string, View>([
  ['pipeline', new PipelineView(context)],
  ['timeline', new TimelineView(context)],
  ['objects', objects],
  ['object', object],
  ['queues', new QueuesView(context)],
  ['memory', new MemoryView(context)],
]);

const state = element('span', { class: 'state', text: 'connecting', attributes: { role: 'status' } });
const main = element('main', { attributes: { id: 'main', tabindex: '-1' } });
const links = VIEWS.map(([name, title], at) =>
  element('a', {
    text: title,
    attributes: { href: `#/${name}`, 'aria-keyshortcuts': String(at + 1), title: `${title} (${at + 1})` },
  }),
);
let shown: View | undefined;

document.body.append(
  element('a', {
    class: 'skip',
    text: 'Skip to the content',
    attributes: { href: '#main' },
    on: {
      // The address says which view is shown.
      click: (event) => {
        event.preventDefault();
        main.focus();
      },
    },
  }),
  element(
    'header',
    'top',
    element('h1', '', element('span', { class: 'brand', text: 'tidewatch' }), ' inspector'),
    element('nav', { attributes: { 'aria-label': 'Views' } }, ...links),
    state,
  ),
  main,
);
addEventListener('hashchange', route);
addEventListener('keydown', onKey);
document.addEventListener('visibilitychange', showTick);
void connection.run();

function onTick(tick: Tick): void {
  model.take(tick);
  setText(state, `live, ${many(tick.pages, 'page')}`);
  if (shown === undefined) route();
  else showTick();
}

/** A page that nobody sees asks for nothing; it goes on counting. */
function showTick(): void {
  if (!document.hidden) shown?.update();
}

function onState(to: ConnectionState, message: string): void {
  setAttribute(state, 'data-state', to);
  setText(state, message);
  if (to === 'refused') main.replaceChildren(element('p', { class: 'refused', text: message }));
}

/** `#/objects/12`, `#/object/12/default%2Fweb`. */
function route(): void {
  const [, name = 'pipeline', informer = '', key = ''] = location.hash.split('/');
  const view = views.get(name) ?? views.get('pipeline');
  if (view === undefined || model.tick === undefined) return;
  if (view !== shown) {
    shown?.hide?.();
    main.replaceChildren(view.root);
    shown = view;
  }
  for (const link of links) {
    const isCurrent = link.hash === `#/${name === 'object' ? 'objects' : name}`;
    if (isCurrent) link.setAttribute('aria-current', 'page');
    else link.removeAttribute('aria-current');
  }
  if (view === objects) objects.show(informer);
  if (view === object) object.show(informer, decodeURIComponent(key));
  view.update();
}

function onKey(event: KeyboardEvent): void {
  const isTyping = (event.target as Element).matches('input, select, textarea');
  if (isTyping || event.ctrlKey || event.metaKey || event.altKey) return;
  const view = VIEWS[Number(event.key) - 1];
  if (view !== undefined) location.hash = `#/${view[0]}`;
  else if (event.key === '/') {
    event.preventDefault();
    location.hash = '#/objects';
    setTimeout(() => objects.focusFilter());
  } else if (event.key === 'Escape' && shown === object) history.back();
}
