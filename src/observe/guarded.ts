/**
 * Calls something that a user handed in. What it throws, and what a promise that it returns rejects with, goes to
 * `onFailure` and nowhere else. Returns at once: nobody waits for that promise.
 */
export function guarded(call: () => unknown, onFailure: (thrown: unknown) => void): void {
  try {
    noticeRejection(call(), onFailure);
  } catch (thrown) {
    onFailure(thrown);
  }
}

/** What `guarded` does, for a function that is called for every event: nothing is made for a call. */
export function guardedFunction<A, B>(
  call: (first: A, second: B) => unknown,
  onFailure: (thrown: unknown) => void,
): (first: A, second: B) => void {
  return (first, second) => {
    try {
      noticeRejection(call(first, second), onFailure);
    } catch (thrown) {
      onFailure(thrown);
    }
  };
}

function noticeRejection(result: unknown, onFailure: (thrown: unknown) => void): void {
  // The types say void, yet an async function fits them.
  if (typeof result === 'object' && result !== null) Promise.resolve(result).catch(onFailure);
}

/** Reports the first failure of `what` as a warning of the process, and keeps quiet about the others. Never throws. */
export function warnOnce(what: string): (thrown: unknown) => void {
  let isTold = false;
  return (thrown) => {
    if (isTold) return;
    isTold = true;
    process.emitWarning(
      `${what} failed: ${messageOf(thrown)}. tidewatch goes on without it and does not report further failures of it.`,
      'TidewatchWarning',
    );
  };
}

/** What was thrown, in words. It need not be an Error, and may refuse to become a string. Never throws. */
export function messageOf(thrown: unknown): string {
  try {
    return thrown instanceof Error ? String(thrown.message) : String(thrown);
  } catch {
    return 'something that cannot be shown as text';
  }
}
