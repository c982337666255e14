/**
 * Objects as a `meta.k8s.io` Table (`Accept: application/json;as=Table;v=v1;g=meta.k8s.io`).
 * The printer of a built-in resource comes from `printerFor`, that of a custom one from `customPrinter`.
 *
 * A list is `toTable({ printer, objects, metadata: list.metadata, … })`, a single object `toTable({ printer, objects:
 * [object], metadata: { resourceVersion } })`. A watch sends for each event, bookmarks included, the table of its one
 * object, with column definitions in the first event alone: `toTable({ …, columns: isFirst })`. ERROR events stay as
 * they are.
 */
import type { ListMeta } from '../../api/metadata.ts';
import { INITIAL_EVENTS_END } from '../../api/watch-event.ts';
import { fieldErrorText, invalid } from '../request/field-error.ts';
import { badRequest } from '../request/status-error.ts';
import { asObject, getKey, getPath, type JsonObject, type JsonValue } from '../values/json.ts';
import { autoscalerPrinter } from './autoscaler-printer.ts';
import { clusterPrinters } from './cluster-printers.ts';
import { defaultPrinter } from './common-columns.ts';
import { corePrinters } from './core-printers.ts';
import { devicePrinters } from './device-printers.ts';
import { networkPrinters } from './network-printers.ts';
import { storagePrinters } from './storage-printers.ts';
import type { TablePrinter } from './table-printer.ts';
import { workloadPrinters } from './workload-printers.ts';

export type IncludeObject = 'None' | 'Metadata' | 'Object';

/** Both versions have the same shape. */
export type MetaApiVersion = 'meta.k8s.io/v1' | 'meta.k8s.io/v1beta1';

export interface TableRequest {
  readonly printer: TablePrinter;
  readonly objects: readonly JsonObject[];
  readonly nowMs: number;
  /** The metadata of the list, or the resourceVersion of the single object. */
  readonly metadata?: ListMeta;
  /** What each row carries beside its cells (`?includeObject=`). Default `Metadata`. */
  readonly includeObject?: IncludeObject;
  /** Whether the headings are sent. Default true; false leaves `columnDefinitions: null`. */
  readonly columns?: boolean;
  /** Default `meta.k8s.io/v1`. */
  readonly apiVersion?: MetaApiVersion;
}

const PRINTERS: ReadonlyMap<string, TablePrinter> = new Map(
  Object.entries({
    ...corePrinters,
    ...workloadPrinters,
    ...networkPrinters,
    ...storagePrinters,
    ...clusterPrinters,
    ...devicePrinters,
    'HorizontalPodAutoscaler.autoscaling': autoscalerPrinter,
  }),
);

/** The printer of a built-in kind; Name and Created At for those that have none of their own. */
export function printerFor(resource: { readonly group: string; readonly kind: string }): TablePrinter {
  const key = resource.group === '' ? resource.kind : `${resource.kind}.${resource.group}`;
  return PRINTERS.get(key) ?? defaultPrinter;
}

/** `?includeObject=`. Throws the real server's 400 for any other value. */
export function parseIncludeObject(value: string | null | undefined): IncludeObject {
  if (value === null || value === undefined || value === '') return 'Metadata';
  if (value === 'None' || value === 'Metadata' || value === 'Object') return value;
  const wrong = invalid('includeObject', value, "must be 'Metadata', 'Object', 'None', or empty");
  throw badRequest(`Unable to convert to Table as requested: ${fieldErrorText(wrong)}`);
}

export function toTable(request: TableRequest): JsonObject {
  const { printer, objects, metadata = {}, columns = true, apiVersion = 'meta.k8s.io/v1' } = request;
  const { compare } = printer;
  const ordered = compare === undefined ? objects : [...objects].sort((a, b) => compare(a, b));
  const rows = ordered.map((object) => tableRow(object, request));
  return {
    kind: 'Table',
    apiVersion,
    metadata: { ...metadata },
    columnDefinitions: columns ? printer.columns.map((column) => ({ ...column })) : null,
    rows: rows.length === 0 && printer.emptyRowsAreNull ? null : rows,
  };
}

/** One row; lets a caller with a very long list build its table in slices. */
export function tableRow(
  object: JsonObject,
  request: Pick<TableRequest, 'printer' | 'nowMs' | 'includeObject' | 'apiVersion'>,
): JsonObject {
  const { printer, nowMs, includeObject = 'Metadata', apiVersion = 'meta.k8s.io/v1' } = request;
  const conditions = printer.conditions?.(object);
  return {
    cells: printer.cells(object, nowMs),
    ...(conditions === undefined ? {} : { conditions: conditions.map((condition) => ({ ...condition })) }),
    object: rowObject(object, includeObject, apiVersion),
  };
}

function rowObject(object: JsonObject, include: IncludeObject, apiVersion: MetaApiVersion): JsonValue {
  if (include === 'Object') return object;
  // The bookmark that ends the initial events must be recognisable whatever was asked for.
  if (include === 'None' && !endsInitialEvents(object)) return null;
  return toPartialObjectMetadata(object, apiVersion);
}

function endsInitialEvents(object: JsonObject): boolean {
  const annotations = asObject(getPath(object, 'metadata', 'annotations'));
  return getKey(annotations, INITIAL_EVENTS_END) === 'true';
}

function toPartialObjectMetadata(object: JsonObject, apiVersion: MetaApiVersion = 'meta.k8s.io/v1'): JsonObject {
  return { kind: 'PartialObjectMetadata', apiVersion, metadata: asObject(object.metadata) };
}
