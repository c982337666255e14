import { type FieldError, forbidden, invalid, required } from '../request/field-error.ts';
import type { JsonObject } from '../values/json.ts';
import { type Amounts, amountText, parseAmount, parseAmounts } from '../values/resource-amounts.ts';
import {
  isHugePages,
  isOvercommitAllowed,
  validateContainerResourceName,
  validateResourceAmount,
} from './resource-names.ts';

const NANOS = 1_000_000_000n;

/** What a container asks for and may use: nothing asks for more than it may have. */
export function validateResources(resources: JsonObject, field: string): FieldError[] {
  const [limits, requests] = [parseAmounts(resources.limits), parseAmounts(resources.requests)];
  const errors = [...validateAmounts(limits, `${field}.limits`), ...validateAmounts(requests, `${field}.requests`)];
  for (const [name, amount] of requests) {
    const limit = limits.get(name);
    const mayDiffer = isOvercommitAllowed(name);
    if (limit === undefined) {
      const detail = 'Limit must be set for non overcommitable resources';
      if (!mayDiffer) errors.push(required(`${field}.limits`, detail));
    } else if (mayDiffer ? amount.nanos > limit.nanos : amount.nanos !== limit.nanos) {
      const relation = mayDiffer ? 'less than or equal to' : 'equal to';
      const detail = `must be ${relation} ${name} limit of ${amountText(limit)}`;
      errors.push(invalid(`${field}.requests`, amountText(amount), detail));
    }
  }
  const names = [...limits.keys(), ...requests.keys()];
  if (names.some(isHugePages) && !names.includes('cpu') && !names.includes('memory')) {
    errors.push(forbidden(field, 'HugePages require cpu or memory'));
  }
  return errors;
}

function validateAmounts(amounts: Amounts, field: string): FieldError[] {
  return [...amounts].flatMap(([name, amount]) => {
    const at = `${field}[${name}]`;
    const errors = [...validateContainerResourceName(name, at), ...validateResourceAmount(name, amount, at)];
    if (!isHugePages(name) || isWholePages(name, amount.nanos)) return errors;
    const text = amountText(amount);
    return [...errors, invalid(at, text, `${text} is not positive integer multiple of ${name}`)];
  });
}

function isWholePages(name: string, nanos: bigint): boolean {
  const page = parseAmount(name.slice('hugepages-'.length));
  if (!page || page.nanos <= 0n || page.nanos % NANOS !== 0n) return false;
  return nanos % page.nanos === 0n;
}
