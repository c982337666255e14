import type { FieldSchema, TypeSchema } from '../../api/type-schema.ts';
import { typeSchema } from '../../generated/type-schemas.ts';
import { bytesField, numberField, varint } from './protobuf-fixture.ts';

type Data = Record<string, unknown>;

/** The message that Go writes for what its JSON encoder shows as `json`: the way back from the decoder, as slow as it may be. */
export function encodeMessage(schema: TypeSchema, json: unknown): Buffer {
  if (schema.form === 'value') return Buffer.concat(fieldsOf(schema, json as unknown[]));
  if (schema.form === 'choice') return encodeChoice(schema, json);
  const data = json as Data;
  const parts = schema.fields
    .filter(({ wire }) => wire > 0)
    .map((field) => ({ wire: field.wire, bytes: encodeField(field, field.inline ? data : data[field.json]) }));
  return Buffer.concat(parts.sort((a, b) => a.wire - b.wire).flatMap(({ bytes }) => bytes));
}

function fieldsOf(schema: TypeSchema, json: unknown[]): Buffer[] {
  return schema.fields.flatMap((field) => encodeField(field, json));
}

/** The JSON decides which of the two fields it is. */
function encodeChoice({ fields }: TypeSchema, json: unknown): Buffer {
  const [first, second] = fields as [FieldSchema, FieldSchema];
  const list = fields.find(({ shape }) => shape === 'list');
  if (Array.isArray(json) && list) return Buffer.concat(encodeField(list, json));
  if (typeof json === 'boolean') return Buffer.concat(encodeField(second, json));
  const message = fields.find(({ shape, type }) => shape === 'one' && type !== 'bool') ?? first;
  return Buffer.concat([
    ...encodeField(message, json ?? undefined),
    ...(second.type === 'bool' ? [numberField(second.wire, 1)] : []),
  ]);
}

function encodeField(field: FieldSchema, value: unknown): Buffer[] {
  const { wire, shape } = field;
  if (field.inline) return [bytesField(wire, encodeMessage(schemaNamed(field.type), value))];
  if (shape === 'list') return ((value ?? []) as unknown[]).map((element) => encodeElement(wire, field.type, element));
  if (shape === 'map') {
    return Object.entries((value ?? {}) as Data).map(([key, inner]) =>
      bytesField(wire, bytesField(1, key), encodeElement(2, field.type, inner)),
    );
  }
  if (value === undefined || value === null) return zeroOf(field);
  return [encodeElement(wire, field.type, value)];
}

/** Go writes values that are not pointers even when they are zero. */
function zeroOf({ wire, type, pointer }: FieldSchema): Buffer[] {
  if (pointer || type === 'bytes') return [];
  if (['bool', 'int32', 'int64'].includes(type)) return [numberField(wire, 0)];
  if (type === 'float') return [fixed(wire, 5, Buffer.alloc(4))];
  if (type === 'double') return [fixed(wire, 1, Buffer.alloc(8))];
  const schema = typeSchema(type);
  if (schema?.form === undefined && schema !== undefined) return [bytesField(wire, encodeMessage(schema, {}))];
  return schema === undefined ? [bytesField(wire)] : [];
}

function encodeElement(wire: number, type: string, value: unknown): Buffer {
  switch (type) {
    case 'string':
      return bytesField(wire, value as string);
    case 'bool':
      return numberField(wire, value ? 1 : 0);
    case 'int32':
    case 'int64':
      return numberField(wire, BigInt(value as number));
    case 'float': {
      const bytes = Buffer.alloc(4);
      bytes.writeFloatLE(value as number);
      return fixed(wire, 5, bytes);
    }
    case 'double': {
      const bytes = Buffer.alloc(8);
      bytes.writeDoubleLE(value as number);
      return fixed(wire, 1, bytes);
    }
    case 'bytes':
      return bytesField(wire, Buffer.from(value as string, 'base64'));
    case 'Time':
    case 'MicroTime':
      return bytesField(wire, ...timeOf(value as string | null));
    case 'Duration':
      return bytesField(wire, numberField(1, BigInt((value as string).slice(0, -1)) * 1_000_000_000n));
    case 'Quantity':
      return bytesField(wire, bytesField(1, value as string));
    case 'IntOrString':
      return typeof value === 'number'
        ? bytesField(wire, numberField(1, 0), numberField(2, value), bytesField(3))
        : bytesField(wire, numberField(1, 1), numberField(2, 0), bytesField(3, value as string));
    case 'RawExtension':
    case 'FieldsV1':
    case 'JSON':
      return bytesField(wire, ...(value === null ? [] : [bytesField(1, JSON.stringify(value))]));
    default:
      return bytesField(wire, encodeMessage(schemaNamed(type), value));
  }
}

function timeOf(value: string | null): Buffer[] {
  if (value === null) return [];
  const millis = Date.parse(value);
  const seconds = Math.floor(millis / 1000);
  const micros = value.includes('.') ? Number(value.slice(value.indexOf('.') + 1, -1)) : 0;
  return [numberField(1, seconds), numberField(2, micros * 1000)];
}

function fixed(wire: number, wireType: number, bytes: Buffer): Buffer {
  return Buffer.concat([varint(wire * 8 + wireType), bytes]);
}

function schemaNamed(name: string): TypeSchema {
  const schema = typeSchema(name);
  if (!schema) throw new Error(`there is no schema of ${name}`);
  return schema;
}
