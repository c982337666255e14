/** Resolves when the signal aborts; leaves no listener behind when `over` aborts first. */
export function aborted(signal: AbortSignal, over?: AbortSignal): Promise<void> {
  return new Promise((resolve) => {
    if (signal.aborted) return resolve();
    const onAbort = () => resolve();
    signal.addEventListener('abort', onAbort, { once: true });
    over?.addEventListener('abort', () => signal.removeEventListener('abort', onAbort), { once: true });
  });
}
