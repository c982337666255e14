type Json = Record<string, unknown>;

/** Where to create an object, the object, and the status to give it then. */
type Manifest = [path: string, object: Json, status?: Json];

/** At least one object of most kinds that a new server has none of. */
export function manifests(): Manifest[] {
  const name = (value: string, more: Json = {}): Json => ({ metadata: { name: value, ...more } });
  const core = '/api/v1/namespaces/default';
  const apps = '/apis/apps/v1/namespaces/default';
  const labels = { app: 'web' };
  const selector = { matchLabels: labels };
  const resources = { requests: { cpu: '0.5', memory: '1.5Gi' }, limits: { cpu: '2', memory: '2Gi' } };
  const probe = { httpGet: { path: '/', port: 'http', httpHeaders: [{ name: 'A', value: 'b' }] }, periodSeconds: 3 };
  const container = {
    name: 'web',
    image: 'web:1',
    command: ['/web', ''],
    env: [{ name: 'EMPTY' }, { name: 'NODE', valueFrom: { fieldRef: { fieldPath: 'spec.nodeName' } } }],
    ports: [{ name: 'http', containerPort: 80 }],
    resources,
    livenessProbe: probe,
    volumeMounts: [{ name: 'config', mountPath: '/etc/config' }],
  };
  const volumes = [
    { name: 'config', configMap: { name: 'settings', items: [{ key: 'a', path: 'a', mode: 256 }] } },
    { name: 'scratch', emptyDir: { sizeLimit: '100Mi' } },
    { name: 'both', projected: { sources: [{ secret: { name: 'secret' } }, { downwardAPI: { items: [] } }] } },
  ];
  const podSpec = {
    containers: [container],
    volumes,
    tolerations: [{ operator: 'Exists', effect: 'NoExecute', tolerationSeconds: 5 }],
  };
  const template = { metadata: { labels, annotations: { note: 'Zürich 🌊' } }, spec: podSpec };
  const jobTemplate = { spec: { containers: [{ name: 'a', image: 'b' }], restartPolicy: 'Never' } };
  const at = '2024-05-06T07:08:09Z';
  const micro = '2024-05-06T07:08:09.000123Z';
  const rules = [{ operations: ['CREATE'], apiGroups: [''], apiVersions: ['v1'], resources: ['pods'] }];
  const webhooks = [
    {
      name: 'hook.example.com',
      clientConfig: { url: 'https://example.com/hook' },
      rules: [{ ...rules[0], resources: ['nothing'] }],
      sideEffects: 'None',
      admissionReviewVersions: ['v1'],
    },
  ];
  const admission = '/apis/admissionregistration.k8s.io/v1';
  const storage = '/apis/storage.k8s.io/v1';
  const device = { requests: [{ name: 'gpu', exactly: { deviceClassName: 'gpu', count: 2 } }] };
  return [
    [
      `${core}/configmaps`,
      { ...name('settings'), data: { a: 'b', ['__proto__']: 'x' }, binaryData: { bytes: '/wD+' } },
    ],
    [`${core}/configmaps`, { ...name('empty'), immutable: true }],
    [`${core}/secrets`, { ...name('secret'), data: { password: 'c2VjcmV0', none: '' }, type: 'Opaque' }],
    [`${core}/serviceaccounts`, { ...name('robot'), automountServiceAccountToken: false }],
    [
      `${core}/pods`,
      {
        ...name('web', { labels, finalizers: ['example.com/hold'] }),
        spec: { ...podSpec, serviceAccountName: 'robot' },
      },
      {
        phase: 'Running',
        conditions: [{ type: 'Ready', status: 'True', lastTransitionTime: at }],
        podIPs: [{ ip: '10.1.2.3' }],
        startTime: at,
        containerStatuses: [
          {
            name: 'web',
            image: 'web:1',
            imageID: '',
            ready: true,
            restartCount: 0,
            state: { running: { startedAt: at } },
            lastState: { terminated: { exitCode: 0, finishedAt: at } },
          },
        ],
      },
    ],
    [`${core}/podtemplates`, { ...name('template'), template }],
    [`${core}/replicationcontrollers`, { ...name('web'), spec: { replicas: 0, selector: labels, template } }],
    [`${core}/services`, { ...name('web'), spec: { selector: labels, ports: [{ port: 80, targetPort: 'http' }] } }],
    [
      `${core}/persistentvolumeclaims`,
      { ...name('data'), spec: { accessModes: ['ReadWriteOnce'], resources: { requests: { storage: '1Gi' } } } },
    ],
    [`${core}/limitranges`, { ...name('limits'), spec: { limits: [{ type: 'Container', default: { cpu: '100m' } }] } }],
    [`${core}/resourcequotas`, { ...name('quota'), spec: { hard: { pods: '100' } } }],
    [
      `${core}/events`,
      {
        ...name('old'),
        involvedObject: { kind: 'Pod', name: 'web', namespace: 'default' },
        count: 3,
        firstTimestamp: at,
      },
    ],
    [
      '/apis/events.k8s.io/v1/namespaces/default/events',
      {
        ...name('new'),
        eventTime: micro,
        reportingController: 'e/2e',
        reportingInstance: 'a',
        action: 'Test',
        reason: 'Test',
        type: 'Normal',
        regarding: { kind: 'Pod', name: 'web', namespace: 'default' },
      },
    ],
    [
      '/api/v1/nodes',
      { ...name('node'), spec: { taints: [{ key: 'a', effect: 'NoSchedule', timeAdded: at }] } },
      { capacity: { cpu: '4', memory: '16Gi' }, conditions: [{ type: 'Ready', status: 'True' }] },
    ],
    [
      '/api/v1/persistentvolumes',
      {
        ...name('disk'),
        spec: { capacity: { storage: '1Ti' }, accessModes: ['ReadWriteMany'], nfs: { server: 's', path: '/' } },
      },
    ],
    [
      `${apps}/deployments`,
      {
        ...name('web'),
        spec: { selector, template, strategy: { rollingUpdate: { maxSurge: '25%', maxUnavailable: 1 } } },
      },
      { replicas: 1, observedGeneration: 1 },
    ],
    [`${apps}/replicasets`, { ...name('web'), spec: { replicas: 0, selector, template } }],
    [`${apps}/statefulsets`, { ...name('web'), spec: { serviceName: 'web', selector, template } }],
    [`${apps}/daemonsets`, { ...name('web'), spec: { selector, template } }],
    [
      `${apps}/controllerrevisions`,
      { ...name('web-1'), revision: 0, data: { spec: { ['__proto__']: 1, list: [], none: null } } },
    ],
    ['/apis/batch/v1/namespaces/default/jobs', { ...name('once'), spec: { template: jobTemplate } }],
    [
      '/apis/batch/v1/namespaces/default/cronjobs',
      { ...name('often'), spec: { schedule: '* * * * *', jobTemplate: { spec: { template: jobTemplate } } } },
    ],
    [
      '/apis/autoscaling/v2/namespaces/default/horizontalpodautoscalers',
      {
        ...name('web'),
        spec: {
          scaleTargetRef: { apiVersion: 'apps/v1', kind: 'Deployment', name: 'web' },
          maxReplicas: 5,
          metrics: [
            { type: 'Resource', resource: { name: 'cpu', target: { type: 'Utilization', averageUtilization: 50 } } },
          ],
        },
      },
    ],
    [
      '/apis/policy/v1/namespaces/default/poddisruptionbudgets',
      { ...name('web'), spec: { minAvailable: '50%', selector } },
      { disruptedPods: { web: at } },
    ],
    [
      '/apis/networking.k8s.io/v1/namespaces/default/ingresses',
      { ...name('web'), spec: { defaultBackend: { service: { name: 'web', port: { number: 80 } } } } },
    ],
    ['/apis/networking.k8s.io/v1/ingressclasses', { ...name('class'), spec: { controller: 'example.com/ingress' } }],
    [
      '/apis/networking.k8s.io/v1/namespaces/default/networkpolicies',
      { ...name('policy'), spec: { podSelector: {}, ingress: [{ ports: [{ port: 80 }, { port: 'http' }] }, {}] } },
    ],
    [
      '/apis/coordination.k8s.io/v1/namespaces/default/leases',
      { ...name('lease'), spec: { holderIdentity: '', renewTime: micro } },
    ],
    [
      '/apis/coordination.k8s.io/v1beta1/namespaces/default/leasecandidates',
      {
        ...name('candidate'),
        spec: {
          leaseName: 'lease',
          binaryVersion: '1.36.0',
          emulationVersion: '1.36.0',
          strategy: 'OldestEmulationVersion',
        },
      },
    ],
    [
      '/apis/discovery.k8s.io/v1/namespaces/default/endpointslices',
      { ...name('slice'), addressType: 'IPv4', endpoints: [{ addresses: ['10.0.0.1'] }], ports: [] },
    ],
    ['/apis/node.k8s.io/v1/runtimeclasses', { ...name('runc'), handler: 'runc' }],
    [`${storage}/storageclasses`, { ...name('fast'), provisioner: 'example.com/disk', parameters: { a: '' } }],
    [`${storage}/csidrivers`, { ...name('driver'), spec: { tokenRequests: [{ audience: '' }] } }],
    [`${storage}/csinodes`, { ...name('node'), spec: { drivers: [] } }],
    [
      `${storage}/volumeattachments`,
      {
        ...name('attachment'),
        spec: { attacher: 'driver', nodeName: 'node', source: { persistentVolumeName: 'disk' } },
      },
    ],
    [
      `${storage}/namespaces/default/csistoragecapacities`,
      { ...name('capacity'), storageClassName: 'fast', capacity: '1000' },
    ],
    [`${storage}/volumeattributesclasses`, { ...name('gold'), driverName: 'driver', parameters: { iops: '9' } }],
    [`${admission}/validatingwebhookconfigurations`, { ...name('hooks'), webhooks }],
    [`${admission}/mutatingwebhookconfigurations`, { ...name('hooks'), webhooks }],
    [
      `${admission}/validatingadmissionpolicies`,
      {
        ...name('policy'),
        spec: { matchConstraints: { resourceRules: rules }, validations: [{ expression: 'true' }] },
      },
    ],
    [
      `${admission}/validatingadmissionpolicybindings`,
      { ...name('policy'), spec: { policyName: 'policy', validationActions: ['Audit'] } },
    ],
    [
      `${admission}/mutatingadmissionpolicies`,
      {
        ...name('policy'),
        spec: {
          matchConstraints: { resourceRules: rules },
          reinvocationPolicy: 'Never',
          mutations: [
            {
              patchType: 'JSONPatch',
              jsonPatch: { expression: '[JSONPatch{op: "test", path: "/kind", value: "Pod"}]' },
            },
          ],
        },
      },
    ],
    [`${admission}/mutatingadmissionpolicybindings`, { ...name('policy'), spec: { policyName: 'policy' } }],
    [
      '/apis/resource.k8s.io/v1/deviceclasses',
      {
        ...name('gpu'),
        spec: { config: [{ opaque: { driver: 'gpu.example.com', parameters: { kind: 'X', on: true } } }] },
      },
    ],
    ['/apis/resource.k8s.io/v1/namespaces/default/resourceclaims', { ...name('claim'), spec: { devices: device } }],
    [
      '/apis/resource.k8s.io/v1/namespaces/default/resourceclaimtemplates',
      { ...name('claims'), spec: { spec: { devices: device } } },
    ],
    [
      '/apis/resource.k8s.io/v1/resourceslices',
      {
        ...name('slice'),
        spec: {
          driver: 'gpu.example.com',
          nodeName: 'node',
          pool: { name: 'p', generation: 0, resourceSliceCount: 1 },
          devices: [{ name: 'gpu-0', attributes: { model: { string: 'x' } }, capacity: { memory: { value: '80Gi' } } }],
        },
      },
    ],
    [
      '/apis/apiextensions.k8s.io/v1/customresourcedefinitions',
      {
        ...name('widgets.example.com'),
        spec: {
          group: 'example.com',
          scope: 'Namespaced',
          names: { plural: 'widgets', kind: 'Widget' },
          versions: [
            {
              name: 'v1',
              served: true,
              storage: true,
              schema: {
                openAPIV3Schema: {
                  type: 'object',
                  properties: {
                    spec: { type: 'object', 'x-kubernetes-preserve-unknown-fields': true },
                    size: { type: 'number', minimum: 0.5, maximum: 1e9, default: 1, enum: [1, 2.5, null] },
                    list: { type: 'array', items: { type: 'string' }, default: [] },
                    map: { type: 'object', additionalProperties: { type: 'string' } },
                  },
                },
              },
            },
          ],
        },
      },
    ],
  ];
}
