import { readFileSync } from 'node:fs';
import { describe, expect, it } from 'vitest';
import { fieldErrorText } from '../../../request/field-error.ts';
import type { JsonObject, JsonValue } from '../../../values/json.ts';
import { parseSchema, type Schema } from '../../structural-schema.ts';
import { CelError } from '../cel-error.ts';
import { evaluate } from '../evaluator.ts';
import { toCel } from '../json-values.ts';
import { compileRule, type RuleProgram } from '../rule-program.ts';
import { ruleErrors } from '../rule-rules.ts';
import { RuleValidator } from '../rule-validation.ts';
import { Scope } from '../scope.ts';
import { CostExceeded, Meter } from './meter.ts';

/** A line of what tools/cel-cost prints: what the real server makes of rules, each alone at the top of `spec`. */
interface Judged {
  spec: JsonObject;
  objects?: JsonValue[];
  rules: { rule?: string; cost: number; errors?: string[]; results?: { cost: number; errors?: string[] }[] }[];
}

interface Case {
  name: string;
  /** Of the field spec, with the rule. */
  spec: JsonObject;
  judged: Judged['rules'][number];
  objects: JsonValue[];
}

const cases: Case[] = readFileSync(new URL('testdata/judged.jsonl', import.meta.url), 'utf8')
  .trim()
  .split('\n')
  .map((line): Judged => JSON.parse(line))
  .flatMap(({ spec, rules, objects = [] }, number) =>
    rules.map((judged) => ({
      name: `${judged.rule ?? JSON.stringify(spec)} (line ${number + 1})`,
      spec: judged.rule === undefined ? spec : { ...spec, 'x-kubernetes-validations': [{ rule: judged.rule }] },
      judged,
      objects,
    })),
  );

function programOf(schema: Schema): RuleProgram {
  const [rule = {}] = schema.rules.slice(-1);
  const program = compileRule(rule, schema, false);
  if ('part' in program) throw new Error(program.detail);
  return program;
}

const resource = (spec: JsonObject): Schema => parseSchema({ type: 'object', properties: { spec } });
/** What only differs in how a parser of Go says that it failed. */
const isOfParser = (text: string) => /parse error|internal error/.test(text);

describe('the estimated cost of rules', () => {
  it('is what the real server estimates', () => {
    expect(cases.length).toBeGreaterThan(400);
    for (const { name, spec, judged } of cases) {
      if (spec['x-kubernetes-validations'] === undefined) continue;
      const { cost } = programOf(parseSchema(spec));
      // Beyond what a number holds exactly, the real server stops counting.
      if (judged.cost > Number.MAX_SAFE_INTEGER) expect(cost, name).toBeGreaterThan(Number.MAX_SAFE_INTEGER);
      else expect(cost, name).toBe(judged.cost);
    }
  });

  it('leads to the errors of the real server', () => {
    for (const { name, spec, judged } of cases) {
      const errors = ruleErrors(resource(spec), 'spec.validation.openAPIV3Schema').map(fieldErrorText);
      expect(errors.sort(), name).toEqual((judged.errors ?? []).sort());
    }
  });

  it('is not held against a single rule of a schema that has been accepted before', () => {
    const spec = { type: 'string', 'x-kubernetes-validations': [{ rule: "self.matches('abcdefghijklmnop' + self)" }] };
    const path = 's.properties[spec].x-kubernetes-validations[0].rule';
    expect(ruleErrors(resource(spec), 's').map(({ field }) => field)).toEqual([path, path, 's']);
    expect(ruleErrors(resource(spec), 's', { isUnchanged: true }).map(({ field }) => field)).toEqual([path, 's']);
  });
});

describe('the cost of evaluating rules', () => {
  it('is what the real server counts', () => {
    let count = 0;
    for (const { name, spec, judged, objects } of cases) {
      for (const [index, { cost, errors = [] }] of (judged.results ?? []).entries()) {
        if (errors.some((text) => !text.includes('failed rule'))) continue;
        const schema = parseSchema(spec);
        const meter = new Meter();
        evaluate(
          programOf(schema).expression,
          new Scope(meter, new Map([['self', toCel(objects[index] ?? null, schema)]])),
        );
        expect(meter.cost, `${name} on ${index}`).toBe(cost);
        count += 1;
      }
    }
    expect(count).toBeGreaterThan(300);
  });

  it('leads to the answers of the real server', () => {
    for (const { name, spec, judged, objects } of cases) {
      for (const [index, { errors = [] }] of (judged.results ?? []).entries()) {
        if (errors.some(isOfParser)) continue;
        const validator = new RuleValidator(resource(spec));
        const found = validator.validate({ spec: objects[index] ?? null }, undefined, () => {}).map(fieldErrorText);
        expect(found, `${name} on ${index}`).toEqual(errors);
      }
    }
  });

  it('ends an expression at the limit, which nothing in it can hide', () => {
    const loop = (): RuleProgram =>
      programOf(
        parseSchema({ type: 'array', items: { type: 'integer' }, 'x-kubernetes-validations': [{ rule: LOOP }] }),
      );
    const LOOP = 'self.exists(x, self.all(y, x + y > 0)) || true';
    const run = (limit: number) => {
      const self = toCel([1, 2, 3], parseSchema({ type: 'array', items: { type: 'integer' } }));
      return evaluate(loop().expression, new Scope(new Meter(limit), new Map([['self', self]])));
    };
    expect(run(100)).toBe(true);
    expect(() => run(20)).toThrow(CostExceeded);
    expect(new CostExceeded()).not.toBeInstanceOf(CelError);
  });
});

describe('the budget of an object', () => {
  /** Each of the two rules costs about 700,000 on a list of 300. */
  const COSTLY = 'self.all(x, self.all(y, x + y >= 0))';
  const costly = { type: 'array', items: { type: 'integer' }, 'x-kubernetes-validations': [{ rule: COSTLY }] };
  const numbers = (count: number): number[] => Array.from({ length: count }, (_, index) => index);
  const lists = (count: number, size: number) =>
    Object.fromEntries(numbers(count).map((index) => [`l${index}`, numbers(size)]));
  const schema = (more: JsonObject = {}): Schema =>
    parseSchema({
      type: 'object',
      properties: Object.fromEntries(numbers(30).map((index) => [`l${index}`, { ...costly, ...more }])),
    });
  const validate = (object: JsonObject, more?: JsonObject, old?: JsonObject, warnings: string[] = []) =>
    new RuleValidator(schema(more)).validate(object, old, (text) => warnings.push(text)).map(fieldErrorText);

  it('is shared by its rules; the first that it does not suffice for is the last', () => {
    expect(validate(lists(15, 300))).toEqual([]);
    expect(validate(lists(30, 300))).toEqual([
      'l15: Invalid value: "array": validation failed due to running out of cost budget, no further validation rules will be run',
    ]);
  });

  it('is not what a rule is stopped by that is too costly alone', () => {
    expect(validate(lists(3, 400))).toEqual([
      `l0: Invalid value: "array": 'operation cancelled: actual cost limit exceeded': no further validation rules will be run due to call cost exceeds limit for rule: ${COSTLY}`,
    ]);
  });

  const text = (rule: string, messageExpression: string): JsonObject => ({
    'x-kubernetes-validations': [{ rule, messageExpression }],
  });

  it('pays for messages, too', () => {
    const costlyMessage = `${COSTLY} ? "big" : "small"`;
    expect(validate(lists(2, 300), text('false', costlyMessage))).toEqual([
      'l0: Invalid value: big',
      'l1: Invalid value: big',
    ]);
    expect(validate(lists(2, 400), text('false', costlyMessage))).toEqual([
      `l0: Invalid value: "array": no further validation rules will be run due to call cost exceeds limit for messageExpression: ${JSON.stringify(costlyMessage)}`,
    ]);
    const errors = validate(lists(30, 300), text('false', costlyMessage));
    expect(errors.slice(15)).toEqual([
      'l15: Invalid value: "array": messageExpression evaluation failed due to running out of cost budget, no further validation rules will be run',
    ]);
  });

  it('is only warned of where the update left everything as it was', () => {
    const warnings: string[] = [];
    const object = lists(2, 400);
    expect(validate(object, text('false', `${COSTLY} ? "big" : "small"`), structuredClone(object), warnings)).toEqual(
      [],
    );
    expect(warnings).toHaveLength(1);
    expect(warnings[0]).toContain('due to call cost exceeds limit for messageExpression');
  });
});
