import type { KubernetesObject } from '../api/metadata.ts';
import { defineResource } from '../api/resource.ts';
import type { Cluster } from '../cluster/cluster.ts';
import { customResourceDefinitions } from '../generated/api/apiextensions/v1.ts';
import { FakeClock } from '../observe/fake-clock.ts';
import { type Logger, silentLogger } from '../observe/logger.ts';
import type { MetricLabels, Metrics } from '../observe/metrics.ts';
import { ApiServer } from '../testing/api-server.ts';
import { Manager } from './manager.ts';
import type { ManagerOptions } from './manager-options.ts';

export interface Site extends KubernetesObject {
  spec?: { color?: string };
  status?: { ready?: boolean };
}

export const sites = defineResource<Site>({ group: 'example.com', version: 'v1', plural: 'sites', kind: 'Site' });

export interface RecordedLogger extends Logger {
  readonly lines: string[];
}

/** Writes down everything from `info` on, with its level. */
export function recordedLogger(): RecordedLogger {
  const lines: string[] = [];
  const at = (level: string) => (message: string) => void lines.push(`${level} ${message}`);
  return { lines, debug: () => {}, info: at('info'), warn: at('warn'), error: at('error') };
}

/** Writes down the last value or the sum of each series: `name{label="value"}`. */
export function recordedMetrics(): Metrics & { readonly values: Map<string, number> } {
  const values = new Map<string, number>();
  const id = (name: string, labels: MetricLabels = {}) =>
    `${name}{${Object.entries(labels)
      .map(([label, value]) => `${label}="${value}"`)
      .join(',')}}`;
  const sum = (name: string) => (value: number, labels?: MetricLabels) =>
    void values.set(id(name, labels), (values.get(id(name, labels)) ?? 0) + value);
  return {
    values,
    counter: ({ name }) => ({ add: sum(name) }),
    gauge: ({ name }) => ({ set: (value, labels) => void values.set(id(name, labels), value) }),
    histogram: ({ name }) => ({ observe: (_value, labels) => sum(`${name}_count`)(1, labels) }),
  };
}

/** The embedded server, a manager on it, and one clock for both. */
export async function controllerFixture(options: ManagerOptions = {}) {
  const clock = new FakeClock();
  const server = await ApiServer.start({ listen: false, logger: silentLogger, clock });
  const logger = recordedLogger();
  const cluster = server.cluster({ clock, logger });
  const admin = server.cluster({ clock, logger: silentLogger, fieldManager: 'test' });
  const stop = new AbortController();
  const manager = new Manager(cluster, options);
  let running: Promise<void> | undefined;
  let timersBefore = 0;
  const fixture = {
    clock,
    server,
    cluster,
    admin,
    logger,
    manager,
    defineSites: () => defineSites(admin),
    createSite: (name: string, spec: Site['spec'] = {}) => admin.client(sites).create({ metadata: { name }, spec }),
    /** Starts the manager, and lets everything that happens at this moment happen. */
    async start(): Promise<void> {
      timersBefore = clock.pendingTimers;
      running = manager.run({ signal: stop.signal });
      running.catch(() => {});
      await clock.advance(0);
    },
    get running(): Promise<void> {
      return running ?? Promise.resolve();
    },
    async stop(): Promise<void> {
      stop.abort();
      await running?.catch(() => {});
      // The server hears of the end of its watches.
      await clock.advance(0);
    },
    abort: () => stop.abort(),
    /** How many timers there are that were not before the start. */
    get timersLeft(): number {
      return clock.pendingTimers - timersBefore;
    },
    async [Symbol.asyncDispose]() {
      await fixture.stop();
      await cluster.close();
      await admin.close();
      await server.stop();
    },
  };
  return fixture;
}

export async function defineSites(admin: Cluster): Promise<void> {
  await admin.client(customResourceDefinitions).create({
    metadata: { name: 'sites.example.com' },
    spec: {
      group: 'example.com',
      scope: 'Namespaced',
      names: { plural: 'sites', kind: 'Site' },
      versions: [
        {
          name: 'v1',
          served: true,
          storage: true,
          subresources: { status: {} },
          schema: { openAPIV3Schema: { type: 'object', 'x-kubernetes-preserve-unknown-fields': true } },
        },
      ],
    },
  });
}
