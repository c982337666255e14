import { badRequest } from './status-error.ts';

/** Go's `strconv.ParseInt`, with its complaint. */
export function queryInt(query: URLSearchParams, name: string): number | undefined {
  const value = query.get(name);
  if (value === null) return undefined;
  const refuse = (why: string) => badRequest(`strconv.ParseInt: parsing ${JSON.stringify(value)}: ${why}`);
  if (!/^[+-]?[0-9]+$/.test(value)) throw refuse('invalid syntax');
  const number = BigInt(value.replace(/^\+/, ''));
  if (BigInt.asIntN(64, number) !== number) throw refuse('value out of range');
  return Number(number);
}
