import { PROTOBUF } from '../wire/protobuf-document.ts';
import { notAcceptable, type StatusError, statusError } from './status-error.ts';

/** What the client wants to see instead of the plain object. */
export type Transform = 'none' | 'PartialObjectMetadata' | 'PartialObjectMetadataList' | 'Table';

export interface Accepted {
  readonly format: 'json' | 'yaml' | 'protobuf';
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

const FORMATS = [
  { format: 'json', subtype: 'json' },
  { format: 'yaml', subtype: 'yaml' },
  { format: 'protobuf', subtype: 'vnd.kubernetes.protobuf' },
] as const;
const OUTPUTS = FORMATS.map(({ subtype }) => `application/${subtype}`);
const STREAM_OUTPUTS = ['application/json;stream=watch', `${PROTOBUF};stream=watch`];
const TRANSFORMS = new Set<string>(['PartialObjectMetadata', 'PartialObjectMetadataList', 'Table']);

/** What the endpoint can do. */
export interface Endpoint {
  readonly watch: boolean;
  /** Whether its objects have columns to be shown in. */
  readonly tables: boolean;
  /** Whether its objects have a schema for protobuf; their metadata always have. */
  readonly protobuf: boolean;
}

/** Picks the first clause, by quality and then by order, that this endpoint can write. Throws 406. */
export function negotiate(accept: string | undefined, endpoint: Endpoint): Accepted {
  const clauses = parseAccept(accept ?? '');
  if (clauses.length === 0) return { format: 'json', transform: 'none', metaVersion: '', pretty: false };
  const found = firstOf(clauses, endpoint);
  if (found && !(endpoint.watch && found.format === 'yaml')) return found;
  if (!found && clauses.every(({ type }) => formatsOf(type).length === 0)) throw noRepresentation();
  throw notAcceptable(endpoint.watch ? STREAM_OUTPUTS : OUTPUTS);
}

/** The format of errors and discovery, which can be written in all; JSON when the client reads none of them. */
export function plainFormat(accept: string | undefined): Accepted['format'] {
  const plain = parseAccept(accept ?? '').filter(({ parameters }) => transformOf(parameters)?.transform === 'none');
  return firstOf(plain, { watch: false, tables: false, protobuf: true })?.format ?? 'json';
}

function firstOf(clauses: readonly Clause[], { tables, protobuf }: Endpoint): Accepted | undefined {
  for (const { type, parameters } of clauses) {
    const transform = transformOf(parameters);
    if (transform === undefined) continue;
    const isTable = transform.transform === 'Table';
    if (isTable && !tables) continue;
    const isWritten = (format: Accepted['format']) => {
      if (!streams(format, parameters.get('stream'))) return false;
      if (format !== 'protobuf') return true;
      return !isTable && (protobuf || transform.transform !== 'none');
    };
    const format = formatsOf(type).find(isWritten);
    if (format) return { format, pretty: parameters.get('pretty') === '1', ...transform };
  }
  return undefined;
}

/** Clauses may ask for the form of a stream, whatever the request. */
function streams(format: Accepted['format'], stream: string | undefined): boolean {
  return stream === undefined || stream === '' || (stream === 'watch' && format !== 'yaml');
}

/** The answer of the real server's router, which sees the Accept header first. */
function noRepresentation(): StatusError {
  const listed = [...OUTPUTS, ...STREAM_OUTPUTS].join(', ');
  return statusError(406, 'NotAcceptable', `406: Not Acceptable\n\nAvailable representations: ${listed}`, {});
}

function formatsOf(type: string): Accepted['format'][] {
  const matching = FORMATS.filter(({ subtype }) => type === '*/*' || type === `application/${subtype}`);
  return matching.map(({ format }) => format);
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
