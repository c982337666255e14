import { describe, expect, it } from 'vitest';
import type { KubernetesObject } from '../api/metadata.ts';
import type { Resource } from '../api/resource.ts';
import type { Transport, TransportRequest } from '../api/transport.ts';
import { TransportError } from '../api/transport-error.ts';
import { Cluster } from '../cluster/cluster.ts';
import { deployments } from '../generated/api/apps/v1.ts';
import { configMaps, namespaces, pods, secrets, services } from '../generated/api/core/v1.ts';
import { FakeClock } from '../observe/fake-clock.ts';
import { silentLogger } from '../observe/logger.ts';
import { ApiServer } from '../testing/api-server.ts';
import { SharedInformerFactory } from './shared-informer-factory.ts';

const SECOND = 1_000;
const MINUTE = 60 * SECOND;
const RESOURCES = [pods, configMaps, secrets, services, namespaces, deployments] as Resource<KubernetesObject>[];

/** An embedded server that can be killed and restarted, informers on it, and the requests that reach it or fail to. */
class Outage implements AsyncDisposable {
  readonly clock = new FakeClock();
  readonly requests: (TransportRequest & { atMs: number })[] = [];
  readonly server: ApiServer;
  readonly cluster: Cluster;
  readonly factories: SharedInformerFactory[];
  isDown = false;

  private constructor(server: ApiServer, factories: number) {
    this.server = server;
    const inside = server.transport();
    const transport: Transport = {
      request: (request) => {
        this.requests.push({ ...request, atMs: this.clock.now() });
        if (this.isDown) return Promise.reject(new TransportError('refused', 'nobody listens'));
        return inside.request(request);
      },
      close: () => inside.close(),
    };
    this.cluster = Cluster.over(transport, { clock: this.clock, logger: silentLogger });
    this.factories = Array.from({ length: factories }, () => new SharedInformerFactory(this.cluster));
  }

  static async start({ factories = 1 } = {}): Promise<Outage> {
    // On the clock of the machine: the history of a server is not what these tests are about.
    const server = await ApiServer.start({ listen: false, logger: silentLogger });
    const outage = new Outage(server, factories);
    for (const factory of outage.factories) {
      for (const resource of RESOURCES) factory.for(resource).informer();
      factory.start();
    }
    await outage.until('all watch', () => outage.phases.every((phase) => phase === 'watching'));
    return outage;
  }

  get phases(): string[] {
    return this.factories.flatMap((factory) =>
      RESOURCES.map((resource) => factory.for(resource).informer().state.phase),
    );
  }

  get probes(): TransportRequest[] {
    return this.requests.filter(({ path }) => path === '/readyz');
  }

  async kill(): Promise<void> {
    this.isDown = true;
    this.server.disconnectWatches({ abruptly: true });
    await this.until('all have noticed', () => this.phases.every((phase) => phase === 'backoff'));
  }

  async until(what: string, holds: () => boolean): Promise<void> {
    for (let turn = 0; turn < 500; turn++) {
      if (holds()) return;
      await this.clock.advance(0);
    }
    throw new Error(`it does not come true that ${what}`);
  }

  /** Moves the clock by single seconds until it holds; returns how many that took. */
  async secondsUntil(what: string, holds: () => boolean): Promise<number> {
    for (let seconds = 0; seconds < 300; seconds++) {
      // What is in process may need more turns of the event loop than the clock gives it on a busy machine.
      for (let turn = 0; turn < 10 && !holds(); turn++) await this.clock.advance(0);
      if (holds()) return seconds;
      await this.clock.advance(SECOND);
    }
    throw new Error(`it does not come true that ${what}`);
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await Promise.all(this.factories.map((factory) => factory.shutdown()));
    await this.cluster.close();
    await this.server.stop();
    expect(this.clock.pendingTimers).toBe(0);
  }
}

describe('an outage', () => {
  it('ends within seconds of the return of the server, though its history is gone, and one informer asks for all', async () => {
    await using outage = await Outage.start();
    const [factory] = outage.factories;
    await outage.kill();
    await outage.clock.advance(80 * SECOND);
    expect(outage.probes.length).toBeGreaterThan(50);
    expect(outage.probes.length).toBeLessThan(110);

    const admin = outage.server.cluster();
    await admin.client(configMaps).create({ metadata: { name: 'made-meanwhile', namespace: 'default' } });
    outage.server.compact();
    outage.isDown = false;
    const back = () =>
      factory?.for(configMaps).lister().namespace('default').get('made-meanwhile') !== undefined &&
      outage.phases.every((phase) => phase === 'watching');
    // A probe, the spread of those who waited, the wait after a 410: 1.25 s, 0.06 s, 1.6 s.
    expect(await outage.secondsUntil('the caches are right', back)).toBeLessThanOrEqual(6);
    const probes = outage.probes.length;
    await outage.clock.advance(MINUTE);
    expect(outage.probes).toHaveLength(probes);
  });

  it('that cost nothing of the history is followed by watches alone', async () => {
    await using outage = await Outage.start();
    await outage.kill();
    await outage.clock.advance(80 * SECOND);
    outage.isDown = false;
    outage.requests.length = 0;
    await outage.secondsUntil('all watch', () => outage.phases.every((phase) => phase === 'watching'));
    const paths = outage.requests.filter(({ path }) => path !== '/readyz');
    expect(paths).toHaveLength(RESOURCES.length);
    for (const { query } of paths) {
      expect(query).toContain('watch=true');
      expect(query).not.toContain('sendInitialEvents');
    }
  });

  it('is asked about once a second however many informers and factories the cluster has', async () => {
    await using outage = await Outage.start({ factories: 8 });
    await outage.kill();
    outage.requests.length = 0;
    await outage.clock.advance(MINUTE);
    expect(outage.probes.length).toBeGreaterThan(40);
    expect(outage.probes.length).toBeLessThanOrEqual(80);
    outage.isDown = false;
    await outage.secondsUntil('all watch', () => outage.phases.every((phase) => phase === 'watching'));
  });

  it('is not asked about any more when all informers have stopped', async () => {
    const outage = await Outage.start();
    await outage.kill();
    await outage.clock.advance(10 * SECOND);
    expect(outage.probes.length).toBeGreaterThan(5);
    await outage[Symbol.asyncDispose]();
    const { length } = outage.requests;
    await outage.clock.advance(MINUTE);
    expect(outage.requests).toHaveLength(length);
  });
});
