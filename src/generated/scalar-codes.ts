import type { ScalarType } from '../api/type-schema.ts';

/** How the table of type schemas writes scalars. */
export const SCALAR_CODES: Readonly<Record<string, ScalarType>> = {
  s: 'string',
  b: 'bool',
  i: 'int32',
  l: 'int64',
  f: 'float',
  d: 'double',
  y: 'bytes',
  T: 'Time',
  M: 'MicroTime',
  D: 'Duration',
  Q: 'Quantity',
  I: 'IntOrString',
  R: 'RawExtension',
  F: 'FieldsV1',
  J: 'JSON',
};
