import { type FieldError, forbidden } from '../../../request/field-error.ts';

/** What one rule may cost at most by its estimate, for all the places where it may be evaluated. */
export const RULE_LIMIT = 10_000_000;
/** What all rules of a schema may cost together. */
const SCHEMA_LIMIT = 100_000_000;
const MOST_SHOWN = 4;

/** Adds up the estimated costs of the rules of one schema. */
export class SchemaCost {
  #total = 0;
  #expensive: { path: string; cost: number }[] = [];

  add(path: string, cost: number): void {
    this.#total += cost;
    if (cost < SCHEMA_LIMIT / 100) return;
    this.#expensive.push({ path, cost });
    this.#expensive.sort((a, b) => b.cost - a.cost);
    this.#expensive = this.#expensive.slice(0, MOST_SHOWN);
  }

  /** Why the schema at the path is refused: the rules that cost most, and the total. */
  errors(path: string): FieldError[] {
    if (this.#total <= SCHEMA_LIMIT) return [];
    const detail = 'contributed to estimated rule cost total exceeding cost limit for entire OpenAPIv3 schema';
    const what = 'x-kubernetes-validations estimated rule cost total for entire OpenAPIv3 schema';
    return [
      ...this.#expensive.map((rule) => forbidden(rule.path, detail)),
      forbidden(path, overBudget(what, this.#total, SCHEMA_LIMIT)),
    ];
  }
}

export function overBudget(what: string, cost: number, limit: number): string {
  const factor = cost / limit;
  const shown = factor > 100 ? 'more than 100' : factor.toFixed(factor < 1.5 ? 6 : 1);
  return `${what} exceeds budget by factor of ${shown}x (try simplifying the rule, or adding maxItems, maxProperties, and maxLength where arrays, maps, and strings are declared)`;
}
