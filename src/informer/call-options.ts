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

/** A filter of views, as one of stored objects. */
export function onViews<T extends KubernetesObject>({ filter, ...rest }: HandlerOptions<T>): SubscribeOptions<T> {
  return filter ? { ...rest, filter: (_object, view) => filter(view()) } : rest;
}
