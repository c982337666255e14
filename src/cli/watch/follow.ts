import { ApiError } from '../../api/api-error.ts';
import type { KubernetesObject } from '../../api/metadata.ts';
import type { SharedIndexInformer } from '../../informer/shared-index-informer.ts';
import type { HandlerRegistration } from '../../processor/processor.ts';
import type { WatchErrorContext } from '../../reflector/reflector-options.ts';
import { CliError } from '../cli-error.ts';
import { safeText } from '../terminal/safe-text.ts';
import { untilAborted } from '../until-aborted.ts';
import type { WatchContext } from './watch-context.ts';

/** The same complaint is repeated no sooner than this. */
const REPEAT_MS = 60_000;

/** Decides what becomes of a failed list or watch: nothing, a warning, or the end of the command. */
export class WatchFailures {
  readonly #context: Pick<WatchContext, 'io' | 'request' | 'target' | 'watchAccepted'>;
  /** Rejects when there is no point in going on. */
  readonly fatal: Promise<never>;
  #fail: (error: Error) => void = () => {};
  #lastMessage = '';
  #lastMs = Number.NEGATIVE_INFINITY;
  /** False while something else shows how the watch fares. */
  warns = true;

  constructor(context: Pick<WatchContext, 'io' | 'request' | 'target' | 'watchAccepted'>) {
    this.#context = context;
    this.fatal = new Promise((_, reject) => {
      this.#fail = reject;
    });
    this.fatal.catch(() => {});
  }

  readonly report = (error: Error, { retryInMs }: WatchErrorContext): void => {
    const { request, watchAccepted } = this.#context;
    const refused = error instanceof ApiError && (error.code === 401 || error.code === 403);
    // Lists are allowed, or the command would have ended before; so it is the watch that is not, and never was.
    if (refused && !watchAccepted()) {
      if (!request.exitAfterSync) this.#fail(error);
      return;
    }
    if (error instanceof ApiError && error.isExpired) return;
    this.#warn(error.message, retryInMs);
  };

  #warn(message: string, retryInMs: number | undefined): void {
    const { io, target } = this.#context;
    const nowMs = io.clock.now();
    if (!this.warns || (message === this.#lastMessage && nowMs - this.#lastMs < REPEAT_MS)) return;
    this.#lastMessage = message;
    this.#lastMs = nowMs;
    const then =
      retryInMs === undefined
        ? ''
        : `; trying again${retryInMs < 1_000 ? '' : ` in ${Math.round(retryInMs / 1_000)} s`}`;
    io.stderr.write(`warning: ${target.resource.plural}: ${safeText(message)}${then}.\n`);
  }
}

export interface FollowOptions<T extends KubernetesObject> extends WatchContext {
  informer: SharedIndexInformer<T>;
  registration: HandlerRegistration;
  failures: WatchFailures;
  /** All that was there at the start has been handed to the handler. */
  onSynced: () => Promise<void> | undefined | void;
}

/** Runs an informer until the user, or the command line, wants it to end. */
export async function follow<T extends KubernetesObject>(options: FollowOptions<T>): Promise<number> {
  const { io, request, target, informer, registration, failures, onSynced } = options;
  const stop = new AbortController();
  const late = new Promise<never>((_, reject) => {
    if (request.timeoutMs === undefined) return;
    const timer = io.clock.setTimeout(() => reject(tooLate(target.title, informer.state.lastError)), request.timeoutMs);
    stop.signal.addEventListener('abort', () => timer.clear(), { once: true });
  });
  late.catch(() => {});
  registration.synced.catch(() => {});
  const ended = untilAborted(io.signal).then(() => Promise.reject(io.signal.reason));
  ended.catch(() => {});
  const running = informer.run({ signal: AbortSignal.any([io.signal, stop.signal]) });
  try {
    await Promise.race([registration.synced, ended, failures.fatal, late]);
    await onSynced();
    if (request.exitAfterSync) return 0;
    return await Promise.race([ended, failures.fatal]);
  } finally {
    stop.abort();
    await running;
  }
}

function tooLate(title: string, error: Error | undefined): CliError {
  const why = error === undefined ? '' : `: ${error.message}`;
  return new CliError(`${title} could not be listed within the --timeout${why}`);
}
