import type { BrokenObject, Cached, CachedFrame } from '../../api/cached.ts';
import type { KubernetesObject } from '../../api/metadata.ts';
import { isStatus, type Status } from '../../api/status.ts';
import { INITIAL_EVENTS_END } from '../../api/watch-event.ts';
import { DecodeError } from '../decode-error.ts';
import type { FrameDecoder } from '../frame-batches.ts';
import type { JsonKeeper, Where } from '../keeping.ts';
import { broken } from '../plain/decoded-objects.ts';
import { BRACE_CLOSE } from './json-bytes.ts';
import { type FrameKind, JsonFrameCutter } from './json-frame-cutter.ts';
import { beginsWith } from './json-object-reader.ts';

const OBJECT_EVENTS = (['ADDED', 'MODIFIED', 'DELETED'] as const).map((type) => ({
  type,
  beginning: Buffer.from(`{"type":"${type}","object":`),
  where: (() => `the object of a frame of type ${type}`) satisfies Where,
}));
type ObjectEvent = (typeof OBJECT_EVENTS)[number];

/** From the bytes of a watch to its frames. */
export class JsonFrameReader<T extends KubernetesObject> implements FrameDecoder<T> {
  readonly #keeper: JsonKeeper<T>;
  readonly #cutter: JsonFrameCutter;

  constructor(keeper: JsonKeeper<T>, maxFrameBytes: number) {
    this.#keeper = keeper;
    this.#cutter = new JsonFrameCutter(maxFrameBytes);
  }

  append(chunk: Uint8Array): void {
    this.#cutter.append(chunk);
  }

  next(): CachedFrame<T> | undefined {
    const cutter = this.#cutter;
    for (let kind = cutter.nextFrame(); kind !== undefined; kind = cutter.nextFrame()) {
      const { bytes, frameStart, frameEnd } = cutter;
      const frame = this.#readPlain(bytes, frameStart, frameEnd) ?? this.#readAny(bytes, frameStart, frameEnd, kind);
      if (frame !== undefined) return frame;
      cutter.rescan();
    }
    return undefined;
  }

  end(): void {
    this.#cutter.end();
  }

  /** The form that servers write, in which the bytes of the object can be told without parsing what is around it. */
  #readPlain(bytes: Buffer, start: number, end: number): CachedFrame<T> | undefined {
    if (bytes[end - 1] !== BRACE_CLOSE) return undefined;
    for (const event of OBJECT_EVENTS) {
      if (!beginsWith(bytes, start, end, event.beginning)) continue;
      const taken = this.#keeper.take(bytes, start + event.beginning.length, end - 1, event.where);
      return taken && this.#objectFrame(event.type, taken);
    }
    return undefined;
  }

  /** Undefined when a `line` is not a JSON value and may be a part of one. */
  #readAny(bytes: Buffer, start: number, end: number, kind: FrameKind): CachedFrame<T> | undefined {
    let event: unknown;
    try {
      event = JSON.parse(bytes.toString('utf8', start, end));
    } catch {
      if (kind === 'line') return undefined;
      // Without the parser's message, which quotes the text: it may be a secret.
      const problem = new DecodeError('malformed', `a frame of ${end - start} bytes is not valid JSON`);
      return { type: 'BROKEN', broken: { problem } };
    }
    // A proxy or a confused server may say no in the middle of a stream, without the envelope.
    if (isStatus(event)) return { type: 'ERROR', status: event };
    const { type, object } = typeof event === 'object' && event !== null ? (event as Partial<Envelope>) : {};
    const known = OBJECT_EVENTS.find((each) => each.type === type);
    if (known !== undefined) return this.#objectFrame(known.type, this.#keeper.takeValue(object, known.where));
    switch (type) {
      case 'BOOKMARK':
        return bookmark(object);
      case 'ERROR':
        return { type, status: statusOf(object) };
      default:
        return { type: 'BROKEN', broken: broken(object, `a frame has the unknown type ${describeType(type)}`) };
    }
  }

  #objectFrame(type: ObjectEvent['type'], taken: Cached<T> | BrokenObject): CachedFrame<T> {
    if ('problem' in taken) return { type: 'BROKEN', broken: taken };
    if (type === 'DELETED') this.#keeper.detach?.(taken);
    return { type, object: taken };
  }
}

interface Envelope {
  type: unknown;
  object: unknown;
}

/** A bookmark without a version says nothing, and loses nothing: its resourceVersion is "". */
function bookmark<T extends KubernetesObject>(object: unknown): CachedFrame<T> {
  const metadata = (object as KubernetesObject | null | undefined)?.metadata;
  const resourceVersion: unknown = metadata?.resourceVersion;
  return {
    type: 'BOOKMARK',
    resourceVersion: typeof resourceVersion === 'string' ? resourceVersion : '',
    initialEventsEnd: metadata?.annotations?.[INITIAL_EVENTS_END] === 'true',
  };
}

function statusOf(object: unknown): Status {
  if (isStatus(object)) return object;
  return { kind: 'Status', status: 'Failure', message: 'the watch sent an ERROR event without a Status in it' };
}

function describeType(type: unknown): string {
  return typeof type === 'string' ? JSON.stringify(type.slice(0, 40)) : `(${typeof type})`;
}
