/** One field as it stands on the wire. */
export interface WireField {
  readonly number: number;
  /** Varints and fixed numbers as an unsigned integer; the bytes of everything else. */
  readonly value: bigint | Uint8Array;
}

/** Walks the fields of a protobuf message. Throws a RangeError when the bytes end early or make no sense. */
export function* wireFields(bytes: Uint8Array): Generator<WireField> {
  const view = new DataView(bytes.buffer, bytes.byteOffset, bytes.byteLength);
  let at = 0;
  const varint = (): bigint => {
    let value = 0n;
    for (let shift = 0n; shift < 70n; shift += 7n) {
      const byte = view.getUint8(at++);
      value |= BigInt(byte & 0x7f) << shift;
      if (byte < 0x80) return BigInt.asUintN(64, value);
    }
    throw new RangeError('proto: integer overflow');
  };
  while (at < bytes.length) {
    const tag = Number(varint());
    const number = tag >>> 3;
    switch (tag & 7) {
      case 0:
        yield { number, value: varint() };
        break;
      case 1:
        yield { number, value: view.getBigUint64(at, true) };
        at += 8;
        break;
      case 2: {
        const length = Number(varint());
        if (at + length > bytes.length) throw new RangeError('proto: unexpected EOF');
        yield { number, value: bytes.subarray(at, at + length) };
        at += length;
        break;
      }
      case 5:
        yield { number, value: BigInt(view.getUint32(at, true)) };
        at += 4;
        break;
      default:
        throw new RangeError(`proto: illegal wireType ${tag & 7}`);
    }
  }
}

export function wireText(value: bigint | Uint8Array): string {
  return typeof value === 'bigint' ? '' : Buffer.from(value.buffer, value.byteOffset, value.byteLength).toString();
}

export function wireBytes(value: bigint | Uint8Array): Uint8Array {
  return typeof value === 'bigint' ? new Uint8Array() : value;
}

/** The fields of a small message by their number; the last one counts. */
export function wireMap(value: bigint | Uint8Array): Map<number, bigint | Uint8Array> {
  return new Map([...wireFields(wireBytes(value))].map((field) => [field.number, field.value]));
}

export function wireInteger(value: bigint | Uint8Array | undefined): bigint {
  return typeof value === 'bigint' ? BigInt.asIntN(64, value) : 0n;
}
