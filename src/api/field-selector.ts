import { aSelector, shown } from './option-check.ts';
import { SelectorError } from './selector-error.ts';

/** What stands between commas. A comma behind a backslash belongs to the term. */
const TERMS = /(?:\\.|[^,\\]|\\$)+/gs;
/** Field, operator and value. An operator cannot begin behind a backslash. */
const TERM = /^((?:\\.|[^\\])*?)(!=|==|=)(.*)$/s;

/** One comparison of a field selector. */
export interface FieldRequirement {
  /** A path such as `spec.nodeName`; which ones a server accepts depends on the kind. */
  readonly field: string;
  readonly operator: '=' | '!=';
  readonly value: string;
}

/** A conjunction of (in)equalities on fields: `spec.nodeName=node-1,status.phase!=Failed`. Immutable. */
export class FieldSelector {
  readonly requirements: readonly FieldRequirement[];

  private constructor(requirements: readonly FieldRequirement[]) {
    this.requirements = requirements;
  }

  static readonly everything = new FieldSelector([]);

  /**
   * Throws `SelectorError`. Commas, equal signs and backslashes inside a value are written with a backslash before them. A selector is
   * itself.
   */
  static parse(text: string | FieldSelector): FieldSelector {
    if (typeof text !== 'string') {
      if (aSelector(text, '') === undefined) return text;
      throw new TypeError(`a field selector is a text such as "spec.nodeName=node-1", and this is ${shown(text)}`);
    }
    return new FieldSelector((text.match(TERMS) ?? []).map((term) => parseTerm(text, term)));
  }

  get matchesEverything(): boolean {
    return this.requirements.length === 0;
  }

  /** `read` gives the text of a field, "" when it is absent. */
  matches(read: (field: string) => string): boolean {
    return this.requirements.every(({ field, operator, value }) => (read(field) === value) === (operator === '='));
  }

  /** @internal The same selector on fields of other names. */
  mapFields(rename: (field: string) => string): FieldSelector {
    return new FieldSelector(
      this.requirements.map((requirement) => ({ ...requirement, field: rename(requirement.field) })),
    );
  }

  /** The value that the selector demands of a field, when it demands one. */
  exactValue(field: string): string | undefined {
    return this.requirements.find((requirement) => requirement.field === field && requirement.operator === '=')?.value;
  }

  /** In the form that a server reads: `spec.nodeName=node-1,status.phase!=Failed`. */
  toString(): string {
    return this.requirements
      .map(({ field, operator, value }) => `${field}${operator}${value.replace(/[\\,=]/g, '\\$&')}`)
      .join(',');
  }
}

function parseTerm(text: string, term: string): FieldRequirement {
  const [, field, operator, value] = TERM.exec(term) ?? [];
  if (field === undefined || value === undefined) {
    throw new SelectorError(`"${text}" is not a field selector: "${term}" has no "=", "==" or "!="`);
  }
  return { field, operator: operator === '!=' ? '!=' : '=', value: unescaped(text, value) };
}

function unescaped(text: string, value: string): string {
  return value.replace(/\\(.?)|=/gs, (found, next: string | undefined) => {
    if (next && '\\,='.includes(next)) return next;
    const problem =
      found === '='
        ? 'write "\\=" for an equal sign inside a value'
        : `"${found}" is not an escape; use "\\\\", "\\," or "\\="`;
    throw new SelectorError(`"${text}" is not a field selector: ${problem}`);
  });
}
