import { notAcceptable, type StatusError, statusError } from './status-error.ts';

/** What the client wants to see instead of the plain object. */
export type Transform = 'none' | 'PartialObjectMetadata' | 'PartialObjectMetadataList' | 'Table';

export interface Accepted {
  readonly format: 'json' | 'yaml';
  readonly transform: Transform;
  /** Of the transform: `meta.k8s.io/v1` or `meta.k8s.io/v1beta1`. */
  readonly metaVersion: string;
  readonly pretty: boolean;
}

interface Clause {
  readonly type: string;
  readonly parameters: ReadonlyMap<string, string>;
  readonly quality: number;
}

const OUTPUTS = ['application/json', 'application/yaml'];
const STREAM_OUTPUTS = ['application/json;stream=watch'];
const TRANSFORMS = new Set<string>(['PartialObjectMetadata', 'PartialObjectMetadataList', 'Table']);

/**
 * Picks the first clause, by quality and then by order, that this server can write. Protobuf is never one of them, and a
 * Table only where `tables` says so.
 */
export function negotiate(accept: string | undefined, watch: boolean, tables = true): Accepted {
  const clauses = parseAccept(accept ?? '');
  if (clauses.length === 0) return { format: 'json', transform: 'none', metaVersion: '', pretty: false };
  for (const clause of clauses) {
    const format = formatOf(clause.type);
    if (format === undefined) continue;
    const transform = transformOf(clause.parameters);
    if (transform === undefined || (transform.transform === 'Table' && !tables)) continue;
    if (watch && format === 'yaml') continue;
    return { format, pretty: clause.parameters.get('pretty') === '1', ...transform };
  }
  if (clauses.every((clause) => formatOf(clause.type) === undefined)) throw noRepresentation();
  throw notAcceptable(watch ? STREAM_OUTPUTS : OUTPUTS);
}

/** The answer of the real server's router, which sees the Accept header first. */
function noRepresentation(): StatusError {
  const listed = [...OUTPUTS, ...STREAM_OUTPUTS].join(', ');
  return statusError(406, 'NotAcceptable', `406: Not Acceptable\n\nAvailable representations: ${listed}`, {});
}

function formatOf(type: string): 'json' | 'yaml' | undefined {
  if (type === 'application/json' || type === '*/*') return 'json';
  return type === 'application/yaml' ? 'yaml' : undefined;
}

function transformOf(parameters: ReadonlyMap<string, string>): Pick<Accepted, 'transform' | 'metaVersion'> | undefined {
  const kind = parameters.get('as');
  if (kind === undefined) {
    const partial = parameters.has('g') || parameters.has('v');
    return partial ? undefined : { transform: 'none', metaVersion: '' };
  }
  const metaVersion = `${parameters.get('g') ?? ''}/${parameters.get('v') ?? ''}`;
  if (!TRANSFORMS.has(kind)) return undefined;
  if (metaVersion !== 'meta.k8s.io/v1' && metaVersion !== 'meta.k8s.io/v1beta1') return undefined;
  return { transform: kind as Transform, metaVersion };
}

/** The clauses of an Accept header, best first. */
export function parseAccept(header: string): Clause[] {
  const clauses = header
    .split(',')
    .map((text) => text.trim())
    .filter((text) => text !== '')
    .map(parseClause);
  return clauses
    .map((clause, index) => ({ clause, index }))
    .sort((a, b) => b.clause.quality - a.clause.quality || a.index - b.index)
    .map(({ clause }) => clause);
}

function parseClause(text: string): Clause {
  const [type = '', ...rest] = text.split(';').map((part) => part.trim());
  const parameters = new Map<string, string>();
  for (const part of rest) {
    const equals = part.indexOf('=');
    if (equals > 0) parameters.set(part.slice(0, equals).trim().toLowerCase(), part.slice(equals + 1).trim());
  }
  const quality = Number(parameters.get('q') ?? 1);
  return { type: type.toLowerCase(), parameters, quality: Number.isFinite(quality) ? quality : 0 };
}
