import type { KubernetesObject } from '../api/metadata.ts';
import type { Resource } from '../api/resource.ts';

const LAST_APPLIED = 'kubectl.kubernetes.io/last-applied-configuration';
/** In place of a value that is not shown. */
export const HIDDEN = '(hidden)';
/** Of a string that is shown; nobody reads more of one in a page. */
const MAX_TEXT = 4_096;
const MAX_DEPTH = 32;

/** What is known of the kind of an object. */
export type KindOf = Pick<Resource, 'group' | 'plural' | 'kind'>;

/** Metadata that say where an object is and how it came about; annotations have rules of their own, and managed fields are noise. */
const METADATA = [
  'name',
  'generateName',
  'namespace',
  'uid',
  'resourceVersion',
  'generation',
  'creationTimestamp',
  'deletionTimestamp',
  'deletionGracePeriodSeconds',
  'labels',
  'ownerReferences',
  'finalizers',
] as const;
/** Shown of any kind but Secrets. */
const OPEN_FIELDS = new Set(['status']);

/**
 * Decides what of an object reaches a page, the same for what is shown, compared, sorted by and filtered by:
 * metadata with the values of annotations hidden, and status. The rest of a kind when `show` names it. Of a Secret never more than metadata.
 * Values of environment variables and the last-applied annotation, which repeats the whole object, never, wherever they are.
 */
export class Redaction {
  readonly #shown: ReadonlySet<string>;

  /** @param show the resources of which everything may be seen. */
  constructor(show: readonly KindOf[]) {
    this.#shown = new Set(show.filter((kind) => !isSecret(kind)).map(nameOf));
  }

  /** Whether more than metadata and status may be seen. */
  showsAll(kind: KindOf | undefined): boolean {
    return kind !== undefined && this.#shown.has(nameOf(kind));
  }

  /** A copy with what may be seen. Reads nothing else, so that nothing else is decoded. `kind` is what the informer is for. */
  visible(object: KubernetesObject, kind: KindOf | undefined): Record<string, unknown> {
    const all = this.showsAll(kind) && !claimsSecret(object);
    const visible: Record<string, unknown> = Object.create(null);
    for (const key of Object.keys(object)) {
      if (key === 'apiVersion' || key === 'kind') visible[key] = text(object[key as 'kind']);
      else if (key === 'metadata') visible[key] = visibleMetadata(object.metadata, all);
      else if (all || (OPEN_FIELDS.has(key) && !isSecret(kind) && !claimsSecret(object))) {
        visible[key] = copied(key, (object as Record<string, unknown>)[key], 0);
      }
    }
    return visible;
  }

  /** Whether a page may sort and filter by what a path leads to: else the order of objects would tell what they hide. */
  mayRead(segments: readonly string[], kind: KindOf | undefined): boolean {
    const [first, second] = segments;
    if (first === 'metadata') return METADATA.some((field) => field === second);
    if (segments.some(mayHide)) return false;
    if (first === undefined || isSecret(kind)) return false;
    return OPEN_FIELDS.has(first) || this.showsAll(kind);
  }
}

function visibleMetadata(metadata: unknown, all: boolean): Record<string, unknown> {
  const visible: Record<string, unknown> = Object.create(null);
  if (!isMap(metadata)) return visible;
  for (const field of METADATA) {
    if (Object.hasOwn(metadata, field) && metadata[field] !== undefined) {
      visible[field] = copied(field, metadata[field], 0);
    }
  }
  const { annotations } = metadata;
  if (isMap(annotations)) visible.annotations = all ? copied('annotations', annotations, 0) : hidden(annotations);
  return visible;
}

/** A value of the field `name`, without what is never shown. */
function copied(name: string, value: unknown, depth: number): unknown {
  if (typeof value === 'string') return name === LAST_APPLIED ? HIDDEN : text(value);
  if (typeof value !== 'object' || value === null) return value;
  if (depth >= MAX_DEPTH) return '(deeper than this page shows)';
  if (name === LAST_APPLIED) return HIDDEN;
  if (isEnv(name)) return withoutEnvValues(value);
  if (Array.isArray(value)) return value.map((element) => copied(name, element, depth + 1));
  const copy: Record<string, unknown> = Object.create(null);
  for (const key of Object.keys(value)) {
    if (key === 'managedFields') continue;
    copy[key] = copied(key, (value as Record<string, unknown>)[key], depth + 1);
  }
  return copy;
}

/** Whether what is never shown may lie behind a segment; a `*` stands for any name. */
function mayHide(segment: string): boolean {
  return segment === '*' || segment === 'annotations' || segment === LAST_APPLIED || isEnv(segment);
}

/** `env` in any spelling, and what custom resources call it. */
function isEnv(name: string): boolean {
  return /^(env|envs|envvars|environment|environmentvariables|extraenv)$/i.test(name);
}

/** Of a list of `{ name, value }`, the names; of a map, the keys. Where a value comes from (`valueFrom`) is not a value. */
function withoutEnvValues(value: object): unknown {
  if (!Array.isArray(value)) return hidden(value);
  return value.map((variable: unknown) => {
    if (!isMap(variable)) return HIDDEN;
    const copy: Record<string, unknown> = Object.create(null);
    for (const key of Object.keys(variable)) {
      if (key === 'name') copy[key] = text(variable[key]);
      else copy[key] = key === 'valueFrom' ? copied(key, variable[key], 1) : HIDDEN;
    }
    return copy;
  });
}

function hidden(map: object): Record<string, unknown> {
  const copy: Record<string, unknown> = Object.create(null);
  for (const key of Object.keys(map)) copy[key] = HIDDEN;
  return copy;
}

function text(value: unknown): string {
  const full = String(value);
  return full.length > MAX_TEXT ? `${full.slice(0, MAX_TEXT)}… (${full.length} characters)` : full;
}

function isMap(value: unknown): value is Record<string, unknown> {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}

/** Also where an informer was not told what its objects are. */
function claimsSecret({ kind }: KubernetesObject): boolean {
  return kind === 'Secret';
}

function isSecret(kind: KindOf | undefined): boolean {
  return kind !== undefined && (kind.kind === 'Secret' || (kind.group === '' && kind.plural === 'secrets'));
}

function nameOf({ group, plural }: KindOf): string {
  return `${plural}.${group}`;
}
