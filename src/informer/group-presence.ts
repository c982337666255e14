import type { Resource } from '../api/resource.ts';
import { bodyText, refusalOf } from '../api/response-body.ts';
import { TidewatchError } from '../api/tidewatch-error.ts';
import type { Transport } from '../api/transport.ts';
import { SharedCall } from '../cluster/shared-call.ts';
import type { Clock } from '../observe/clock.ts';
import { monotonicMs } from '../observe/scheduler.ts';

/** How long an answer of the server's discovery is good for at most. */
const FRESH_MS = 5_000;
/** A discovery document of one group version is far smaller. */
const MAX_BODY_BYTES = 4 * 1024 * 1024;

export interface ServedType {
  readonly namespaced: boolean;
}

type ServedTypes = ReadonlyMap<string, ServedType>;

interface Answer {
  readonly atMs: number;
  /** By plural name. */
  readonly types: SharedCall<ServedTypes>;
}

/**
 * Whether the server knows a type of object at all, and its scope. A 404 on a list can also be a proxy's, so an informer asks
 * here before it believes it. All informers of a group version share one answer for as long as it is fresh; a failure is not kept.
 */
export class GroupPresence {
  readonly #transport: Transport;
  readonly #clock: Clock;
  readonly #freshMs: number;
  readonly #answers = new Map<string, Answer>();

  /** Who asks every `checkMs` gets an answer that is at most as old. */
  constructor(transport: Transport, clock: Clock, checkMs = FRESH_MS) {
    this.#transport = transport;
    this.#clock = clock;
    this.#freshMs = Math.min(checkMs, FRESH_MS);
  }

  /**
   * Undefined when the server does not serve it. Rejects when the server cannot say. The request ends when the signals of all
   * who wait for it have aborted. `isNew`: no answer from before the call will do.
   */
  async find(
    { group, version, plural }: Pick<Resource, 'group' | 'version' | 'plural'>,
    { isNew = false, signal }: { isNew?: boolean; signal?: AbortSignal | undefined } = {},
  ): Promise<ServedType | undefined> {
    const path = group === '' ? `/api/${version}` : `/apis/${group}/${version}`;
    const known = this.#answers.get(path);
    const { types } = known && this.#isGood(known, isNew) ? known : this.#question(path);
    return (await types.join(signal)).get(plural);
  }

  #isGood({ types, atMs }: Answer, isNew: boolean): boolean {
    if (types.isAbandoned) return false;
    return !types.isSettled || (!isNew && monotonicMs(this.#clock) - atMs < this.#freshMs);
  }

  #question(path: string): Answer {
    const types = new SharedCall((abandoned) => this.#ask(path, abandoned));
    const answer: Answer = { atMs: monotonicMs(this.#clock), types };
    this.#answers.set(path, answer);
    types.onFailure(() => {
      if (this.#answers.get(path) === answer) this.#answers.delete(path);
    });
    return answer;
  }

  async #ask(path: string, signal: AbortSignal): Promise<ServedTypes> {
    const headers = { accept: 'application/json' };
    const response = await this.#transport.request({ method: 'GET', path, headers, signal, clock: this.#clock });
    if (response.status !== 200) {
      const refusal = await refusalOf(response, `GET ${path}`, signal);
      if (response.status === 404) return new Map();
      throw refusal;
    }
    const types = listed(await bodyText(response.body, MAX_BODY_BYTES), path) ?? [];
    return new Map(
      types.flatMap(({ name, namespaced }) =>
        name === undefined ? [] : [[name, { namespaced: namespaced === true }]],
      ),
    );
  }
}

/** Of an `APIResourceList`. */
function listed(body: string, path: string): { name?: string; namespaced?: boolean }[] | undefined {
  try {
    return JSON.parse(body).resources;
  } catch {
    // What JSON.parse throws quotes the body, which may be secret.
    const what = 'the answer is not a discovery document; check what serves this address';
    throw new TidewatchError('protocol', `GET ${path}: ${what}`);
  }
}
