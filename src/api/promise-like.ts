/**
 * Whether a function that must return at once has returned a promise, as an async one does. What becomes of that promise is
 * ignored, so that its failure does not end the process.
 */
export function isPromise(returned: unknown): boolean {
  if (typeof returned !== 'object' || returned === null || !('then' in returned)) return false;
  if (typeof returned.then !== 'function') return false;
  Promise.resolve(returned).catch(() => {});
  return true;
}
