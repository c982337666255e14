import { FieldSelector } from '../api/field-selector.ts';
import { LabelSelector } from '../api/label-selector.ts';
import type { ListOptions } from '../api/list-options.ts';
import type { KubernetesObject } from '../api/metadata.ts';
import { aFunction, aNumber, anything, aSelector, checkedOptions, type OptionChecks } from '../api/option-check.ts';
import type { Resource } from '../api/resource.ts';
import type { KeepOptions } from '../codec/keep-options.ts';
import { wantedNamespaces } from './coverage.ts';
import { fieldSelection } from './field-selection.ts';
import { KEEP_CHECKS, onForbidden } from './informer-options.ts';
import type { ClusterOrigin } from './informer-origin.ts';
import type { Transform } from './transform.ts';

/**
 * What one informer of a factory does otherwise than the rest. The same options again, equal by value and functions by identity, mean
 * the same informer. What is not set is as in the factory.
 */
export interface ResourceOptions<T extends KubernetesObject> extends KeepOptions<T> {
  /** `app=web,tier in (api)`: the server sends no other objects. See `select` for a part of an informer that is there anyway. */
  labelSelector?: string | LabelSelector | undefined;
  /** `spec.nodeName=node-1`: likewise. Throws `SelectorError` for a field that the server does not know of a built-in kind. */
  fieldSelector?: string | FieldSelector | undefined;
  /** One or several, in place of the factory's: the informer then stays with these, whatever comes and goes. Ignored for cluster-scoped resources. */
  namespace?: string | readonly string[] | undefined;
  /** How often handlers hear of everything again. 0: never. */
  resyncMs?: number | undefined;
  /** Changes every object before it is stored. An object on which it throws or returns a promise is left out. */
  transform?: Transform<T> | undefined;
  /** As in the factory. */
  onForbidden?: 'wait' | 'skip' | undefined;
}

/** `namespace` has a check of its own: see `wantedNamespaces`. */
const RESOURCE_CHECKS: OptionChecks<ResourceOptions<KubernetesObject>> = {
  ...KEEP_CHECKS,
  labelSelector: aSelector,
  fieldSelector: aSelector,
  namespace: anything,
  resyncMs: aNumber,
  transform: aFunction,
  onForbidden,
};

/** The options of one informer in a form that can be compared. */
export interface SettledResourceOptions<T extends KubernetesObject> {
  /** Equal for equal options; "" when there are none. */
  readonly key: string;
  /** For people: `app=web store=plain`. Different options may have the same. */
  readonly summary: string;
  /** For the informer. */
  readonly settings: Partial<ClusterOrigin<T>> & { resyncMs?: number; transform?: Transform<T> };
}

/** Functions are compared by identity: each gets a number when it is first seen. */
export class FunctionNumbers {
  readonly #numbers = new WeakMap<object, number>();
  #last = 0;

  of(value: object): number {
    const known = this.#numbers.get(value);
    if (known !== undefined) return known;
    this.#numbers.set(value, ++this.#last);
    return this.#last;
  }
}

/** Throws a `TypeError` for what is not an option and for values that will not do, and `SelectorError`. */
export function settledOptions<T extends KubernetesObject>(
  where: string,
  resource: Resource<T>,
  options: ResourceOptions<T> | undefined,
  { tweak, functions }: { tweak: ClusterOrigin<T>['tweakListOptions']; functions: FunctionNumbers },
): SettledResourceOptions<T> {
  const { labelSelector, fieldSelector, namespace, ...rest } = checkedOptions(
    where,
    options,
    RESOURCE_CHECKS as OptionChecks<ResourceOptions<T>>,
  );
  const labels = LabelSelector.parse(labelSelector ?? '').toString() || undefined;
  const fields = fieldsText(fieldSelector, resource);
  const wanted = resource.namespaced ? wantedNamespaces(namespace)?.toSorted() : undefined;
  if (namespace !== undefined) wantedNamespaces(namespace);
  const parts: [name: string, value: unknown][] = [
    ['namespace', wanted],
    ['labelSelector', labels],
    ['fieldSelector', fields],
    ...Object.entries(rest).sort(([a], [b]) => (a < b ? -1 : 1)),
  ];
  const set = parts.filter(([, value]) => value !== undefined);
  return {
    key: set.length === 0 ? '' : JSON.stringify(set.map(([name, value]) => [name, comparable(value, functions)])),
    summary: set.map(([name, value]) => summaryOf(name, value)).join(' '),
    settings: {
      ...(rest as SettledResourceOptions<T>['settings']),
      ...(wanted && { namespace: wanted }),
      ...((labels || fields) && { tweakListOptions: selecting(labels, fields, tweak) }),
    },
  };
}

function selecting<T extends KubernetesObject>(
  labelSelector: string | undefined,
  fieldSelector: string | undefined,
  tweak: ClusterOrigin<T>['tweakListOptions'],
) {
  return (options: ListOptions, resource: Resource): unknown => {
    if (labelSelector !== undefined) options.labelSelector = labelSelector;
    if (fieldSelector !== undefined) options.fieldSelector = fieldSelector;
    return tweak?.(options, resource);
  };
}

function fieldsText(selector: string | FieldSelector | undefined, resource: Resource): string | undefined {
  const parsed = FieldSelector.parse(selector ?? '');
  fieldSelection(parsed, resource);
  return parsed.toString() || undefined;
}

/** The order of paths says nothing. */
function comparable(value: unknown, functions: FunctionNumbers): unknown {
  if (Array.isArray(value)) return value.toSorted();
  return typeof value === 'function' ? { function: functions.of(value) } : value;
}

function summaryOf(name: string, value: unknown): string {
  if (name === 'labelSelector') return String(value);
  if (name === 'fieldSelector') return fieldsSummary(String(value));
  if (name === 'namespace') return (value as readonly string[]).join(',');
  if (typeof value === 'function') return value.name && value.name !== name ? `${name}=${value.name}` : name;
  return `${name}=${Array.isArray(value) ? value.toSorted().join(',') : String(value)}`;
}

/** Without the values: the name of an informer is a label of its metrics, and a field may hold the name of an object. */
function fieldsSummary(selector: string): string {
  const { requirements } = FieldSelector.parse(selector);
  return requirements.map(({ field, operator }) => `${field}${operator}…`).join(',');
}
