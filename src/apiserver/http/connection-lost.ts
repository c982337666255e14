/** The connection broke, on purpose: over a socket the socket is destroyed, in process the request rejects with this. */
export class ConnectionLost extends Error {
  override readonly name = 'ConnectionLost';
  readonly code = 'ECONNRESET';

  constructor(message = 'the server closed the connection (a fault of its plan)') {
    super(message);
  }
}
