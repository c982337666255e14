import { splitMetaNamespaceKey } from '../api/key.ts';

/** What of a key decides on its shard. */
export type ShardBy = 'key' | 'namespace';

const UTF8 = new TextEncoder();
const TWO_TO_32 = 2 ** 32;

/**
 * The shard of a key: its hash falls into one of as many equal ranges as there are shards. `namespace`: all keys of a namespace, and the
 * cluster-scoped object of that name, are in one shard.
 */
export function shardOf(key: string, shards: number, by: ShardBy): number {
  if (by === 'key') return rangeOf(hashOf(key), shards);
  const { namespace, name } = splitMetaNamespaceKey(key);
  return rangeOf(hashOf(namespace === '' ? name : namespace), shards);
}

/**
 * Who should hold which shard: by rendezvous hashing, each shard goes to the member with the highest score for it that has not got its share yet.
 * The same members give the same plan, whatever their order, and when one comes or goes few other shards move. Empty texts: there are no members.
 */
export function planShards(members: Iterable<string>, shards: number): string[] {
  const names = [...new Set(members)];
  const share = Math.ceil(shards / names.length);
  const counts = new Map<string, number>();
  return Array.from({ length: shards }, (_, shard) => {
    const [best = ''] = names
      .filter((name) => (counts.get(name) ?? 0) < share)
      .map((name) => ({ name, score: hashOf(`${name}/${shard}`) }))
      .sort((a, b) => b.score - a.score || (a.name < b.name ? -1 : 1))
      .map(({ name }) => name);
    counts.set(best, (counts.get(best) ?? 0) + 1);
    return best;
  });
}

/**
 * 32 bits of the FNV-1a hash (64 bits) of the text. They are mixed, because the last characters of a text hardly reach the upper bits of FNV-1a: of the
 * names web-0 to web-99, ninety would fall into one range of sixteen.
 */
export function hashOf(text: string): number {
  const { high, low } = fnv1a(text);
  // The last steps of MurmurHash3.
  let mixed = high ^ low;
  mixed = Math.imul(mixed ^ (mixed >>> 16), 0x85ebca6b);
  mixed = Math.imul(mixed ^ (mixed >>> 13), 0xc2b2ae35);
  return (mixed ^ (mixed >>> 16)) >>> 0;
}

/** FNV-1a with 64 bits, in two halves. */
export function fnv1a(text: string): { readonly high: number; readonly low: number } {
  let high = 0xcbf29ce4;
  let low = 0x84222325;
  // Times 2^40 + 0x1b3.
  const take = (byte: number) => {
    low = (low ^ byte) >>> 0;
    const product = low * 0x1b3;
    high = (Math.imul(high, 0x1b3) + Math.floor(product / TWO_TO_32) + (low << 8)) >>> 0;
    low = product >>> 0;
  };
  for (let i = 0; i < text.length; i++) {
    const code = text.charCodeAt(i);
    if (code > 127) {
      for (const byte of UTF8.encode(text.slice(i))) take(byte);
      break;
    }
    take(code);
  }
  return { high, low };
}

function rangeOf(hash: number, shards: number): number {
  return Math.floor((hash / TWO_TO_32) * shards);
}
