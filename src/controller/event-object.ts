import type { KubernetesObject, ObjectMeta } from '../api/metadata.ts';
import { microTime } from '../api/micro-time.ts';
import { defineResource, type Resource } from '../api/resource.ts';
import type { Random } from '../observe/random.ts';
import type { RecordedEvent } from './controller.ts';

/** What the recorder writes of an event of events.k8s.io/v1. */
export interface EventObject extends KubernetesObject {
  metadata: ObjectMeta & { name: string; namespace: string };
  eventTime: string;
  type: string;
  reason: string;
  action: string;
  note?: string;
  reportingController: string;
  reportingInstance: string;
  regarding: EventReference;
  related?: EventReference;
  series?: { count: number; lastObservedTime: string };
}

/** `core/v1.ObjectReference`. */
export interface EventReference {
  apiVersion?: string;
  kind?: string;
  namespace?: string;
  name?: string;
  uid?: string;
  resourceVersion?: string;
}

export const events: Resource<EventObject> = defineResource<EventObject>({
  group: 'events.k8s.io',
  version: 'v1',
  plural: 'events',
  kind: 'Event',
});

const MAX_NOTE_BYTES = 1024;
const MAX_INSTANCE_BYTES = 128;
const DNS_SUBDOMAIN = /^[a-z0-9]([-a-z0-9]*[a-z0-9])?(\.[a-z0-9]([-a-z0-9]*[a-z0-9])?)*$/;

export interface EventSourceNames {
  /** Becomes `reportingController`. */
  readonly controller: string;
  /** With the controller, becomes `reportingInstance`. */
  readonly host: string;
}

/** The event without its name, which is given when it is to be written. */
export interface EventDraft extends Omit<EventObject, 'metadata' | 'eventTime'> {
  readonly namespace: string;
}

export function eventDraft(source: EventSourceNames, regarding: KubernetesObject, event: RecordedEvent): EventDraft {
  const { type, reason, action, note, related } = event;
  return {
    namespace: regarding.metadata?.namespace || 'default',
    type,
    reason,
    action,
    ...(note !== undefined && { note: cutAt(String(note), MAX_NOTE_BYTES) }),
    reportingController: source.controller,
    reportingInstance: cutAt(`${source.controller}-${source.host}`, MAX_INSTANCE_BYTES),
    regarding: referenceTo(regarding),
    ...(related && { related: referenceTo(related) }),
  };
}

/**
 * Events with the same key are one series: all but the note and the times. client-go also counts the resourceVersion of the object; then a
 * controller that writes to the object between its events never gets a series.
 */
export function seriesKey({ type, reason, action, regarding, related }: EventDraft): string {
  return JSON.stringify([type, reason, action, objectOf(regarding), related ? objectOf(related) : null]);
}

/** What the spam filter counts by. */
export function objectOf({ apiVersion, kind, namespace, name, uid }: EventReference): string {
  return JSON.stringify([apiVersion, kind, namespace, name, uid]);
}

export function eventObject({ namespace, ...draft }: EventDraft, name: string, nowMs: number): EventObject {
  return { metadata: { name, namespace }, eventTime: microTime(nowMs), ...draft };
}

/** Gives each event a name that nobody else gives: its object and the time in nanoseconds. */
export class EventNames {
  readonly #random: Random;
  #last = 0n;

  constructor(random: Random) {
    this.#random = random;
  }

  next(objectName: string, nowMs: number): string {
    // The clock has milliseconds; the rest is chance, so that two processes do not meet.
    const time = BigInt(Math.floor(nowMs)) * 1_000_000n + BigInt(Math.floor(this.#random() * 1e6));
    this.#last = time > this.#last ? time : this.#last + 1n;
    const name = `${objectName}.${this.#last.toString(16)}`;
    return name.length <= 253 && DNS_SUBDOMAIN.test(name) ? name : uuid(this.#random);
  }
}

function referenceTo({ apiVersion, kind, metadata }: KubernetesObject): EventReference {
  const { namespace, name, uid, resourceVersion } = metadata ?? {};
  const reference = { apiVersion, kind, namespace, name, uid, resourceVersion };
  return Object.fromEntries(Object.entries(reference).filter(([, value]) => value !== undefined));
}

/** At most this many bytes of UTF-8, and no half characters. */
function cutAt(text: string, maxBytes: number): string {
  const bytes = Buffer.from(text);
  if (bytes.length <= maxBytes) return text;
  let end = maxBytes;
  // 0b10xxxxxx continues a character.
  while (end > 0 && ((bytes[end] ?? 0) & 0xc0) === 0x80) end--;
  return bytes.toString('utf8', 0, end);
}

function uuid(random: Random): string {
  const digits = Array.from({ length: 32 }, () => Math.floor(random() * 16));
  digits[12] = 4;
  digits[16] = 8 + ((digits[16] ?? 0) & 3);
  const text = digits.map((digit) => digit.toString(16)).join('');
  return text.replace(/^(.{8})(.{4})(.{4})(.{4})(.{12})$/, '$1-$2-$3-$4-$5');
}
