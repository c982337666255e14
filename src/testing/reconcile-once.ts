import { metaNamespaceKey } from '../api/key.ts';
import { aLogger, aText, checkedOptions, type OptionChecks } from '../api/option-check.ts';
import { TidewatchError } from '../api/tidewatch-error.ts';
import type { Cluster } from '../cluster/cluster.ts';
import type { ReconcileResult } from '../controller/controller.ts';
import { Manager } from '../controller/manager.ts';
import { FakeClock } from '../observe/fake-clock.ts';
import { type Logger, silentLogger } from '../observe/logger.ts';
import { ApiServer } from './api-server.ts';
import { createObjects, defineCustomResources, resourceOf, type TestObject } from './test-objects.ts';

/** How much time of the clock a run may take. */
const MAX_MS = 10 * 60_000;
const STEP_MS = 10;

/** Options of `reconcileOnce`. */
export interface ReconcileOnceOptions {
  /** What to run. Default: the first object of the kind that the controller is for. */
  key?: string | undefined;
  /** Which controller, when `setup` adds several. Default: the first one that is for the kind of one of the objects. */
  controller?: string | undefined;
  /** Default: silent. */
  logger?: Logger | undefined;
}

const CHECKS: OptionChecks<ReconcileOnceOptions> = { key: aText, controller: aText, logger: aLogger };

/** What one run has done. */
export interface ReconcileOnceResult {
  /** What the run returned. */
  readonly result: ReconcileResult | undefined;
  /** The server as the run left it. It needs no end. */
  readonly cluster: Cluster;
}

/** Holds the loops back. */
const byHand = { termOf: () => undefined };

/**
 * One run of a controller on an embedded server that has these objects, with caches that hold them, by a clock of its own: for the unit
 * tests of a reconciler. Rejects with what the run throws. Objects need `kind` and `apiVersion`; the custom resources that the
 * controller declares are defined.
 *
 * `const { result, cluster } = await reconcileOnce(addControllers, [website])`
 */
export async function reconcileOnce(
  setup: (manager: Manager) => unknown,
  objects: readonly TestObject[],
  options: ReconcileOnceOptions = {},
): Promise<ReconcileOnceResult> {
  const { key, controller: wanted, logger = silentLogger } = checkedOptions('reconcileOnce', options, CHECKS);
  const clock = new FakeClock();
  const server = await ApiServer.start({ listen: false, clock, logger });
  const cluster = server.cluster({ clock, logger, fieldManager: 'test' });
  const manager = new Manager(server.cluster({ clock, logger }), { clock, gate: byHand });
  await setup(manager);
  const declared = manager.declaredResources;
  await defineCustomResources(cluster, declared);
  const created = await createObjects(cluster, objects, declared);
  const kinds = created.map((object) => resourceOf(object, declared).kind);
  const stop = new AbortController();
  const running = manager.run({ signal: stop.signal });
  running.catch(() => {});
  await clock.advance(0);
  try {
    const run = (async () => {
      const controllers = manager.runningControllers;
      const controller = controllers.find(({ name, resource }) =>
        wanted === undefined ? key !== undefined || kinds.includes(resource.kind) : name === wanted,
      );
      if (!controller) {
        const names = controllers.map(({ name }) => name).join(', ');
        throw new TypeError(`none of the controllers (${names}) is ${wanted ?? 'for the kind of one of the objects'}.`);
      }
      const first = created[kinds.indexOf(controller.resource.kind)];
      const meant = key ?? (first && metaNamespaceKey(first));
      if (meant === undefined) throw new TypeError(`there is no ${controller.resource.kind} to run: give its key.`);
      await controller.started;
      return controller.reconcileOnce(meant);
    })();
    const result = await whileTimePasses(clock, Promise.race([run, running.then(() => run)]));
    return { result: result as ReconcileResult | undefined, cluster };
  } finally {
    stop.abort();
    await whileTimePasses(clock, running);
  }
}

async function whileTimePasses<T>(clock: FakeClock, promise: Promise<T>): Promise<T> {
  let isOver = false;
  const over = promise.finally(() => {
    isOver = true;
  });
  over.catch(() => {});
  const endMs = clock.monotonicMs() + MAX_MS;
  for (await clock.advance(0); !isOver; await clock.advance(STEP_MS)) {
    if (clock.monotonicMs() > endMs)
      throw new TidewatchError('timeout', `the run has not ended after ${MAX_MS} ms of its clock`);
  }
  return over;
}
