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

/** What `setCondition` is told: it keeps the time itself. */
export type NewCondition<C extends ConditionFields> = Omit<C, 'lastTransitionTime' | 'message'> &
  Partial<Pick<C, 'lastTransitionTime' | 'message'>>;

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
  condition: NewCondition<NoInfer<C>>,
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
    // The omissions above are put back by hand, which the compiler cannot follow for any C.
  } as unknown as C;
  if (old !== undefined && isSame(old, next)) return { conditions: list, changed: false };
  return { conditions: old === undefined ? [...list, next] : list.with(index, next), changed: true };
}

/** Fields of conditions are texts and numbers. */
function isSame(one: ConditionFields, other: ConditionFields): boolean {
  const a = one as Partial<Record<string, unknown>>;
  const b = other as Partial<Record<string, unknown>>;
  return [...new Set([...Object.keys(a), ...Object.keys(b)])].every((field) => a[field] === b[field]);
}

/** `metav1.Time` has whole seconds. */
function timeText(now: number | Date): string {
  return new Date(now).toISOString().replace(/\.\d+Z$/, 'Z');
}
