import { defined } from '../api/defined.ts';
import type { ReconcileOptions } from './controller.ts';
import type { ControllerDefinition } from './controller-definition.ts';

const DEFAULTS = { concurrency: 1, stuckMs: 10 * 60_000, debounceMs: 0, syncTimeoutMs: 2 * 60_000 };

/** With the defaults. Throws a `TypeError` for a number that cannot be meant. */
export function checkedOptions(name: string, given: ReconcileOptions): ControllerDefinition['options'] {
  const { concurrency, stuckMs, debounceMs, syncTimeoutMs } = { ...DEFAULTS, ...defined(given) };
  const demand = (holds: boolean, option: string, what: string, value: unknown) => {
    if (!holds) throw new TypeError(`controller ${name}: ${option} must be ${what}, not ${String(value)}.`);
  };
  demand(Number.isInteger(concurrency) && concurrency > 0, 'concurrency', 'a whole number above 0', concurrency);
  const times: Record<string, unknown> = { stuckMs, syncTimeoutMs, timeoutMs: given.timeoutMs ?? 1 };
  for (const [option, value] of Object.entries(times)) {
    demand(typeof value === 'number' && value > 0, option, 'a number of milliseconds above 0', value);
  }
  demand(Number.isFinite(debounceMs) && debounceMs >= 0, 'debounceMs', 'a finite number of milliseconds', debounceMs);
  const timeout = given.timeoutMs === undefined ? {} : { timeoutMs: given.timeoutMs };
  return { concurrency, stuckMs, debounceMs, syncTimeoutMs, ...timeout };
}
