/** What a frame is, by RFC 6455 §5.2. */
export const OPCODE = { continuation: 0, text: 1, binary: 2, close: 8, ping: 9, pong: 10 } as const;

/** Why a connection was closed, by RFC 6455 §7.4.1. */
export const CLOSE = { normal: 1000, goingAway: 1001, protocolError: 1002, unsupported: 1003, tooBig: 1009 } as const;

export interface Frame {
  readonly opcode: number;
  /** Whether it is the last one of its message. */
  readonly fin: boolean;
  readonly payload: Buffer;
}

/** What the server sent is not WebSocket; `code` is what it is told when the connection is closed. */
export class FrameError extends TypeError {
  readonly code: number;

  constructor(code: number, message: string) {
    super(message);
    this.code = code;
  }
}
