import { rbacRules } from '../../controller/rbac.ts';
import type { OperatorNames } from './operator-names.ts';

const CONDITION_SCHEMA = {
  type: 'object',
  required: ['type', 'status', 'lastTransitionTime', 'reason', 'message'],
  properties: {
    type: { type: 'string', description: 'What is said, in upper camel case. There is one condition of each type.' },
    status: { type: 'string', enum: ['True', 'False', 'Unknown'] },
    observedGeneration: {
      type: 'integer',
      format: 'int64',
      description: 'The metadata.generation that was looked at.',
    },
    lastTransitionTime: { type: 'string', format: 'date-time' },
    reason: { type: 'string', description: 'Why, as one word in upper camel case.' },
    message: { type: 'string' },
  },
};

export function crdManifest({ group, version, kind, singular, plural }: OperatorNames): object {
  const spec = {
    type: 'object',
    description: `What the ${kind} should be.`,
    required: ['message'],
    properties: { message: { type: 'string', minLength: 1, description: 'The text that goes into its ConfigMap.' } },
  };
  const status = {
    type: 'object',
    description: 'What the controller has found and done.',
    properties: {
      conditions: {
        type: 'array',
        'x-kubernetes-list-type': 'map',
        'x-kubernetes-list-map-keys': ['type'],
        items: CONDITION_SCHEMA,
      },
    },
  };
  return {
    apiVersion: 'apiextensions.k8s.io/v1',
    kind: 'CustomResourceDefinition',
    metadata: { name: `${plural}.${group}` },
    spec: {
      group,
      scope: 'Namespaced',
      names: { kind, listKind: `${kind}List`, plural, singular },
      versions: [
        {
          name: version,
          served: true,
          storage: true,
          subresources: { status: {} },
          additionalPrinterColumns: [
            { name: 'Ready', type: 'string', jsonPath: '.status.conditions[?(@.type=="Ready")].status' },
            { name: 'Age', type: 'date', jsonPath: '.metadata.creationTimestamp' },
          ],
          schema: { openAPIV3Schema: { type: 'object', required: ['spec'], properties: { spec, status } } },
        },
      ],
    },
  };
}

/** What `npm run rbac` writes, too: the rights follow from what the controller declares. */
export function rbacManifests({ name, group, plural }: OperatorNames): object[] {
  const namespace = systemNamespace(name);
  const rules = rbacRules(
    [
      { resource: { group, plural, namespaced: true }, use: 'for' },
      { resource: { group: '', plural: 'configmaps', namespaced: true }, use: 'owns' },
    ],
    { events: true },
  );
  const roleRef = { apiGroup: 'rbac.authorization.k8s.io', kind: 'ClusterRole', name };
  return [
    { apiVersion: 'v1', kind: 'Namespace', metadata: { name: namespace } },
    { apiVersion: 'v1', kind: 'ServiceAccount', metadata: { name, namespace } },
    { apiVersion: 'rbac.authorization.k8s.io/v1', kind: 'ClusterRole', metadata: { name }, rules },
    {
      apiVersion: 'rbac.authorization.k8s.io/v1',
      kind: 'ClusterRoleBinding',
      metadata: { name },
      roleRef,
      subjects: [{ kind: 'ServiceAccount', name, namespace }],
    },
  ];
}

export function deploymentManifests({ name }: OperatorNames): object[] {
  const labels = { 'app.kubernetes.io/name': name };
  const probe = (path: string) => ({ httpGet: { path, port: 'health' }, periodSeconds: 10 });
  const container = {
    name: 'controller',
    image: `${name}:latest`,
    imagePullPolicy: 'IfNotPresent',
    ports: [{ name: 'health', containerPort: 8080 }],
    livenessProbe: probe('/healthz'),
    readinessProbe: probe('/readyz'),
    resources: { requests: { cpu: '10m', memory: '64Mi' }, limits: { memory: '256Mi' } },
    securityContext: {
      allowPrivilegeEscalation: false,
      readOnlyRootFilesystem: true,
      capabilities: { drop: ['ALL'] },
    },
  };
  return [
    {
      apiVersion: 'apps/v1',
      kind: 'Deployment',
      metadata: { name, namespace: systemNamespace(name), labels },
      spec: {
        // Two controllers would undo each other's work.
        replicas: 1,
        strategy: { type: 'Recreate' },
        selector: { matchLabels: labels },
        template: {
          metadata: { labels },
          spec: {
            serviceAccountName: name,
            securityContext: { runAsNonRoot: true, seccompProfile: { type: 'RuntimeDefault' } },
            containers: [container],
          },
        },
      },
    },
  ];
}

export function sampleManifest({ group, version, kind, singular }: OperatorNames): object {
  return {
    apiVersion: `${group}/${version}`,
    kind,
    metadata: { name: `${singular}-sample`, namespace: 'default' },
    spec: { message: 'Hello from tidewatch' },
  };
}

export function systemNamespace(name: string): string {
  return `${name}-system`;
}
