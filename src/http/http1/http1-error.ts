/**
 * What came is not an HTTP/1.1 response, or not one that can be taken safely. The message quotes nothing of what came, which may be an
 * object of the cluster.
 */
export class MalformedResponseError extends Error {
  override readonly name = 'MalformedResponseError';
  readonly code = 'HTTP_MALFORMED';
}

/** The server closed the connection before the response was whole. */
export class ConnectionClosedError extends Error {
  override readonly name = 'ConnectionClosedError';
  readonly code = 'HTTP_CLOSED';

  constructor() {
    super('other side closed');
  }
}
