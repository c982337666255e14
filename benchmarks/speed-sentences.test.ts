import { readFileSync } from 'node:fs';
import { expect, it } from 'vitest';
import type { Result } from './measured-run.ts';
import { speedSentences } from './speed-sentences.ts';
import { Summary } from './summary.ts';

const result = (peer: string, syncSeconds: number, heapBytesPerObject: number): Result => ({
  peer,
  scene: '20,000 pods',
  objects: 20_000,
  round: 1,
  syncSeconds,
  cpuSeconds: 1,
  heapBytesPerObject,
  peakRssMb: 1,
});

const OURS = result('tidewatch, packed, protobuf', 0.6, 3_732);
const CLIENT_GO = result('client-go, protobuf', 2.17, 20_704);
const CLIENT_GO_DROPPED = result('client-go, protobuf, managedFields dropped', 2.25, 14_072);
const CLIENT_NODE = result('@kubernetes/client-node, JSON', 6.78, 30_969);

it('name the time to sync and the memory of each client', () => {
  const summary = new Summary([OURS, CLIENT_GO, CLIENT_GO_DROPPED, CLIENT_NODE]);
  expect(speedSentences(summary, '20,000 pods').split('\n')).toEqual([
    'With 20,000 pods over TLS, tidewatch syncs in 0.60 s and holds 3,732 bytes a pod.',
    'client-go needs 2.17 s and 20,704 bytes (14,072 without managedFields, which tidewatch drops by default).',
    '@kubernetes/client-node needs 6.78 s and 30,969 bytes.',
    '[docs/benchmarks.md](docs/benchmarks.md) says how this is measured.',
  ]);
});

it('leave out a client that was not measured', () => {
  expect(speedSentences(new Summary([OURS, CLIENT_NODE]), '20,000 pods').split('\n')).toEqual([
    'With 20,000 pods over TLS, tidewatch syncs in 0.60 s and holds 3,732 bytes a pod.',
    '@kubernetes/client-node needs 6.78 s and 30,969 bytes.',
    '[docs/benchmarks.md](docs/benchmarks.md) says how this is measured.',
  ]);
});

it('stand in the README, with figures of the page', () => {
  const text = (path: string) => readFileSync(new URL(`../${path}`, import.meta.url), 'utf8');
  const [, section = ''] = /<!-- speed: begin -->\n([\s\S]*?)\n<!-- speed: end -->/.exec(text('README.md')) ?? [];
  const page = text('docs/benchmarks.md');
  const figures = section.match(/\d[\d,]*(\.\d+)?/g) ?? [];
  expect(figures.length).toBeGreaterThanOrEqual(7);
  for (const figure of figures) expect(page).toContain(` ${figure} `);
});
