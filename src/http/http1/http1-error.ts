import { brandError, TidewatchError } from '../../api/tidewatch-error.ts';

/**
 * What came is not an HTTP/1.1 response, or not one that can be taken safely. The message quotes nothing of what came, which may be an
 * object of the cluster.
 */
export class MalformedResponseError extends TidewatchError {
  readonly code = 'HTTP_MALFORMED';

  static {
    brandError(MalformedResponseError, 'MalformedResponseError');
  }

  constructor(message: string) {
    super('protocol', message);
  }
}

/** The server closed the connection before the response was whole. */
export class ConnectionClosedError extends TidewatchError {
  readonly code = 'HTTP_CLOSED';

  static {
    brandError(ConnectionClosedError, 'ConnectionClosedError');
  }

  constructor() {
    super('reset', 'other side closed');
  }
}
