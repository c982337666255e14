import { existsSync, mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { systemClock } from '../../observe/clock.ts';
import { Program } from './control-plane-program.ts';
import { OrphanGuard } from './orphan-guard.ts';

let folder: string;
let guard: OrphanGuard;
let started: Program[];
beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), 'tidewatch-program-'));
  guard = new OrphanGuard(folder);
  started = [];
});
afterEach(async () => {
  for (const program of started) await program.kill();
  rmSync(folder, { recursive: true });
  await guard.release();
});

/** A program in JavaScript; `ready` makes a file that `isReady` looks for. */
function script(source: string): Program {
  const ready = `const ready = () => require('fs').writeFileSync(${JSON.stringify(join(folder, 'ready'))}, '');`;
  const program = new Program({
    name: 'script',
    path: process.execPath,
    args: ['-e', `${ready}${source}`],
    logFile: join(folder, 'log'),
    guard,
    clock: systemClock,
  });
  started.push(program);
  program.start();
  return program;
}

const isReady = async () => existsSync(join(folder, 'ready'));
const STAY = 'setInterval(() => {}, 1000);';

describe('a program', () => {
  it('is waited for until it is ready', async () => {
    const program = script(`setTimeout(ready, 100); ${STAY}`);
    await program.untilReady(isReady, 20_000);
    expect(program.running).toBe(true);
  });

  it('that ends too early shows its last log lines', async () => {
    const program = script(
      `for (let i = 0; i < 100; i++) console.log('line %d.', i); console.error('broken'); process.exit(3)`,
    );
    const failure = await program.untilReady(isReady, 20_000).catch((error: Error) => error.message);
    expect(failure).toMatch(
      /^script ended before it was ready\. Its last log lines:\nline 86\.[\s\S]*line 99\.\nbroken$/,
    );
  });

  it('that is never ready is given up at the deadline, with the reason of the last look', async () => {
    const program = script(`console.log('still thinking'); ready(); ${STAY}`);
    await program.untilReady(isReady, 20_000);
    const waiting = program.untilReady(async () => {
      throw new Error('connection refused');
    }, 1);
    await expect(waiting).rejects.toThrow(/not ready after 1 ms \(connection refused\)[\s\S]*still thinking/);
  });

  it('that cannot be run is an error with the reason', async () => {
    const program = new Program({
      name: 'nothing',
      path: join(folder, 'nothing'),
      args: [],
      logFile: join(folder, 'log'),
      guard,
      clock: systemClock,
    });
    program.start();
    await expect(program.untilReady(isReady, 20_000)).rejects.toThrow(
      /^nothing ended before it was ready \(.*ENOENT\)/,
    );
  });

  it('stops on SIGTERM, and on SIGKILL when it does not listen', async () => {
    const polite = script(`process.on('SIGTERM', () => { console.log('goodbye'); process.exit() }); ready(); ${STAY}`);
    await polite.untilReady(isReady, 20_000);
    await polite.stop(20_000);
    expect(polite.log()).toBe('goodbye\n');
    rmSync(join(folder, 'ready'));
    const deaf = script(`process.on('SIGTERM', () => {}); ready(); ${STAY}`);
    await deaf.untilReady(isReady, 20_000);
    await deaf.stop(10);
    expect(deaf.running).toBe(false);
  });

  it('stops although it is paused, and can be started again', async () => {
    const program = script(`ready(); ${STAY}`);
    await program.untilReady(isReady, 20_000);
    program.pause();
    expect(program.paused).toBe(true);
    await program.stop(20_000);
    expect(program).toMatchObject({ running: false, paused: false, pid: undefined });
    await program.stop(20_000);
    rmSync(join(folder, 'ready'));
    program.start();
    expect(() => program.start()).toThrow('script is running already.');
    await program.untilReady(isReady, 20_000);
  });

  it('tells when its port was taken', async () => {
    const program = script('console.error("listen tcp 127.0.0.1:1: bind: address already in use"); process.exit(1)');
    expect(program.portWasTaken).toBe(false);
    await program.untilReady(isReady, 20_000).catch(() => {});
    expect(program.portWasTaken).toBe(true);
  });
});
