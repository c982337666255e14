import { describe, expect, it } from 'vitest';
import { RoomyMap } from './roomy-map.ts';

const names = (from: number, to: number) => Array.from({ length: to - from }, (_, i) => `team/pod-${from + i}`);

describe('RoomyMap', () => {
  it.each([0, 1, 1023, 1024, 1025, 1026, 2048, 2049, 5000, 140_000])('holds %d keys like a plain map', (count) => {
    const roomy = new RoomyMap<number>();
    const plain = new Map<string, number>();
    for (const map of [roomy, plain]) {
      for (const [i, name] of names(0, count).entries()) map.set(name, i);
      for (const name of names(0, Math.floor(count / 3))) map.delete(name);
      for (const name of names(count - 10, count + 10)) map.set(name, -1);
    }
    expect([...roomy]).toEqual([...plain]);
    expect(roomy.size).toBe(plain.size);
    expect(roomy.get('team/pod-0')).toBe(plain.get('team/pod-0'));
  });

  it('shows nothing of how it grows to those who are reading it', () => {
    const map = new RoomyMap<number>();
    for (const name of names(0, 1024)) map.set(name, 1);
    const keys = map.keys();
    const seen = [keys.next().value];
    for (const name of names(1024, 1030)) map.set(name, 1);
    expect([...seen, ...keys]).toEqual(names(0, 1030));
  });
});
