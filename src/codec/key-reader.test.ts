import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { KeyReader } from './protobuf/identity-scanner.ts';

function read(reader: KeyReader, namespace: string, name: string): string {
  const bytes = Buffer.from(`<${namespace}><${name}>`);
  const namespaceEnd = 1 + Buffer.byteLength(namespace);
  return reader.read(bytes, 1, namespaceEnd, namespaceEnd + 2, bytes.length - 1);
}

describe('KeyReader', () => {
  it('tells the key and the namespace, whatever it read before', () => {
    const names = fc.oneof(fc.constantFrom('', 'a', 'b', 'ab', 'a/b', 'kube-system'), fc.string({ unit: 'grapheme' }));
    fc.assert(
      fc.property(fc.array(fc.tuple(names, names)), (objects) => {
        const reader = new KeyReader();
        for (const [namespace, name] of objects) {
          const expected = namespace === '' || name === '' ? name : `${namespace}/${name}`;
          expect(read(reader, namespace, name)).toBe(expected);
          expect(reader.namespace).toBe(namespace);
        }
      }),
    );
  });

  it('reads names that are longer than any before', () => {
    const reader = new KeyReader();
    const long = 'x'.repeat(2000);
    expect(read(reader, 'team', 'a')).toBe('team/a');
    expect(read(reader, 'team', long)).toBe(`team/${long}`);
    expect(read(reader, long, long)).toBe(`${long}/${long}`);
  });
});
