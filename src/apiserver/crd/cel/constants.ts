import type { Expression } from './expression.ts';

const CONVERSIONS = new Set('bool bytes double duration dyn int string timestamp type uint'.split(' '));

const known = new WeakMap<Expression, boolean>();

/** Whether an expression is made of literals alone, so that the server evaluates it once, before any object is there. */
export function isConstant(expression: Expression): boolean {
  if (expression.kind === 'literal') return true;
  const cached = known.get(expression);
  if (cached !== undefined) return cached;
  const constant = isMadeOfLiterals(expression);
  known.set(expression, constant);
  return constant;
}

function isMadeOfLiterals(expression: Expression): boolean {
  switch (expression.kind) {
    case 'list':
      return expression.items.every(({ value }) => isConstant(value));
    case 'map':
      return expression.entries.every(({ key, value }) => isConstant(key) && isConstant(value));
    case 'call': {
      const [arg, ...more] = expression.args;
      if (expression.target !== undefined || arg === undefined || more.length > 0) return false;
      return CONVERSIONS.has(expression.name) && isConstant(arg);
    }
    default:
      return false;
  }
}
