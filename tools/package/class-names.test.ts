import { describe, expect, it } from 'vitest';
import { withClassNames } from './class-names.ts';

describe('the classes of a bundle', () => {
  it('have the names of their sources, at the same columns', () => {
    const bundle = 'var Pod = class _Pod {\n  static of() { return new _Pod(_Pod.x, [_Pod]); }\n};\n';
    const renamed = withClassNames(bundle);
    expect(renamed).toBe('var Pod = class  Pod {\n  static of() { return new  Pod( Pod.x, [ Pod]); }\n};\n');
    expect(renamed).toHaveLength(bundle.length);
  });

  it('leaves members, strings and other names alone', () => {
    const bundle = "var A = class _A { _A = this._A + '_A' + _AB; };\nvar B = class { x = _B; };\n";
    const renamed = withClassNames(bundle);
    expect(renamed).toContain("this._A + '_A' + _AB");
    expect(renamed).toContain('x = _B');
  });
});
