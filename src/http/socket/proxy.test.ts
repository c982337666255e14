import { connect } from 'node:net';
import { describe, expect, it } from 'vitest';
import { parseProxyUrl } from '../../login/proxy-url.ts';
import { silentLogger } from '../../observe/logger.ts';
import { makeCertificate } from '../certificate-fixture.ts';
import { HttpTransport } from '../http-transport.ts';
import { get, rejection } from '../request-fixture.ts';
import { ScriptedServer } from '../scripted-server-fixture.ts';
import { Secret } from '../secret.ts';
import { proxyFromEnvironment } from './proxy.ts';
import { httpProxy } from './proxy-fixture.ts';

describe('the proxy from the environment', () => {
  const proxied = (server: string, env: Record<string, string>) => {
    const proxy = proxyFromEnvironment(new URL(server), env);
    return proxy && `${proxy.scheme}://${proxy.host}:${proxy.port}`;
  };

  it.each([
    ['https://api.example.com', { HTTPS_PROXY: 'http://p:3128' }, 'http://p:3128'],
    ['https://api.example.com', { https_proxy: 'http://p:3128' }, 'http://p:3128'],
    ['https://api.example.com', { HTTPS_PROXY: 'http://upper:1', https_proxy: 'http://lower:1' }, 'http://upper:1'],
    ['https://api.example.com', { HTTP_PROXY: 'http://p:3128' }, undefined],
    ['http://api.example.com', { HTTP_PROXY: 'http://p:3128' }, 'http://p:3128'],
    ['http://api.example.com', { HTTP_PROXY: 'http://p:3128', REQUEST_METHOD: 'GET' }, undefined],
    ['https://api.example.com', { HTTPS_PROXY: 'p:3128' }, 'http://p:3128'],
    ['https://api.example.com', { HTTPS_PROXY: 'p' }, 'http://p:80'],
    ['https://api.example.com', { HTTPS_PROXY: 'https://p' }, 'https://p:443'],
    ['https://api.example.com', { HTTPS_PROXY: 'socks5://p' }, 'socks5://p:1080'],
    ['https://api.example.com', { HTTPS_PROXY: 'socks5h://p:9' }, 'socks5://p:9'],
    ['https://api.example.com', { HTTPS_PROXY: 'http://[::2]:9' }, 'http://::2:9'],
    ['https://localhost:6443', { HTTPS_PROXY: 'http://p' }, undefined],
    ['https://127.0.0.1:6443', { HTTPS_PROXY: 'http://p' }, undefined],
    ['https://127.8.8.8', { HTTPS_PROXY: 'http://p' }, undefined],
    ['https://[::1]:6443', { HTTPS_PROXY: 'http://p' }, undefined],
  ])('for %s with %j is %s', (server, env, expected) => {
    expect(proxied(server, env as Record<string, string>)).toBe(expected);
  });

  it.each([
    ['https://api.example.com', '*', false],
    ['https://api.example.com', 'example.com', false],
    ['https://example.com', 'example.com', false],
    ['https://notexample.com', 'example.com', true],
    ['https://example.com', '.example.com', true],
    ['https://api.example.com', '.example.com', false],
    ['https://api.example.com', '*.example.com', false],
    ['https://api.example.com', ' other.org , EXAMPLE.com ', false],
    ['https://api.example.com:6443', 'example.com:6443', false],
    ['https://api.example.com:6443', 'example.com:443', true],
    ['https://api.example.com', 'example.com:443', false],
    ['https://10.1.2.3', '10.0.0.0/8', false],
    ['https://11.1.2.3', '10.0.0.0/8', true],
    ['https://10.1.2.3', '10.1.2.3', false],
    ['https://10.1.2.3:6443', '10.1.2.3:6443', false],
    ['https://10.1.2.3:6443', '10.1.2.3:443', true],
    ['https://10.1.2.3', '10.1.2.4', true],
    ['https://10.1.2.3', '1.2.3', true],
    ['https://[fd00::1]', 'fd00::/8', false],
    ['https://[fd00::1]', 'fd00:0:0::1', false],
    ['https://[fd00::1]:6443', '[fd00::1]:6443', false],
    ['https://[fe00::1]', 'fd00::/8', true],
    ['https://[::ffff:10.1.2.3]', '10.0.0.0/8', false],
    ['https://api.example.com', '10.0.0.0/8,,:80', true],
  ])('is used for %s with NO_PROXY=%s: %s', (server, noProxy, used) => {
    const env = { HTTPS_PROXY: 'http://p', NO_PROXY: noProxy };
    expect(proxied(server, env) !== undefined).toBe(used);
    expect(proxied(server, { HTTPS_PROXY: 'http://p', no_proxy: noProxy }) !== undefined).toBe(used);
  });
});

describe('proxy-url', () => {
  it('must be http, https or socks5, and the error does not show it', () => {
    for (const url of ['ftp://user:hunter2@p', 'p:3128', 'nonsense hunter2']) {
      const parse = () => parseProxyUrl(new Secret(url), 'f: proxy-url of the cluster "c"');
      expect(parse).toThrow('f: proxy-url of the cluster "c" must be a URL');
      expect(parse).not.toThrow('hunter2');
    }
  });
});

describe('the login in a proxy URL', () => {
  it.each([
    ['http://u:100%@p', 'u', '100%'],
    ['http://u:%zz%41@p', 'u', '%zzA'],
    ['http://u%40x:p%3Aq@p', 'u@x', 'p:q'],
    ['http://u:%ff@p', 'u', '%ff'],
    ['http://u:%c3%a9@p', 'u', 'é'],
  ])('of %s is taken as it was meant', (url, username, password) => {
    expect(parseProxyUrl(new Secret(url), 'test').login?.reveal()).toEqual({ username, password });
    expect(proxyFromEnvironment(new URL('https://x.test'), { HTTPS_PROXY: url })?.login?.reveal().password).toBe(
      password,
    );
  });
});

const ca = makeCertificate({ name: 'CA', ca: true });
const certificate = makeCertificate({ name: 'server', issuer: ca, hosts: ['127.0.0.1', 'cluster.test'] });
const tlsServer = () =>
  ScriptedServer.http((request, response) => response.end(`hello ${request.headers.host}`), {
    cert: certificate.certificate,
    key: certificate.key,
  });

/** SOCKS5 with or without a password, which leads every name to one port. */
function socksProxy(target: number, seen: string[], login?: string): Promise<ScriptedServer> {
  return ScriptedServer.raw((socket, data, { read }) => {
    if (read === 1) {
      seen.push(`methods ${[...data.subarray(2)].join()}`);
      return socket.write(Buffer.from([5, login === undefined ? 0 : 2]));
    }
    if (read === 2 && login !== undefined) {
      const name = data.subarray(2, 2 + (data[1] ?? 0)).toString();
      const password = data.subarray(3 + (data[1] ?? 0)).toString();
      return socket.write(Buffer.from([1, `${name}:${password}` === login ? 0 : 1]));
    }
    seen.push(
      data[3] === 3 ? data.subarray(5, 5 + (data[4] ?? 0)).toString() : `address ${[...data.subarray(4, 8)].join('.')}`,
    );
    socket.removeAllListeners('data');
    const upstream = connect(target, '127.0.0.1', () => {
      // In two pieces, since a reader must not rely on packets.
      socket.write(Buffer.from([5, 0, 0]));
      setTimeout(() => {
        socket.write(Buffer.from([1, 127, 0, 0, 1, 0, 80]));
        upstream.pipe(socket).pipe(upstream);
      }, 5);
    });
    return upstream.on('error', () => socket.destroy());
  });
}

async function ask(server: string, proxyUrl: string) {
  const proxy = parseProxyUrl(new Secret(proxyUrl), 'test');
  const tls = { ca: ca.certificate };
  const transport = new HttpTransport({ server, proxy, tls, logger: silentLogger });
  try {
    return (await get(transport, '/path')).text;
  } finally {
    await transport.close();
  }
}

describe('requests through a proxy', () => {
  it('tunnel TLS through an HTTP proxy, with its login', async () => {
    await using server = await tlsServer();
    const seen: string[] = [];
    await using proxy = await httpProxy(server.port, seen);
    expect(await ask('https://cluster.test:6443', `http://user:p%40ss@127.0.0.1:${proxy.port}`)).toBe(
      'hello cluster.test:6443',
    );
    expect(seen).toEqual([`CONNECT cluster.test:6443 Basic ${Buffer.from('user:p@ss').toString('base64')}`]);
  });

  it('give an HTTP proxy the whole URL of a server without TLS', async () => {
    await using server = await ScriptedServer.http((_request, response) => response.end('plain'));
    const seen: string[] = [];
    await using proxy = await httpProxy(server.port, seen);
    expect(await ask('http://cluster.test:8080', `http://127.0.0.1:${proxy.port}`)).toBe('plain');
    expect(seen).toEqual(['GET http://cluster.test:8080/path -']);
  });

  it('pass SOCKS5 with and without a login, and leave names to it', async () => {
    await using server = await tlsServer();
    const seen: string[] = [];
    await using open = await socksProxy(server.port, seen);
    await using closed = await socksProxy(server.port, seen, 'user:secret');
    expect(await ask('https://cluster.test', `socks5://127.0.0.1:${open.port}`)).toBe('hello cluster.test');
    expect(await ask('https://127.0.0.1', `socks5://user:secret@127.0.0.1:${closed.port}`)).toBe('hello 127.0.0.1');
    expect(seen).toEqual(['methods 0', 'cluster.test', 'methods 0,2', 'address 127.0.0.1']);
    await using plain = await ScriptedServer.http((_request, response) => response.end('plain'));
    await using toPlain = await socksProxy(plain.port, []);
    expect(await ask('http://cluster.test', `socks5://127.0.0.1:${toPlain.port}`)).toBe('plain');
  });

  it('fail with kind proxy, the proxy named and its password left out', async () => {
    await using server = await tlsServer();
    await using refusing = await httpProxy(server.port, [], '407 Proxy Authentication Required');
    await using socks = await socksProxy(server.port, [], 'user:other');
    await using notAProxy = await ScriptedServer.http((_request, response) => response.end());
    const cases = [
      [`http://user:hunter2@127.0.0.1:${refusing.port}`, '407 Proxy Authentication Required'],
      [`socks5://user:hunter2@127.0.0.1:${socks.port}`, 'refused user name and password'],
      [`socks5://127.0.0.1:${socks.port}`, 'wants a login'],
      [`socks5://127.0.0.1:${notAProxy.port}`, 'does not speak SOCKS5'],
      ['http://user:hunter2@127.0.0.1:1', 'ECONNREFUSED'],
    ] as const;
    for (const [url, said] of cases) {
      const error = await rejection(ask('https://cluster.test', url));
      expect(error, url).toMatchObject({ kind: 'proxy', message: expect.stringContaining(said) });
      expect((error as Error).message).toContain('127.0.0.1');
      expect((error as Error).message).not.toContain('hunter2');
    }
  });
});
