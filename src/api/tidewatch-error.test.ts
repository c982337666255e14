import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath, pathToFileURL } from 'node:url';
import { inspect } from 'node:util';
import { buildSync } from 'esbuild';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { ConnectionClosedError, MalformedResponseError } from '../http/http1/http1-error.ts';
import * as door from '../index.ts';

const ours = { ...door };
const {
  ApiError,
  DecodeError,
  IndexError,
  KeyError,
  KubeconfigError,
  QueueClosedError,
  ReflectorError,
  SelectorError,
  TidewatchError,
  TransformError,
  TransportError,
} = ours;

/** One of each public class, with as little as its constructor takes. */
function samples(from: typeof ours) {
  return {
    TidewatchError: new from.TidewatchError('timeout', 'pods did not sync within 5 ms'),
    ApiError: new from.ApiError({ code: 404 }),
    DecodeError: new from.DecodeError('malformed', 'the bytes are damaged'),
    IndexError: new from.IndexError('unknown-index', 'byNode', 'does not exist'),
    KeyError: new from.KeyError({}, 'it has no metadata'),
    KubeconfigError: new from.KubeconfigError('it names no cluster'),
    QueueClosedError: new from.QueueClosedError(),
    ReflectorError: new from.ReflectorError('silent', 'the watch is silent'),
    SelectorError: new from.SelectorError('"a b" is not a label selector'),
    TransformError: new from.TransformError('default/a', 'the transform failed on default/a'),
    TransportError: new from.TransportError('refused', 'nothing listens there'),
  };
}
type Name = keyof ReturnType<typeof samples>;
const names = Object.keys(samples(ours)) as Name[];

describe('two copies of the package', () => {
  let folder: string;
  let theirs: typeof ours;

  beforeAll(async () => {
    folder = mkdtempSync(join(tmpdir(), 'tidewatch-copy-'));
    const outfile = join(folder, 'copy.mjs');
    const entryPoints = [fileURLToPath(new URL('../index.ts', import.meta.url))];
    const banner = {
      js: "import { createRequire } from 'node:module'; const require = createRequire(import.meta.url);",
    };
    buildSync({ entryPoints, outfile, banner, bundle: true, minify: true, format: 'esm', platform: 'node' });
    theirs = await import(/* @vite-ignore */ pathToFileURL(outfile).href);
  });

  afterAll(() => rmSync(folder, { recursive: true }));

  it.each(names)('recognise each other’s %s, and take it for no other class than its own', (name) => {
    expect(theirs[name]).not.toBe(ours[name]);
    for (const [maker, reader] of [[theirs, ours] as const, [ours, theirs] as const]) {
      const error = samples(maker)[name];
      expect(names.filter((other) => error instanceof reader[other])).toEqual(
        name === 'TidewatchError' ? ['TidewatchError'] : ['TidewatchError', name],
      );
    }
  });

  it('recognise each other’s tombstones', () => {
    for (const [maker, reader] of [[theirs, ours] as const, [ours, theirs] as const]) {
      const tombstone = new maker.DeletedFinalStateUnknown('default/a', undefined);
      expect(tombstone).toBeInstanceOf(reader.DeletedFinalStateUnknown);
      expect(reader.deletionHandlingKey(tombstone)).toBe('default/a');
      expect(tombstone).not.toBeInstanceOf(reader.TidewatchError);
    }
    expect({ key: 'default/a', obj: undefined }).not.toBeInstanceOf(ours.DeletedFinalStateUnknown);
  });

  it('hand on each other’s errors as they are', () => {
    for (const error of Object.values(samples(theirs))) expect(TidewatchError.from(error)).toBe(error);
  });
});

describe('instanceof', () => {
  it.each([['text'], [undefined], [null], [{}], [new Error('no')], [new TypeError('no')]])('says no to %s', (value) => {
    for (const name of names) expect(value instanceof (ours[name] as typeof TidewatchError)).toBe(false);
  });

  it('tells a class that a user derives from its base', () => {
    class QuotaError extends ApiError {}
    const quota = new QuotaError({ code: 403 });
    expect(quota).toBeInstanceOf(QuotaError);
    expect(quota).toBeInstanceOf(ApiError);
    expect(quota).toBeInstanceOf(TidewatchError);
    expect(quota).toBeInstanceOf(Error);
    expect(new ApiError({ code: 403 })).not.toBeInstanceOf(QuotaError);
    expect(new TidewatchError('unknown', 'no')).not.toBeInstanceOf(QuotaError);
  });
});

describe('TidewatchError.from', () => {
  it('returns an error of ours as it is', () => {
    for (const error of Object.values(samples(ours))) expect(TidewatchError.from(error)).toBe(error);
  });

  const foreignRealm = { name: 'Error', message: 'thrown in another realm' };
  it.each<[string, unknown, string]>([
    ['an Error', new Error('out of paper'), 'out of paper'],
    ['an Error without a message', new RangeError(), 'RangeError'],
    ['an abort', AbortSignal.abort().reason, 'This operation was aborted'],
    ['an Error of another realm', foreignRealm, 'thrown in another realm'],
    ['a text', 'out of paper', 'something other than an Error was thrown: out of paper'],
    ['a number', 7, 'something other than an Error was thrown: 7'],
    ['null', null, 'something other than an Error was thrown: null'],
    ['an object', { paper: 0 }, 'something other than an Error was thrown: [object Object]'],
    [
      'an object that is not text',
      Object.create(null),
      'something other than an Error was thrown, and it cannot be shown as text',
    ],
  ])('wraps %s, which stays the cause', (_, thrown, message) => {
    const error = TidewatchError.from(thrown);
    expect(error).toBeInstanceOf(TidewatchError);
    expect(error).toMatchObject({ name: 'TidewatchError', kind: 'unknown', retryable: false, message });
    expect(error.cause).toBe(thrown);
  });

  it('wraps undefined without a cause', () => {
    const error = TidewatchError.from(undefined);
    expect(error.message).toBe('something other than an Error was thrown: undefined');
    expect('cause' in error).toBe(false);
  });
});

describe('an error, printed', () => {
  const internal = {
    ConnectionClosedError: new ConnectionClosedError(),
    MalformedResponseError: new MalformedResponseError('a chunk is too large'),
  };

  it.each(Object.entries({ ...samples(ours), ...internal }))('begins with its name, %s', (name, error) => {
    expect(error.name).toBe(name);
    expect(error.stack?.split('\n')[0]).toBe(`${name}: ${error.message}`);
    expect(inspect(error).split('\n')[0]).toBe(`${name}: ${error.message}`);
  });

  it.each(Object.entries({ ...samples(ours), ...internal }))('shows no field of %s that it lacks', (_, error) => {
    expect(inspect(error, { showHidden: true })).not.toContain('undefined');
    expect(Object.values(error)).not.toContain(undefined);
    expect('cause' in error).toBe(false);
  });

  it('shows the fields that it has, and the cause', () => {
    const cause = new Error('read ECONNRESET');
    const printed = inspect(new TransportError('reset', 'closed early', { cause, server: 'https://api:6443' }));
    expect(printed).toContain("kind: 'reset'");
    expect(printed).toContain("server: 'https://api:6443'");
    expect(printed).toContain('[cause]: Error: read ECONNRESET');
  });

  it('shows no cause that is undefined', () => {
    const error = new IndexError('index-function', 'byNode', 'failed on a', { key: 'a', cause: undefined });
    expect(inspect(error)).not.toContain('cause');
  });
});

describe('retryable', () => {
  it.each(['refused', 'reset', 'dns', 'unreachable', 'timeout', 'proxy'] as const)('is true of %s', (kind) => {
    expect(new TransportError(kind, '').retryable).toBe(true);
    expect(new TidewatchError(kind, '').retryable).toBe(true);
  });

  it.each(['stopped', 'misuse', 'transform', 'unknown-index', 'unusable', 'unknown'] as const)(
    'is false of %s',
    (kind) => {
      expect(new TidewatchError(kind, '').retryable).toBe(false);
    },
  );

  it.each([
    ['truncated', true],
    ['malformed', false],
    ['unsupported', false],
    ['tooLarge', false],
  ] as const)('of bytes that are %s: %s', (kind, retryable) => {
    expect(new DecodeError(kind, '').retryable).toBe(retryable);
  });
});

describe('the kind', () => {
  it('of a class without kinds of its own is one word', () => {
    expect(new KeyError({}, 'no').kind).toBe('key');
    expect(new KubeconfigError('no').kind).toBe('kubeconfig');
    expect(new SelectorError('no').kind).toBe('selector');
    expect(new TransformError('a', 'no').kind).toBe('transform');
    expect(new QueueClosedError().kind).toBe('closed');
    expect(new ReflectorError('unusable', 'no').kind).toBe('unusable');
  });
});
