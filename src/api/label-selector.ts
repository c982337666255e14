import { type LabelRequirement, parseInt64, parseLabelSelector } from './label-selector-parser.ts';
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
    return typeof text === 'string' ? new LabelSelector(parseLabelSelector(text)) : text;
  }

  /** From the object form; as in Kubernetes, an empty object selects everything and an absent one nothing. */
  static fromObject(selector: LabelSelectorObject | undefined): LabelSelector {
    if (selector === undefined) return LabelSelector.nothing;
    const quote = (values: readonly string[] | undefined) => `(${(values ?? []).join(',')})`;
    const terms = Object.entries(selector.matchLabels ?? {}).map(([key, value]) => `${key}=${value}`);
    for (const { key, operator, values } of selector.matchExpressions ?? []) {
      if (operator === 'In') terms.push(`${key} in ${quote(values)}`);
      else if (operator === 'NotIn') terms.push(`${key} notin ${quote(values)}`);
      else if (operator === 'Exists') terms.push(key);
      else if (operator === 'DoesNotExist') terms.push(`!${key}`);
      else
        throw new SelectorError(
          `"${operator}" is not a label selector operator: use In, NotIn, Exists or DoesNotExist`,
        );
    }
    return LabelSelector.parse(terms.join(','));
  }

  static readonly everything = new LabelSelector([]);
  static readonly nothing = new LabelSelector([], true);

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

  /** Canonical text: sorted by key, values sorted. Parses back to an equal selector, except for `nothing`, which has no text. */
  toString(): string {
    return this.requirements.map(printRequirement).join(',');
  }
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
