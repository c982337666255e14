import { request } from 'node:http';
import { connect } from 'node:net';
import { ScriptedServer } from '../scripted-server-fixture.ts';

/**
 * An HTTP proxy that leads every CONNECT to one port of loopback, and passes plain requests on to it. Each adds a line to `seen`: its
 * method, its target and the login for the proxy.
 */
export function httpProxy(target: number, seen: string[], status = '200 OK'): Promise<ScriptedServer> {
  return ScriptedServer.http(
    (incoming, response) => {
      seen.push(`${incoming.method} ${incoming.url} ${incoming.headers['proxy-authorization'] ?? '-'}`);
      request({ port: target, host: '127.0.0.1', path: new URL(incoming.url ?? '').pathname }, (answer) =>
        answer.pipe(response),
      ).end();
    },
    undefined,
    (incoming, socket) => {
      seen.push(`CONNECT ${incoming.url} ${incoming.headers['proxy-authorization'] ?? '-'}`);
      if (status !== '200 OK') return socket.end(`HTTP/1.1 ${status}\r\n\r\n`);
      const upstream = connect(target, '127.0.0.1', () => {
        socket.write('HTTP/1.1 200 Connection established\r\nvia: test\r\n\r\n');
        upstream.pipe(socket).pipe(upstream);
      });
      upstream.on('error', () => socket.destroy());
      return socket.on('close', () => upstream.destroy());
    },
  );
}
