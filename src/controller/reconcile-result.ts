/** What a run asked for, once it has been looked at. */
export interface CheckedResult {
  readonly requeueAfterMs?: number;
  readonly priority?: number;
  /** What was wrong with it, for the log. */
  readonly complaint?: string;
}

const NOTHING: CheckedResult = {};
const FIELDS: readonly string[] = ['requeueAfterMs', 'priority'];
const ALLOWED = 'may return nothing or { requeueAfterMs, priority }';

/**
 * Reads what a reconcile returned, which may be anything. What is not a result asks for nothing, and is reported. A delay or a priority that
 * is not a finite number throws a `TypeError`: the run wanted to be repeated, and has to be.
 */
export function checkedResult(result: unknown): CheckedResult {
  if (result === undefined || result === null) return NOTHING;
  if (typeof result !== 'object') return { complaint: `returned ${describe(result)}, and ${ALLOWED}` };
  const complaint = complaintAbout(result);
  const { requeueAfterMs, priority } = result as { requeueAfterMs?: unknown; priority?: unknown };
  return {
    ...(requeueAfterMs !== undefined && { requeueAfterMs: finite('requeueAfterMs', requeueAfterMs) }),
    ...(priority !== undefined && { priority: finite('priority', priority) }),
    ...(complaint !== undefined && { complaint }),
  };
}

/** An error that is returned, as in Go, or a field of another runtime would do nothing, silently. */
function complaintAbout(result: object): string | undefined {
  if (result instanceof Error) return `returned an error, which has to be thrown for a retry: ${describe(result)}`;
  if (Array.isArray(result)) return `returned a list, and ${ALLOWED}`;
  if (isIterator(result))
    return 'returned an iterator, of which nothing has run: a reconcile must not be a generator function';
  const strange = Object.keys(result).find((field) => !FIELDS.includes(field));
  return strange === undefined ? undefined : `returned an object with ${describe(strange)}, and ${ALLOWED}`;
}

/** What a generator returns, also one that was compiled to a plain function. */
function isIterator(result: object): boolean {
  return (Symbol.iterator in result || Symbol.asyncIterator in result) && 'next' in result;
}

function finite(field: string, value: unknown): number {
  if (typeof value === 'number' && Number.isFinite(value)) return value;
  throw new TypeError(`it returned ${field}: ${describe(value)}, and must return a finite number there`);
}

function describe(value: unknown): string {
  try {
    return typeof value === 'string' ? JSON.stringify(value) : String(value);
  } catch {
    return 'something that cannot be shown as text';
  }
}
