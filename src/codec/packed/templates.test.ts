import { describe, expect, it } from 'vitest';
import { Slabs } from './slabs.ts';
import { Template, Templates } from './templates.ts';

const slabs = new Slabs();

function template(): Template {
  return new Template(slabs.reserve(1), 1);
}

describe('Templates', () => {
  it('find the newest for a hash, and the one before it', () => {
    const templates = new Templates();
    expect(templates.find(7)).toBeUndefined();
    const [first, second, third] = [template(), template(), template()];
    templates.add(first, 7);
    expect([templates.find(7), templates.find(7, true)]).toEqual([first, undefined]);
    templates.add(second, 7);
    templates.add(third, 7);
    expect(templates.find(7)).toBe(third);
    expect(templates.find(7, true)).toBe(second);
    expect(templates.find(8)).toBeUndefined();
  });

  it('find nearly all of many, the newest first, however often they have made room', () => {
    const templates = new Templates();
    const kept = Array.from({ length: 5_000 }, (_, i) => [(i * 1_000_003) | 0, template(), template()] as const);
    for (const [hash, older] of kept) templates.add(older, hash);
    for (const [hash, , newer] of kept) templates.add(newer, hash);
    const newest = kept.filter(([hash, , newer]) => templates.find(hash) === newer);
    expect(newest.length).toBeGreaterThan(4_500);
    const isRight = kept.every(([hash, older, newer]) => {
      const [found, before] = [templates.find(hash), templates.find(hash, true)];
      return [undefined, older, newer].includes(found) && [undefined, older].includes(before);
    });
    expect(isRight).toBe(true);
  });
});
