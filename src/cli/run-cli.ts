import { didYouMean } from '../api/suggestion.ts';
import { systemClock } from '../observe/clock.ts';
import { HELP_FLAG, parseArguments } from './arguments.ts';
import { CliError, UsageError } from './cli-error.ts';
import { type CliIo, Interrupted, OutputClosed, type OutputStream } from './cli-io.ts';
import type { Command } from './command.ts';
import { findCommand, visibleCommands } from './commands.ts';
import { errorReport } from './error-report.ts';
import { commandHelp, groupHelp, overview } from './help.ts';
import { untilAborted } from './until-aborted.ts';

export type RunCliOptions = Pick<CliIo, 'stdin' | 'stdout' | 'stderr'> & Partial<CliIo>;

/**
 * Runs one command line (without `node` and the script) and resolves with its exit code: 0 when all went well, 2 when
 * the command line is wrong, 130 after Ctrl-C, 1 otherwise; what it wrote has been taken by then. Never rejects, and never
 * ends the process.
 */
export async function runCli(argv: readonly string[], options: RunCliOptions): Promise<number> {
  const stop = new AbortController();
  const signal = options.signal ? AbortSignal.any([options.signal, stop.signal]) : stop.signal;
  const io: CliIo = { env: process.env, cwd: process.cwd(), clock: systemClock, ...options, signal };
  const closed = (error: NodeJS.ErrnoException): void => stop.abort(isClosedPipe(error) ? new OutputClosed() : error);
  io.stdout.on('error', closed);
  io.stderr.on('error', closed);
  try {
    return await dispatch(argv, io);
  } catch (error) {
    return exitCodeOf(signal.aborted ? signal.reason : error, io);
  } finally {
    await Promise.race([Promise.all([flushed(io.stdout), flushed(io.stderr)]), untilAborted(signal)]);
    // After an abort they stay: what breaks later must not end the process, and nobody waits for it.
    if (!signal.aborted) {
      io.stdout.off('error', closed);
      io.stderr.off('error', closed);
    }
  }
}

/** Resolves when all that was written has been taken, or cannot be; an `error` event of it has come by then. */
async function flushed(output: OutputStream): Promise<void> {
  await new Promise<void>((resolve) => output.write('', () => resolve()));
  await new Promise<void>((resolve) => setImmediate(resolve));
}

async function dispatch(argv: readonly string[], io: CliIo): Promise<number> {
  const [first] = argv;
  if (first === undefined || first === '--help' || first === '-h') {
    io.stdout.write(overview(visibleCommands));
    return 0;
  }
  const within = first.startsWith('-') ? [] : visibleCommands.filter(({ name }) => name.startsWith(`${first} `));
  // `generate --help`: the first of its words does not make a command, yet help is what was asked for.
  if (within.length > 0 && wantsHelp(argv.slice(1)) && findCommand(argv) === undefined) {
    io.stdout.write(groupHelp(first, within));
    return 0;
  }
  const found = findCommand(first === '--version' || first === '-v' ? ['version'] : argv);
  if (found === undefined) throw unknownCommand(argv);
  const { command, rest } = found;
  if (wantsHelp(rest)) {
    io.stdout.write(commandHelp(command));
    return 0;
  }
  const { flags, positionals } = parseArguments(command, rest);
  if (flags.on(HELP_FLAG.name)) {
    io.stdout.write(commandHelp(command));
    return 0;
  }
  return command.run({ flags, positionals, io });
}

/** Help is given even where something else on the line is wrong. */
function wantsHelp(args: readonly string[]): boolean {
  const end = args.indexOf('--');
  return (end < 0 ? args : args.slice(0, end)).some((arg) => arg === '--help' || arg === '-h');
}

function unknownCommand(argv: readonly string[]): UsageError {
  const [first = ''] = argv;
  if (first.startsWith('-')) {
    return new UsageError(
      `tidewatch has no flag ${first} of its own`,
      'Put flags after the command: see "tidewatch help".',
    );
  }
  const within = visibleCommands.filter(({ name }) => name.startsWith(`${first} `)).map(({ name }) => name);
  if (within.length > 0) {
    return new UsageError(
      `"tidewatch ${first}" needs to know what`,
      `Try "tidewatch ${within.join('" or "tidewatch ')}".`,
    );
  }
  const meant = didYouMean(
    first,
    visibleCommands.map(({ name }: Command) => name),
  );
  const next = meant === undefined ? '' : `${meant.charAt(0).toUpperCase()}${meant.slice(1)} `;
  return new UsageError(`there is no command "${first}"`, `${next}See "tidewatch help".`);
}

function exitCodeOf(error: unknown, io: CliIo): number {
  if (error instanceof OutputClosed) return 0;
  if (error instanceof Interrupted) return error.exitCode;
  const { text, exitCode } = errorReport(error);
  io.stderr.write(text);
  return error instanceof CliError ? error.exitCode : exitCode;
}

function isClosedPipe(error: NodeJS.ErrnoException): boolean {
  return ['EPIPE', 'ERR_STREAM_DESTROYED', 'ECONNRESET', 'EIO'].includes(error.code ?? '');
}
