import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { existsSync } from 'node:fs';
import {
  lstat,
  mkdir,
  mkdtemp,
  readdir,
  readFile,
  rename,
  rm,
  symlink,
  truncate,
  utimes,
  writeFile,
} from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import fc from 'fast-check';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { type Cached, JSON_MEDIA_TYPE, PROTOBUF_MEDIA_TYPE } from '../api/cached.ts';
import { plainCached } from '../api/plain-cached.ts';
import { type Checksum, checksumOf } from './checksum.ts';
import { listPages } from './list-page.ts';
import { SnapshotProblem, SnapshotReader, SnapshotWriter, writerName } from './snapshot-file.ts';

const PROGRAM = fileURLToPath(new URL('./endless-writer-fixture.ts', import.meta.url));

let folder: string;
let file: string;

beforeEach(async () => {
  folder = await mkdtemp(join(tmpdir(), 'tidewatch-snapshot-file-'));
  file = join(folder, 'caches');
});

afterEach(() => rm(folder, { recursive: true }));

function configMap(name: string, data: string): Cached {
  return plainCached({
    kind: 'ConfigMap',
    apiVersion: 'v1',
    metadata: { name, namespace: 'default', resourceVersion: '7' },
    ...{ data: { text: data } },
  });
}

async function write(sections: Readonly<Record<string, readonly Cached[]>>, checksum?: Checksum): Promise<void> {
  const writer = await SnapshotWriter.create(file, 'a server', writerName(), checksum);
  for (const [part, objects] of Object.entries(sections)) {
    await writer.add({ part, resourceVersion: '7', savedAt: 0 }, objects, async () => {});
  }
  await writer.finish();
}

/** The names and texts of each section, or what is wrong with it. */
async function read(): Promise<Record<string, string[] | string>> {
  const found: Record<string, string[] | string> = {};
  const reader = await SnapshotReader.open(file);
  if (reader === undefined) return found;
  try {
    for (const section of reader.directory.sections) {
      try {
        const objects: string[] = [];
        for await (const { body } of reader.pages(section)) {
          const { items } = JSON.parse(body.toString()) as {
            items: { metadata: { name: string }; data: { text: string } }[];
          };
          for (const { metadata, data } of items) objects.push(`${metadata.name} ${data.text}`);
        }
        found[section.part] = objects;
      } catch (error) {
        expect(error).toBeInstanceOf(SnapshotProblem);
        found[section.part] = 'damaged';
      }
    }
  } finally {
    await reader.close();
  }
  return found;
}

describe('a snapshot file', () => {
  it('gives back what was written, section by section, page by page', async () => {
    const many = Array.from({ length: 300 }, (_, i) => configMap(`m-${i}`, 'x'.repeat(20_000)));
    await write({ many, none: [], few: [configMap('a', 'ä€𝄞')] });
    const reader = await SnapshotReader.open(file);
    expect(reader?.section('many')?.pages.length).toBeGreaterThan(2);
    await reader?.close();
    const found = await read();
    expect(found.many).toHaveLength(300);
    expect(found.none).toEqual([]);
    expect(found.few).toEqual(['a ä€𝄞']);
  });

  it('is read by the checksum that it was written with, which not every runtime has', async () => {
    await write({ pods: [configMap('a', 'one')] }, checksumOf(4));
    const bytes = await readFile(file);
    expect(bytes.readUInt32LE(bytes.length - 'tidewatch'.length - 4)).toBe(4);
    expect(await read()).toEqual({ pods: ['a one'] });
  });

  it('keeps each object in its encoding', async () => {
    const proto: Cached = {
      ...plainCached({ kind: 'Pod', apiVersion: 'v1', metadata: { name: 'p' } }),
      view: () => ({ kind: 'Pod', apiVersion: 'v1', metadata: { name: 'p' } }) as never,
      encoded: () => ({ mediaType: PROTOBUF_MEDIA_TYPE, bytes: Buffer.from([0x0a, 0x00]) }),
    };
    await write({ mixed: [proto, configMap('a', ''), proto] });
    const reader = await SnapshotReader.open(file);
    const pages = reader?.section('mixed')?.pages.map(({ mediaType }) => mediaType);
    expect(pages).toEqual([PROTOBUF_MEDIA_TYPE, JSON_MEDIA_TYPE]);
    await reader?.close();
  });

  it('reads pages that last and pages that do not side by side, and changes none that is in use', async () => {
    const large = 1024 * 1024;
    const proto = (number: number): Cached => ({
      ...plainCached({ kind: 'Pod', apiVersion: 'v1', metadata: { name: 'p' } }),
      view: () => ({ kind: 'Pod', apiVersion: 'v1', metadata: { name: 'p' } }) as never,
      encoded: () => ({ mediaType: PROTOBUF_MEDIA_TYPE, bytes: Buffer.alloc(large, number) }),
    });
    const isText = (i: number) => i % 4 === 0 || i > 16;
    const text = (i: number) => String.fromCharCode(97 + i).repeat(large);
    await write({ mixed: Array.from({ length: 24 }, (_, i) => (isText(i) ? configMap('c', text(i)) : proto(i))) });
    const reader = await SnapshotReader.open(file);
    const section = reader?.section('mixed');
    if (reader === undefined || section === undefined) throw new Error('the snapshot is not there');
    const lasting: Buffer[] = [];
    let number = 0;
    for await (const { mediaType, body } of reader.pages(section, (type) => type === PROTOBUF_MEDIA_TYPE)) {
      // As long as it takes to read those that follow.
      await new Promise((resolve) => setTimeout(resolve, 5));
      if (mediaType === PROTOBUF_MEDIA_TYPE) lasting.push(body);
      else expect(body.includes(text(number))).toBe(true);
      number++;
    }
    await reader.close();
    const numbers = Array.from({ length: 24 }, (_, i) => i).filter((i) => !isText(i));
    expect(lasting.map((body) => body.at(-1))).toEqual(numbers);
  });

  it('reads the bytes of an object when it writes them: they may move while others are written', async () => {
    let at = Buffer.from([0x0a, 0x01, 0x2a]);
    const moving: Cached = {
      ...plainCached({ kind: 'Pod', apiVersion: 'v1', metadata: { name: 'p' } }),
      view: () => ({ kind: 'Pod', apiVersion: 'v1', metadata: { name: 'p' } }) as never,
      encoded: () => ({ mediaType: PROTOBUF_MEDIA_TYPE, bytes: at }),
    };
    const pages = listPages([configMap('a', ''), moving]);
    expect(pages.next().value?.mediaType).toBe(JSON_MEDIA_TYPE);
    const before = at;
    at = Buffer.from(before);
    before.fill(0);
    const protobuf = pages.next().value;
    expect(protobuf?.body.includes(Buffer.from([0x0a, 0x01, 0x2a]))).toBe(true);
  });

  it('fails for its reader alone when the file is cut while it is read', async () => {
    await write({ large: Array.from({ length: 8 }, (_, i) => configMap(`m-${i}`, 'x'.repeat(1024 * 1024))) });
    const reader = await SnapshotReader.open(file);
    const section = reader?.section('large');
    if (reader === undefined || section === undefined) throw new Error('the snapshot is not there');
    const pages = reader.pages(section);
    await pages.next();
    await truncate(file, 100);
    // What is read ahead fails before anybody comes to it: an error that nobody has heard of yet must not end the process.
    const rest = async () => {
      for await (const _ of pages) await new Promise((resolve) => setTimeout(resolve, 20));
    };
    await expect(rest()).rejects.toBeInstanceOf(SnapshotProblem);
    await reader.close();
  });

  it('is not there before it was written whole, and stays as it was when the next one is given up', async () => {
    await write({ first: [configMap('a', '1')] });
    const writer = await SnapshotWriter.create(file, 'a server');
    await writer.add({ part: 'second', resourceVersion: '8', savedAt: 0 }, [configMap('b', '2')], async () => {});
    expect(await read()).toEqual({ first: ['a 1'] });
    await writer.abandon();
    expect(await read()).toEqual({ first: ['a 1'] });
    expect(await readdir(folder)).toEqual(['caches']);
  });

  it('is written where a link leads, and the link stays', async () => {
    const [elsewhere, link] = [join(folder, 'elsewhere'), join(folder, 'link')];
    await mkdir(elsewhere);
    await symlink(join('elsewhere', 'caches'), link);
    for (const name of ['a', 'b']) {
      const writer = await SnapshotWriter.create(link, 'a server');
      await writer.add({ part: name, resourceVersion: '8', savedAt: 0 }, [configMap(name, '1')], async () => {});
      await writer.finish();
      // A link that leads nowhere is replaced.
      if (name === 'a') {
        await rename(link, join(elsewhere, 'caches'));
        await symlink(join('elsewhere', 'caches'), link);
      }
    }
    expect((await lstat(link)).isSymbolicLink()).toBe(true);
    const reader = await SnapshotReader.open(join(elsewhere, 'caches'));
    expect(reader?.directory.sections.map(({ part }) => part)).toEqual(['b']);
    await reader?.close();
    expect(await readdir(elsewhere)).toEqual(['caches']);
  });

  it('is whole at any time when two write it at once', async () => {
    const [one, other] = await Promise.all([SnapshotWriter.create(file, 'a'), SnapshotWriter.create(file, 'a')]);
    const section = (part: string) => ({ part, resourceVersion: '8', savedAt: 0 });
    await one.add(section('one'), [configMap('a', '1')], async () => {});
    await other.add(section('other'), [configMap('b', '2')], async () => {});
    await one.finish();
    expect(await read()).toEqual({ one: ['a 1'] });
    await other.finish();
    expect(await read()).toEqual({ other: ['b 2'] });
    expect(await readdir(folder)).toEqual(['caches']);
  });

  it('leaves no file of a process that was killed long ago, and those of others alone', async () => {
    const old = new Date(Date.now() - 3_600_000);
    const names = [
      'caches.1.tmp',
      'caches.17.0123abcd.tmp',
      'caches.mine.tmp',
      'caches-2.1.tmp',
      'caches.18.0123abce.tmp',
    ];
    for (const name of names) await writeFile(join(folder, name), 'half of it');
    for (const name of names.slice(0, 4)) await utimes(join(folder, name), old, old);
    await write({ first: [configMap('a', '1')] });
    expect((await readdir(folder)).sort()).toEqual([
      'caches',
      'caches-2.1.tmp',
      'caches.18.0123abce.tmp',
      'caches.mine.tmp',
    ]);
  });

  it('is never read wrong, whatever has happened to its bytes', async () => {
    const sections = {
      a: Array.from({ length: 5 }, (_, i) => configMap(`a-${i}`, 'text')),
      b: [configMap('b', 'other')],
    };
    await write(sections);
    const right = await read();
    const whole = await readFile(file);
    const position = fc.nat(whole.length - 1);
    const damage = fc.oneof(
      fc.record({ kind: fc.constant('flip' as const), at: position, bits: fc.integer({ min: 1, max: 255 }) }),
      fc.record({ kind: fc.constant('cut' as const), at: position }),
      fc.record({ kind: fc.constant('erase' as const), at: position, count: fc.integer({ min: 1, max: 500 }) }),
      fc.record({
        kind: fc.constant('move' as const),
        at: position,
        to: position,
        count: fc.integer({ min: 1, max: 200 }),
      }),
      fc.record({ kind: fc.constant('append' as const), bytes: fc.uint8Array({ minLength: 1, maxLength: 50 }) }),
      fc.record({ kind: fc.constant('replace' as const), bytes: fc.uint8Array({ maxLength: 200 }) }),
    );
    await fc.assert(
      fc.asyncProperty(damage, async (what) => {
        let bytes = Buffer.from(whole);
        if (what.kind === 'flip') bytes[what.at] = (bytes[what.at] ?? 0) ^ what.bits;
        else if (what.kind === 'cut') bytes = bytes.subarray(0, what.at);
        else if (what.kind === 'erase') bytes.fill(0, what.at, Math.min(what.at + what.count, bytes.length));
        else if (what.kind === 'move') bytes.copyWithin(what.to, what.at, what.at + what.count);
        else if (what.kind === 'append') bytes = Buffer.concat([bytes, what.bytes]);
        else bytes = Buffer.from(what.bytes);
        await writeFile(file, bytes);
        const found = await read().catch((error: unknown) => {
          expect(error).toBeInstanceOf(SnapshotProblem);
          return {} as Record<string, string[] | string>;
        });
        for (const [part, objects] of Object.entries(found)) {
          if (objects !== 'damaged') expect(objects).toEqual(right[part]);
        }
      }),
      { numRuns: 1_000 },
    );
  });

  it('is the old one or the new one when its writer is killed at any moment', async () => {
    const child = (): ChildProcess =>
      spawn(process.execPath, ['--import', 'tsx', PROGRAM, file], { stdio: ['ignore', 'pipe', 'inherit'] });
    for (let kill = 0; kill < 6; kill++) {
      const writer = child();
      // It says so when it has written one, and writes on.
      await once(writer.stdout as NodeJS.ReadableStream, 'data');
      await new Promise((resolve) => setTimeout(resolve, kill * 3));
      writer.kill('SIGKILL');
      await once(writer, 'exit');
      expect(existsSync(file)).toBe(true);
      const found = await read();
      expect(found.numbers).toHaveLength(200);
      const round = String((found.numbers as string[])[0]).slice('n-0 '.length);
      expect(found.numbers).toEqual(Array.from({ length: 200 }, (_, i) => `n-${i} ${round}`));
    }
  });
});
