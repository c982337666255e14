import type { ServerResponse } from 'node:http';
import type { Clock, Timer } from '../observe/clock.ts';
import { monotonicMs } from '../observe/scheduler.ts';
import { type Answer, plain } from './answer.ts';
import { type InspectorContent, RequestError } from './inspector-server.ts';
import { objectAnswer } from './object-history.ts';
import { ObjectTables } from './object-tables.ts';
import { PageFeed } from './page-feed.ts';
import { Pipeline, type PipelineOptions } from './pipeline.ts';
import type { Tick } from './protocol.ts';
import { Recorder } from './recorder.ts';

const MAX_PAGES = 8;
const TICK_MS = 500;
/** How many events and runs a tick brings at most; the first one of a page brings what is known. */
const MAX_NEWS = 2_000;

export interface ContentOptions extends PipelineOptions {
  clock: Clock;
}

/** What is there only while a page is open. */
interface Session {
  readonly recorder: Recorder;
  readonly pipeline: Pipeline;
  readonly tables: ObjectTables;
  look: ReturnType<Pipeline['look']>;
  lookedMs: number;
  /** How many events and runs the pages have been sent. */
  sent: { events: number; runs: number };
}

/** All that pages get. With none of them open there is no subscription, no timer and no history. */
export class PageContent implements InspectorContent {
  readonly #options: ContentOptions;
  readonly #feeds = new Set<PageFeed>();
  #session: Session | undefined;
  #timer: Timer | undefined;

  constructor(options: ContentOptions) {
    this.#options = options;
  }

  /** How many are open. */
  get pages(): number {
    return this.#feeds.size;
  }

  stream(response: ServerResponse): Answer | undefined {
    if (this.#feeds.size >= MAX_PAGES) {
      return plain(503, `${MAX_PAGES} pages are open already. Close one of them.`, { 'retry-after': '5' });
    }
    this.#session ??= this.#begin();
    const session = this.#session;
    const feed = new PageFeed(response, () => this.#closed(feed));
    this.#feeds.add(feed);
    feed.write(this.#tickText(session, { events: 0, runs: 0 }));
    this.#timer ??= this.#nextTick();
    return undefined;
  }

  async answer(what: string, query: URLSearchParams): Promise<unknown> {
    if (what !== 'rows' && what !== 'object') return undefined;
    const session = this.#session;
    if (session === undefined) throw new RequestError('This page is not connected. Load it again.');
    const { recorder, tables } = session;
    const followed = recorder.informer(Number(query.get('informer')));
    if (followed === undefined) throw new RequestError('There is no such informer.');
    if (what === 'rows') return tables.answer(followed, query);
    const { redaction, clock } = this.#options;
    return objectAnswer(followed.informer, query.get('key') ?? '', { recorder, redaction, clock });
  }

  stop(): void {
    for (const feed of this.#feeds) feed.end();
    this.#feeds.clear();
    this.#end();
  }

  #begin(): Session {
    const { clock, redaction } = this.#options;
    const recorder = new Recorder(clock);
    const pipeline = new Pipeline(this.#options, recorder);
    return {
      recorder,
      pipeline,
      tables: new ObjectTables({ redaction, clock }),
      look: pipeline.look(0),
      lookedMs: monotonicMs(clock),
      sent: { events: 0, runs: 0 },
    };
  }

  #closed(feed: PageFeed): void {
    this.#feeds.delete(feed);
    if (this.#feeds.size === 0) this.#end();
  }

  #end(): void {
    this.#timer?.clear();
    this.#timer = undefined;
    this.#session?.recorder.stop();
    this.#session = undefined;
  }

  #nextTick(): Timer {
    return this.#options.clock.setTimeout(() => this.#sendTick(), TICK_MS, { keepAlive: false });
  }

  #sendTick(): void {
    const session = this.#session;
    if (session === undefined) return;
    this.#timer = this.#nextTick();
    const nowMs = monotonicMs(this.#options.clock);
    const passedMs = nowMs - session.lookedMs;
    session.look = session.pipeline.look(passedMs > 0 ? 1_000 / passedMs : 0);
    session.lookedMs = nowMs;
    session.recorder.timeline.endOfTick();
    // Once, however many look.
    const text = this.#tickText(session, session.sent);
    session.sent = { events: session.recorder.timeline.events.count, runs: session.recorder.runCount };
    for (const feed of this.#feeds) feed.write(text);
  }

  #tickText({ recorder, look }: Session, sent: Session['sent']): string {
    const { rss, heapUsed, external } = process.memoryUsage();
    const tick: Tick = {
      nowMs: this.#options.clock.now(),
      sinceMs: recorder.sinceMs,
      pages: this.#feeds.size,
      ...look,
      memory: { rssBytes: rss, heapUsedBytes: heapUsed, externalBytes: external },
      events: recorder.timeline.events.since(sent.events).slice(-MAX_NEWS),
      runs: recorder.runs(sent.runs, MAX_NEWS),
    };
    return JSON.stringify(tick);
  }
}
