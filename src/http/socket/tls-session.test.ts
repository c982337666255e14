import { Socket } from 'node:net';
import { TLSSocket } from 'node:tls';
import { describe, expect, it } from 'vitest';
import { TlsSession } from './tls-session.ts';

describe('TlsSession', () => {
  it('offers what the peer has issued once the connection is verified, and not before', () => {
    const session = new TlsSession();
    const socket = new TLSSocket(new Socket());
    const following = session.follow(socket);
    socket.emit('session', Buffer.from('first'));
    expect(session.offer()).toEqual({});
    following.verified();
    expect(session.offer()).toEqual({ session: Buffer.from('first') });
    socket.emit('session', Buffer.from('second'));
    expect(session.offer()).toEqual({ session: Buffer.from('second') });
    session.forget();
    expect(session.offer()).toEqual({});
    socket.destroy();
  });
});
