import { readFileSync } from 'node:fs';
import type { JsonObject } from '../src/apiserver/values/json.ts';
import { definition, withSpec } from './apiserver-crd-corpus.ts';

interface Line {
  spec: JsonObject;
  rules: { rule?: string }[];
}

const lines = readFileSync(new URL('../src/apiserver/crd/cel/cost/testdata/judged.jsonl', import.meta.url), 'utf8')
  .trim()
  .split('\n')
  .map((line): Line => JSON.parse(line));

/** Definitions whose rules are a little below, or above, what rules may cost. */
export const COSTLY_DEFINITIONS: readonly (readonly [what: string, crd: JsonObject])[] = lines
  .slice(2)
  .flatMap(({ spec, rules }, number) =>
    rules.map(({ rule }): [string, JsonObject] => {
      const ruled = rule === undefined ? spec : { ...spec, 'x-kubernetes-validations': [{ rule }] };
      return [
        `${rule ?? JSON.stringify(spec).slice(0, 200)} (line ${number + 3})`,
        definition('costs', withSpec(ruled)),
      ];
    }),
  );

/** Lists in `spec.l0` … `spec.l29`, each of whose rules costs 7 for each pair of items, and the message as much. */
export const BUDGETED_DEFINITION: JsonObject = definition(
  'budgets',
  withSpec({
    type: 'object',
    properties: Object.fromEntries(
      Array.from({ length: 30 }, (_, index) => [
        `l${index}`,
        {
          type: 'array',
          maxItems: 400,
          items: { type: 'integer' },
          'x-kubernetes-validations': [
            {
              rule: 'self.all(x, self.all(y, x + y >= 0))',
              messageExpression: "self.all(x, self.all(y, x + y >= -9)) ? 'near' : 'far'",
            },
          ],
        },
      ]),
    ),
  }),
);

export function budgeted(lists: number, size: number, first = 0): JsonObject {
  const numbers = [first, ...Array.from({ length: size - 1 }, (_, index) => index)];
  return Object.fromEntries(Array.from({ length: lists }, (_, index) => [`l${index}`, numbers]));
}
