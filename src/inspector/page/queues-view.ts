import type { ControllerNow, FailingNow, LeaderNow, RunRecord, ShardNow } from '../protocol.ts';
import { element, KeyedList, setClass, setText } from './dom.ts';
import type { Model } from './model.ts';
import { tone } from './pipeline-view.ts';
import { clockTime, count, duration } from './text.ts';
import { scrollable } from './timeline-view.ts';
import type { View, ViewContext } from './view.ts';

const MAX_RUNS = 200;

type Cells = readonly string[];

/** Work queues, runs with their causes and errors, and who leads. */
export class QueuesView implements View {
  readonly root = element('div', 'queues');
  readonly #model: Model;
  readonly #controllers: KeyedList<ControllerNow, HTMLElement>;
  readonly #runs = new TextTable('Runs, the newest first', [
    'Time',
    'Controller',
    'Key',
    'Cause',
    'Attempt',
    'Took',
    'Result',
  ]);
  readonly #leaders = new TextTable('Who leads', ['Lease', 'Leader', 'This process']);
  readonly #shards = new TextTable('Who owns which shard', ['Shard', 'Owner']);
  readonly #leading = element('section', '', element('h2', { text: 'Leadership and shards' }));
  readonly #none = element('p', {
    class: 'note',
    text: 'There is no controller: the program gave no manager to serveInspector.',
  });

  constructor({ model }: ViewContext) {
    this.#model = model;
    const controllers = element('div', 'cards');
    this.#controllers = new KeyedList(controllers, () => new ControllerCard(model));
    this.#leading.append(this.#leaders.root, this.#shards.root);
    this.root.append(
      element('h2', { text: 'Work queues' }),
      this.#none,
      controllers,
      this.#leading,
      element('h2', { text: 'Runs' }),
      this.#runs.root,
    );
  }

  update(): void {
    const { tick, runs } = this.#model;
    if (tick === undefined) return;
    const controllers = tick.managers.flatMap((manager) => manager.controllers);
    const leaders = tick.managers.flatMap(({ leader }) => leader ?? []);
    const shards = tick.managers.flatMap((manager) => manager.shards);
    this.#none.hidden = controllers.length > 0;
    this.#controllers.update(controllers, ({ name }) => name);
    this.#leading.hidden = leaders.length + shards.length === 0;
    this.#leaders.update(leaders.map(leaderCells));
    this.#shards.update(shards.map(shardCells));
    this.#runs.update(runs.slice(-MAX_RUNS).reverse().map(runCells), (cells) =>
      cells.at(-1)?.startsWith('error') ? 'bad' : '',
    );
  }
}

class ControllerCard {
  readonly root = element('article', 'card');
  readonly #model: Model;
  readonly #name = element('h3');
  readonly #phase = element('span', 'badge');
  readonly #numbers = element('p', 'numbers');
  readonly #running = new TextTable('What runs', ['Running', 'For']);
  readonly #failing = new TextTable('What fails', ['Failing', 'Attempts', 'Next', 'Last error']);

  constructor(model: Model) {
    this.#model = model;
    this.root.append(
      element('header', 'lane-head', this.#name, this.#phase),
      this.#numbers,
      this.#running.root,
      this.#failing.root,
    );
  }

  update({ name, phase, waiting, delayed, running, failing, failingCount, concurrency }: ControllerNow): void {
    const nowMs = this.#model.tick?.nowMs ?? 0;
    setText(this.#name, name);
    setText(this.#phase, phase);
    setClass(this.#phase, `badge ${tone(phase)}`);
    setText(
      this.#numbers,
      `${count(waiting)} waiting, ${count(delayed)} delayed, ${running.length} of ${concurrency} running, ${count(failingCount)} failing`,
    );
    this.#running.update(running.map(({ key, sinceMs }) => [key, duration(Math.max(0, nowMs - sinceMs))]));
    this.#failing.update(failing.map((one) => failingCells(one, nowMs)));
  }
}

/** Rows of text under a head; hidden while there are none. */
export class TextTable {
  readonly root: HTMLElement;
  readonly #rows: KeyedList<{ cells: Cells; tone: string; at: number }, HTMLTableRowElement>;

  constructor(label: string, head: readonly string[]) {
    const body = element('tbody');
    const titles = head.map((text) => element('th', { text, attributes: { scope: 'col' } }));
    const table = element('table', '', element('thead', '', element('tr', '', ...titles)), body);
    this.root = element('div', scrollable(label), table);
    this.#rows = new KeyedList(body, () => {
      const root = element('tr', '', ...head.map(() => element('td')));
      return {
        root,
        update({ cells, tone: name }) {
          setClass(root, name);
          for (const [at, text] of cells.entries()) setText(root.cells[at] as Node, text);
        },
      };
    });
    this.root.hidden = true;
  }

  update(rows: readonly Cells[], toneOf: (cells: Cells) => string = () => ''): void {
    this.root.hidden = rows.length === 0;
    this.#rows.update(
      rows.map((cells, at) => ({ cells, tone: toneOf(cells), at })),
      ({ at }) => String(at),
    );
  }
}

function runCells({ atMs, controller, key, causes, attempt, tookMs, result, error, retryInMs }: RunRecord): Cells {
  const retry = retryInMs === undefined ? '' : `, again in ${duration(retryInMs)}`;
  const outcome = error === undefined ? result.replaceAll('_', ' ') : `error: ${error}${retry}`;
  return [clockTime(atMs), controller, key, causes.join('; '), String(attempt), duration(tookMs), outcome];
}

function failingCells({ key, attempts, lastError, nextAttemptMs }: FailingNow, nowMs: number): Cells {
  return [key, String(attempts), `in ${duration(Math.max(0, nextAttemptMs - nowMs))}`, lastError];
}

function leaderCells({ lease, leader, identity, isLeader }: LeaderNow): Cells {
  return [lease, leader ?? 'nobody is known', `${identity}${isLeader ? ' (leads)' : ''}`];
}

function shardCells({ name, owner, isOwn }: ShardNow): Cells {
  return [name, owner === undefined ? 'nobody is known' : `${owner}${isOwn ? ' (this process)' : ''}`];
}
