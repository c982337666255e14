import { spawn } from 'node:child_process';
import { existsSync, readdirSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { expect, it } from 'vitest';

const root = fileURLToPath(new URL('../..', import.meta.url));
const folder = join(root, 'node_modules', '.cache', 'tidewatch', 'start');

it('npm start says what it does before it has bundled anything, writes no declarations, and shows the demo', async () => {
  rmSync(folder, { recursive: true, force: true });
  const tsx = join(root, 'node_modules', 'tsx', 'dist', 'cli.mjs');
  const child = spawn(process.execPath, [tsx, 'scripts/start.ts'], { cwd: root, stdio: ['ignore', 'pipe', 'inherit'] });
  const ended = new Promise((resolve) => child.once('close', resolve));
  let text = '';
  let wasBundled: boolean | undefined;
  for await (const chunk of child.stdout.setEncoding('utf8')) {
    text += chunk;
    if (text.includes('\n')) wasBundled ??= existsSync(join(folder, 'main.js'));
    if (/^ADD /m.test(text)) child.kill('SIGTERM');
  }
  await ended;
  expect(text).toMatch(/^Bundling tidewatch, then starting its demo: .*\n/);
  expect(text).toMatch(/^ADD /m);
  expect(wasBundled).toBe(false);
  const files = readdirSync(folder, { recursive: true, encoding: 'utf8' });
  expect(files).toContain('main.js');
  expect(files.filter((file) => file.endsWith('.d.ts'))).toEqual([]);
});
