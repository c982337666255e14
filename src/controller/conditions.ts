import { systemClock } from '../observe/clock.ts';

/** `metav1.Condition`: one thing that can be said of an object, and whether it is so. */
export interface Condition {
  /** In upper camel case: `Ready`. There is one condition of each type. */
  type: string;
  status: 'True' | 'False' | 'Unknown';
  /** The `metadata.generation` that was looked at. */
  observedGeneration?: number;
  /** When `status` last became another one. */
  lastTransitionTime: string;
  /** Why, as one word in upper camel case: `MinimumReplicasAvailable`. */
  reason: string;
  message: string;
}

/** What `setCondition` needs of a condition; `Condition` has it, and so have those of the built-in kinds. */
export interface ConditionFields {
  type: string;
  status: string;
  observedGeneration?: number;
  lastTransitionTime?: string;
  reason?: string;
  message?: string;
}

/** What `setCondition` is told. */
export interface NewCondition {
  type: string;
  status: 'True' | 'False' | 'Unknown';
  reason: string;
  /** Default: empty. */
  message?: string | undefined;
  /** Left out or undefined: the condition has none. */
  observedGeneration?: number | undefined;
  /** When the status changed, where that is known better than by `now`. */
  lastTransitionTime?: string | undefined;
}

/** What `setCondition` gives. */
export interface ConditionsResult<C> {
  /** With the condition in its place. When nothing changed, the list that was given. */
  conditions: C[];
  changed: boolean;
}

/**
 * The conditions with this one set, by its type; a new one goes to the end. `lastTransitionTime` moves only when `status` changes, to the
 * given one or else to `now`. All that is said of the condition is replaced: an `observedGeneration` that is left out is removed.
 * Changes nothing that was given. apimachinery: `SetStatusCondition`.
 */
export function setCondition<C extends ConditionFields = Condition>(
  conditions: readonly C[] | null | undefined,
  condition: NewCondition,
  now: number | Date = systemClock.now(),
): ConditionsResult<C> {
  const list = (conditions ?? []) as C[];
  const index = list.findIndex(({ type }) => type === condition.type);
  const old = list[index];
  const { observedGeneration, lastTransitionTime = timeText(now), message = '', ...rest } = condition;
  const moved = old === undefined || old.status !== condition.status;
  const { observedGeneration: _, ...kept } = old ?? ({} as Partial<C>);
  const next = {
    ...kept,
    ...rest,
    ...(observedGeneration !== undefined && { observedGeneration }),
    lastTransitionTime: moved ? lastTransitionTime : (old.lastTransitionTime ?? lastTransitionTime),
    message,
    // Its own fields are of C, and the others are those that every C has.
  } as unknown as C;
  if (old !== undefined && isSame(old, next)) return { conditions: list, changed: false };
  return { conditions: old === undefined ? [...list, next] : list.with(index, next), changed: true };
}

/** Fields of conditions are texts and numbers. */
function isSame<C extends ConditionFields>(one: C, other: C): boolean {
  const fields = new Set([...Object.keys(one), ...Object.keys(other)]) as Set<keyof C>;
  return [...fields].every((field) => one[field] === other[field]);
}

/** `metav1.Time` has whole seconds. */
function timeText(now: number | Date): string {
  return new Date(now).toISOString().replace(/\.\d+Z$/, 'Z');
}
