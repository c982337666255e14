import type { Cached } from '../api/cached.ts';
import type { KubernetesObject } from '../api/metadata.ts';
import { aFunction, aNumber, aSignal, aText, type OptionChecks, oneOf } from '../api/option-check.ts';
import type { HandlerOptions } from '../processor/processor.ts';
import type { SubscribeOptions } from '../processor/shared-processor.ts';
import type { EventsOptions, WaitOptions } from './informer.ts';

// biome-ignore lint/suspicious/noExplicitAny: the keys alone matter
type Any = any;

export const HANDLER_CHECKS: OptionChecks<HandlerOptions<Any>> = {
  name: aText,
  resyncMs: aNumber,
  filter: aFunction,
  delivery: oneOf('all', 'latest'),
};

export const EVENTS_CHECKS: OptionChecks<EventsOptions<Any>> = { ...HANDLER_CHECKS, signal: aSignal };
export const WAIT_CHECKS: OptionChecks<WaitOptions> = { signal: aSignal, timeoutMs: aNumber };

/** A filter of views, as one of stored objects; of those that are selected, where that is said. */
export function onViews<T extends KubernetesObject>(
  { filter, ...rest }: HandlerOptions<T>,
  selects?: (object: Cached<T>) => boolean,
): SubscribeOptions<T> {
  if (filter === undefined) return selects ? { ...rest, filter: selects } : rest;
  if (selects === undefined) return { ...rest, filter: (_object, view) => filter(view()) };
  return { ...rest, filter: (object, view) => selects(object) && filter(view()) };
}
