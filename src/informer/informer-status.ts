import type { Listener } from '../processor/listener.ts';
import type { Delivery } from '../processor/processor.ts';
import type { ReflectorPhase } from '../reflector/reflector-state.ts';

/** What a store holds at present. */
export interface InformerMemory {
  readonly objects: number;
  /** Of a packed or shared store: the memory outside the heap of V8 that is set aside for objects. */
  readonly heldBytes?: number;
  /** Of a packed or shared store: how much of it the objects take that are stored. */
  readonly liveBytes?: number;
  /** Of a packed or shared store: what they would take if nothing were shared. In a packed store nothing is. */
  readonly wholeBytes?: number;
}

/** One list and watch of an informer, at present. */
export interface InformerPartStatus {
  /** Unset: all namespaces, or a cluster-scoped resource. */
  readonly namespace?: string;
  readonly phase: ReflectorPhase;
  /** Since when, in milliseconds since the epoch. */
  readonly since: number;
  /** The last version seen; "" before the first list. */
  readonly resourceVersion: string;
  /** How many objects have changes that are on their way to the store. */
  readonly queued: number;
  readonly hasSynced: boolean;
}

/** A handler, or a stream of events, of an informer, at present. */
export interface HandlerStatus {
  /** As in messages: `pods.v1/handler-1`. */
  readonly name: string;
  readonly delivery: Delivery;
  readonly hasSynced: boolean;
  /** How many calls wait for it, the running one included. */
  readonly pending: number;
  /** How long the oldest of them has waited. */
  readonly lagMs: number;
  /** How many of its calls have thrown or rejected. */
  readonly failures: number;
}

export function handlerStatus(listener: Pick<Listener<never>, keyof HandlerStatus>): HandlerStatus {
  const { name, delivery, pending, lagMs, failures } = listener;
  return { name, delivery, hasSynced: listener.hasSynced(), pending, lagMs, failures };
}
