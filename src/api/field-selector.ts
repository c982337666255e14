import { aSelector, shown } from './option-check.ts';
import { SelectorError } from './selector-error.ts';

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
    const requirements = splitTerms(text)
      .filter((term) => term !== '')
      .map((term) => parseTerm(text, term));
    return new FieldSelector(requirements);
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

function splitTerms(text: string): string[] {
  const terms: string[] = [];
  let start = 0;
  for (let at = 0; at < text.length; at++) {
    if (text[at] === '\\') at++;
    else if (text[at] === ',') {
      terms.push(text.slice(start, at));
      start = at + 1;
    }
  }
  terms.push(text.slice(start));
  return terms;
}

function parseTerm(text: string, term: string): FieldRequirement {
  for (let at = 0; at < term.length; at++) {
    if (term[at] === '\\') {
      at++;
      continue;
    }
    const operator = ['!=', '==', '='].find((candidate) => term.startsWith(candidate, at));
    if (operator === undefined) continue;
    const value = unescaped(text, term.slice(at + operator.length));
    return { field: term.slice(0, at), operator: operator === '!=' ? '!=' : '=', value };
  }
  throw new SelectorError(`"${text}" is not a field selector: "${term}" has no "=", "==" or "!="`);
}

function unescaped(text: string, value: string): string {
  let plain = '';
  for (let at = 0; at < value.length; at++) {
    const char = value.charAt(at);
    if (char === '\\') {
      const next = value.charAt(++at);
      if (!['\\', ',', '='].includes(next)) {
        throw new SelectorError(
          `"${text}" is not a field selector: "\\${next}" is not an escape; use "\\\\", "\\," or "\\="`,
        );
      }
      plain += next;
    } else if (char === '=') {
      throw new SelectorError(`"${text}" is not a field selector: write "\\=" for an equal sign inside a value`);
    } else plain += char;
  }
  return plain;
}
