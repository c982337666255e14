import { addressFunctions } from './address-functions.ts';
import { authorizerFunctions } from './authorizer-functions.ts';
import { CelError, noOverload } from './cel-error.ts';
import { conversionFunctions } from './conversion-functions.ts';
import { formatFunctions } from './format-functions.ts';
import type { CelFunction, FunctionTable } from './function-table.ts';
import { listFunctions } from './list-functions.ts';
import { quantityFunctions } from './quantity-functions.ts';
import { stringFunctions } from './string-functions.ts';
import { urlFunctions } from './url-functions.ts';
import type { CelValue } from './values.ts';

const TABLES: readonly FunctionTable[] = [
  conversionFunctions,
  stringFunctions,
  listFunctions,
  quantityFunctions,
  addressFunctions,
  urlFunctions,
  formatFunctions,
  authorizerFunctions,
];

const FUNCTIONS = new Map<string, CelFunction[]>();
for (const table of TABLES) {
  for (const [name, implementation] of Object.entries(table)) {
    FUNCTIONS.set(name, [...(FUNCTIONS.get(name) ?? []), implementation]);
  }
}

/** Whether a function, or a method when `isMethod`, is known at all. */
export function isFunction(name: string, isMethod: boolean): boolean {
  return FUNCTIONS.has(isMethod ? `.${name}` : name);
}

export function callFunction(name: string, args: readonly CelValue[]): CelValue {
  const candidates = FUNCTIONS.get(name) ?? [];
  if (candidates.length === 0) throw new CelError(`no such overload: ${name}`);
  for (const candidate of candidates) {
    const result = candidate(...args);
    if (result !== undefined) return result;
  }
  throw noOverload();
}
