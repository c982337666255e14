import { spawn } from 'node:child_process';
import { existsSync, mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';

const GUARD = new URL('orphan-guard.ts', import.meta.url).href;

/** A process that guards a grandchild and a folder, prints the grandchild's pid and then ends as `ending` says. */
async function guardThen(ending: string): Promise<{ grandchild: number; folder: string; signal: string | null }> {
  const folder = mkdtempSync(join(tmpdir(), 'tidewatch-guard-'));
  const source = `
    import { spawn } from 'node:child_process';
    import { OrphanGuard } from '${GUARD}';
    const guard = new OrphanGuard(${JSON.stringify(folder)});
    const grandchild = spawn(process.execPath, ['-e', 'setInterval(() => {}, 1000)'], { detached: true, stdio: 'ignore' });
    grandchild.unref();
    guard.add(grandchild.pid);
    process.stdout.write(String(grandchild.pid), () => { ${ending} });`;
  const child = spawn(process.execPath, ['--import', 'tsx', '--input-type=module', '-e', source], {
    stdio: ['ignore', 'pipe', 'ignore'],
  });
  let output = '';
  child.stdout.setEncoding('utf8').on('data', (chunk: string) => {
    output += chunk;
  });
  const signal = await new Promise<string | null>((resolve) => child.once('close', (_, name) => resolve(name)));
  return { grandchild: Number(output), folder, signal };
}

/** A zombie is not alive: in a container nobody may be there to collect orphans. */
function isAlive(pid: number): boolean {
  try {
    process.kill(pid, 0);
    return !(process.platform === 'linux' && /^State:\s+Z/m.test(readFileSync(`/proc/${pid}/status`, 'utf8')));
  } catch {
    return false;
  }
}

describe.skipIf(process.platform === 'win32')('guarded processes and their folder', () => {
  it.each([
    ['exits by itself, which they do not prevent', '', null],
    ['throws', 'throw new Error()', null],
    ['is terminated', 'process.kill(process.pid, "SIGTERM"); setInterval(() => {}, 1000);', 'SIGTERM'],
    ['is killed', 'process.kill(process.pid, "SIGKILL")', 'SIGKILL'],
  ])('are gone after their parent %s', async (_, ending, expected) => {
    const { grandchild, folder, signal } = await guardThen(ending);
    expect(signal).toBe(expected);
    expect(grandchild).toBeGreaterThan(0);
    await expect.poll(() => isAlive(grandchild), { timeout: 10_000 }).toBe(false);
    await expect.poll(() => existsSync(folder), { timeout: 10_000 }).toBe(false);
  });

  it('stay when they have been released', async () => {
    const { grandchild, folder } = await guardThen('void guard.release();');
    expect(isAlive(grandchild)).toBe(true);
    expect(existsSync(folder)).toBe(true);
    process.kill(grandchild, 'SIGKILL');
    rmSync(folder, { recursive: true });
  });
});
