import type { Logger } from '../observe/logger.ts';

/** Begins each message with what it is about. */
export function about(subject: string, logger: Logger): Logger {
  const at =
    (level: keyof Logger) =>
    (message: string, ...details: unknown[]): void =>
      logger[level](`${subject}: ${message}`, ...details);
  return { debug: at('debug'), info: at('info'), warn: at('warn'), error: at('error') };
}
