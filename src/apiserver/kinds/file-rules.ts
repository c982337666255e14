import { type FieldError, invalid, required } from '../request/field-error.ts';
import { asString, type JsonObject, type JsonValue } from '../values/json.ts';

const MAX_MODE = 0o777;

/** A key that becomes a file. */
export function validateKeyFile(item: JsonObject, field: string): FieldError[] {
  const path = asString(item.path);
  return [
    ...(asString(item.key) === '' ? [required(`${field}.key`)] : []),
    ...(path === '' ? [required(`${field}.path`)] : validateLocalPath(path, `${field}.path`)),
    ...validateMode(item.mode, `${field}.mode`),
  ];
}

export function validateMode(mode: JsonValue | undefined, field: string): FieldError[] {
  if (typeof mode !== 'number' || (mode >= 0 && mode <= MAX_MODE)) return [];
  return [invalid(field, mode, 'must be a number between 0 and 0777 (octal), both inclusive')];
}

/** As `validateInnerPath`, without the names that the kubelet has for itself. */
export function validateLocalPath(path: string, field: string): FieldError[] {
  const errors = validateInnerPath(path, field);
  if (!path.startsWith('..') || path.startsWith('../')) return errors;
  return [...errors, invalid(field, path, "must not start with '..'")];
}

/** A path below a volume that does not leave it. */
export function validateInnerPath(path: string, field: string): FieldError[] {
  const errors: FieldError[] = [];
  if (path.startsWith('/')) errors.push(invalid(field, path, 'must be a relative path'));
  if (path.split('/').includes('..')) errors.push(invalid(field, path, "must not contain '..'"));
  return errors;
}
