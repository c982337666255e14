import { badRequest } from './status-error.ts';

/** Go's `strconv.ParseInt`, with its complaint. */
export function queryInt(query: URLSearchParams, name: string): number | undefined {
  const value = query.get(name);
  if (value === null) return undefined;
  if (/^[+-]?[0-9]+$/.test(value)) return Number(value);
  throw badRequest(`strconv.ParseInt: parsing ${JSON.stringify(value)}: invalid syntax`);
}
