import { specOf } from '../kinds/defaulting.ts';
import type { ServedResource } from '../storage/served-resource.ts';
import type { Store, Table } from '../storage/storage.ts';
import { asString, type JsonObject } from '../values/json.ts';
import { metadataOf } from '../values/object-meta.ts';
import type { AdmissionPlugin, AdmissionRequest } from './admission.ts';
import { refusal } from './refusal.ts';

/** These are there on every real server; here they need not be stored. */
const SYSTEM_PRIORITIES: Readonly<Record<string, number>> = {
  'system-cluster-critical': 2_000_000_000,
  'system-node-critical': 2_000_001_000,
};

/** Pods get the priority of the class that they name, or of the default class, and are refused when theirs does not exist. */
export class PriorityAdmission implements AdmissionPlugin {
  readonly #classes: Table;

  constructor(store: Store) {
    this.#classes = store.table('priorityclasses.scheduling.k8s.io');
  }

  isActive({ group, plural }: ServedResource): boolean {
    return (plural === 'pods' && group === '') || (plural === 'priorityclasses' && group === 'scheduling.k8s.io');
  }

  mutate(request: AdmissionRequest): void {
    const { operation, subresource, object, resource } = request;
    if (operation !== 'CREATE' || subresource !== '' || !object || resource.plural !== 'pods') return;
    const spec = specOf(object);
    if (asString(spec.priorityClassName) === '') {
      const fallback = this.#defaultClass();
      if (fallback) spec.priorityClassName = asString(metadataOf(fallback).name);
    }
    const { value, preemptionPolicy } = this.#chosen(request, asString(spec.priorityClassName));
    if (spec.priority !== undefined && spec.priority !== value) {
      throw refusal(request, given('integer value of priority', spec.priority, value));
    }
    spec.priority = value;
    if (spec.preemptionPolicy !== undefined && spec.preemptionPolicy !== preemptionPolicy) {
      throw refusal(request, given('string value of PreemptionPolicy', spec.preemptionPolicy, preemptionPolicy));
    }
    spec.preemptionPolicy = preemptionPolicy;
  }

  /** There is one default class at most. */
  validate(request: AdmissionRequest): void {
    const { operation, object, name, resource } = request;
    if (resource.plural !== 'priorityclasses' || object?.globalDefault !== true) return;
    const present = this.#defaultClass();
    const holder = present && asString(metadataOf(present).name);
    if (holder === undefined || (operation === 'UPDATE' && holder === name)) return;
    throw refusal(request, `PriorityClass ${holder} is already marked as default. Only one default can exist`);
  }

  #chosen(request: AdmissionRequest, name: string): { value: number; preemptionPolicy: string } {
    const stored = this.#classes.objects.get(name)?.decode();
    const value = Number(stored?.value ?? SYSTEM_PRIORITIES[name] ?? 0);
    if (name !== '' && !stored && !Object.hasOwn(SYSTEM_PRIORITIES, name)) {
      throw refusal(request, `no PriorityClass with name ${name} was found`);
    }
    return { value, preemptionPolicy: asString(stored?.preemptionPolicy) || 'PreemptLowerPriority' };
  }

  #defaultClass(): JsonObject | undefined {
    for (const stored of this.#classes.objects.values()) {
      const object = stored.decode();
      if (object.globalDefault === true) return object;
    }
    return undefined;
  }
}

function given(what: string, value: unknown, computed: unknown): string {
  return `the ${what} (${String(value)}) must not be provided in pod spec; priority admission controller computed ${String(computed)} from the given PriorityClass name`;
}
