import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { describe, expect, it } from 'vitest';

const MODULE = new URL('process-groups.ts', import.meta.url).href;

/** Starts a child of its own, which starts another one, says their numbers, and waits forever. */
const PROGRAM = `
  import { ProcessGroups } from '${MODULE}';
  const groups = new ProcessGroups();
  const forever = 'setInterval(() => {}, 1000);';
  const leader = 'const { pid } = require("node:child_process").spawn(process.execPath, ["-e", "' + forever + '"]); console.log(process.pid, pid);' + forever;
  groups.spawn(process.execPath, ['-e', leader], { stdio: ['ignore', 'inherit', 'ignore'] });
  setInterval(() => {}, 1000);
`;

function isAlive(pid: number): boolean {
  try {
    process.kill(pid, 0);
    return true;
  } catch {
    return false;
  }
}

describe('process groups', () => {
  it.each([
    ['SIGINT', 130],
    ['SIGTERM', 143],
  ] as const)('end with the process that started them, by %s', async (signal, code) => {
    const program = spawn(process.execPath, ['--import', 'tsx', '--input-type=module', '-e', PROGRAM], {
      stdio: ['ignore', 'pipe', 'inherit'],
    });
    const [line] = await once(program.stdout, 'data');
    const pids = String(line).trim().split(' ').map(Number);
    expect(pids.map(isAlive)).toEqual([true, true]);
    program.kill(signal);
    expect(await once(program, 'exit')).toEqual([code, null]);
    while (pids.some(isAlive)) await new Promise((resolve) => setTimeout(resolve, 10));
  });
});
