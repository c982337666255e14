import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { fieldErrorText } from '../../request/field-error.ts';
import type { JsonObject, JsonValue } from '../../values/json.ts';
import { parseSchema } from '../structural-schema.ts';
import { CelError, CelSyntaxError } from './cel-error.ts';
import { Meter } from './cost/meter.ts';
import { evaluate } from './evaluator.ts';
import { toCel } from './json-values.ts';
import { parseExpression } from './parser.ts';
import { ruleErrors } from './rule-rules.ts';
import { blockedRules, RuleValidator } from './rule-validation.ts';
import { Scope } from './scope.ts';

function run(text: string, self: JsonValue = null, schema: JsonObject = {}): unknown {
  const variables = new Map([['self', toCel(self, parseSchema(schema))]]);
  return evaluate(parseExpression(text), new Scope(new Meter(), variables));
}

describe('the evaluator of CEL', () => {
  it.each([
    ['1 + 2 * 3 == 7', true],
    ['(1 + 2) * 3 == 9', true],
    ['-7 / 2 == -3 && -7 % 2 == -1', true],
    ['1 == 1.0 && 1 < 1.5 && 2u > 1', true],
    ['"a" + "b" == "ab" && "a" < "b"', true],
    ['true ? 1 : 2', 1n],
    ['false || true && !false', true],
    ['1 / 0 == 1 || true', true],
    ['[1, 2][1]', 2n],
    ['{"a": {"b": 1}}.a.b', 1n],
    ['2 in [1, 2] && "a" in {"a": 1}', true],
    ['size("äöü😀") == 4', true],
    ['[1, 2, 3].filter(x, x > 1).map(x, x * 2) == [4, 6]', true],
    ['{"a": 1, "b": 2}.exists(k, k == "b")', true],
    ['[1, 2].all(i, v, v > i)', true],
    ['r"\\d" == "\\\\d" && "\\u00e4\\x41\\101" == "äAA"', true],
    ["'''a\nb'''.size() == 3", true],
    ['b"\\xff".size() == 1', true],
    ['0x10 == 16 && 1e3 == 1000.0 && .5 < 1.0', true],
    ['type(1) == int && type("a") != int', true],
    ['duration("90m") == duration("1h30m") && duration("1.5s").getMilliseconds() == 500', true],
    ['timestamp("2020-01-01T00:00:00Z") + duration("24h") == timestamp("2020-01-02T00:00:00Z")', true],
    ['timestamp("2020-03-01T12:00:00Z").getDayOfYear() == 60', true],
    ['string(duration("90m"))', '5400s'],
    ['string(timestamp("2020-01-01T00:00:00.5+01:00"))', '2019-12-31T23:00:00.5Z'],
    ['optional.of(1).orValue(2) + optional.none().orValue(2)', 3n],
    ['[?optional.none(), 1].size()', 1n],
    ['{"a": 1}[?"b"].hasValue()', false],
    ['"%s-%d-%.2f".format(["a", 1, 2.5])', 'a-1-2.50'],
    ['"%s %s".format([["a", 1], {"b": "c"}])', '["a", 1] {"b": "c"}'],
    ['"a,b,c".split(",", 2) == ["a", "b,c"]', true],
    ['"ab".replace("", "x") + "ab".replace("", "x", 2)', 'xaxbxxaxb'],
    ['optional.of(1).orValue(1 / 0) == 1', true],
    ['"a1b22".find("[0-9]+") + "a".find("b")', '1'],
    ['"a1b22".findAll("[0-9]+") == ["1", "22"] && "a1b22".findAll("[0-9]", 2) == ["1", "2"]', true],
    ['sets.equivalent([1, 2], [2, 1, 1])', true],
    ['quantity("1.5").add(quantity("500m")).compareTo(quantity("2")) == 0', true],
    ['cidr("fd00::/8").containsIP("fd00::1") && ip("127.0.0.1").isLoopback()', true],
    ['url("https://[::1]:8080/a%20b?x=1&x=2").getHostname()', '::1'],
  ])('finds that %s is %s', (text, value) => {
    expect(run(text)).toEqual(value);
  });

  it.each([
    ['1 / 0', 'division by zero'],
    ['9223372036854775807 + 1', 'integer overflow'],
    ['[1][5]', 'index out of bounds: 5'],
    ['{"a": 1}.b', 'no such key: b'],
    ['1 + "a"', 'no such overload'],
    ['1 == 1 && 1 / 0 == 1', 'division by zero'],
    ['int("x")', "type conversion error from 'string' to 'int'"],
    ['int("9223372036854775808")', "type conversion error from 'string' to 'int'"],
    ['uint("-1")', "type conversion error from 'string' to 'uint'"],
    ['[].max()', 'max called on empty list'],
    ['"a".matches("(" + "a")', 'error parsing regexp: missing closing ): `(a`'],
    ['"a".find("(" + "a")', 'Illegal regex: error parsing regexp: missing closing ): `(a`'],
  ])('says of %s: %s', (text, message) => {
    expect(() => run(text)).toThrow(new CelError(message));
  });

  it.each(['', '1 +', '(1', 'a b', '[1, 2', '"open', 'for', '1 ? 2', 'has(1)', '@', '9223372036854775808'])(
    'cannot read %j',
    (text) => {
      expect(() => parseExpression(text)).toThrow(CelSyntaxError);
    },
  );

  it('refuses to nest without end', () => {
    expect(() => parseExpression('('.repeat(10_000))).toThrow(CelSyntaxError);
  });

  it('adds as integers do', () => {
    fc.assert(
      fc.property(fc.bigInt({ min: -(2n ** 62n), max: 2n ** 62n }), fc.bigInt({ min: -1000n, max: 1000n }), (a, b) => {
        expect(run(`${a} + ${b}`)).toBe(a + b);
        expect(run(`${a} - ${b} < ${a}`)).toBe(b > 0n);
      }),
    );
  });

  it('reads values by their schema', () => {
    const schema = {
      type: 'object',
      properties: {
        when: { type: 'string', format: 'date-time' },
        'a-b': { type: 'string' },
        list: { type: 'array', 'x-kubernetes-list-type': 'set', items: { type: 'string' } },
        none: { type: 'string', nullable: true },
      },
    };
    const self = { when: '2020-01-01T00:00:00Z', 'a-b': 'x', list: ['a', 'b'], none: null, hidden: 1 };
    expect(run("self.when.getFullYear() == 2020 && self.a__dash__b == 'x'", self, schema)).toBe(true);
    expect(run("self.list == ['b', 'a'] && (self.list + ['a']).size() == 2", self, schema)).toBe(true);
    expect(run('has(self.none)', self, schema)).toBe(false);
    expect(() => run('self.hidden', self, schema)).toThrow('no such key: hidden');
    expect(() => run('self.constructor', self, schema)).toThrow('no such key: constructor');
  });
});

const ruled = (rules: JsonObject[], properties: JsonObject = { a: { type: 'integer' }, b: { type: 'integer' } }) =>
  parseSchema({
    type: 'object',
    properties: { spec: { type: 'object', properties, 'x-kubernetes-validations': rules } },
  });

describe('ruleErrors', () => {
  it('shows where a rule is wrong', () => {
    expect(
      ruleErrors(ruled([{ rule: 'self.a > 1 &&\nself.c > 2', message: 'm' }]), 'schema').map(fieldErrorText),
    ).toEqual([
      'schema.properties[spec].x-kubernetes-validations[0].rule: Invalid value: {"Rule":"self.a \\u003e 1 \\u0026\\u0026\\nself.c \\u003e 2","Message":"m","MessageExpression":"","Reason":null,"FieldPath":"","OptionalOldSelf":null}: compilation failed: ERROR: <input>:2:5: undefined field \'c\'\n | self.c > 2\n | ....^',
    ]);
  });

  it('refuses loudly what this evaluator lacks', () => {
    const [error] = ruleErrors(ruled([{ rule: "semver('1.2.3').major() == 1" }]), 'schema');
    expect(error?.message).toContain("undeclared reference to 'semver', which the embedded API server does not know");
  });

  it('accepts transition rules only where the old value can be found', () => {
    const rule = [{ rule: 'self == oldSelf' }];
    const list = (more: JsonObject): JsonObject => ({
      l: {
        type: 'array',
        maxItems: 9,
        items: { type: 'string', maxLength: 9, 'x-kubernetes-validations': rule },
        ...more,
      },
    });
    expect(ruleErrors(ruled([], list({})), 's').map(({ message }) => message)).toEqual([
      'Invalid value: "self == oldSelf": oldSelf cannot be used on the uncorrelatable portion of the schema within s.properties[spec].properties[l]',
    ]);
    expect(ruleErrors(ruled(rule), 's')).toEqual([]);
  });
});

describe('RuleValidator', () => {
  const validate = (rules: JsonObject[], spec: JsonObject, old?: JsonObject, warnings: string[] = []): string[] =>
    new RuleValidator(ruled(rules))
      .validate({ spec }, old === undefined ? undefined : { spec: old }, (text) => warnings.push(text))
      .map(fieldErrorText);

  it('words failures as the real server does', () => {
    expect(validate([{ rule: 'self.a < self.b' }], { a: 2, b: 1 })).toEqual([
      'spec: Invalid value: failed rule: self.a < self.b',
    ]);
    expect(validate([{ rule: 'self.a < self.b', message: 'a first', fieldPath: '.a' }], { a: 2, b: 1 })).toEqual([
      'spec.a: Invalid value: a first',
    ]);
    const reason = { rule: 'false', reason: 'FieldValueForbidden', messageExpression: "'a is %d'.format([self.a])" };
    expect(validate([reason], { a: 2 })).toEqual(['spec: Forbidden: a is 2']);
    expect(validate([{ rule: 'self.a > 1' }], {})).toEqual([
      'spec: Invalid value: "object": no such key: a evaluating rule: self.a > 1',
    ]);
  });

  it('compares with the old object on updates alone', () => {
    const rules = [{ rule: 'self.a == oldSelf.a', message: 'a is immutable' }];
    expect(validate(rules, { a: 1 })).toEqual([]);
    expect(validate(rules, { a: 1 }, { a: 1 })).toEqual([]);
    expect(validate(rules, { a: 2 }, { a: 1 })).toEqual(['spec: Invalid value: a is immutable']);
  });

  it('only warns of what an update leaves as it was', () => {
    const warnings: string[] = [];
    expect(validate([{ rule: 'self.a < 5', message: 'small' }], { a: 9 }, { a: 9 }, warnings)).toEqual([]);
    expect(warnings).toEqual(['spec: Invalid value: small']);
  });

  it('is not asked about objects of the wrong shape', () => {
    const wrong = { reason: 'FieldValueTypeInvalid', field: 'spec.a', message: '' };
    expect(blockedRules([wrong])?.message).toMatch(/^Invalid value: null: some validation rules were not checked/);
    expect(blockedRules([{ ...wrong, reason: 'FieldValueInvalid' }])).toBeUndefined();
  });
});
