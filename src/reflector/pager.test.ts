import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import type { CachedList } from '../api/cached.ts';
import type { ListOptions } from '../api/list-options.ts';
import { listPages, pageLimit } from './list-cycle.ts';
import { apiError, brokenObject, expired, list, type Pod } from './scripted-fixture.ts';

describe('listPages', () => {
  it('gathers all pages, whatever their sizes', async () => {
    await fc.assert(
      fc.asyncProperty(
        fc
          .tuple(
            fc.uniqueArray(fc.nat(), { minLength: 24, maxLength: 24 }),
            fc.array(fc.nat({ max: 4 }), { minLength: 1, maxLength: 6 }),
          )
          .map(([numbers, lengths]) => lengths.map((length, page) => numbers.slice(4 * page, 4 * page + length))),
        async (sizes) => {
          const pages = sizes.map((numbers, page) =>
            list(
              page === 0 ? '7' : 'ignored',
              numbers.map((n) => `p${n}@1`),
              {
                ...(page < sizes.length - 1 && { continue: String(page + 1) }),
              },
            ),
          );
          const asked: ListOptions[] = [];
          const result = await listPages<Pod>(
            async (options) => {
              asked.push(options);
              return pages[Number(options.continue ?? 0)] ?? list('');
            },
            { resourceVersion: '0', limit: 4, labelSelector: 'a=b' },
          );
          expect(result.items.map(({ key }) => key)).toEqual(sizes.flat().map((n) => `p${n}`));
          expect(result).toMatchObject({ resourceVersion: '7', pages: sizes.length, isPaginated: sizes.length > 1 });
          expect(asked[0]).toEqual({ resourceVersion: '0', limit: 4, labelSelector: 'a=b' });
          for (const further of asked.slice(1)) {
            expect(further).toEqual({ limit: 4, labelSelector: 'a=b', continue: expect.any(String) });
          }
        },
      ),
    );
  });

  it('gathers the broken items of all pages', async () => {
    const pages = [
      list('1', [], { continue: 'c', broken: [brokenObject('a')] }),
      list('1', [], { broken: [brokenObject('b')] }),
    ];
    const { broken } = await listPages<Pod>(
      async ({ continue: token }) => pages[token === 'c' ? 1 : 0] ?? list(''),
      {},
    );
    expect(broken.map(({ key }) => key)).toEqual(['a', 'b']);
  });

  it('lists everything at once from the version asked for, when a further page has expired', async () => {
    const asked: ListOptions[] = [];
    const result = await listPages<Pod>(
      async (options) => {
        asked.push(options);
        if (options.continue) throw expired();
        return options.limit ? list('11', ['a@1'], { continue: 'C1' }) : list('12', ['a@1', 'b@2']);
      },
      { resourceVersion: '10', limit: 4 },
    );
    expect(asked).toEqual([
      { resourceVersion: '10', limit: 4 },
      { limit: 4, continue: 'C1' },
      { resourceVersion: '10' },
    ]);
    expect(result).toMatchObject({ resourceVersion: '12', isPaginated: true });
    expect(result.items).toHaveLength(2);
  });

  it('fails when the first page has expired, or a further one fails otherwise', async () => {
    await expect(listPages<Pod>(() => Promise.reject(expired()), { limit: 4 })).rejects.toThrow('410');
    const failing = async ({ continue: token }: ListOptions) => {
      if (token) throw apiError(500);
      return list('1', [], { continue: 'c' });
    };
    await expect(listPages<Pod>(failing, { limit: 4 })).rejects.toThrow('500');
  });

  it('does not follow a continue token that leads to itself', async () => {
    await expect(listPages<Pod>(async () => list('1', [], { continue: 'c' }), { limit: 4 })).rejects.toMatchObject({
      kind: 'protocol',
      message: expect.stringContaining('same continue token'),
    });
  });

  it('does not go round and round by continue tokens that it has followed before', async () => {
    let pages = 0;
    const page = async () => list('1', [`p${++pages}@1`], { continue: `c${pages % 3}` });
    await expect(listPages<Pod>(page, { limit: 1 })).rejects.toMatchObject({
      kind: 'protocol',
      message: expect.stringContaining('page 4 of a list with the same continue token'),
    });
  });

  it('does not ask forever a server that gives the first page and a new token each time', async () => {
    let pages = 0;
    const page = async () => list('1', ['a@1', 'b@1'], { continue: `c${++pages}` });
    await expect(listPages<Pod>(page, { limit: 2 })).rejects.toMatchObject({
      kind: 'protocol',
      message: expect.stringContaining('page 2 of a list with the objects of the page before it'),
    });
  });

  it('follows empty pages, but not without end', async () => {
    const empty = (until: number) => {
      let pages = 0;
      return async () => list('1', [], ++pages > until ? {} : { continue: `c${pages}` });
    };
    expect((await listPages<Pod>(empty(900), { limit: 2 })).items).toEqual([]);
    await expect(listPages<Pod>(empty(2_000), { limit: 2 })).rejects.toMatchObject({
      kind: 'protocol',
      message: expect.stringContaining('without any object'),
    });
  });
});

describe('pageLimit', () => {
  it.each([
    [{ resourceVersion: '0' }, 500],
    [{ resourceVersion: '' }, 500],
    [{ resourceVersion: '10' }, 0],
    [{ resourceVersion: '10', isPaginated: true }, 500],
    [{ resourceVersion: '10', pageSize: 4 }, 4],
    [{ resourceVersion: '0', pageSize: 4 }, 4],
  ])('for %j is %i', (context, limit) => {
    expect(pageLimit({ pageSize: undefined, isPaginated: false, ...context })).toBe(limit);
  });
});

it('keeps an error for each of the first hundred unusable items alone, over all pages', async () => {
  const page = (options: ListOptions): CachedList => ({
    items: [],
    broken: Array.from({ length: 100 }, () => ({ problem: new Error('?') })),
    metadata: {
      resourceVersion: '1',
      ...(options.continue !== 'c3' && { continue: `c${Number(options.continue?.[1] ?? 0) + 1}` }),
    },
  });
  const { broken } = await listPages(async (options) => page(options), { limit: 100 });
  expect(broken).toHaveLength(400);
  expect(new Set(broken.map(({ problem }) => problem)).size).toBe(101);
});
