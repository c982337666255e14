import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { fnv1a, planShards, shardOf } from './shard-map.ts';

const member = fc.stringMatching(/^[a-z]{1,8}-[0-9]{1,3}$/);
const members = fc.uniqueArray(member, { minLength: 1, maxLength: 12 });

describe('the hash of a key', () => {
  it('is FNV-1a with 64 bits', () => {
    const reference = (text: string) => {
      let hash = 0xcbf29ce484222325n;
      for (const byte of new TextEncoder().encode(text))
        hash = ((hash ^ BigInt(byte)) * 0x100000001b3n) & 0xffffffffffffffffn;
      return hash;
    };
    expect(fnv1a('')).toEqual({ high: 0xcbf29ce4, low: 0x84222325 });
    expect(reference('foobar')).toBe(0x85944171f73967e8n);
    fc.assert(
      fc.property(fc.string({ unit: 'grapheme' }), (text) => {
        const { high, low } = fnv1a(text);
        expect((BigInt(high) << 32n) | BigInt(low)).toBe(reference(text));
      }),
    );
  });

  it.each([
    ['numbered', (n: number) => `default/site-${n}`],
    ['numbered in one namespace each', (n: number) => `team-${n}/site`],
    [
      'alike but for the last character',
      (n: number) => `default/${'x'.repeat(40)}${String.fromCharCode(97 + (n % 26))}${n}`,
    ],
  ])('spreads keys that are %s evenly over the shards', (_, keyOf) => {
    const counts = new Array<number>(16).fill(0);
    for (let n = 0; n < 1_600; n++) {
      const shard = shardOf(keyOf(n), 16, 'key');
      counts[shard] = (counts[shard] ?? 0) + 1;
    }
    expect(Math.min(...counts)).toBeGreaterThan(60);
    expect(Math.max(...counts)).toBeLessThan(140);
  });

  it('by namespace is that of the namespace, also for the Namespace itself', () => {
    fc.assert(
      fc.property(member, member, member, fc.integer({ min: 1, max: 256 }), (namespace, one, other, shards) => {
        const shard = shardOf(`${namespace}/${one}`, shards, 'namespace');
        expect(shardOf(`${namespace}/${other}`, shards, 'namespace')).toBe(shard);
        expect(shardOf(namespace, shards, 'namespace')).toBe(shard);
        expect(shard).toBeGreaterThanOrEqual(0);
        expect(shard).toBeLessThan(shards);
      }),
    );
  });
});

describe('the plan of shards', () => {
  it('gives each shard to a member, none more than its share, in whatever order they are named', () => {
    fc.assert(
      fc.property(members, fc.integer({ min: 1, max: 64 }), (names, shards) => {
        const plan = planShards(names, shards);
        expect(plan).toHaveLength(shards);
        for (const name of names) {
          expect(plan.filter((one) => one === name).length).toBeLessThanOrEqual(Math.ceil(shards / names.length));
        }
        expect(plan.every((name) => names.includes(name))).toBe(true);
        expect(planShards([...names].reverse(), shards)).toEqual(plan);
      }),
    );
  });

  it('moves few shards when a member goes: its own, and less than as many again', () => {
    let moved = 0;
    let own = 0;
    for (let round = 0; round < 200; round++) {
      const names = [1, 2, 3, 4, 5].map((n) => `web-${round}-${n}`);
      const before = planShards(names, 64);
      const after = planShards(names.slice(1), 64);
      own += before.filter((name) => name === names[0]).length;
      moved += before.filter((name, shard) => name !== after[shard]).length;
    }
    expect(moved).toBeGreaterThanOrEqual(own);
    expect(moved).toBeLessThan(2 * own);
  });

  it('is empty names when there are no members', () => expect(planShards([], 2)).toEqual(['', '']));
});
