import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { expect, it } from 'vitest';

const root = fileURLToPath(new URL('..', import.meta.url));

/** The texts of errors, as the first column of the table quotes them; `…` stands for what is different each time. */
function quotedTexts(): string[] {
  const rows = readFileSync(join(root, 'docs/troubleshooting.md'), 'utf8').split('\n');
  const quotes = rows.flatMap((row) => [...(/^\| (.*?) \| /.exec(row)?.[1] ?? '').matchAll(/`([^`]+)`/g)]);
  return quotes
    .flatMap(([, quote = '']) => quote.split('…'))
    .map((part) => part.replace(/^\d{3}( \w+:)?|^\(|\)$/g, '').trim())
    .filter((part) => part !== '');
}

/** Where a value stands in the middle of a message, its parts; and what comes from elsewhere. */
const IN_PARTS: ReadonlyMap<string, readonly string[]> = new Map([
  ['no cluster to connect to: there is no kubeconfig', ['no cluster to connect to: ${', 'there is no kubeconfig']],
  ['under contexts there are:', ['(under ${', 'there are: ${']],
  ['refused was the user', ['; refused was ${', 'the user "${']],
  ['the option certificateAuthority is', ['certificateAuthority']],
  ['pods is forbidden: User', ['is forbidden']],
  ['Expired: too old resource version', ['too old resource version: ']],
  ['its running call has not returned for 10 s', ['its running call has not returned for ${']],
  ['does not have a host assigned', []], // the real server
  ['Client sent an HTTP request to an HTTPS server', []], // Go
  ['Dynamic require of "process" is not supported', []], // esbuild
]);

it('the texts of errors on the page are those of the sources', () => {
  const sources = readdirSync(join(root, 'src'), { recursive: true, encoding: 'utf8' })
    .filter((file) => file.endsWith('.ts') && !/\.test\.ts$|-fixture\.ts$|^generated/.test(file))
    .map((file) => readFileSync(join(root, 'src', file), 'utf8'))
    .join('\n');
  const texts = quotedTexts();
  expect(texts.length).toBeGreaterThan(20);
  const missing = texts.filter((text) => !(IN_PARTS.get(text) ?? [text]).every((part) => sources.includes(part)));
  expect(missing).toEqual([]);
  expect([...IN_PARTS.keys()].filter((text) => !texts.includes(text))).toEqual([]);
});
