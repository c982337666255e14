import { describe, expect, it } from 'vitest';
import { builtinResources } from '../../generated/resources.ts';
import type { JsonObject } from '../values/json.ts';
import { customPrinter } from './custom-printer.ts';
import { parseIncludeObject, printerFor, toTable } from './table.ts';

const NOW = Date.parse('2026-01-01T00:10:00Z');
const podPrinter = printerFor({ group: '', kind: 'Pod' });
const pod: JsonObject = {
  kind: 'Pod',
  apiVersion: 'v1',
  metadata: { name: 'web', resourceVersion: '7', creationTimestamp: '2026-01-01T00:00:00Z', labels: { a: 'b' } },
  spec: { nodeName: 'node-1', containers: [{ name: 'a', image: 'nginx' }] },
  status: {
    phase: 'Running',
    podIPs: [{ ip: '10.0.0.1' }],
    containerStatuses: [
      {
        name: 'a',
        ready: true,
        restartCount: 3,
        state: { running: {} },
        lastState: { terminated: { exitCode: 1, finishedAt: '2026-01-01T00:05:00Z' } },
      },
    ],
  },
};

describe('toTable', () => {
  it('shows a pod as kubectl does', () => {
    const table = toTable({ printer: podPrinter, objects: [pod], nowMs: NOW, metadata: { resourceVersion: '9' } });
    expect(table).toMatchObject({ kind: 'Table', apiVersion: 'meta.k8s.io/v1', metadata: { resourceVersion: '9' } });
    expect(table.rows).toEqual([
      {
        cells: ['web', '1/1', 'Running', '3 (5m ago)', '10m', '10.0.0.1', 'node-1', '<none>', '<none>'],
        object: { kind: 'PartialObjectMetadata', apiVersion: 'meta.k8s.io/v1', metadata: pod.metadata },
      },
    ]);
  });

  it('marks pods that have ended', () => {
    const done = { ...pod, status: { phase: 'Succeeded' } };
    const table = toTable({ printer: podPrinter, objects: [done], nowMs: NOW });
    expect(table.rows).toMatchObject([{ conditions: [{ type: 'Completed', status: 'True', reason: 'Succeeded' }] }]);
  });

  it('carries the object, its metadata, or nothing, as asked', () => {
    const rows = (includeObject: 'None' | 'Metadata' | 'Object') =>
      toTable({ printer: podPrinter, objects: [pod], nowMs: NOW, includeObject }).rows;
    expect(rows('None')).toMatchObject([{ object: null }]);
    expect(rows('Metadata')).toMatchObject([{ object: { kind: 'PartialObjectMetadata' } }]);
    expect(rows('Object')).toMatchObject([{ object: pod }]);
  });

  it('keeps the metadata of the bookmark that ends the initial events, whatever was asked', () => {
    const annotations = { 'k8s.io/initial-events-end': 'true' };
    const bookmark = { kind: 'Pod', apiVersion: 'v1', metadata: { resourceVersion: '12', annotations } };
    const table = toTable({ printer: podPrinter, objects: [bookmark], nowMs: NOW, includeObject: 'None' });
    expect(table.rows).toMatchObject([
      { cells: ['', '0/0', '', '0', '<unknown>', '<none>', '<none>', '<none>', '<none>'] },
    ]);
    expect(table.rows).toMatchObject([{ object: { metadata: { annotations } } }]);
  });

  it('leaves out the headings after the first event of a watch', () => {
    const table = toTable({ printer: podPrinter, objects: [pod], nowMs: NOW, columns: false });
    expect(table.columnDefinitions).toBeNull();
  });

  it('speaks the older version of the meta group too', () => {
    const table = toTable({ printer: podPrinter, objects: [pod], nowMs: NOW, apiVersion: 'meta.k8s.io/v1beta1' });
    expect(table).toMatchObject({ apiVersion: 'meta.k8s.io/v1beta1' });
    expect(table.rows).toMatchObject([{ object: { apiVersion: 'meta.k8s.io/v1beta1' } }]);
  });

  it('shows Name and Created At of a kind without a printer, and null for no rows', () => {
    const printer = printerFor({ group: 'apiextensions.k8s.io', kind: 'CustomResourceDefinition' });
    const table = toTable({ printer, objects: [pod], nowMs: NOW });
    expect(printer.columns.map(({ name }) => name)).toEqual(['Name', 'Created At']);
    expect(table.rows).toMatchObject([{ cells: ['web', '2026-01-01T00:00:00Z'] }]);
    expect(toTable({ printer, objects: [], nowMs: NOW }).rows).toBeNull();
    expect(toTable({ printer: podPrinter, objects: [], nowMs: NOW }).rows).toEqual([]);
  });

  it('sorts flow schemas by precedence', () => {
    const printer = printerFor({ group: 'flowcontrol.apiserver.k8s.io', kind: 'FlowSchema' });
    const schema = (name: string, matchingPrecedence: number) => ({ metadata: { name }, spec: { matchingPrecedence } });
    const table = toTable({ printer, objects: [schema('c', 2), schema('b', 1), schema('a', 2)], nowMs: NOW });
    const names = (table.rows as JsonObject[]).map(({ cells }) => (cells as string[])[0]);
    expect(names).toEqual(['b', 'a', 'c']);
  });

  it('gives as many cells as headings, to an object with nothing in it too', () => {
    for (const { group, kind } of builtinResources()) {
      const printer = printerFor({ group, kind });
      const cells = printer.cells({}, NOW);
      expect(cells.length, kind).toBe(printer.columns.length + (kind === 'IPAddress' ? 1 : 0));
    }
  });

  it('survives objects whose fields are of the wrong type', () => {
    const odd: JsonObject = { metadata: 'x', spec: [1], status: { conditions: {}, containerStatuses: [null, 3] } };
    for (const { group, kind } of builtinResources()) {
      expect(() => printerFor({ group, kind }).cells(odd, NOW), kind).not.toThrow();
    }
  });
});

describe('customPrinter', () => {
  it('shows Name and Age when the definition has no columns', () => {
    const printer = customPrinter([]);
    expect(printer.columns.map(({ name, type }) => [name, type])).toEqual([
      ['Name', 'string'],
      ['Age', 'date'],
    ]);
    expect(printer.cells(pod, NOW)).toEqual(['web', '10m']);
  });

  it('turns values into cells by the type of the column', () => {
    const printer = customPrinter(
      ['string', 'integer', 'number', 'boolean', 'date'].map((type) => ({ name: type, type, jsonPath: '.spec.value' })),
    );
    const cells = (value: JsonObject[string]) => printer.cells({ spec: { value } } as JsonObject, NOW).slice(1);
    expect(cells(2.5)).toEqual(['2.5', 2, 2.5, null, null]);
    expect(cells('2026-01-01T00:00:00Z')).toEqual(['2026-01-01T00:00:00Z', null, null, null, '10m']);
    expect(cells('soon')).toEqual(['soon', null, null, null, '<invalid>']);
    expect(cells(true)).toEqual(['true', null, null, true, null]);
    expect(cells({ b: '<', a: 1 })).toEqual(['{"a":1,"b":"\\u003c"}', null, null, null, null]);
    expect(cells(undefined)).toEqual([null, null, null, null, null]);
  });

  it('describes a column by its path unless the definition does', () => {
    const column = { name: 'X', type: 'string', jsonPath: '.spec.x', priority: 1 };
    expect(customPrinter([column]).columns[1]).toEqual({
      name: 'X',
      type: 'string',
      format: '',
      description: 'Custom resource definition column (in JSONPath format): .spec.x',
      priority: 1,
    });
  });
});

describe('parseIncludeObject', () => {
  it('defaults to the metadata, and refuses what it does not know', () => {
    expect(parseIncludeObject(undefined)).toBe('Metadata');
    expect(parseIncludeObject('Object')).toBe('Object');
    expect(() => parseIncludeObject('Foo')).toThrow(
      `Unable to convert to Table as requested: includeObject: Invalid value: "Foo": must be 'Metadata', 'Object', 'None', or empty`,
    );
  });
});
