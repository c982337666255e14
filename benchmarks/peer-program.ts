import { spawn, spawnSync } from 'node:child_process';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import { fileURLToPath } from 'node:url';

/** The Go program, kept running so that the two sides can take turns. */
export interface Peer {
  /** Nanoseconds for one operation. */
  measure(operation: string, times: number): Promise<number>;
  close(): void;
}

/** Undefined, with a message on stderr, when Go or its modules are not there. */
export function startPeer(program: URL): Peer | undefined {
  const folder = mkdtempSync(join(tmpdir(), 'tidewatch-bench-'));
  const binary = join(folder, 'peer');
  const build = spawnSync('go', ['build', '-o', binary, '.'], {
    cwd: fileURLToPath(program),
    encoding: 'utf8',
  });
  if (build.status !== 0) {
    rmSync(folder, { recursive: true, force: true });
    const reason = build.error === undefined ? build.stderr.trim() : build.error.message;
    console.error(`The other side is skipped, because its program cannot be built: ${reason}`);
    return undefined;
  }
  const child = spawn(binary, { stdio: ['pipe', 'pipe', 'inherit'] });
  const lines = createInterface({ input: child.stdout })[Symbol.asyncIterator]();
  return {
    async measure(operation, times) {
      child.stdin.write(`${operation}\t${times}\n`);
      const { value, done } = await lines.next();
      if (done) throw new Error(`the Go program ended in "${operation}"`);
      return Number(value);
    },
    close() {
      child.stdin.end();
      rmSync(folder, { recursive: true, force: true });
    },
  };
}
