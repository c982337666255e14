import { randomBytes, randomUUID } from 'node:crypto';

/** No vowels and no look-alikes, as apimachinery's `rand.String`. */
const ALPHABET = 'bcdfghjklmnpqrstvwxz2456789';
const MAX_GENERATED_PREFIX = 58;

/** Where uids, generated names and other chance come from. */
export interface Identity {
  /** In [0, 1). */
  random(): number;
  uid(): string;
  /** `prefix` cut to fit, and five characters. */
  generatedName(prefix: string): string;
}

/** With `random` everything is repeatable; without it, chance comes from node:crypto. */
export function identityFrom(random: (() => number) | undefined): Identity {
  const next = random ?? cryptoRandom();
  return {
    random: next,
    uid: random === undefined ? randomUUID : () => uidFrom(next),
    generatedName(prefix) {
      let suffix = '';
      for (let at = 0; at < 5; at++) suffix += ALPHABET.charAt(Math.floor(next() * ALPHABET.length));
      return prefix.slice(0, MAX_GENERATED_PREFIX) + suffix;
    },
  };
}

function cryptoRandom(): () => number {
  let pool = Buffer.alloc(0);
  let at = 0;
  return () => {
    if (at + 4 > pool.length) {
      pool = randomBytes(4096);
      at = 0;
    }
    const value = pool.readUInt32LE(at) / 2 ** 32;
    at += 4;
    return value;
  };
}

function uidFrom(random: () => number): string {
  const hex = Array.from({ length: 32 }, () => Math.floor(random() * 16).toString(16));
  hex[12] = '4';
  hex[16] = '89ab'.charAt(Math.floor(random() * 4));
  const text = hex.join('');
  return [text.slice(0, 8), text.slice(8, 12), text.slice(12, 16), text.slice(16, 20), text.slice(20)].join('-');
}
