import { mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { aClock, aNumber, aSignal, aText, checkedOptions, type OptionChecks, texts } from '../../api/option-check.ts';
import { type Clock, systemClock } from '../../observe/clock.ts';
import { findProgram } from './assets.ts';
import { Program } from './control-plane-program.ts';
import { askLoopback, freePort } from './loopback.ts';
import { OrphanGuard } from './orphan-guard.ts';

/** Options of the kube-controller-manager. */
export interface ControllerManagerOptions {
  /** Path of the kubeconfig of the cluster to work on: a `ControlPlane`, the embedded server, any other. */
  kubeconfig: string;
  /** Further flags, after ours; `--controllers=deployment,replicaset` for some of them only. */
  flags?: readonly string[] | undefined;
  /** Folder with `kube-controller-manager`; default as for `ControlPlane.start`. */
  assets?: string | undefined;
  /** How long it may take until it is healthy. Default 120000. */
  startTimeoutMs?: number | undefined;
  /** Times the waits. Default: the system clock. */
  clock?: Clock | undefined;
  /** Aborting it stops the program, whether it is still starting or running. */
  signal?: AbortSignal | undefined;
}

const CHECKS: OptionChecks<ControllerManagerOptions> = {
  kubeconfig: aText,
  flags: texts,
  assets: aText,
  startTimeoutMs: aNumber,
  clock: aClock,
  signal: aSignal,
};

/** A running kube-controller-manager. It ends with this process, however that ends, and never keeps it alive. */
export interface ControllerManager extends AsyncDisposable {
  readonly pid: number | undefined;
  /** All that it has logged so far. */
  log(): string;
  /** Ends it and removes its folder. Every call gives the same promise. */
  stop(): Promise<void>;
}

/** Starts the real kube-controller-manager, without leader election; resolves when its /healthz says so. */
export async function startControllerManager(options: ControllerManagerOptions): Promise<ControllerManager> {
  checkedOptions('startControllerManager', options, CHECKS, ['kubeconfig']);
  const { signal, clock = systemClock } = options;
  signal?.throwIfAborted();
  const path = findProgram('kube-controller-manager', { assets: options.assets });
  const folder = mkdtempSync(join(tmpdir(), 'tidewatch-controller-manager-'));
  const guard = new OrphanGuard(folder);
  let program: Program | undefined;
  let stopped: Promise<void> | undefined;
  const onAbort = () => void stop();
  const end = async () => {
    signal?.removeEventListener('abort', onAbort);
    await program?.stop(10_000);
    rmSync(folder, { recursive: true, force: true, maxRetries: 3 });
    await guard.release();
  };
  const stop = () => {
    stopped ??= end();
    return stopped;
  };
  signal?.addEventListener('abort', onAbort, { once: true });

  try {
    for (let attempt = 1; ; attempt++) {
      const port = await freePort();
      signal?.throwIfAborted();
      program = new Program({
        name: 'kube-controller-manager',
        path,
        args: [
          `--kubeconfig=${options.kubeconfig}`,
          '--leader-elect=false',
          '--bind-address=127.0.0.1',
          `--secure-port=${port}`,
          `--cert-dir=${folder}`,
          ...(options.flags ?? []),
        ],
        logFile: join(folder, `kube-controller-manager-${attempt}.log`),
        guard,
        clock,
      });
      program.start();
      const ready = async () => {
        const ca = readFileSync(join(folder, 'kube-controller-manager.crt'), 'utf8');
        return (await askLoopback(`https://127.0.0.1:${port}/healthz`, { ca })).status === 200;
      };
      try {
        await program.untilReady(ready, options.startTimeoutMs ?? 120_000, signal);
        break;
      } catch (error) {
        if (!program.portWasTaken || attempt === 5) throw error;
      }
    }
  } catch (error) {
    await stop();
    signal?.throwIfAborted();
    throw error;
  }
  const running = program;
  return {
    get pid() {
      return running.pid;
    },
    log: () => running.log(),
    stop,
    [Symbol.asyncDispose]: stop,
  };
}
