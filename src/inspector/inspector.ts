import { systemClock } from '../observe/clock.ts';
import { safeLogger } from '../observe/logger.ts';
import { PageContent } from './inspector-content.ts';
import { checkedInspectorOptions, type InspectorOptions } from './inspector-options.ts';
import { InspectorServer } from './inspector-server.ts';
import { pageFiles } from './page-files.ts';
import { Redaction } from './redaction.ts';
import { isLoopback } from './request-guard.ts';

/** A running inspector. It does not keep the process alive. */
export class Inspector implements AsyncDisposable {
  /** The address to open, with the token behind its `#`: whoever has it can look. */
  readonly url: string;
  readonly port: number;
  readonly #server: InspectorServer;
  readonly #content: PageContent;

  /** @internal Use `serveInspector`. */
  constructor(server: InspectorServer, content: PageContent, host: string) {
    this.#server = server;
    this.#content = content;
    this.port = server.port;
    const name = host === '0.0.0.0' || host === '::' ? 'localhost' : host.includes(':') ? `[${host}]` : host;
    this.url = `http://${name}${server.port === 80 ? '' : `:${server.port}`}/#token=${server.token}`;
  }

  /** How many are open. */
  get pages(): number {
    return this.#content.pages;
  }

  /** Closes the port and ends all pages. Idempotent. */
  async stop(): Promise<void> {
    this.#content.stop();
    await this.#server.stop();
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await this.stop();
  }
}

/**
 * Serves a page on which one sees what informers and controllers do: the pipeline with its rates and backlogs, a timeline, the objects of
 * the caches and how they change, work queues and runs, memory. Only for who has the printed address: it carries a random token.
 * Costs nothing while no page is open. Rejects when it cannot listen; throws a `TypeError` for options that will not do.
 *
 * ```ts
 * const inspector = await serveInspector({ factories: [factory], port: 0 });
 * console.log(`Open ${inspector.url}`);
 * ```
 */
export async function serveInspector(options: InspectorOptions): Promise<Inspector> {
  const checked = checkedInspectorOptions(options);
  const { factories = [], managers = [], port, host = '127.0.0.1', show = [], clock = systemClock } = checked;
  const logger = safeLogger(checked.logger);
  const content = new PageContent({ factories, managers, redaction: new Redaction(show), clock });
  const server = new InspectorServer({ port, host, files: pageFiles(), content, logger });
  await server.start();
  if (!isLoopback(host)) {
    logger.warn(
      `The inspector listens on ${host}:${server.port}: everybody who can reach it and has its address can read what it shows, and so can who listens on the wire, for it is plain HTTP.`,
    );
  }
  return new Inspector(server, content, host);
}
