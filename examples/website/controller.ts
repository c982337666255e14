/** A Website becomes a ConfigMap with its page, a Deployment that serves it, and a Service; its status says how far that is. */
import { createHash } from 'node:crypto';
import { type Deployment, deployments } from 'tidewatch/api/apps/v1';
import { type ConfigMap, configMaps, type Service, services } from 'tidewatch/api/core/v1';
import { type Manager, type ReconcileContext, setCondition } from 'tidewatch/controller';
import { type Website, websites } from './website.ts';

export function addWebsiteController(manager: Manager): void {
  manager
    .controller('website')
    .for(websites)
    .owns(configMaps)
    .owns(deployments)
    .owns(services)
    .reconcile(reconcile, { concurrency: 2, timeoutMs: 30_000 });
}

async function reconcile({ object, own, client, record }: ReconcileContext<Website>): Promise<void> {
  // It is gone, and the garbage collector deletes what it owned.
  if (!object) return;
  const { name, generation } = object.metadata;
  const { html, replicas = 1 } = object.spec;

  // Applied again in each run: what somebody has changed by hand is put right, and what is right already costs the server nothing.
  const force = { force: true };
  await client(configMaps).apply(own(pageOf(name, html)), force);
  await client(services).apply(own(serviceOf(name)), force);
  const deployment = await client(deployments).apply(own(deploymentOf(name, html, replicas)), force);

  const { observedGeneration, readyReplicas = 0, updatedReplicas = 0 } = deployment.status ?? {};
  const isCurrent = observedGeneration === deployment.metadata.generation;
  const isReady = isCurrent && readyReplicas === replicas && updatedReplicas === replicas;
  const { conditions, changed } = setCondition(object.status?.conditions, {
    type: 'Ready',
    status: isReady ? 'True' : 'False',
    reason: isReady ? 'Serving' : 'Starting',
    message: isReady ? `${replicas} servers are ready.` : `${readyReplicas} of ${replicas} servers are ready.`,
    observedGeneration: generation,
  });
  await client(websites).patchStatus(object, { readyReplicas, conditions });
  if (changed && isReady) {
    record(object, { type: 'Normal', reason: 'Serving', action: 'Deploy', note: `${replicas} servers are ready.` });
  }
}

function labelsOf(website: string): Record<string, string> {
  return { 'example.com/website': website };
}

function pageOf(name: string, html: string): ConfigMap & { metadata: { name: string } } {
  return { metadata: { name, labels: labelsOf(name) }, data: { 'index.html': html } };
}

function serviceOf(name: string): Service {
  const labels = labelsOf(name);
  return {
    metadata: { name, labels },
    spec: { selector: labels, ports: [{ name: 'http', port: 80, protocol: 'TCP', targetPort: 'http' }] },
  };
}

function deploymentOf(name: string, html: string, replicas: number): Deployment {
  const labels = labelsOf(name);
  return {
    metadata: { name, labels },
    spec: {
      replicas,
      selector: { matchLabels: labels },
      template: {
        metadata: {
          labels,
          // A new page is a new template, and so a rollout.
          annotations: { 'example.com/page': createHash('sha256').update(html).digest('hex').slice(0, 16) },
        },
        spec: {
          containers: [
            {
              name: 'server',
              image: 'nginx:alpine',
              ports: [{ name: 'http', containerPort: 80, protocol: 'TCP' }],
              volumeMounts: [{ name: 'page', mountPath: '/usr/share/nginx/html', readOnly: true }],
            },
          ],
          volumes: [{ name: 'page', configMap: { name } }],
        },
      },
    },
  };
}
