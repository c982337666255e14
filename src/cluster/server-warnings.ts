import { printable } from '../api/printable.ts';
import type { Logger } from '../observe/logger.ts';

/** A server that invents a new text for each answer must not fill the memory. */
const MAX_REMEMBERED = 1000;

/** Passes the server's `Warning` headers (deprecated versions, unknown fields) to the logger, each text once. */
export class ServerWarnings {
  readonly #logger: Logger;
  readonly #seen = new Set<string>();

  constructor(logger: Logger) {
    this.#logger = logger;
  }

  report(header: string | undefined): void {
    if (header === undefined) return;
    for (const text of parseWarnings(header)) {
      if (this.#seen.has(text) || this.#seen.size >= MAX_REMEMBERED) continue;
      this.#seen.add(text);
      this.#logger.warn(`The API server warns: ${text}`);
    }
  }
}

/** The texts of `299 - "text", 299 - "other"` (RFC 7234, section 5.5); other codes are not for us. */
export function parseWarnings(header: string): string[] {
  return [...header.matchAll(/(\d{3}) [^\s"]+ "((?:[^"\\]|\\.)*)"/g)]
    .filter(([, code]) => code === '299')
    .map(([, , text = '']) => text.replace(/\\(.)/g, '$1').replace(/\s+/g, ' '))
    .map(printable);
}
