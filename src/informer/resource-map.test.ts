import { describe, expect, it } from 'vitest';
import { defineResource } from '../api/resource.ts';
import { deployments } from '../generated/api/apps/v1.ts';
import { pods } from '../generated/api/core/v1.ts';
import { ResourceMap } from './resource-map.ts';

const samePods = defineResource({ version: 'v1', plural: 'pods', kind: 'Pod' });

describe('ResourceMap', () => {
  it('finds an entry with any token of its resource', () => {
    const map = new ResourceMap([[pods, 1]]);
    expect([map.get(pods), map.get(samePods), map.get({ ...pods })]).toEqual([1, 1, 1]);
    expect([map.has(samePods), map.has(deployments), map.get(deployments)]).toEqual([true, false, undefined]);
    expect(map.has(defineResource({ version: 'v2', plural: 'pods', kind: 'Pod' }))).toBe(false);
    expect(map.has(defineResource({ group: 'metrics.k8s.io', version: 'v1', plural: 'pods', kind: 'Pod' }))).toBe(
      false,
    );
  });

  it('holds one entry for each resource, under the first token', () => {
    const map = new ResourceMap([[pods, 1]]).set(samePods, 2).set(deployments, 3);
    expect(map.size).toBe(2);
    expect([...map]).toEqual([
      [pods, 2],
      [deployments, 3],
    ]);
    expect([...map.keys()][0]).toBe(pods);
    expect(map.delete(samePods)).toBe(true);
    expect([map.has(pods), map.delete(pods), map.size]).toEqual([false, false, 1]);
    expect([...map.set(samePods, 4).keys()][1]).toBe(samePods);
    map.clear();
    expect([map.size, map.has(pods)]).toEqual([0, false]);
    expect([...map.set(pods, 5).keys()][0]).toBe(pods);
  });
});
