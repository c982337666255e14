/** An unsigned integer, which CEL keeps apart from signed ones. */
export class Uint {
  readonly value: bigint;

  constructor(value: bigint) {
    this.value = value;
  }
}

/** Nanoseconds since the epoch. */
export class Timestamp {
  readonly nanos: bigint;

  constructor(nanos: bigint) {
    this.nanos = nanos;
  }
}

export class Duration {
  readonly nanos: bigint;

  constructor(nanos: bigint) {
    this.nanos = nanos;
  }
}

export class Optional {
  readonly value: CelValue | undefined;

  constructor(value: CelValue | undefined) {
    this.value = value;
  }
}

export class TypeName {
  readonly name: string;

  constructor(name: string) {
    this.name = name;
  }
}

/** How items of a list are told apart: by place, by value, or by some of their fields. */
export type ListIdentity =
  | { readonly by: 'place' | 'value' }
  | { readonly by: 'keys'; readonly keys: readonly string[] };

export class ListValue {
  readonly items: readonly CelValue[];
  readonly identity: ListIdentity;

  constructor(items: readonly CelValue[], identity: ListIdentity = { by: 'place' }) {
    this.items = items;
    this.identity = identity;
  }
}

/** A map with free keys: a literal, or an object whose schema has additionalProperties. */
export class MapValue {
  /** Keys are written with their type, so that 1 and "1" differ. */
  readonly entries: ReadonlyMap<string, readonly [key: CelValue, value: CelValue]>;

  constructor(entries: Iterable<readonly [CelValue, CelValue]>) {
    this.entries = new Map([...entries].map((entry) => [keyText(entry[0]), entry]));
  }

  get(key: CelValue): CelValue | undefined {
    return this.entries.get(keyText(key))?.[1];
  }

  has(key: CelValue): boolean {
    return this.entries.has(keyText(key));
  }
}

/** An object with the fields that its schema declares, converted when they are read. */
export class ObjectValue {
  readonly fields: ReadonlyMap<string, () => CelValue>;

  constructor(fields: ReadonlyMap<string, () => CelValue>) {
    this.fields = fields;
  }

  get(name: string): CelValue | undefined {
    return this.fields.get(name)?.();
  }
}

/** A value of one of the libraries (quantity, IP, …), with the functions that it has. */
export abstract class LibraryValue {
  abstract readonly typeName: string;
  abstract equals(other: LibraryValue): boolean;

  /** What a field of that name holds; most have none. */
  field(_name: string): LibraryValue | undefined {
    return undefined;
  }

  /** In bytes, for what is counted in them. */
  get size(): number {
    return 1;
  }
}

export type CelValue =
  | null
  | boolean
  | bigint
  | number
  | string
  | Uint8Array
  | Uint
  | Timestamp
  | Duration
  | Optional
  | TypeName
  | ListValue
  | MapValue
  | ObjectValue
  | LibraryValue;

/** Whole numbers are equal keys whatever their type. */
function keyText(key: CelValue): string {
  if (key instanceof Uint) return `i${key.value}`;
  if (typeof key === 'bigint') return `i${key}`;
  if (typeof key === 'number' && Number.isInteger(key)) return `i${BigInt(key)}`;
  return `${typeof key}:${String(key)}`;
}

export function typeNameOf(value: CelValue): string {
  if (value === null) return 'null_type';
  if (typeof value === 'boolean') return 'bool';
  if (typeof value === 'bigint') return 'int';
  if (typeof value === 'number') return 'double';
  if (typeof value === 'string') return 'string';
  if (value instanceof Uint8Array) return 'bytes';
  if (value instanceof Uint) return 'uint';
  if (value instanceof Timestamp) return 'google.protobuf.Timestamp';
  if (value instanceof Duration) return 'google.protobuf.Duration';
  if (value instanceof Optional) return 'optional_type';
  if (value instanceof TypeName) return 'type';
  if (value instanceof ListValue) return 'list';
  return value instanceof LibraryValue ? value.typeName : 'map';
}
