import { UsageError } from './cli-error.ts';
import type { FlagValues } from './command.ts';

/** What `--port` says; 0, any free one, without it. Throws `UsageError`. */
export function portOf(flags: FlagValues): number {
  const text = flags.text('port') ?? '0';
  const port = Number(text);
  if (/^\d+$/.test(text) && port <= 65_535) return port;
  throw new UsageError(`--port must be a number from 0 to 65535, not "${text}"`);
}
