import { guarded, warnOnce } from './guarded.ts';

/** The shape that `console`, pino and most loggers share. A message is a whole sentence; details follow for those who print them. */
export interface Logger {
  debug(message: string, ...details: unknown[]): void;
  info(message: string, ...details: unknown[]): void;
  warn(message: string, ...details: unknown[]): void;
  error(message: string, ...details: unknown[]): void;
}

/** From the least important to the most. */
export type LogLevel = keyof Logger | 'silent';

const LEVELS: readonly LogLevel[] = ['debug', 'info', 'warn', 'error', 'silent'];

/** Passes on what is at least as grave as `level`, and drops the rest. */
export function leveled(logger: Logger, level: LogLevel): Logger {
  const threshold = LEVELS.indexOf(level);
  const at =
    (own: keyof Logger) =>
    (message: string, ...details: unknown[]): void => {
      if (LEVELS.indexOf(own) >= threshold) logger[own](message, ...details);
    };
  return { debug: at('debug'), info: at('info'), warn: at('warn'), error: at('error') };
}

/** What is used when no logger is given: warnings and errors go to the console, the rest is silent. */
const defaultLogger: Logger = leveled(console, 'warn');

/** Says nothing. */
export const silentLogger: Logger = leveled(console, 'silent');

/** So that each logger is wrapped once, however many ways it comes in. */
const wrapped = new WeakMap<Logger, Logger>();

/**
 * A logger that may be called anywhere: a failure of `logger`, thrown or as a rejected promise, never reaches the caller
 * and never goes unhandled. A message is written without its details when they are what it fails on: an error may throw when it is
 * looked at. Otherwise the first failure is reported as a warning of the process. To be used wherever a logger comes in.
 */
export function safeLogger(logger: Logger = defaultLogger): Logger {
  const known = wrapped.get(logger);
  if (known !== undefined) return known;
  const onFailure = warnOnce('The logger');
  const at =
    (own: keyof Logger) =>
    (message: string, ...details: unknown[]): void =>
      guarded(() => {
        try {
          return logger[own](message, ...details);
        } catch (thrown) {
          if (details.length === 0) throw thrown;
          return logger[own](message);
        }
      }, onFailure);
  const safe: Logger = { debug: at('debug'), info: at('info'), warn: at('warn'), error: at('error') };
  wrapped.set(logger, safe).set(safe, safe);
  return safe;
}
