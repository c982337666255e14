import { asArray, asObject, asString, type JsonObject } from '../values/json.ts';
import { type FieldError, invalid, notSupported } from './field-error.ts';
import { queryInt } from './query-int.ts';
import { queryBool } from './request-info.ts';
import { badRequest, invalidObject } from './status-error.ts';

/** `metav1.DeleteOptions`, from a body or, without one, from the query. */
export interface DeleteOptions {
  readonly gracePeriodSeconds?: number;
  readonly propagationPolicy?: string;
  /** The older way to say Orphan (true) or Background (false). */
  readonly orphanDependents?: boolean;
  readonly uid?: string;
  readonly resourceVersion?: string;
  readonly dryRun: boolean;
}

const POLICIES = ['Foreground', 'Background', 'Orphan'];

export function deleteOptionsFrom(body: JsonObject | undefined, query: URLSearchParams): DeleteOptions {
  return body === undefined ? fromQuery(query) : fromBody(body);
}

/** As webhooks and policies see them. */
export function deleteOptionsObject({ uid, resourceVersion, dryRun, ...rest }: DeleteOptions): JsonObject {
  const preconditions = {
    ...(uid === undefined ? {} : { uid }),
    ...(resourceVersion === undefined ? {} : { resourceVersion }),
  };
  return {
    kind: 'DeleteOptions',
    apiVersion: 'meta.k8s.io/v1',
    ...rest,
    ...(Object.keys(preconditions).length > 0 ? { preconditions } : {}),
    ...(dryRun ? { dryRun: ['All'] } : {}),
  };
}

function fromBody(body: JsonObject): DeleteOptions {
  const kind = asString(body.kind);
  if (kind !== '' && kind !== 'DeleteOptions') {
    const version = asString(body.apiVersion) || 'v1';
    throw badRequest(
      `no kind ${JSON.stringify(kind)} is registered for version ${JSON.stringify(version)} in scheme "k8s.io/apimachinery@v0.36.3/pkg/runtime/scheme.go:111"`,
    );
  }
  const preconditions = asObject(body.preconditions);
  const { gracePeriodSeconds, propagationPolicy, orphanDependents } = body;
  if (gracePeriodSeconds !== undefined && gracePeriodSeconds !== null && typeof gracePeriodSeconds !== 'number') {
    throw badRequest(
      'json: cannot unmarshal string into Go struct field DeleteOptions.gracePeriodSeconds of type int64',
    );
  }
  return checked({
    ...(typeof gracePeriodSeconds === 'number' ? { gracePeriodSeconds } : {}),
    ...(typeof propagationPolicy === 'string' ? { propagationPolicy } : {}),
    ...(typeof orphanDependents === 'boolean' ? { orphanDependents } : {}),
    ...(typeof preconditions.uid === 'string' ? { uid: preconditions.uid } : {}),
    ...(typeof preconditions.resourceVersion === 'string' ? { resourceVersion: preconditions.resourceVersion } : {}),
    dryRun: parseDryRun(asArray(body.dryRun).map(asString), 'DeleteOptions'),
  });
}

function fromQuery(query: URLSearchParams): DeleteOptions {
  const gracePeriodSeconds = queryInt(query, 'gracePeriodSeconds');
  const propagationPolicy = query.get('propagationPolicy');
  const orphanDependents = queryBool(query, 'orphanDependents');
  return checked({
    ...(gracePeriodSeconds === undefined ? {} : { gracePeriodSeconds }),
    ...(propagationPolicy === null ? {} : { propagationPolicy }),
    ...(orphanDependents === undefined ? {} : { orphanDependents }),
    dryRun: parseDryRun(query.getAll('dryRun'), 'DeleteOptions'),
  });
}

function checked(options: DeleteOptions): DeleteOptions {
  const errors: FieldError[] = [];
  const { propagationPolicy, orphanDependents } = options;
  if (propagationPolicy !== undefined && orphanDependents !== undefined) {
    const detail = 'orphanDependents and deletionPropagation cannot be both set';
    errors.push(invalid('propagationPolicy', propagationPolicy, detail));
  }
  if (propagationPolicy !== undefined && propagationPolicy !== '' && !POLICIES.includes(propagationPolicy)) {
    errors.push(notSupported('propagationPolicy', propagationPolicy, [...POLICIES, 'nil']));
  }
  if (errors.length > 0) throw invalidObject({ group: 'meta.k8s.io', kind: 'DeleteOptions' }, '', errors);
  return options;
}

/** `All` is the only value there is. */
export function parseDryRun(values: readonly string[], kind: string): boolean {
  const given = values.filter((value) => value !== '');
  const unknown = given.filter((value) => value !== 'All');
  if (unknown.length > 0) {
    throw invalidObject({ group: 'meta.k8s.io', kind }, '', [notSupported('dryRun', [...given], ['All'])]);
  }
  return given.length > 0;
}
