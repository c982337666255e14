import type { Transport, TransportRequest, TransportResponse } from '../api/transport.ts';
import { TransportError } from '../api/transport-error.ts';
import { bytesField, envelope, frame, listBody, numberField } from '../codec/protobuf/protobuf-fixture.ts';
import type { Pod } from '../generated/api/core/v1.ts';
import { pods } from '../generated/api/core/v1.ts';
import { FakeClock } from '../observe/fake-clock.ts';
import { logRecorder } from '../processor/processor-fixture.ts';
import type { WatchErrorContext } from '../reflector/reflector-options.ts';
import type { SharedIndexInformerOptions } from './informer-options.ts';
import { SharedIndexInformer } from './shared-index-informer.ts';

export interface WirePod {
  name: string;
  namespace?: string;
  nodeName?: string;
  labels?: Record<string, string>;
  annotations?: Record<string, string>;
  /** Its spec cannot be decoded. */
  isDamaged?: boolean;
  /** Its first container cannot be decoded; what lies beside it can. */
  hasDamagedContainer?: boolean;
}

type Encoding = 'protobuf' | 'json';
interface StoredPod extends WirePod {
  uid: string;
  resourceVersion: string;
}

const CONTENT_TYPES = { protobuf: 'application/vnd.kubernetes.protobuf', json: 'application/json' };

/** Pods, written by hand in either encoding: a list, a list by name, and watches that the test feeds. */
export class WireServer implements Transport {
  readonly #encoding: Encoding;
  readonly #pods = new Map<string, StoredPod>();
  readonly #watches = new Set<(bytes: Buffer) => void>();
  #revision = 0;
  #gate: Promise<void> | undefined;
  /** `list /path query`, `watch /path`. */
  readonly requests: string[] = [];
  /** What clients have said they accept. */
  readonly accepts = new Set<string>();
  /** The next lists by name fail with this status. */
  failure: number | undefined;
  /** Every request is refused. */
  isAway = false;

  constructor(encoding: Encoding) {
    this.#encoding = encoding;
  }

  /** Another version, told to every watch. */
  set(pod: WirePod): void {
    const old = this.#pods.get(keyOf(pod));
    const stored = { ...pod, uid: old?.uid ?? `uid-${pod.name}`, resourceVersion: String(++this.#revision) };
    this.#pods.set(keyOf(pod), stored);
    this.#tell(old ? 'MODIFIED' : 'ADDED', stored);
  }

  /** What is sent from now on for the same version; nobody is told. */
  resend(pod: WirePod): void {
    const old = this.#pods.get(keyOf(pod));
    if (old) this.#pods.set(keyOf(pod), { ...old, ...pod });
  }

  /** Nobody is told when `quietly`. */
  remove(pod: WirePod, { quietly = false } = {}): void {
    const old = this.#pods.get(keyOf(pod));
    if (!old) return;
    this.#pods.delete(keyOf(pod));
    const last = { ...old, resourceVersion: String(++this.#revision) };
    if (!quietly) this.#tell('DELETED', last);
  }

  /** Open watches hear that their history is gone, and end. */
  expire(): void {
    for (const send of this.#watches) send(this.#statusFrame());
  }

  /** From now on lists by name wait, until the function that it returns is called. */
  holdRefetches(): () => void {
    let open = () => {};
    this.#gate = new Promise((resolve) => {
      open = resolve;
    });
    return open;
  }

  /** The requests for single objects. */
  get refetches(): string[] {
    return this.requests.filter((request) => request.includes('metadata.name'));
  }

  async request({ path, query = '', headers, signal }: TransportRequest): Promise<TransportResponse> {
    if (this.isAway) throw new TransportError('refused', 'nobody listens');
    const parameters = new URLSearchParams(query);
    this.accepts.add(headers?.accept ?? '');
    if (parameters.get('watch') === 'true') {
      this.requests.push(`watch ${path}`);
      return this.#answer(200, this.#watch(signal));
    }
    this.requests.push(`list ${path} ${decodeURIComponent(query)}`);
    const name = /metadata\.name=([^,]+)/.exec(parameters.get('fieldSelector') ?? '')?.[1];
    if (name !== undefined) {
      await this.#gate;
      if (this.failure !== undefined) return this.#answer(this.failure, []);
    }
    const namespace = /namespaces\/([^/]+)\//.exec(path)?.[1];
    const listed = [...this.#pods.values()].filter(
      (pod) => (name === undefined || pod.name === name) && (namespace ?? namespaceOf(pod)) === namespaceOf(pod),
    );
    return this.#answer(200, [this.#listOf(listed)]);
  }

  async close(): Promise<void> {}

  #answer(status: number, body: AsyncIterable<Uint8Array> | Iterable<Uint8Array>): TransportResponse {
    const headers = new Map([['content-type', CONTENT_TYPES[this.#encoding]]]);
    return { status, headers, body: each(body) };
  }

  #listOf(listed: readonly StoredPod[]): Buffer {
    const resourceVersion = String(this.#revision);
    if (this.#encoding === 'protobuf') return listBody('PodList', 'v1', resourceVersion, listed.map(messageOf));
    const items = listed.map(textOf).join(',');
    const metadata = JSON.stringify({ resourceVersion });
    return Buffer.from(`{"kind":"PodList","apiVersion":"v1","metadata":${metadata},"items":[${items}]}`);
  }

  #tell(type: string, pod: StoredPod): void {
    const bytes =
      this.#encoding === 'protobuf'
        ? frame(type, envelope('Pod', 'v1', messageOf(pod)))
        : Buffer.from(`{"type":"${type}","object":${textOf(pod)}}\n`);
    for (const send of this.#watches) send(bytes);
  }

  #statusFrame(): Buffer {
    const status = { kind: 'Status', apiVersion: 'v1', status: 'Failure', reason: 'Expired', code: 410 };
    if (this.#encoding === 'json') return Buffer.from(`${JSON.stringify({ type: 'ERROR', object: status })}\n`);
    const message = [bytesField(2, status.status), bytesField(4, status.reason), numberField(6, status.code)];
    return frame('ERROR', envelope('Status', 'v1', ...message));
  }

  async *#watch(signal: AbortSignal | undefined): AsyncGenerator<Uint8Array> {
    const waiting: Buffer[] = [];
    let wake = () => {};
    const send = (bytes: Buffer) => {
      waiting.push(bytes);
      wake();
    };
    this.#watches.add(send);
    signal?.addEventListener('abort', () => wake());
    while (!signal?.aborted) {
      for (let next = waiting.shift(); next !== undefined; next = waiting.shift()) yield next;
      await new Promise<void>((resolve) => {
        wake = resolve;
      });
    }
    this.#watches.delete(send);
  }
}

async function* each(body: AsyncIterable<Uint8Array> | Iterable<Uint8Array>): AsyncGenerator<Uint8Array> {
  yield* body;
}

const namespaceOf = ({ namespace = 'default' }: WirePod) => namespace;
const keyOf = (pod: WirePod) => `${namespaceOf(pod)}/${pod.name}`;
const image = (pod: WirePod) => `${pod.name}:1`;

function messageOf(pod: StoredPod): Buffer {
  const map = (number: number, entries: Record<string, string> = {}) =>
    Object.entries(entries).map(([key, value]) => bytesField(number, bytesField(1, key), bytesField(2, value)));
  const metadata = bytesField(
    1,
    bytesField(1, pod.name),
    bytesField(3, namespaceOf(pod)),
    bytesField(5, pod.uid),
    bytesField(6, pod.resourceVersion),
    ...map(11, pod.labels),
    ...map(12, pod.annotations),
    bytesField(17, bytesField(1, 'kubectl')),
  );
  const container = pod.hasDamagedContainer
    ? bytesField(2, Buffer.from([1 * 8 + 2, 100]))
    : bytesField(2, bytesField(1, 'main'), bytesField(2, image(pod)));
  // The damaged one has a nodeName that is longer than its spec.
  const spec = pod.isDamaged ? Buffer.from([10 * 8 + 2, 100]) : [container, bytesField(10, pod.nodeName ?? '')];
  return Buffer.concat([metadata, bytesField(2, ...[spec].flat()), bytesField(3, bytesField(1, 'Running'))]);
}

function textOf(pod: StoredPod): string {
  const { name, uid, resourceVersion, labels, annotations } = pod;
  const managedFields = [{ manager: 'kubectl' }];
  const metadata = { name, namespace: namespaceOf(pod), uid, resourceVersion, labels, annotations, managedFields };
  const spec = { containers: [{ name: 'main', image: image(pod) }], nodeName: pod.nodeName ?? '' };
  const whole = JSON.stringify(spec);
  const specText = pod.isDamaged
    ? '{"nodeName":node-1}'
    : pod.hasDamagedContainer
      ? whole.replace('"main"', 'main')
      : whole;
  const type = '"kind":"Pod","apiVersion":"v1"';
  return `{${type},"metadata":${JSON.stringify(metadata)},"spec":${specText},"status":{"phase":"Running"}}`;
}

export interface WireReport extends WatchErrorContext {
  readonly error: Error;
}

type FixtureOptions = Partial<Omit<Extract<SharedIndexInformerOptions<Pod>, { cluster: unknown }>, 'cluster'>>;

/** An informer of pods on such a server, under a clock that stands still. */
export function wireFixture(encoding: Encoding, options: FixtureOptions = {}) {
  const server = new WireServer(encoding);
  const clock = new FakeClock(0);
  const logger = logRecorder();
  const reports: WireReport[] = [];
  const informer = new SharedIndexInformer<Pod>({
    clock,
    logger,
    random: () => 0,
    watchList: false,
    watchErrorHandler: (error, context) => void reports.push({ error, ...context }),
    resource: pods,
    ...options,
    cluster: { transport: server },
  });
  return {
    server,
    clock,
    logger,
    reports,
    informer,
    /** Runs it until the cache is filled and the watch open. */
    start: async () => {
      void informer.run();
      await clock.advance(0);
    },
    settle: (ms = 0) => clock.advance(ms),
  };
}
