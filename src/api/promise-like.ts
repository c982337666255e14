export function isPromiseLike(value: unknown): value is PromiseLike<unknown> {
  return typeof value === 'object' && value !== null && 'then' in value && typeof value.then === 'function';
}

/**
 * Whether a function that must return at once has returned a promise, as an async one does. What becomes of that promise is
 * ignored, so that its failure does not end the process.
 */
export function isPromise(returned: unknown): boolean {
  if (!isPromiseLike(returned)) return false;
  Promise.resolve(returned).catch(() => {});
  return true;
}
