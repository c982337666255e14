import { readFileSync } from 'node:fs';
import { describe, expect, it } from 'vitest';
import { parseProtobufBody } from '../request/protobuf-body.ts';
import { asObject, isObject, type JsonObject, type JsonValue } from '../values/json.ts';
import { documentType, protobufDocument, protobufEvent } from './protobuf-document.ts';

/** Objects that Go has written both ways; see the fixture beside them. */
const corpus = readFileSync(new URL('../../codec/protobuf/testdata/corpus.jsonl', import.meta.url), 'utf8')
  .split('\n')
  .filter((line) => line !== '')
  .map((line) => JSON.parse(line) as { kind: string; json: JsonObject; protobuf: string });

/** What JSON in JavaScript does not tell: a pointer to nothing from none, digits beyond 2⁵³, and how embedded JSON was spelled. */
function isExact(value: JsonValue | undefined): boolean {
  if (Array.isArray(value)) return value.every(isExact);
  if (isObject(value)) {
    return Object.entries(value).every(([key, item]) => {
      if (key === 'fieldsV1' || key === 'raw' || key === 'parameters') return false;
      return (item !== null || key === 'creationTimestamp') && isExact(item);
    });
  }
  return typeof value !== 'number' || !Number.isInteger(value) || Number.isSafeInteger(value);
}

describe('a document in protobuf', () => {
  it.each(corpus.filter(({ json }) => isExact(json)))(
    'of kind $kind is byte for byte what Go writes',
    ({ json, protobuf }) => {
      const written = Buffer.from(protobufDocument(documentType(json), json));
      expect(written.toString('hex')).toBe(Buffer.from(protobuf, 'base64').toString('hex'));
    },
  );

  it.each(corpus)('of kind $kind is read as what Go writes is', ({ json, protobuf }) => {
    const written = protobufDocument(documentType(json), json);
    expect(withoutEmpty(parseProtobufBody(written) ?? null)).toEqual(
      withoutEmpty(parseProtobufBody(Buffer.from(protobuf, 'base64')) ?? null),
    );
  });

  it('is refused for a kind that nobody knows', () => {
    expect(() => documentType({ kind: 'Widget', apiVersion: 'example.com/v1' })).toThrow('no schema');
  });

  it('keeps texts of any length and script', () => {
    const data: JsonObject = {};
    for (const length of [0, 1, 39, 40, 41, 127, 128, 5_000]) {
      for (const letter of ['a', 'é', '日', '🌊']) data[`${letter}-${length}`] = letter.repeat(length);
    }
    const object = { kind: 'ConfigMap', apiVersion: 'v1', data };
    expect(parseProtobufBody(protobufDocument(documentType(object), object))?.data).toEqual(data);
  });

  it('writes maps by their keys, whatever order they came in', () => {
    const written = (data: JsonObject) => {
      const object = { kind: 'ConfigMap', apiVersion: 'v1', data };
      return Buffer.from(protobufDocument(documentType(object), object)).toString('latin1');
    };
    expect(written({ b: '2', a: '1', c: '3' })).toBe(written({ a: '1', b: '2', c: '3' }));
  });

  it('writes integers of every size', () => {
    for (const seconds of [0, 1, 127, 128, 2 ** 31, 2 ** 53 - 1, -1, -(2 ** 53 - 1)]) {
      const object = { kind: 'Pod', apiVersion: 'v1', spec: { activeDeadlineSeconds: seconds, containers: [] } };
      const read = parseProtobufBody(protobufDocument(documentType(object), object));
      expect(asObject(read?.spec).activeDeadlineSeconds).toBe(seconds);
    }
  });

  it('in an event says how long it is', () => {
    const object = { kind: 'ConfigMap', apiVersion: 'v1', data: { a: 'b' } };
    const frame = Buffer.from(protobufEvent('ADDED', documentType(object), object));
    expect(frame.readUInt32BE(0)).toBe(frame.length - 4);
    expect(frame.subarray(4, 11).toString('latin1')).toBe('\n\x05ADDED');
  });
});

function withoutEmpty(value: JsonValue): JsonValue {
  if (Array.isArray(value)) return value.map(withoutEmpty);
  if (!isObject(value)) return value;
  const entries = Object.entries(value).flatMap(([key, item]) =>
    item === null || item === undefined || item === '' ? [] : [[key, withoutEmpty(item)] as const],
  );
  return Object.fromEntries(entries);
}
