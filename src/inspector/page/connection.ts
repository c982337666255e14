import type { Tick } from '../protocol.ts';

const KEPT = 'tidewatch-inspector-base';
const MAX_WAIT_MS = 5_000;

export type ConnectionState = 'connecting' | 'live' | 'lost' | 'refused';

/** What the server said no to, in its words. */
export class Refused extends Error {}

/**
 * The way to the server. The token of the address is traded once and leaves the address bar; where the session lies is kept for this tab
 * alone, so that it can be loaded again.
 */
export class Connection {
  #base = '';
  readonly #onTick: (tick: Tick) => void;
  readonly #onState: (state: ConnectionState, message: string) => void;

  constructor(onTick: (tick: Tick) => void, onState: (state: ConnectionState, message: string) => void) {
    this.#onTick = onTick;
    this.#onState = onState;
  }

  /** For as long as the page is open. */
  async run(): Promise<void> {
    try {
      this.#base = await openSession();
    } catch (error) {
      this.#onState('refused', String(error instanceof Error ? error.message : error));
      return;
    }
    for (let waitMs = 500; ; waitMs = Math.min(waitMs * 2, MAX_WAIT_MS)) {
      try {
        this.#onState('connecting', 'connecting');
        await this.#read(() => {
          waitMs = 500;
        });
        this.#onState('lost', 'The stream has ended; trying again.');
      } catch (error) {
        if (error instanceof Refused) {
          this.#onState('refused', error.message);
          return;
        }
        this.#onState('lost', 'The program does not answer; trying again.');
      }
      await new Promise((resolve) => setTimeout(resolve, waitMs));
    }
  }

  /** Throws `Refused` with the server's words. */
  async get<A>(what: string, query: Readonly<Record<string, string>>, signal?: AbortSignal): Promise<A> {
    const response = await fetch(`${this.#base}${what}?${new URLSearchParams(query)}`, signal ? { signal } : {});
    if (!response.ok) throw new Refused((await response.text()).trim());
    return (await response.json()) as A;
  }

  async #read(onFirst: () => void): Promise<void> {
    const response = await fetch(`${this.#base}stream`);
    if (!response.ok || response.body === null) throw new Refused((await response.text()).trim());
    this.#onState('live', 'live');
    onFirst();
    const reader = response.body.pipeThrough(new TextDecoderStream()).getReader();
    for (let rest = ''; ; ) {
      const { done, value } = await reader.read();
      if (done) return;
      const messages = (rest + value).split('\n\n');
      rest = messages.pop() ?? '';
      for (const message of messages) {
        if (message.startsWith('data: ')) this.#onTick(JSON.parse(message.slice(6)) as Tick);
      }
    }
  }
}

/** The path beneath which everything lies. */
async function openSession(): Promise<string> {
  const token = new URLSearchParams(location.hash.slice(1)).get('token');
  if (token === null) {
    const kept = sessionStorage.getItem(KEPT);
    if (kept !== null) return kept;
    throw new Refused(
      'This page has no session. Open the address that the program printed, with all that stands behind its #.',
    );
  }
  history.replaceState(null, '', `${location.pathname}#/pipeline`);
  const response = await fetch('/session', { method: 'POST', body: token });
  if (!response.ok) throw new Refused((await response.text()).trim());
  const { base } = (await response.json()) as { base: string };
  sessionStorage.setItem(KEPT, base);
  return base;
}
