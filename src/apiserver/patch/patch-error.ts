import { badRequest, type StatusError, statusError } from '../request/status-error.ts';

/** Answers as the real server does: the reason does not reach the client, only `cause` keeps it. */
export function unprocessable(reason: string): StatusError {
  const error = statusError(422, 'Invalid', 'the server rejected our request due to an error in our request', {});
  error.cause = new Error(reason);
  return error;
}

const BAD_FORMAT = {
  primitiveList: 'invalid patch format of primitive list',
  retainKeys: 'invalid patch format of retainKeys',
  setElementOrder: 'invalid patch format of setElementOrder list',
};

/** A directive of a strategic merge patch that is malformed. */
export function badFormat(of: keyof typeof BAD_FORMAT): StatusError {
  return badRequest(BAD_FORMAT[of]);
}

/** A strategic merge patch that does not fit the object. The real server takes the blame: 500, without a reason. */
export function strategicError(message: string): StatusError {
  return statusError(500, '', message);
}
