import { describe, expect, it } from 'vitest';
import type { JsonObject, JsonValue } from '../values/json.ts';
import { parentManagers, scaleManagers } from './scale-managers.ts';

const OBJECT = { apiVersion: 'apps/v1', replicasPath: ['spec', 'replicas'] };
const NOW = '2026-01-01T00:00:00Z';
const REPLICAS: JsonObject = { 'f:spec': { 'f:replicas': {} } };
const REPLICAS_AND_PAUSED: JsonObject = { 'f:spec': { 'f:replicas': {}, 'f:paused': {} } };
const PAUSED: JsonObject = { 'f:spec': { 'f:paused': {} } };

function entry(manager: string, operation: string, fieldsV1: JsonObject, more: JsonObject = {}): JsonObject {
  return { manager, operation, apiVersion: 'apps/v1', time: NOW, fieldsType: 'FieldsV1', fieldsV1, ...more };
}

function ownersAfter(parent: JsonValue[], scale: JsonValue[]): JsonValue[] | undefined {
  return parentManagers(parent, scale, OBJECT);
}

describe('the owners of a Scale', () => {
  it('are the owners of the replicas', () => {
    const parent = [entry('a', 'Apply', REPLICAS_AND_PAUSED), entry('b', 'Update', PAUSED)];
    expect(scaleManagers(parent, OBJECT)).toEqual([entry('a', 'Apply', REPLICAS, { apiVersion: 'autoscaling/v1' })]);
  });

  it('own the replicas where the object has them', () => {
    const custom = { apiVersion: 'example.com/v1', replicasPath: ['spec', 'size', 'wanted'] };
    const parent = [entry('a', 'Apply', { 'f:spec': { 'f:size': { 'f:wanted': {} } } })];
    expect(scaleManagers(parent, custom)).toEqual([entry('a', 'Apply', REPLICAS, { apiVersion: 'autoscaling/v1' })]);
    const own = { manager: 'm', operation: 'Update', apiVersion: 'example.com/v1', fieldsType: 'FieldsV1' };
    const fieldsV1 = { 'f:spec': { 'f:size': { 'f:wanted': {} } } };
    const scale = entry('m', 'Update', REPLICAS, { apiVersion: 'autoscaling/v1', subresource: 'scale' });
    expect(parentManagers(parent, [scale], custom)).toEqual([{ ...own, fieldsV1, subresource: 'scale' }]);
  });

  it('take the replicas, and nothing else, from those who lost them', () => {
    const scale = entry('m', 'Apply', REPLICAS, { apiVersion: 'autoscaling/v1', subresource: 'scale' });
    const { time: _time, ...taken } = entry('m', 'Apply', REPLICAS, { subresource: 'scale' });
    expect(ownersAfter([entry('a', 'Apply', REPLICAS_AND_PAUSED)], [scale])).toEqual([
      taken,
      entry('a', 'Apply', PAUSED),
    ]);
    expect(ownersAfter([entry('a', 'Apply', REPLICAS)], [scale])).toEqual([taken]);
  });

  it('stay as they were when they applied and still own the replicas', () => {
    const parent = [entry('a', 'Apply', REPLICAS_AND_PAUSED)];
    expect(ownersAfter(parent, [entry('a', 'Apply', REPLICAS, { apiVersion: 'autoscaling/v1' })])).toEqual(parent);
  });
});
