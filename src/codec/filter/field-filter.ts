import type { Reduction } from '../../api/origin.ts';
import type { KeepOptions } from '../keep-options.ts';

/** What happens to a field: it stays, it goes, or it depends on what is inside. */
export type FieldRule = 'keep' | 'drop' | FieldRules;

export interface FieldRules {
  readonly fields: ReadonlyMap<string, FieldRule>;
  /** For fields that are not named, and for the elements of a list. */
  readonly others: FieldRule;
}

/** A map or list of which nothing is left may vanish. */
export type FieldFilterOptions = Pick<KeepOptions, 'drop' | 'keep' | 'managedFields'>;

/** Without these an object could not be told from others: they are always kept. */
export const IDENTITY: readonly string[] = ['name', 'namespace', 'uid', 'resourceVersion'];

const KEYED = /^metadata\.(labels|annotations)\.(.+)$/s;

/** What is to be done with objects; undefined when they stay as they are but for managed fields. Throws `TypeError`. */
export function fieldRules({ drop = [], keep, managedFields = 'drop' }: FieldFilterOptions): FieldRules | undefined {
  if (drop.length === 0 && keep === undefined) return undefined;
  let rule: FieldRule = 'keep';
  if (keep !== undefined) {
    rule = 'drop';
    for (const path of keep) rule = keeping(rule, segmentsOf(path));
  }
  for (const path of drop) rule = dropping(rule, segmentsOf(path));
  for (const field of ['kind', 'apiVersion']) rule = keeping(rule, [field]);
  for (const field of IDENTITY) rule = keeping(rule, ['metadata', field]);
  if (managedFields === 'drop') rule = dropping(rule, ['metadata', 'managedFields']);
  return typeof rule === 'string' ? undefined : rule;
}

export function ruleOf(rules: FieldRules, name: string): FieldRule {
  return rules.fields.get(name) ?? rules.others;
}

/** What happens to a value that has nothing inside, when the rule is about what is inside. */
export function ruleOfScalar(rule: FieldRule): 'keep' | 'drop' {
  return typeof rule === 'string' ? rule : ruleOfScalar(rule.others);
}

/** Whether what a path leads to stays; `*` is every element of a list. Throws `TypeError`. */
export function isKept(rules: FieldRules | undefined, path: string): boolean {
  let rule: FieldRule = rules ?? 'keep';
  for (const segment of segmentsOf(path)) {
    if (typeof rule === 'string') break;
    rule = segment === '*' ? rule.others : ruleOf(rule, segment);
  }
  return ruleOfScalar(rule) === 'keep';
}

/** The same for decoded data; undefined when nothing of it stays. Does not change its argument. */
export function filterData(value: unknown, rule: FieldRule): unknown {
  if (rule === 'keep') return value;
  if (rule === 'drop') return undefined;
  if (typeof value !== 'object' || value === null) return ruleOfScalar(rule) === 'keep' ? value : undefined;
  if (Array.isArray(value)) {
    if (rule.others === 'drop') return undefined;
    return value.map((element) => filterData(element, rule.others)).filter((element) => element !== undefined);
  }
  const entries = Object.entries(value).map(([name, inner]) => [name, filterData(inner, ruleOf(rule, name))] as const);
  return Object.fromEntries(entries.filter(([, inner]) => inner !== undefined));
}

/** Throws `TypeError`. */
export function segmentsOf(path: string): string[] {
  const keyed = KEYED.exec(path);
  if (keyed?.[1] !== undefined && keyed[2] !== undefined && keyed[2] !== '*') {
    return ['metadata', keyed[1], keyed[2].replaceAll('\\.', '.')];
  }
  const segments = path.split(/(?<!\\)\./).map((segment) => segment.replaceAll('\\.', '.'));
  if (segments.includes('')) throw new TypeError(`cannot follow the path "${path}": it has an empty segment`);
  // All that is inside is the field itself.
  while (segments.length > 1 && segments.at(-1) === '*') segments.pop();
  return segments;
}

function dropping(rule: FieldRule, segments: readonly string[]): FieldRule {
  if (segments.length === 0 || rule === 'drop') return 'drop';
  return changed(rule === 'keep' ? { fields: new Map(), others: 'keep' } : rule, segments, dropping);
}

function keeping(rule: FieldRule, segments: readonly string[]): FieldRule {
  if (segments.length === 0 || rule === 'keep') return 'keep';
  return changed(rule === 'drop' ? { fields: new Map(), others: 'drop' } : rule, segments, keeping);
}

function changed(
  rules: FieldRules,
  [first = '', ...rest]: readonly string[],
  change: (rule: FieldRule, segments: readonly string[]) => FieldRule,
): FieldRules {
  const fields = new Map(rules.fields);
  if (first !== '*') return { fields: fields.set(first, change(ruleOf(rules, first), rest)), others: rules.others };
  for (const [name, rule] of fields) fields.set(name, change(rule, rest));
  return { fields, others: change(rules.others, rest) };
}

/** What servers restore by themselves (managed fields), and what is never left out. */
const HARMLESS: ReadonlySet<string> = new Set(
  [['kind'], ['apiVersion'], ...['managedFields', ...IDENTITY].map((field) => ['metadata', field])].map((path) =>
    path.join('/'),
  ),
);

/** What the options leave out of objects that an update would then delete; undefined when that is nothing. */
export function reductionBy({ drop = [], keep }: FieldFilterOptions): Reduction | undefined {
  const dropped = drop.filter((path) => !HARMLESS.has(segmentsOf(path).join('/')));
  const kept = keep?.map((path) => segmentsOf(path).join('/'));
  const isPartial = kept !== undefined && !kept.includes('*');
  if (!isPartial && dropped.length === 0) return undefined;
  const parts = [
    ...(isPartial ? [keep?.length ? `keeps only ${keep.join(', ')}` : 'keeps only the identity of an object'] : []),
    ...(dropped.length > 0 ? [`leaves out ${dropped.join(', ')}`] : []),
  ];
  return {
    what: parts.join(' and '),
    concernsStatus:
      (isPartial && !(kept.includes('status') && kept.includes('metadata'))) ||
      dropped.some((path) => ['status', 'metadata', '*'].includes(segmentsOf(path)[0] ?? '')),
  };
}

/** The same for what a transform returns: nobody knows what it leaves out. */
export function reductionByTransform(reduction?: Reduction): Reduction {
  const what = 'has a transform, which may leave out anything';
  return { what: reduction ? `${reduction.what}, and ${what}` : what, concernsStatus: true };
}
