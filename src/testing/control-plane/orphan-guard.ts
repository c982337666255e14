import { type ChildProcess, spawn } from 'node:child_process';
import { rmSync } from 'node:fs';
import { Socket } from 'node:net';

/**
 * Reads `add <pid>` and `drop <pid>` lines. The end of its input without a `done` means that the parent has died, of
 * whatever: SIGKILL and an out-of-memory kill leave a process no chance to run an exit hook.
 */
const WATCHDOG = `
trap '' HUP INT TERM
pids=
while read -r verb pid; do
  case $verb in
    add) pids="$pids $pid" ;;
    drop) rest=; for p in $pids; do [ "$p" = "$pid" ] || rest="$rest $p"; done; pids=$rest ;;
    done) exit 0 ;;
  esac
done
for p in $pids; do kill -KILL "$p"; done 2>/dev/null
rm -rf -- "$1" 2>/dev/null || { sleep 1; rm -rf -- "$1"; }
`;

/**
 * Sees to it that child processes and their folder do not outlive this process, however it ends. No signal handlers
 * are installed, as they would change what Ctrl-C does to the program around us; a small shell that waits for the end
 * of its input does the work instead. Where there is no `sh`, only a normal exit is covered.
 */
export class OrphanGuard {
  readonly #folder: string;
  readonly #pids = new Set<number>();
  readonly #watchdog: ChildProcess | undefined;
  readonly #onExit = () => {
    for (const pid of this.#pids) killQuietly(pid);
    rmSync(this.#folder, { recursive: true, force: true, maxRetries: 3 });
    this.#tell('done');
  };

  constructor(folder: string) {
    this.#folder = folder;
    process.on('exit', this.#onExit);
    if (process.platform === 'win32') return;
    // Detached: a Ctrl-C or `kill -- -pgid` that ends the parent must not end the watchdog first.
    this.#watchdog = spawn('sh', ['-c', WATCHDOG, 'tidewatch-guard', folder], {
      detached: true,
      stdio: ['pipe', 'ignore', 'ignore'],
    });
    this.#watchdog.on('error', () => {});
    this.#watchdog.stdin?.on('error', () => {});
    this.#watchdog.unref();
    if (this.#watchdog.stdin instanceof Socket) this.#watchdog.stdin.unref();
  }

  add(pid: number): void {
    this.#pids.add(pid);
    this.#tell(`add ${pid}`);
  }

  drop(pid: number): void {
    this.#pids.delete(pid);
    this.#tell(`drop ${pid}`);
  }

  /** Everything has been cleaned up by hand: nothing is guarded any more. Resolves when the watchdog is gone. */
  async release(): Promise<void> {
    process.off('exit', this.#onExit);
    const watchdog = this.#watchdog;
    if (watchdog?.pid === undefined || watchdog.exitCode !== null || watchdog.signalCode !== null) return;
    const gone = new Promise<void>((resolve) => watchdog.once('exit', () => resolve()));
    watchdog.ref();
    watchdog.stdin?.end('done\n');
    await gone;
  }

  #tell(line: string): void {
    this.#watchdog?.stdin?.write(`${line}\n`);
  }
}

function killQuietly(pid: number): void {
  try {
    process.kill(pid, 'SIGKILL');
  } catch {
    // It has gone by itself.
  }
}
