import { describe, expect, it } from 'vitest';
import { silentLogger } from '../observe/logger.ts';
import { HttpTransport } from './http-transport.ts';
import { textOf } from './request-fixture.ts';
import { ScriptedServer } from './scripted-server-fixture.ts';

describe('beforeSend', () => {
  it('is called right before a request is sent, on a new connection and on an idle one', async () => {
    const seen: string[] = [];
    await using server = await ScriptedServer.http((request, response) => {
      seen.push(`${request.method} arrived`);
      response.end('x');
    });
    const transport = new HttpTransport({ server: server.url, logger: silentLogger });
    for (const method of ['POST', 'PATCH'] as const) {
      const beforeSend = () => void seen.push(`${method} on connection ${server.connections}`);
      await textOf(await transport.request({ method, path: '/', beforeSend }));
    }
    expect(seen).toEqual(['POST on connection 1', 'POST arrived', 'PATCH on connection 1', 'PATCH arrived']);
    await transport.close();
  });

  it('sends nothing when it throws, rejects with what it threw, and keeps the connection', async () => {
    const seen: unknown[] = [];
    await using server = await ScriptedServer.http((request, response) => {
      seen.push(request.method);
      response.end('x');
    });
    const transport = new HttpTransport({ server: server.url, logger: silentLogger });
    const no = new Error('no');
    const beforeSend = () => {
      throw no;
    };
    // On a new connection, and on that which it left idle.
    for (let count = 0; count < 2; count++) {
      await expect(transport.request({ method: 'PUT', path: '/', beforeSend })).rejects.toBe(no);
    }
    await textOf(await transport.request({ method: 'DELETE', path: '/' }));
    expect(seen).toEqual(['DELETE']);
    expect(server.connections).toBe(1);
    await transport.close();
  });
});
