import { type ListOptions, listQuery } from '../../api/list-options.ts';
import type { KubernetesList, KubernetesObject } from '../../api/metadata.ts';
import { apiVersionOf, resourcePath } from '../../api/resource.ts';
import { bodyText, refusalOf } from '../../api/response-body.ts';
import type { Transport, TransportResponse } from '../../api/transport.ts';
import { TransportError } from '../../api/transport-error.ts';
import type { WatchEvent } from '../../api/watch-event.ts';
import { jsonLines } from '../../cluster/json-lines.ts';
import { ListWatch } from '../../reflector/list-watch.ts';
import { isTable, PLAIN_COLUMNS, plainRow, rowsOf, type Table, type TableColumn, type TableRow } from './table-rows.ts';
import type { WatchTarget } from './watch-target.ts';

const ACCEPT = 'application/json;as=Table;v=v1;g=meta.k8s.io,application/json';
/** Small enough that a progress bar moves. */
const PAGE_SIZE = 500;

/** How much of the first list has come. */
export interface Progress {
  readonly received: number;
  /** Undefined when the server does not tell, as with selectors. */
  readonly total: number | undefined;
}

/**
 * Lists and watches a resource as the server's own table, each row with its object. The columns are those of the last
 * table that named them.
 */
export class TableSource {
  readonly #transport: Transport;
  readonly #target: WatchTarget;
  readonly #path: string;
  #columns: readonly TableColumn[] = PLAIN_COLUMNS;
  #received = 0;
  #total: number | undefined;
  /** Called after each page, and after each row of a stream. */
  onProgress: () => void = () => {};

  constructor(transport: Transport, target: WatchTarget) {
    this.#transport = transport;
    this.#target = target;
    this.#path = resourcePath(target.resource, { namespace: target.namespace });
  }

  get columns(): readonly TableColumn[] {
    return this.#columns;
  }

  get progress(): Progress {
    return { received: this.#received, total: this.#total };
  }

  /** Learns the columns and how many objects there are, and throws when the server says no, all with one small request. */
  async probe(signal: AbortSignal): Promise<void> {
    const { metadata, items } = await this.#list({ limit: 1 }, signal);
    this.#received = 0;
    const remaining = metadata?.remainingItemCount;
    this.#total = remaining !== undefined ? items.length + remaining : metadata?.continue ? undefined : items.length;
  }

  listWatch(): ListWatch<TableRow> {
    return new ListWatch<TableRow>({
      supportsWatchList: true,
      list: (options, { signal }) => this.#page(options, signal),
      watch: (options, { signal }) => this.#watch(options, signal),
    });
  }

  async #page(options: ListOptions, signal: AbortSignal): Promise<KubernetesList<TableRow>> {
    if (options.continue === undefined) this.#received = 0;
    // In pages, whatever the server's cache could answer at once: each is a step of the progress bar, and a table of any
    // size is never held as one text.
    const { resourceVersion, ...rest } = options;
    const paged = resourceVersion === '0' ? { ...rest, limit: options.limit || PAGE_SIZE } : options;
    const list = await this.#list(paged, signal);
    const remaining = list.metadata?.remainingItemCount;
    if (remaining !== undefined) this.#total = this.#received + remaining;
    this.onProgress();
    return list;
  }

  async #list(options: ListOptions, signal: AbortSignal): Promise<KubernetesList<TableRow>> {
    const response = await this.#request({ ...options, ...this.#target.selection }, signal);
    const body: unknown = JSON.parse(await bodyText(response.body));
    const table = this.#taken(body);
    const items = table ? rowsOf(table) : ((body as KubernetesList<KubernetesObject>).items ?? []).map(plainRow);
    for (const item of items) this.#fillType(item);
    this.#received += items.length;
    return { items, metadata: (body as KubernetesList<KubernetesObject>).metadata ?? {} };
  }

  async #watch(options: ListOptions, signal: AbortSignal): Promise<AsyncIterable<WatchEvent<TableRow>>> {
    const isInitial = options.sendInitialEvents === true;
    if (isInitial) this.#received = 0;
    const response = await this.#request({ ...options, ...this.#target.selection, watch: true }, signal);
    return this.#events(response, isInitial);
  }

  async *#events(response: TransportResponse, isInitial: boolean): AsyncGenerator<WatchEvent<TableRow>> {
    for await (const line of jsonLines(response.body)) {
      const event = parsedEvent(line, this.#path);
      const table = this.#taken(event.object);
      if (event.type === 'ERROR') yield event as WatchEvent<TableRow>;
      else {
        const [row] = table ? rowsOf(table) : [plainRow(event.object as KubernetesObject)];
        if (row === undefined) continue;
        this.#fillType(row);
        if (isInitial && event.type === 'ADDED') {
          this.#received++;
          this.onProgress();
        }
        yield { type: event.type, object: row } as WatchEvent<TableRow>;
      }
    }
  }

  async #request(options: ListOptions & { watch?: boolean }, signal: AbortSignal): Promise<TransportResponse> {
    const response = await this.#transport.request({
      method: 'GET',
      path: this.#path,
      query: `${listQuery(options)}&includeObject=Object`,
      headers: { accept: ACCEPT },
      signal,
      // The head of a quiet watch may come with its first event only.
      ...(options.watch && { headersTimeoutMs: 0 }),
    });
    if (response.status < 300) return response;
    throw await refusalOf(response, `GET ${this.#path}`, signal);
  }

  #taken(body: unknown): Table | undefined {
    if (!isTable(body)) return undefined;
    if (body.columnDefinitions?.length) this.#columns = body.columnDefinitions;
    return body;
  }

  #fillType(row: TableRow): void {
    row.kind ??= this.#target.resource.kind;
    row.apiVersion ??= apiVersionOf(this.#target.resource);
  }
}

function parsedEvent(line: string, path: string): { type: string; object: unknown } {
  try {
    const event: unknown = JSON.parse(line);
    if (typeof event === 'object' && event !== null && 'type' in event && 'object' in event) {
      return event as { type: string; object: unknown };
    }
  } catch {
    // Reported below, without the text, which may hold a Secret's data.
  }
  throw new TransportError('protocol', `the watch of ${path} sent a line that is not an event`);
}
