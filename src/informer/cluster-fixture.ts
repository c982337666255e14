import type { KubernetesObject } from '../api/metadata.ts';
import { defineResource } from '../api/resource.ts';
import type { Transport } from '../api/transport.ts';
import { Cluster } from '../cluster/cluster.ts';
import { customResourceDefinitions } from '../generated/api/apiextensions/v1.ts';
import { configMaps, namespaces } from '../generated/api/core/v1.ts';
import { silentLogger } from '../observe/logger.ts';
import { logRecorder } from '../processor/processor-fixture.ts';
import { ApiServer } from '../testing/api-server.ts';

export const widgets = { group: 'example.com', version: 'v1', resource: 'widgets' };

/** The embedded server, a cluster that notes each request and each line of its log, and a second one to write with. */
export async function clusterFixture() {
  const server = await ApiServer.start({ listen: false, logger: silentLogger });
  const logger = logRecorder();
  const requests: string[] = [];
  const transport = recorded(server.transport(), requests);
  const cluster = Cluster.over(transport, { logger });
  const admin = server.cluster({ logger: silentLogger, fieldManager: 'test' });
  const fixture = {
    server,
    logger,
    requests,
    transport,
    cluster,
    admin,
    createNamespace: (name: string) => admin.client(namespaces).create({ metadata: { name } }),
    createConfigMap: (name: string, namespace = 'default') =>
      admin.client(configMaps).create({ metadata: { name, namespace } }),
    defineWidgets: (scope: 'Cluster' | 'Namespaced') =>
      admin.client(customResourceDefinitions).create(widgetDefinition(scope)),
    dropWidgets: () => admin.client(customResourceDefinitions).delete('widgets.example.com'),
    createWidget: (name: string, namespace?: string): Promise<KubernetesObject> => {
      const { group, version, resource: plural } = widgets;
      const token = defineResource({ group, version, plural, kind: 'Widget', namespaced: namespace !== undefined });
      return admin.client(token).create({ metadata: { name, ...(namespace !== undefined && { namespace }) } });
    },
    async [Symbol.asyncDispose]() {
      await cluster.close();
      await admin.close();
      await server.stop();
    },
  };
  return fixture;
}

function recorded(inner: Transport, requests: string[]): Transport {
  return {
    request: (request) => {
      requests.push(`${request.method} ${request.path}`);
      return inner.request(request);
    },
    close: () => inner.close(),
  };
}

function widgetDefinition(scope: 'Cluster' | 'Namespaced') {
  return {
    metadata: { name: 'widgets.example.com' },
    spec: {
      group: 'example.com',
      scope,
      names: { plural: 'widgets', kind: 'Widget' },
      versions: [{ name: 'v1', served: true, storage: true, schema: { openAPIV3Schema: { type: 'object' } } }],
    },
  };
}

export function names(objects: readonly KubernetesObject[]): (string | undefined)[] {
  return objects.map(({ metadata }) => metadata?.name).sort();
}

/** Waits until the condition holds; `step` runs before each look, for instance to advance a clock. */
export async function until(condition: () => boolean, step: () => unknown = () => {}): Promise<void> {
  while (!condition()) {
    await step();
    await new Promise((resolve) => setTimeout(resolve, 2));
  }
}
