import {
  checkedRequirement,
  type LabelOperator,
  type LabelRequirement,
  parseInt64,
  parseLabelSelector,
} from './label-selector-parser.ts';
import { aSelector, shown } from './option-check.ts';
import { SelectorError } from './selector-error.ts';

/** The labels of an object, by key. */
export type Labels = Readonly<Record<string, string>>;

/** `metav1.LabelSelector`, as in `spec.selector` of a Deployment. */
export interface LabelSelectorObject {
  matchLabels?: Record<string, string> | undefined;
  matchExpressions?: { key: string; operator: string; values?: string[] }[] | undefined;
}

/**
 * A conjunction of requirements on labels, with Kubernetes' grammar: `app=web,tier in (api, db),!canary,size>3`.
 * Immutable. An object without the key satisfies `!=` and `notin`, and fails every other operator but `!`.
 */
export class LabelSelector {
  readonly requirements: readonly LabelRequirement[];
  readonly #matchesNothing: boolean;

  private constructor(requirements: readonly LabelRequirement[], matchesNothing = false) {
    this.requirements = requirements.toSorted((a, b) => (a.key < b.key ? -1 : a.key > b.key ? 1 : 0));
    this.#matchesNothing = matchesNothing;
  }

  /** Throws `SelectorError`. An empty text selects everything; a selector is itself. */
  static parse(text: string | LabelSelector): LabelSelector {
    if (typeof text === 'string') return new LabelSelector(parseLabelSelector(text));
    if (aSelector(text, '') === undefined) return text;
    throw new TypeError(
      `a label selector is a text such as "app=web,!canary", and this is ${shown(text)}: LabelSelector.fromObject takes { matchLabels }`,
    );
  }

  /** From the object form; as in Kubernetes, an empty object selects everything and an absent one nothing. Throws `SelectorError`. */
  static fromObject(selector: LabelSelectorObject | undefined): LabelSelector {
    // Objects of a server may have null for what is absent.
    if (selector === undefined || selector === null) return LabelSelector.nothing;
    if (typeof selector !== 'object') {
      throw new TypeError(
        `LabelSelector.fromObject takes { matchLabels, matchExpressions }, and not ${shown(selector)}`,
      );
    }
    const { matchLabels, matchExpressions, ...others } = selector;
    const [other] = Object.keys(others);
    if (other !== undefined) {
      throw new SelectorError(`an object is not a label selector: it has "${other}"; labels stand in matchLabels`);
    }
    const requirements = Object.entries(matchLabels ?? {}).map(([key, value]) => ofObject(key, '=', [value]));
    for (const { key, operator, values } of matchExpressions ?? []) {
      const known = OPERATORS.get(operator);
      if (known === undefined) {
        throw new SelectorError(
          `"${operator}" is not a label selector operator: use In, NotIn, Exists or DoesNotExist`,
        );
      }
      requirements.push(ofObject(key, known, [...new Set(values ?? [])].sort()));
    }
    return new LabelSelector(requirements);
  }

  static readonly everything = new LabelSelector([]);
  /** A text that says nothing means everything to a server: this one contradicts itself. */
  static readonly nothing = new LabelSelector(parseLabelSelector('nothing,!nothing'), true);

  get matchesEverything(): boolean {
    return this.requirements.length === 0 && !this.#matchesNothing;
  }

  get matchesNothing(): boolean {
    return this.#matchesNothing;
  }

  /** Whether these labels are what it asks for. No labels at all are like none. */
  matches(labels: Labels | undefined): boolean {
    if (this.#matchesNothing) return false;
    for (const requirement of this.requirements) {
      if (!satisfies(requirement, labelValue(labels, requirement.key))) return false;
    }
    return true;
  }

  /** Canonical text: sorted by key, values sorted. Parses back to a selector of the same. */
  toString(): string {
    return this.requirements.map(printRequirement).join(',');
  }
}

const OPERATORS = new Map<string, LabelOperator>([
  ['In', 'in'],
  ['NotIn', 'notin'],
  ['Exists', 'exists'],
  ['DoesNotExist', '!'],
]);

/** Keys and values are what they are, however the grammar would read them. */
function ofObject(key: string, operator: LabelOperator, values: readonly string[]): LabelRequirement {
  const fail = (problem: string): never => {
    throw new SelectorError(`an object is not a label selector: ${problem}`);
  };
  if (![key, ...values].every((part) => typeof part === 'string')) {
    fail(`keys and values must be texts, which those of ${shown(key)} are not`);
  }
  const wantsValues = operator !== 'exists' && operator !== '!';
  if (wantsValues !== values.length > 0) {
    fail(`"${operator}" of the label "${key}" ${wantsValues ? 'needs at least one value' : 'takes no values'}`);
  }
  return checkedRequirement('an object', { key, operator, values });
}

function labelValue(labels: Labels | undefined, key: string): string | undefined {
  return labels !== undefined && Object.hasOwn(labels, key) ? labels[key] : undefined;
}

function satisfies({ operator, values }: LabelRequirement, actual: string | undefined): boolean {
  switch (operator) {
    case '=':
    case '==':
    case 'in':
      return actual !== undefined && values.includes(actual);
    case '!=':
    case 'notin':
      return actual === undefined || !values.includes(actual);
    case 'exists':
      return actual !== undefined;
    case '!':
      return actual === undefined;
    case '>':
    case '<': {
      const left = parseInt64(actual);
      const right = parseInt64(values[0]);
      if (left === undefined || right === undefined) return false;
      return operator === '>' ? left > right : left < right;
    }
  }
}

function printRequirement({ key, operator, values }: LabelRequirement): string {
  switch (operator) {
    case 'exists':
      return key;
    case '!':
      return `!${key}`;
    case 'in':
    case 'notin':
      return `${key} ${operator} (${values.join(',')})`;
    default:
      return `${key}${operator}${values[0] ?? ''}`;
  }
}
