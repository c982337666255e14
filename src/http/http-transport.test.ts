import { spawn } from 'node:child_process';
import { getEventListeners } from 'node:events';
import { describe, expect, it } from 'vitest';
import { TransportError } from '../api/transport-error.ts';
import { FakeClock } from '../observe/fake-clock.ts';
import { silentLogger } from '../observe/logger.ts';
import { FixedCredentials } from './fixed-credentials.ts';
import type { Credentials, Login } from './http.ts';
import { HttpTransport, type HttpTransportOptions } from './http-transport.ts';
import { get, readBody, rejection, textOf, until } from './request-fixture.ts';
import { ScriptedServer } from './scripted-server-fixture.ts';
import { Secret } from './secret.ts';

function transportTo(server: string, options: Partial<HttpTransportOptions> = {}): HttpTransport & AsyncDisposable {
  const transport = new HttpTransport({ server, logger: silentLogger, ...options });
  return Object.assign(transport, { [Symbol.asyncDispose]: () => transport.close() });
}

describe('HttpTransport', () => {
  it('sends method, path, query, headers and body, and its own User-Agent', async () => {
    let seen: unknown;
    await using server = await ScriptedServer.http(async (request, response) => {
      const { method, url, headers } = request;
      seen = {
        method,
        url,
        type: headers['content-type'],
        agent: headers['user-agent'],
        body: await readBody(request),
      };
      response.writeHead(201, { 'x-answer': 'yes' }).end('made');
    });
    await using transport = transportTo(`${server.url}/prefix/`);
    const response = await transport.request({
      method: 'POST',
      path: '/api/v1/things',
      query: 'a=1&b=%20',
      headers: { 'content-type': 'application/json' },
      body: '{"ö":1}',
    });
    expect(response.status).toBe(201);
    expect(response.headers.get('x-answer')).toBe('yes');
    expect(await textOf(response)).toBe('made');
    expect(seen).toEqual({
      method: 'POST',
      url: '/prefix/api/v1/things?a=1&b=%20',
      type: 'application/json',
      agent: expect.stringMatching(/^tidewatch\/\d+\.\d+\.\d+\S* \(node\/v\d+\.\d+\.\d+; \w+\/\w+\)$/),
      body: '{"ö":1}',
    });
  });

  it('resolves for every status', async () => {
    await using server = await ScriptedServer.http((request, response) =>
      response.writeHead(Number(request.url?.slice(1))).end('x'),
    );
    await using transport = transportTo(server.url);
    for (const status of [200, 204, 301, 400, 401, 404, 429, 500, 503]) {
      expect((await get(transport, `/${status}`)).status).toBe(status);
    }
  });

  it('never lets a request wait behind 200 open watches', async () => {
    await using server = await ScriptedServer.http((request, response) => {
      if (request.url === '/watch') response.write('{}\n');
      else response.end('answer');
    });
    await using transport = transportTo(server.url);
    const watches = await Promise.all(
      Array.from({ length: 200 }, async () => {
        const response = await transport.request({ method: 'GET', path: '/watch' });
        const iterator = response.body[Symbol.asyncIterator]();
        await iterator.next();
        return iterator;
      }),
    );
    expect(server.sockets.size).toBe(200);
    expect((await get(transport, '/get')).text).toBe('answer');
    await Promise.all(watches.map((watch) => watch.return?.()));
    await until(() => server.sockets.size === 1);
  });

  it('uses an idle socket again', async () => {
    await using server = await ScriptedServer.http((_request, response) => response.end('x'));
    await using transport = transportTo(server.url);
    for (let i = 0; i < 5; i++) await get(transport);
    expect(server.connections).toBe(1);
  });

  it('reads no further than a small buffer while nobody asks', async () => {
    let sent = 0;
    await using server = await ScriptedServer.http((_request, response) => {
      const chunk = Buffer.alloc(65_536);
      const more = () => {
        for (let room = true; sent < 512 && room; sent += 1) room = response.write(chunk);
        if (sent < 512) response.once('drain', more);
        else response.end();
      };
      more();
    });
    await using transport = transportTo(server.url);
    const response = await transport.request({ method: 'GET', path: '/' });
    // The kernel's buffers take some; the 32 MiB as a whole are only sent when they are read.
    await new Promise((resolve) => setTimeout(resolve, 200));
    expect(sent).toBeLessThan(512);
    let bytes = 0;
    for await (const chunk of response.body) bytes += chunk.length;
    expect(bytes).toBe(512 * 65_536);
  });

  it('closes the connection when the loop over the body is left', async () => {
    await using server = await ScriptedServer.http((_request, response) => response.write('first'));
    await using transport = transportTo(server.url);
    const response = await transport.request({ method: 'GET', path: '/' });
    for await (const chunk of response.body) {
      expect(Buffer.from(chunk).toString()).toBe('first');
      break;
    }
    await until(() => server.sockets.size === 0);
  });

  it('ends a read that waits when the body is returned from beside it', async () => {
    await using server = await ScriptedServer.http((_request, response) => response.flushHeaders());
    await using transport = transportTo(server.url);
    const response = await transport.request({ method: 'GET', path: '/' });
    const iterator = response.body[Symbol.asyncIterator]();
    const read = iterator.next();
    await iterator.return?.();
    expect(await read).toEqual({ done: true, value: undefined });
  });

  it('lets the body be iterated once only', async () => {
    await using server = await ScriptedServer.http((_request, response) => response.end('x'));
    await using transport = transportTo(server.url);
    const response = await transport.request({ method: 'GET', path: '/' });
    await textOf(response);
    await expect(textOf(response)).rejects.toThrow('only once');
  });

  it('throws from the body when the connection breaks, and ends it when the response ends', async () => {
    await using server = await ScriptedServer.http((request, response) => {
      response.write('part');
      if (request.url === '/cut') setTimeout(() => response.destroy(), 10);
      else response.end();
    });
    await using transport = transportTo(server.url);
    const error = await rejection(get(transport, '/cut'));
    expect(error).toMatchObject({ name: 'TransportError', kind: 'reset' });
    expect((await get(transport, '/whole')).text).toBe('part');
  });

  it('gives what arrived before the connection broke', async () => {
    await using server = await ScriptedServer.http((_request, response) => {
      response.write('part');
      setTimeout(() => response.destroy(), 10);
    });
    await using transport = transportTo(server.url);
    const response = await transport.request({ method: 'GET', path: '/' });
    await until(() => server.sockets.size === 0);
    const iterator = response.body[Symbol.asyncIterator]();
    expect(Buffer.from((await iterator.next()).value ?? []).toString()).toBe('part');
    await expect(iterator.next()).rejects.toMatchObject({ kind: 'reset' });
  });
});

describe('HttpTransport and AbortSignal', () => {
  const reason = new Error('enough');

  it('rejects at once when the signal is aborted already, and sends nothing', async () => {
    await using server = await ScriptedServer.http((_request, response) => response.end());
    await using transport = transportTo(server.url);
    expect(await rejection(get(transport, '/', { signal: AbortSignal.abort(reason) }))).toBe(reason);
    expect(server.connections).toBe(0);
  });

  it('rejects with the reason before the head is there, and closes the connection', async () => {
    await using server = await ScriptedServer.http(() => {});
    await using transport = transportTo(server.url);
    const controller = new AbortController();
    const pending = rejection(get(transport, '/', { signal: controller.signal }));
    await until(() => server.sockets.size === 1);
    controller.abort(reason);
    expect(await pending).toBe(reason);
    await until(() => server.sockets.size === 0);
  });

  it('rejects the read that waits while the body streams', async () => {
    await using server = await ScriptedServer.http((_request, response) => response.write('x'));
    await using transport = transportTo(server.url);
    const controller = new AbortController();
    const response = await transport.request({ method: 'GET', path: '/', signal: controller.signal });
    const iterator = response.body[Symbol.asyncIterator]();
    await iterator.next();
    const read = rejection(iterator.next());
    controller.abort(reason);
    expect(await read).toBe(reason);
    await until(() => server.sockets.size === 0);
  });

  it('rejects also what is still to be read of a response that is whole', async () => {
    await using server = await ScriptedServer.http((_request, response) => response.end('x'));
    await using transport = transportTo(server.url);
    const controller = new AbortController();
    const response = await transport.request({ method: 'GET', path: '/', signal: controller.signal });
    await new Promise((resolve) => setTimeout(resolve, 20));
    controller.abort(reason);
    await expect(textOf(response)).rejects.toBe(reason);
  });

  it('rejects also when others listen on the signal', async () => {
    await using server = await ScriptedServer.http(() => {});
    await using transport = transportTo(server.url);
    const controller = new AbortController();
    controller.signal.addEventListener('abort', () => {});
    const pending = rejection(get(transport, '/', { signal: controller.signal }));
    await until(() => server.sockets.size === 1);
    controller.abort(reason);
    expect(await pending).toBe(reason);
    await until(() => server.sockets.size === 0);
  });

  it('rejects while the connection is being opened', async () => {
    // Accepts, and says nothing: TLS never comes about.
    await using silent = await ScriptedServer.raw();
    await using transport = transportTo(`https://127.0.0.1:${silent.port}`);
    const controller = new AbortController();
    const pending = rejection(get(transport, '/', { signal: controller.signal }));
    setTimeout(() => controller.abort(reason), 20);
    expect(await pending).toBe(reason);
  });

  it('puts one listener on a signal that many requests share, so that Node sees no leak', async () => {
    await using server = await ScriptedServer.http((_request, response) => response.write('x'));
    await using transport = transportTo(server.url);
    const controller = new AbortController();
    const { signal } = controller;
    const reads = await Promise.all(
      Array.from({ length: 30 }, async () => {
        const response = await transport.request({ method: 'GET', path: '/', signal });
        const iterator = response.body[Symbol.asyncIterator]();
        await iterator.next();
        return { failed: rejection(iterator.next()) };
      }),
    );
    expect(getEventListeners(signal, 'abort')).toHaveLength(1);
    controller.abort(reason);
    for (const { failed } of reads) expect(await failed).toBe(reason);
    expect(getEventListeners(signal, 'abort')).toHaveLength(0);
  });

  it('leaves no listener on a signal that outlives the requests', async () => {
    await using server = await ScriptedServer.http((_request, response) => response.end('x'));
    await using transport = transportTo(server.url);
    const { signal } = new AbortController();
    for (let i = 0; i < 3; i++) await get(transport, '/', { signal });
    expect(getEventListeners(signal, 'abort')).toHaveLength(0);
  });
});

describe('HttpTransport and time', () => {
  it('gives up when no head comes within headersTimeoutMs', async () => {
    await using server = await ScriptedServer.http(() => {});
    const clock = new FakeClock();
    await using transport = transportTo(server.url, { clock, headersTimeoutMs: 5000 });
    const pending = rejection(get(transport));
    await until(() => server.sockets.size === 1);
    await clock.advance(4999);
    await clock.advance(1);
    const error = await pending;
    expect(error).toBeInstanceOf(TransportError);
    expect(error).toMatchObject({ kind: 'timeout', message: expect.stringContaining('within 5000 ms') });
    expect(clock.pendingTimers).toBe(0);
  });

  it('waits forever with headersTimeoutMs 0', async () => {
    let answer = () => {};
    await using server = await ScriptedServer.http((_request, response) => {
      answer = () => response.end('late');
    });
    const clock = new FakeClock();
    await using transport = transportTo(server.url, { clock });
    const pending = get(transport, '/', { headersTimeoutMs: 0 });
    await until(() => server.sockets.size === 1);
    await clock.advance(86_400_000);
    await until(() => answer.length === 0);
    answer();
    expect((await pending).text).toBe('late');
  });

  it('gives up a connection that does not come about within connectTimeoutMs', async () => {
    await using silent = await ScriptedServer.raw();
    await using transport = transportTo(`https://127.0.0.1:${silent.port}`, { connectTimeoutMs: 50 });
    expect(await rejection(get(transport))).toMatchObject({
      kind: 'timeout',
      message: expect.stringContaining('50 ms'),
    });
  });
});

/** Gives a new token after each 401, as a plugin would. */
class Renewing implements Credentials {
  runs = 0;
  #login: Login = { headers: new Secret({ authorization: 'Bearer old' }) };

  async login(): Promise<Login> {
    return this.#login;
  }

  async renew(refused: Login): Promise<boolean> {
    if (refused === this.#login) {
      this.runs += 1;
      this.#login = { headers: new Secret({ authorization: `Bearer new${this.runs}` }) };
    }
    return true;
  }
}

describe('HttpTransport and 401', () => {
  it('repeats the request once with renewed credentials, body and all', async () => {
    const bodies: string[] = [];
    await using server = await ScriptedServer.http(async (request, response) => {
      bodies.push(`${request.headers.authorization} ${await readBody(request)}`);
      response.writeHead(request.headers.authorization === 'Bearer new1' ? 200 : 401).end('body');
    });
    const credentials = new Renewing();
    await using transport = transportTo(server.url, { credentials });
    expect((await get(transport, '/', { method: 'POST', body: 'x' })).status).toBe(200);
    expect(bodies).toEqual(['Bearer old x', 'Bearer new1 x']);
    expect(server.connections).toBe(1);
  });

  it('hands out the second 401', async () => {
    let requests = 0;
    await using server = await ScriptedServer.http((_request, response) => {
      requests += 1;
      response.writeHead(401).end('no');
    });
    await using transport = transportTo(server.url, { credentials: new Renewing() });
    expect(await get(transport)).toEqual({ status: 401, text: 'no' });
    expect(requests).toBe(2);
  });

  it('does not repeat when there is nothing to renew, or renewing fails', async () => {
    let requests = 0;
    await using server = await ScriptedServer.http((_request, response) => {
      requests += 1;
      response.writeHead(401).end('no');
    });
    await using fixed = transportTo(server.url);
    expect(await get(fixed)).toEqual({ status: 401, text: 'no' });
    const broken = new FixedCredentials();
    broken.renew = async () => {
      throw new TransportError('credentials', 'the plugin is gone');
    };
    const warnings: string[] = [];
    await using failing = transportTo(server.url, {
      credentials: broken,
      logger: { ...silentLogger, warn: (message) => warnings.push(message) },
    });
    expect(await get(failing)).toEqual({ status: 401, text: 'no' });
    expect(requests).toBe(2);
    expect(warnings).toEqual([expect.stringContaining('the plugin is gone')]);
  });
});

describe('HttpTransport.close', () => {
  it('aborts what runs, refuses what comes, and leaves no socket', async () => {
    await using server = await ScriptedServer.http((request, response) => {
      if (request.url === '/watch') response.write('x');
    });
    const transport = transportTo(server.url);
    const response = await transport.request({ method: 'GET', path: '/watch' });
    const iterator = response.body[Symbol.asyncIterator]();
    await iterator.next();
    const reading = rejection(iterator.next());
    const waiting = rejection(get(transport, '/never'));
    await until(() => server.sockets.size === 2);
    await transport.close();
    await transport.close();
    expect(await reading).toMatchObject({ kind: 'closed' });
    expect(await waiting).toMatchObject({ kind: 'closed' });
    expect(await rejection(get(transport))).toMatchObject({ kind: 'closed' });
    await until(() => server.sockets.size === 0);
  });

  it('ends the wait for a login, also for one that never comes, and closes the credentials', async () => {
    let closed = 0;
    const credentials: Credentials = {
      login: () => new Promise(() => {}),
      renew: async () => false,
      close: () => void closed++,
    };
    const transport = transportTo('http://127.0.0.1:1', { credentials });
    const waiting = rejection(get(transport));
    await transport.close();
    await transport.close();
    expect(await waiting).toMatchObject({ kind: 'closed' });
    expect(closed).toBe(1);
  });

  it('is not needed for the process to end: idle sockets do not hold it', async () => {
    await using server = await ScriptedServer.http((_request, response) => response.end('x'));
    const script = `
      const { HttpTransport } = await import(${JSON.stringify(new URL('./http-transport.ts', import.meta.url).href)});
      const transport = new HttpTransport({ server: ${JSON.stringify(server.url)} });
      const response = await transport.request({ method: 'GET', path: '/' });
      for await (const chunk of response.body);
      const aborted = new AbortController();
      const connecting = transport.request({ method: 'GET', path: '/', signal: aborted.signal }).catch(() => {});
      aborted.abort();
      await connecting;
      console.log('done');
    `;
    const child = spawn(process.execPath, ['--import', 'tsx', '--input-type=module', '-e', script], {
      stdio: ['ignore', 'pipe', 'inherit'],
    });
    let output = '';
    child.stdout.on('data', (chunk) => {
      output += chunk;
    });
    const code = await new Promise((resolve) => child.on('close', resolve));
    expect(code).toBe(0);
    expect(output.trim()).toBe('done');
    // Nobody closed it: the socket was still open when the process ended by itself.
    await until(() => server.sockets.size === 0);
  });
});
