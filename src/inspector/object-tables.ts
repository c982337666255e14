import type { Cached } from '../api/cached.ts';
import { FieldSelector } from '../api/field-selector.ts';
import { LabelSelector } from '../api/label-selector.ts';
import type { KubernetesObject } from '../api/metadata.ts';
import { TidewatchError } from '../api/tidewatch-error.ts';
import type { SharedIndexInformer } from '../informer/shared-index-informer.ts';
import type { Clock } from '../observe/clock.ts';
import { type IndexPath, parseIndexPath, pathReader } from '../store/index-path.ts';
import { RequestError } from './inspector-server.ts';
import { ObjectRows, textOf } from './object-rows.ts';
import type { ObjectRow, RowsAnswer } from './protocol.ts';
import type { InformerCounts } from './recorder.ts';
import type { Redaction } from './redaction.ts';

const MAX_ROWS = 200;
const MAX_COLUMNS = 8;
/** Each of eight pages has one; a few more are there while somebody types. */
const MAX_TABLES = 16;
/** Columns for those who have not asked for any: the first of these that an object has. */
const USUAL_COLUMNS = [
  'status.phase',
  'status.readyReplicas',
  'status.replicas',
  'status.numberReady',
  'status.succeeded',
];

interface FollowedInformer {
  readonly informer: SharedIndexInformer<KubernetesObject>;
  readonly counts: InformerCounts;
}

export interface ObjectTablesOptions {
  redaction: Redaction;
  clock: Clock;
}

/** Windows of the tables that the pages look at. What a table is sorted and filtered by is checked as what it shows is. */
export class ObjectTables {
  readonly #options: ObjectTablesOptions;
  /** By informer and query; the one that was asked for last is the last. */
  readonly #tables = new Map<string, ObjectRows>();

  constructor(options: ObjectTablesOptions) {
    this.#options = options;
  }

  /** Throws a `RequestError` for a selector that is none, and for a path that must not be read. */
  async answer(followed: FollowedInformer, query: URLSearchParams): Promise<RowsAnswer> {
    const { informer } = followed;
    const from = wholeNumber(query.get('from'), Number.MAX_SAFE_INTEGER);
    const count = wholeNumber(query.get('count'), MAX_ROWS);
    const asked = query.get('columns');
    const columns = asked === null ? this.#usualColumns(informer) : asked.split(',').filter((path) => path !== '');
    if (columns.length > MAX_COLUMNS) throw new RequestError(`A table has at most ${MAX_COLUMNS} columns.`);
    const readers = columns.map((path) => pathReader(this.#path(informer, path)));
    const table = this.#table(followed, query);
    const keys = await table.keys();
    return {
      total: informer.table.size,
      matched: keys.length,
      from,
      rows: keys.slice(from, from + count).map((key) => rowOf(key, informer.table.get(key), readers)),
      columns,
      orderedAtMs: table.orderedAtMs,
    };
  }

  #table(followed: FollowedInformer, query: URLSearchParams): ObjectRows {
    const { informer, counts } = followed;
    const of = (name: string) => query.get(name) ?? '';
    const id = JSON.stringify([informer.id, of('sort'), of('order'), of('labels'), of('fields'), of('text')]);
    const known = this.#tables.get(id);
    const table =
      known ?? new ObjectRows({ ...this.#options, counts, table: informer.table, query: this.#query(informer, of) });
    this.#tables.delete(id);
    this.#tables.set(id, table);
    for (const oldest of this.#tables.keys()) {
      if (this.#tables.size <= MAX_TABLES) break;
      this.#tables.delete(oldest);
    }
    return table;
  }

  #query(informer: SharedIndexInformer<KubernetesObject>, of: (name: string) => string) {
    const fields = understood(() => FieldSelector.parse(of('fields')));
    return {
      sort: of('sort') === '' ? undefined : this.#path(informer, of('sort')),
      descending: of('order') === 'descending',
      labels: understood(() => LabelSelector.parse(of('labels'))),
      fields,
      paths: new Map(fields.requirements.map(({ field }) => [field, this.#path(informer, field)])),
      text: of('text'),
    };
  }

  #path({ resource, whyNotHeld }: SharedIndexInformer<KubernetesObject>, text: string): IndexPath {
    const path = understood(() => parseIndexPath('path', text));
    if (!this.#options.redaction.mayRead(path.segments, resource)) {
      throw new RequestError(
        `This page may not read ${text}. It has metadata and status; the program can name more with \`show\`, but never of a Secret.`,
      );
    }
    const missing = whyNotHeld(text);
    if (missing !== undefined) throw new RequestError(`${text} cannot be read: ${missing}`);
    return path;
  }

  #usualColumns({ table, resource }: SharedIndexInformer<KubernetesObject>): string[] {
    const [key] = table.keys();
    const sample = key === undefined ? undefined : table.get(key);
    if (sample === undefined) return [];
    return USUAL_COLUMNS.filter((text) => {
      const path = parseIndexPath('path', text);
      if (!this.#options.redaction.mayRead(path.segments, resource)) return false;
      return shownValue(sample, pathReader(path)) !== '';
    }).slice(0, 2);
  }
}

function rowOf(key: string, object: Cached | undefined, readers: readonly ReturnType<typeof pathReader>[]): ObjectRow {
  if (object === undefined) {
    const slash = key.indexOf('/');
    const [namespace, name] = [key.slice(0, Math.max(0, slash)), key.slice(slash + 1)];
    return { key, namespace, name, version: '', created: '', isDeleting: true, values: [] };
  }
  const { namespace, name, resourceVersion } = object;
  return {
    key,
    namespace,
    name,
    version: resourceVersion,
    created: shownValue(object, CREATED),
    isDeleting: shownValue(object, DELETED) !== '',
    values: readers.map((read) => shownValue(object, read)),
  };
}

const CREATED = pathReader(parseIndexPath('path', 'metadata.creationTimestamp'));
const DELETED = pathReader(parseIndexPath('path', 'metadata.deletionTimestamp'));
const MAX_VALUE = 200;

/** "" also for damaged bytes, which the informer reports and fetches again. */
function shownValue(object: Cached, read: ReturnType<typeof pathReader>): string {
  try {
    return textOf(read(object)).slice(0, MAX_VALUE);
  } catch {
    return '';
  }
}

/** What cannot be understood was typed by somebody, who is told. */
function understood<R>(parse: () => R): R {
  try {
    return parse();
  } catch (error) {
    if (error instanceof TidewatchError) throw new RequestError(error.message, { cause: error });
    throw error;
  }
}

function wholeNumber(text: string | null, most: number): number {
  const number = Number(text ?? 0);
  return Number.isSafeInteger(number) && number > 0 ? Math.min(number, most) : 0;
}
