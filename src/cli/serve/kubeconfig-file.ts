import { randomBytes } from 'node:crypto';
import { open, readFile, rename, rm } from 'node:fs/promises';
import { CliError } from '../cli-error.ts';

const MARK = '# Written by "tidewatch serve"';

/**
 * A kubeconfig file that a running server keeps: readable by its owner alone, there from one moment to the next, and
 * gone with the server. A file that somebody else wrote, or that belongs to a server that still runs, is left alone.
 */
export class KubeconfigFile {
  readonly path: string;
  readonly #text: string;

  private constructor(path: string, text: string) {
    this.path = path;
    this.#text = text;
  }

  static async write(path: string, kubeconfig: string, { force = false } = {}): Promise<KubeconfigFile> {
    const text = `${MARK} of process ${process.pid}, which removes it when it ends.\n${kubeconfig}`;
    if (!force) await checkOurs(path);
    // A new file in its place, and not the old one with new content: the mode counts from the first byte, and a link is
    // replaced rather than followed.
    const draft = `${path}.${randomBytes(6).toString('hex')}`;
    try {
      const file = await open(draft, 'wx', 0o600);
      try {
        await file.writeFile(text);
      } finally {
        await file.close();
      }
      await rename(draft, path);
    } catch (cause) {
      await rm(draft, { force: true });
      const why = (cause as Error).message;
      throw new CliError(`the kubeconfig ${path} cannot be written: ${why}`, {
        next: 'Name another file with --kubeconfig FILE.',
        cause,
      });
    }
    return new KubeconfigFile(path, text);
  }

  /** Unless it has been replaced meanwhile. */
  async remove(): Promise<void> {
    if ((await textOf(this.path)) === this.#text) await rm(this.path, { force: true });
  }
}

async function checkOurs(path: string): Promise<void> {
  const text = await textOf(path);
  if (text === undefined) return;
  const next = 'Name another file with --kubeconfig FILE, or overwrite it with --force.';
  if (!text.startsWith(MARK)) throw new CliError(`${path} exists and was not written by "tidewatch serve"`, { next });
  const pid = Number(/^.* of process (\d+),/.exec(text)?.[1]);
  if (pid !== process.pid && isRunning(pid)) {
    throw new CliError(`${path} belongs to a "tidewatch serve" that still runs (process ${pid})`, { next });
  }
}

async function textOf(path: string): Promise<string | undefined> {
  try {
    return await readFile(path, 'utf8');
  } catch (cause) {
    if ((cause as NodeJS.ErrnoException).code === 'ENOENT') return undefined;
    throw new CliError(`${path} cannot be read: ${(cause as Error).message}`, {
      next: 'Name another file with --kubeconfig FILE.',
      cause,
    });
  }
}

function isRunning(pid: number): boolean {
  if (!Number.isInteger(pid) || pid <= 0) return false;
  try {
    process.kill(pid, 0);
    return true;
  } catch (error) {
    return (error as NodeJS.ErrnoException).code === 'EPERM';
  }
}
