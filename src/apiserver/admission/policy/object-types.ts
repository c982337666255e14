import type { FieldSchema } from '../../../api/type-schema.ts';
import { typeSchema } from '../../../generated/type-schemas.ts';
import { declare } from '../../crd/cel/declaration.ts';
import { BOOL, type CelType, DYN, INT, STRING, scalar } from '../../crd/cel/types.ts';
import { parseSchema } from '../../crd/structural-schema.ts';
import type { ServedResource } from '../../storage/served-resource.ts';

const OBJECT_META = 'io.k8s.apimachinery.pkg.apis.meta.v1.ObjectMeta';
const SCALARS: ReadonlyMap<string, CelType> = new Map([
  ['string', STRING],
  ['bool', BOOL],
  ['int32', INT],
  ['int64', INT],
  ['float', scalar('double')],
  ['double', scalar('double')],
  ['bytes', scalar('bytes')],
  ['Time', scalar('google.protobuf.Timestamp')],
  ['MicroTime', scalar('google.protobuf.Timestamp')],
  ['Duration', STRING],
]);

/** The type of the objects of a resource, to check expressions by. */
export function objectTypeOf({ init }: ServedResource): CelType {
  if (!init.custom) return structType(init.schema, []);
  const declared = init.customSchema && declare(parseSchema(init.customSchema), true)?.type;
  if (declared?.kind !== 'object') return DYN;
  return { kind: 'object', fields: new Map([...declared.fields, ['metadata', structType(OBJECT_META, [])]]) };
}

/** `around` names the types that this one stands in: one that contains itself may be anything there. */
function structType(name: string, around: readonly string[]): CelType {
  const schema = typeSchema(name);
  if (!schema || schema.form || around.includes(name)) return DYN;
  const fields = new Map<string, CelType>();
  for (const field of schema.fields) {
    const type = fieldType(field, [...around, name]);
    if (!field.inline) fields.set(field.json, type);
    else if (type.kind === 'object') for (const [key, inner] of type.fields) fields.set(key, inner);
  }
  return { kind: 'object', fields };
}

function fieldType({ type, shape }: FieldSchema, around: readonly string[]): CelType {
  const one = SCALARS.get(type) ?? structType(type, around);
  if (shape === 'list') return { kind: 'list', items: one };
  return shape === 'map' ? { kind: 'map', values: one } : one;
}
