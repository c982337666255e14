/**
 * Work that may have to wait for somebody else, as a write waits for a webhook: it yields what it waits for. The rule is that it
 * never does, and then it runs in one turn, without a promise.
 */
export type Steps<T> = Generator<Promise<unknown>, T, undefined>;

/** For work that nobody is asked about: the server's own. */
export function finishNow<T>(steps: Steps<T>): T {
  const { done, value } = steps.next();
  if (!done) throw new Error('the server itself does not wait');
  return value;
}

/** At once when nothing has to be waited for. */
export function finish<T>(steps: Steps<T>): T | Promise<T> {
  const first = steps.next();
  return first.done ? first.value : finishLater(steps, first.value);
}

/** What comes of it, at once unless it is a promise. */
export function* resultOf<T>(pending: T | Promise<T>): Steps<T> {
  if (!(pending instanceof Promise)) return pending;
  const settled: T[] = [];
  yield pending.then((value) => settled.push(value));
  return settled[0] as T;
}

async function finishLater<T>(steps: Steps<T>, first: Promise<unknown>): Promise<T> {
  for (let pending = first; ; ) {
    const failure = await pending.then(
      () => undefined,
      (error: unknown) => ({ error }),
    );
    const step = failure ? steps.throw(failure.error) : steps.next();
    if (step.done) return step.value;
    pending = step.value;
  }
}
