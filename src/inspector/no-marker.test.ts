import { subscribe, unsubscribe } from 'node:diagnostics_channel';
import { inspect } from 'node:util';
import { Registry } from 'prom-client';
import { afterEach, expect, it } from 'vitest';
import type { KubernetesObject } from '../api/metadata.ts';
import type { Resource } from '../api/resource.ts';
import type { Transport } from '../api/transport.ts';
import { ApiServer } from '../apiserver/apiserver.ts';
import { Cluster } from '../cluster/cluster.ts';
import { Manager } from '../controller/manager.ts';
import { deployments } from '../generated/api/apps/v1.ts';
import { configMaps, pods, secrets } from '../generated/api/core/v1.ts';
import { SharedInformerFactory, type SharedInformerFactoryOptions } from '../informer/shared-informer-factory.ts';
import { prometheusMetrics } from '../metrics/prometheus-metrics.ts';
import type { Stage } from '../observe/channels.ts';
import type { Logger } from '../observe/logger.ts';
import { serveInspector } from './inspector.ts';
import { FakePage } from './inspector-fixture.ts';

const MARK = 'm4rk3r';
const STAGES: readonly Stage[] = ['request', 'list', 'watch', 'frames', 'store', 'handler', 'queue', 'run'];
const lastApplied = { 'kubectl.kubernetes.io/last-applied-configuration': `{"x":"${MARK}"}` };
const env = [{ name: 'E', value: MARK }];

/** Each full of what must not be seen; of Deployments, which `show` names, the rest may be. */
const objects: readonly (readonly [Resource, KubernetesObject])[] = [
  [
    secrets,
    {
      metadata: { name: 'm', annotations: { a: MARK, ...lastApplied } },
      stringData: { [`k${MARK}`]: MARK },
      type: `x/${MARK}`,
    } as KubernetesObject,
  ],
  [
    configMaps,
    { metadata: { name: 'm', annotations: { a: MARK, ...lastApplied } }, data: { k: MARK } } as KubernetesObject,
  ],
  [
    deployments,
    {
      metadata: { name: 'm', annotations: lastApplied },
      spec: {
        selector: { matchLabels: { a: 'b' } },
        template: {
          metadata: { labels: { a: 'b' }, annotations: lastApplied },
          spec: { containers: [{ name: 'c', image: 'nginx', env }] },
        },
      },
    } as KubernetesObject,
  ],
  [
    pods,
    {
      metadata: { name: 'm', annotations: { a: MARK, ...lastApplied } },
      spec: { containers: [{ name: 'c', image: MARK, env }] },
    } as KubernetesObject,
  ],
];

const leaving: (() => unknown)[] = [];
afterEach(async () => {
  for (const leave of leaving.splice(0).reverse()) await leave();
});

/** Everything that is published, in full. */
function channelText(): () => string {
  const published: unknown[] = [];
  for (const stage of STAGES) {
    const listener = (value: unknown) => void published.push([stage, value]);
    subscribe(`tidewatch:${stage}`, listener);
    leaving.push(() => unsubscribe(`tidewatch:${stage}`, listener));
  }
  return () => JSON.stringify(published);
}

/** Everything that is logged, at every level, with all that the details hold: causes, stacks, fields of errors. */
function loggedText(): { logger: Logger; text: () => string } {
  const lines: string[] = [];
  const log =
    (level: string) =>
    (...words: unknown[]) =>
      void lines.push(`${level} ${inspect(words, { depth: 20, maxStringLength: null, showHidden: true })}`);
  const logger: Logger = { debug: log('debug'), info: log('info'), warn: log('warn'), error: log('error') };
  return { logger, text: () => lines.join('\n') };
}

/** Ends a string of JSON, and begins no field of Protobuf. What `JSON.parse` says of it quotes what stands around it. */
const DAMAGE = Buffer.from('"\x01\x01\x01\x01\x01');

/** Damages what stands behind the first marker of each of the next few lists and watches, so that it cannot be decoded there. */
class DamagingTransport implements Transport {
  readonly #inner: Transport;
  left = 0;

  constructor(inner: Transport) {
    this.#inner = inner;
  }

  async request(request: Parameters<Transport['request']>[0]) {
    const response = await this.#inner.request(request);
    return request.method === 'GET' ? { ...response, body: this.#damaged(response.body) } : response;
  }

  close(): Promise<void> {
    return this.#inner.close();
  }

  async *#damaged(body: AsyncIterable<Uint8Array>): AsyncGenerator<Uint8Array> {
    for await (const chunk of body) {
      const at = Buffer.from(chunk).indexOf(MARK);
      if (at >= 0 && this.left > 0) {
        this.left--;
        const copy = Uint8Array.from(chunk);
        copy.set(DAMAGE.subarray(0, chunk.length - at - MARK.length), at + MARK.length);
        yield copy;
      } else yield chunk;
    }
  }
}

const ways: readonly (readonly [string, SharedInformerFactoryOptions])[] = [
  ['as bytes of Protobuf', {}],
  ['as bytes of JSON', { encoding: 'json' }],
  ['as plain objects', { store: 'plain', encoding: 'json' }],
];

it.each(ways)(
  'tells no marker of any object, in a whole run with objects %s: not to a page, by metrics, channels or logs',
  {
    timeout: 20_000,
  },
  async (_how, factoryOptions) => {
    const published = channelText();
    const { logger, text: logged } = loggedText();
    const registry = new Registry();
    const server = await ApiServer.start({ listen: false, logger });
    const transport = new DamagingTransport(server.transport());
    const cluster = Cluster.over(transport, {
      logger,
      fieldManager: 'test',
      metrics: prometheusMetrics({ register: registry }),
    });
    const backoff = { initialMs: 10, maxMs: 50 };
    const factory = new SharedInformerFactory(cluster, { namespace: 'default', backoff, ...factoryOptions });
    const manager = new Manager(cluster, { factory });
    let runs = 0;
    manager
      .controller('copying')
      .for(secrets)
      .reconcile(async ({ key }) => {
        if (++runs === 1) throw new Error(`not yet: ${key}`);
        await cluster.client(configMaps).apply({ metadata: { name: 'copied' }, data: { copied: MARK } });
      });
    // Named or not, a Secret shows nothing.
    const inspector = await serveInspector({
      factories: [factory],
      managers: [manager],
      port: 0,
      show: [deployments, secrets],
      logger,
    });
    const stop = new AbortController();
    let running: Promise<void> | undefined;
    leaving.push(async () => {
      stop.abort();
      await running;
      await inspector.stop();
      await factory.shutdown();
      await cluster.close();
      await server.stop();
    });
    for (const [resource, object] of objects) {
      const early = { ...object, metadata: { ...object.metadata, name: 'early' } };
      await cluster.client(resource, { namespace: 'default' }).create(early);
    }
    const informers = objects.map(([resource]) => factory.for(resource).informer());
    for (const informer of informers) {
      informer.addEventHandler({
        onUpdate: () => {
          throw new Error('broken handler');
        },
      });
    }
    // The first lists: damaged, then cut. Later, watches that break, and one that has expired.
    transport.left = objects.length;
    const anyOf = (verb: string) => ({ verb, where: ({ path }: { path: string }) => path.includes('/default/') });
    server.faults.script(anyOf('list'), [
      undefined,
      { kind: 'cut', afterBytes: 300 },
      { kind: 'end', afterBytes: 400 },
    ]);
    server.faults.script(anyOf('watch'), [{ kind: 'cut', afterBytes: 900 }, { kind: 'error-event' }]);
    const page = await FakePage.open(inspector);
    leaving.push(() => page.close());
    running = manager.run({ signal: stop.signal });
    factory.start();
    for (const informer of informers) await informer.waitForSync();

    const received: string[] = [];
    const ask = async (what: string, query: Record<string, string>) => {
      const { code, body } = await page.get(what, query);
      received.push(body);
      return code;
    };
    for (const [at, [resource, object]] of objects.entries()) {
      const client = cluster.client(resource, { namespace: 'default' });
      const informer = informers[at];
      if (informer === undefined) continue;
      await informer.waitFor(await client.create(object));
      const of = { informer: String(informer.id) };
      for (let round = 0; round < 3; round++) {
        transport.left = round === 1 ? 1 : 0;
        // Annotations of a kind that is named are shown, but for this one.
        const annotations = resource === deployments ? lastApplied : { b: `${MARK}${round}` };
        const patch = { metadata: { labels: { round: String(round) }, annotations } };
        await informer.waitFor(await client.patch('m', patch));
        expect(await ask('object', { ...of, key: 'default/m' })).toBe(200);
      }
      for (const path of ['metadata.name', 'status.phase', 'spec.template.spec.containers.0.image']) {
        await ask('rows', { ...of, count: '200', columns: path, sort: path });
      }
      const never = ['spec.template.spec.containers.0.env.0.value', 'metadata.annotations.a'];
      // What is named may be read, where there is such a thing.
      for (const path of resource === deployments ? never : [...never, 'data.k', 'type', 'spec.containers.0.image']) {
        expect(await ask('rows', { ...of, count: '200', columns: path })).toBe(400);
        expect(await ask('rows', { ...of, count: '200', sort: path })).toBe(400);
        expect(await ask('rows', { ...of, count: '200', fields: `${path}=x` })).toBe(400);
      }
      await client.delete('m');
      await informer.waitUntil(
        'default/m',
        (left) => left === undefined || left.metadata?.deletionTimestamp !== undefined,
      );
      expect(await ask('object', { ...of, key: 'default/m' })).toBe(200);
    }
    await page.until((text) => text.includes('not yet') && text.includes('failed on the update of'));
    const shown = page.received.concat(...received);
    const measured = await registry.metrics();
    // What was searched is not nothing.
    expect(shown).toContain('"round"');
    expect(shown).toContain('nginx');
    expect(measured).toContain('tidewatch_reflector_failures_total');
    expect(published()).toContain('default/copied');
    expect(logged()).toContain('debug');
    expect(logged()).toContain('cannot be used');
    expect(logged()).toContain('broken handler');
    const words = { shown, measured, published: published(), logged: logged() };
    for (const [where, text] of Object.entries(words)) expect(around(text), where).toEqual([]);
  },
);

/** Where the marker is, with what stands around it; also as a Secret has it. */
function around(text: string): string[] {
  return [MARK, Buffer.from(MARK).toString('base64').replace(/=+$/, '')].flatMap((mark) => {
    const at = text.indexOf(mark);
    return at < 0 ? [] : [text.slice(Math.max(0, at - 300), at + 100)];
  });
}
