import { expect, it } from 'vitest';
import { ApiServer } from '../../apiserver/apiserver.ts';
import { silentLogger } from '../../observe/logger.ts';
import { run } from '../run-cli-fixture.ts';

it('serves a page for the resources that it is given, until it is interrupted', async () => {
  const server = await ApiServer.start({ http: true, logger: silentLogger });
  try {
    const stop = new AbortController();
    let told = '';
    let page: Promise<Response> | undefined;
    const { code, stderr } = await run(
      ['inspect', 'po', 'deploy,cm', '-A', '--show', 'pods', '--server', server.url, '--token', server.token ?? 'x'],
      {
        signal: stop.signal,
        onOutput: (text) => {
          told += text;
          const [address] = /http:\/\/127\.0\.0\.1:\d+\//.exec(told) ?? [];
          if (address === undefined || page !== undefined) return;
          page = fetch(address).finally(() => stop.abort());
        },
      },
    );
    expect(stderr).toBe('');
    expect(code).toBe(0);
    expect(told).toContain('Informers of pods.v1, deployments.v1.apps, configmaps.v1 run.');
    expect((await page)?.status).toBe(200);
  } finally {
    await server.stop();
  }
});

it('says what is wrong with its arguments', async () => {
  expect(await run(['inspect'])).toMatchObject({ code: 2, stderr: expect.stringContaining('needs a RESOURCE') });
  expect(await run(['inspect', 'pods', '--port', 'x'])).toMatchObject({ code: 2 });
  expect(await run(['demo', '--port', '1'])).toMatchObject({ code: 2, stderr: expect.stringContaining('--inspect') });
  expect(await run(['demo', '--story', '--inspect'])).toMatchObject({ code: 2 });
});
