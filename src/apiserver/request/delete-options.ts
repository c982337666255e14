import { typeSchema } from '../../generated/type-schemas.ts';
import { asArray, asObject, asString, type JsonObject } from '../values/json.ts';
import { DecodeProblem, readTyped } from '../values/typed-object.ts';
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
    const version = asString(body.apiVersion) || 'meta.k8s.io/v1';
    throw badRequest(
      `no kind ${JSON.stringify(kind)} is registered for version ${JSON.stringify(version)} in scheme "pkg/runtime/scheme.go:111"`,
    );
  }
  const typed = readAsTyped(body);
  const { gracePeriodSeconds, propagationPolicy, orphanDependents } = typed;
  const preconditions = asObject(typed.preconditions);
  return checked({
    ...(typeof gracePeriodSeconds === 'number' ? { gracePeriodSeconds } : {}),
    ...(typeof propagationPolicy === 'string' ? { propagationPolicy } : {}),
    ...(typeof orphanDependents === 'boolean' ? { orphanDependents } : {}),
    ...(typeof preconditions.uid === 'string' ? { uid: preconditions.uid } : {}),
    ...(typeof preconditions.resourceVersion === 'string' ? { resourceVersion: preconditions.resourceVersion } : {}),
    dryRun: parseDryRun(asArray(typed.dryRun).map(asString), 'DeleteOptions'),
  });
}

/** A condition or a dry run of the wrong type must not be taken for none: the object would be gone. */
function readAsTyped(body: JsonObject): JsonObject {
  const schema = typeSchema('io.k8s.apimachinery.pkg.apis.meta.v1.DeleteOptions');
  if (!schema) throw new TypeError('The generated schemas have no DeleteOptions.');
  try {
    return readTyped(schema, body).object;
  } catch (error) {
    if (error instanceof DecodeProblem) throw badRequest(error.message);
    throw error;
  }
}

function fromQuery(query: URLSearchParams): DeleteOptions {
  const gracePeriodSeconds = queryInt(query, 'gracePeriodSeconds');
  const propagationPolicy = query.get('propagationPolicy');
  const orphanDependents = queryBool(query, 'orphanDependents');
  const uid = query.get('uid');
  const resourceVersion = query.get('resourceVersion');
  return checked({
    ...(gracePeriodSeconds === undefined ? {} : { gracePeriodSeconds }),
    ...(propagationPolicy === null ? {} : { propagationPolicy }),
    ...(orphanDependents === undefined ? {} : { orphanDependents }),
    ...(uid ? { uid } : {}),
    ...(resourceVersion ? { resourceVersion } : {}),
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
  if (propagationPolicy !== undefined && !POLICIES.includes(propagationPolicy)) {
    errors.push(notSupported('propagationPolicy', propagationPolicy, [...POLICIES, 'nil']));
  }
  if (errors.length > 0) throw invalidObject({ group: 'meta.k8s.io', kind: 'DeleteOptions' }, '', errors);
  return options;
}

/** `All` is the only value there is. */
export function parseDryRun(values: readonly string[], kind: string): boolean {
  if (values.some((value) => value !== 'All')) {
    throw invalidObject({ group: 'meta.k8s.io', kind }, '', [notSupported('dryRun', [...values], ['All'])]);
  }
  return values.length > 0;
}
