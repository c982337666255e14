#!/usr/bin/env node
import { systemClock } from '../observe/clock.ts';
import { Interrupted } from './cli-io.ts';
import { runCli } from './run-cli.ts';

const stop = new AbortController();

for (const signal of ['SIGINT', 'SIGTERM', 'SIGHUP'] as const) {
  process.on(signal, () => {
    const reason = new Interrupted(signal);
    // Who asks twice does not want to wait for anything.
    if (stop.signal.aborted) process.exit(reason.exitCode);
    stop.abort(reason);
  });
}

// A pipe may break at any time, also after the command has ended; the command itself hears of it on its own.
process.stdout.on('error', () => {});
process.stderr.on('error', () => {});

process.exitCode = await runCli(process.argv.slice(2), {
  stdin: process.stdin,
  stdout: process.stdout,
  stderr: process.stderr,
  env: process.env,
  cwd: process.cwd(),
  clock: systemClock,
  signal: stop.signal,
});

// What a command leaves running (a keep-alive socket, say) must not hold up its user.
process.exit();
