import { describe, expect, it } from 'vitest';
import { fieldSelectorProblem, labelSelectorProblem } from './selector-problem.ts';

describe('what Go says of selectors', () => {
  it.each([
    ['', undefined],
    ['n, !m, a in (b,,c), d notin (), e>5, f!=, in in (in)', undefined],
    ['a b', "unable to parse requirement: found 'b', expected: in, notin, =, ==, !=, gt, lt"],
    ['n in', "unable to parse requirement: found '' expected: '('"],
    ['n in (', "unable to parse requirement: found '', expected: ',', ')' or identifier"],
    ['n in (a', "unable to parse requirement: found '', expected: ',' or ')'"],
    ['n=a b', "found 'b', expected: ',' or 'end of string'"],
    ['n,', "found '', expected: identifier after ','"],
    ['=a', "found '=', expected: !, identifier, or 'end of string'"],
    ['!=a', "found '!=', expected: !, identifier, or 'end of string'"],
    [
      'n>x',
      "unable to parse requirement: values[0]: Invalid value: \"x\": for 'Gt', 'Lt' operators, the value must be an integer",
    ],
  ])('%j', (text, problem) => {
    expect(labelSelectorProblem(text)).toBe(problem);
  });

  it.each([
    ['metadata.name=a,metadata.name!=b\\,c', undefined],
    ['metadata.name', "invalid selector: 'metadata.name'; can't understand 'metadata.name'"],
    ['a=b\\x', 'invalid field selector: invalid escape sequence: \\x'],
    ['a=b\\', 'invalid field selector: invalid escape sequence: \\'],
    ['a=b=c', 'invalid field selector: unescaped character in value: 61'],
  ])('%j', (text, problem) => {
    expect(fieldSelectorProblem(text)).toBe(problem);
  });
});
