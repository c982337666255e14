import { describe, expect, it } from 'vitest';
import { objectKey } from '../../api/key.ts';
import { IdentityScanner } from './identity-scanner.ts';
import { ObjectDecoder } from './object-decoder.ts';
import { bytesField, core, numberField, sampleCorpus, schemaOf } from './protobuf-fixture.ts';
import { WireError } from './wire-error.ts';
import { WireReader } from './wire-reader.ts';

function scan(message: Buffer): IdentityScanner {
  const scanner = new IdentityScanner(new WireReader());
  scanner.scan(message, 0, message.length);
  return scanner;
}

function copyOf(message: Buffer): Buffer {
  const scanner = scan(message);
  const out = Buffer.alloc(scanner.sizeWithoutManagedFields + 10, 0xee);
  scanner.copyWithoutManagedFields(out, 5);
  expect(out.subarray(0, 5).every((byte) => byte === 0xee)).toBe(true);
  expect(out.subarray(-5).every((byte) => byte === 0xee)).toBe(true);
  return out.subarray(5, -5);
}

const pod = (...metadata: Buffer[]) => Buffer.concat([bytesField(1, ...metadata), bytesField(2), bytesField(3)]);

describe('IdentityScanner', () => {
  const objects = sampleCorpus().filter(({ kind }) => kind !== 'Status');

  it.each(objects)('finds in a $kind what its JSON says', ({ message, json }) => {
    const { name = '', namespace = '', uid = '', resourceVersion = '' } = json.metadata ?? {};
    const found = scan(message);
    expect(found).toMatchObject({ key: name && objectKey(namespace, name), uid });
    expect(String(found.version)).toBe(resourceVersion);
  });

  it.each(objects)('copies a $kind without its managed fields and with everything else', (object) => {
    const schema = schemaOf(object);
    if (!schema) throw new Error(object.kind);
    const { managedFields, ...metadata } = object.json.metadata ?? {};
    const { kind, apiVersion, ...rest } = object.json;
    expect(new ObjectDecoder(schema).decode(copyOf(object.message))).toStrictEqual({ ...rest, metadata });
  });

  it('forgets what it found in the object before', () => {
    const scanner = new IdentityScanner(new WireReader());
    const [one, other] = [pod(bytesField(1, 'a/b'), bytesField(5, 'u'), bytesField(6, '7')), pod(bytesField(3, 'ns'))];
    scanner.scan(one, 0, one.length);
    expect(scanner).toMatchObject({ key: 'a/b', namespace: '', uid: 'u', version: 7 });
    scanner.scan(other, 0, other.length);
    expect(scanner).toMatchObject({ key: '', namespace: 'ns', uid: '', version: '' });
  });

  it('cuts managed fields out wherever they stand, and writes the shorter length', () => {
    const managed = (length: number) => bytesField(17, bytesField(7, bytesField(1, 'x'.repeat(length))));
    const message = Buffer.concat([
      bytesField(2, bytesField(10, 'node')),
      bytesField(1, managed(1), bytesField(1, 'a'), managed(200), managed(3), bytesField(3, 'ns'), managed(70_000)),
      bytesField(3, bytesField(1, 'Running')),
      bytesField(99, 'later'),
    ]);
    expect(copyOf(message)).toEqual(
      Buffer.concat([
        bytesField(2, bytesField(10, 'node')),
        bytesField(1, bytesField(1, 'a'), bytesField(3, 'ns')),
        bytesField(3, bytesField(1, 'Running')),
        bytesField(99, 'later'),
      ]),
    );
  });

  it('copies an object without managed fields as it is', () => {
    const message = pod(bytesField(1, 'a'.repeat(300)));
    expect(copyOf(message)).toEqual(message);
  });

  it('knows who the object is as far as it came before the damage', () => {
    const scanner = new IdentityScanner(new WireReader());
    const damaged = Buffer.concat([pod(bytesField(1, 'a'), bytesField(3, 'ns')), Buffer.from([0xff])]);
    expect(() => scanner.scan(damaged, 0, damaged.length)).toThrow(WireError);
    expect(scanner.key).toBe('ns/a');
  });

  it('finds damage in the top-level fields and in those of the metadata', () => {
    const whole = pod(bytesField(1, 'a'), bytesField(11, bytesField(1, 'k')));
    for (let end = 1; end < whole.length; end++) {
      const boundary = [whole.length - 2, whole.length - 4].includes(end);
      if (boundary) expect(scan(whole.subarray(0, end)).key).toBe('a');
      else expect(() => scan(whole.subarray(0, end)), `cut at ${end}`).toThrow(WireError);
    }
    expect(() => scan(Buffer.alloc(0))).toThrow(/no metadata/);
    expect(() => scan(Buffer.concat([whole, whole]))).toThrow(/metadata twice/);
    expect(() => scan(pod(numberField(2, -1), Buffer.from([0x0f])))).toThrow(/wire type 7/);
  });

  it('is not concerned with damage deeper down', () => {
    const message = Buffer.concat([bytesField(1, bytesField(1, 'a')), bytesField(2, Buffer.from([0xff]))]);
    expect(scan(message).key).toBe('a');
    expect(() => new ObjectDecoder(core('Pod')).decode(copyOf(message))).toThrow(WireError);
  });
});
