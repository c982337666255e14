import type { Status, StatusDetails } from '../../api/status.ts';
import { aggregateText, type FieldError, fieldErrorCause } from './field-error.ts';

/** A no of the server: thrown anywhere below the front, written as a `Status` body (or an ERROR event) by it. */
export class StatusError extends Error {
  override readonly name = 'StatusError';
  readonly status: Status & { code: number };
  /** Sent beside the body: `Retry-After`, `WWW-Authenticate`, … Names in lower case. */
  readonly headers: Readonly<Record<string, string>>;

  constructor(status: Status & { code: number }, headers: Readonly<Record<string, string>> = {}) {
    super(status.message ?? status.reason ?? `status ${status.code}`);
    this.status = status;
    const retryAfter = status.details?.retryAfterSeconds;
    this.headers = retryAfter ? { 'retry-after': String(retryAfter), ...headers } : headers;
  }
}

export interface GroupResource {
  readonly group: string;
  readonly plural: string;
}

export interface GroupKind {
  readonly group: string;
  readonly kind: string;
}

/** `pods`, `deployments.apps`: how messages name a resource or a kind. */
export function qualified(name: string, group: string): string {
  return group === '' ? name : `${name}.${group}`;
}

function failure(code: number, reason: string, message: string, details?: StatusDetails): Status & { code: number } {
  return {
    kind: 'Status',
    apiVersion: 'v1',
    metadata: {},
    status: 'Failure',
    message,
    ...(reason === '' ? {} : { reason }),
    ...(details === undefined ? {} : { details }),
    code,
  };
}

/** Empty fields are left out, as Go's `omitempty` does. */
function detailsOf(name: string, group: string, kind: string, rest: Partial<StatusDetails> = {}): StatusDetails {
  return {
    ...(name === '' ? {} : { name }),
    ...(group === '' ? {} : { group }),
    ...(kind === '' ? {} : { kind }),
    ...rest,
  };
}

export function statusError(code: number, reason: string, message: string, details?: StatusDetails): StatusError {
  return new StatusError(failure(code, reason, message, details));
}

export function notFound(resource: GroupResource, name: string): StatusError {
  const message = `${qualified(resource.plural, resource.group)} ${JSON.stringify(name)} not found`;
  return statusError(404, 'NotFound', message, detailsOf(name, resource.group, resource.plural));
}

/** What the server says when the path itself leads nowhere. */
export function unknownPath(): StatusError {
  return statusError(404, 'NotFound', 'the server could not find the requested resource', {});
}

export function alreadyExists(resource: GroupResource, name: string, beingDeleted = false): StatusError {
  const what = `${qualified(resource.plural, resource.group)} ${JSON.stringify(name)} already exists`;
  const message = beingDeleted ? `object is being deleted: ${what}` : what;
  return statusError(409, 'AlreadyExists', message, detailsOf(name, resource.group, resource.plural));
}

export function generatedNameExists(resource: GroupResource, name: string): StatusError {
  const message = `${qualified(resource.plural, resource.group)} ${JSON.stringify(name)} already exists, the server was not able to generate a unique name for the object`;
  const details = detailsOf(name, resource.group, resource.plural, { retryAfterSeconds: 1 });
  return statusError(409, 'AlreadyExists', message, details);
}

export function conflict(resource: GroupResource, name: string, why: string): StatusError {
  const message = `Operation cannot be fulfilled on ${qualified(resource.plural, resource.group)} ${JSON.stringify(name)}: ${why}`;
  return statusError(409, 'Conflict', message, detailsOf(name, resource.group, resource.plural));
}

export function modifiedMeanwhile(resource: GroupResource, name: string): StatusError {
  return conflict(
    resource,
    name,
    'the object has been modified; please apply your changes to the latest version and try again',
  );
}

export function invalidObject(kind: GroupKind, name: string, errors: readonly FieldError[]): StatusError {
  const what = `${qualified(kind.kind, kind.group)} ${JSON.stringify(name)} is invalid`;
  const message = errors.length === 0 ? what : `${what}: ${aggregateText(errors)}`;
  const causes = errors.map(fieldErrorCause);
  return statusError(422, 'Invalid', message, detailsOf(name, kind.group, kind.kind, { causes }));
}

export function badRequest(message: string): StatusError {
  return statusError(400, 'BadRequest', message);
}

export function unauthorized(): StatusError {
  return statusError(401, 'Unauthorized', 'Unauthorized');
}

export function forbiddenResource(resource: GroupResource, name: string, why: string): StatusError {
  const what = qualified(resource.plural, resource.group);
  const message = name === '' ? `${what} is forbidden: ${why}` : `${what} ${JSON.stringify(name)} is forbidden: ${why}`;
  return statusError(403, 'Forbidden', message, detailsOf(name, resource.group, resource.plural));
}

export function forbiddenPath(why: string): StatusError {
  return statusError(403, 'Forbidden', `forbidden: ${why}`, {});
}

export function expired(message: string, freshContinue?: string): StatusError {
  const status = failure(410, 'Expired', message);
  if (freshContinue !== undefined) status.metadata = { continue: freshContinue };
  return new StatusError(status);
}

/** What the router says when a path exists but not with this HTTP method. */
export function methodNotAllowed(): StatusError {
  return statusError(405, 'MethodNotAllowed', 'the server does not allow this method on the requested resource', {});
}

export function notAcceptable(accepted: readonly string[]): StatusError {
  return statusError(406, 'NotAcceptable', `only the following media types are accepted: ${accepted.join(', ')}`);
}

export function unsupportedMediaType(accepted: readonly string[]): StatusError {
  const message = `the body of the request was in an unknown format - accepted media types include: ${accepted.join(', ')}`;
  return statusError(415, 'UnsupportedMediaType', message);
}

/** As `unsupportedMediaType`, where the real server finds no route before it comes to the resource. */
export function unroutableMediaType(): StatusError {
  return statusError(415, 'UnsupportedMediaType', '415: Unsupported Media Type', {});
}

export function tooLarge(limitBytes: number): StatusError {
  return statusError(413, 'RequestEntityTooLarge', `Request entity too large: limit is ${limitBytes}`);
}

/** etcd takes requests of this size, and its client sends none beyond `MAX_SENT_BYTES`. */
export const MAX_STORED_BYTES = 1.5 * 1024 * 1024;
const MAX_SENT_BYTES = 2 * 1024 * 1024;

/** An object that is too large to be stored. The real server passes on what etcd says. */
export class StorageLimit extends StatusError {
  constructor(bytes: number) {
    const tooLong = `rpc error: code = ResourceExhausted desc = trying to send message larger than max (${bytes} vs. ${MAX_SENT_BYTES})`;
    super(failure(500, '', bytes > MAX_SENT_BYTES ? tooLong : 'etcdserver: request is too large'));
  }
}

export function internalError(message: string): StatusError {
  return statusError(500, 'InternalError', `Internal error occurred: ${message}`, { causes: [{ message }] });
}

export function timeoutError(message: string, details: StatusDetails): StatusError {
  return statusError(504, 'Timeout', `Timeout: ${message}`, details);
}

export function tooLargeResourceVersion(wanted: bigint, current: number, retryAfterSeconds: number): StatusError {
  const causes = [{ reason: 'ResourceVersionTooLarge', message: 'Too large resource version' }];
  return timeoutError(`Too large resource version: ${wanted}, current: ${current}`, {
    causes,
    ...(retryAfterSeconds === 0 ? {} : { retryAfterSeconds }),
  });
}
