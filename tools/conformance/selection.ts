/** Which specs of the suite are run: those of the API that need no container, whatever their group. */

/** All conformance specs of the group that the API server belongs to. */
const API_MACHINERY = String.raw`\[sig-api-machinery\].*\[Conformance\]`;

/** The conformance specs of other groups that are about the API and its controllers alone. */
const OTHERS = [
  'CronJob should (replace jobs|schedule multiple|support CronJob)',
  'Listing PodDisruptionBudgets',
  'DisruptionController should create a PodDisruptionBudget',
  'ReplicationController should surface a failure condition',
  'should support CSR API operations',
  'ServiceAccounts should (allow opting out|create a serviceAccountToken|guarantee|run through|update)',
  'SubjectReview',
  'Kubectl (api-versions|cluster-info|diff|run pod|version)',
  'Proxy server should support',
  String.raw`\[sig-instrumentation\]`,
  'API Server should',
  'EndpointSlice should (create and delete|support creating)',
  'EndpointSliceMirroring',
  'Endpoints should test the lifecycle',
  'EndpointsController should create and delete',
  'Ingress(Class)? API',
  'ServiceCIDR and IPAddress API',
  'Services should (complete a service status|delete a collection|find a service)',
  'ConfigMap should (fail to create|run through|update|be immutable)',
  'lease API',
  'Node Lifecycle',
  'PodTemplates',
  'Pods Set QOS Class',
  'RuntimeClass should (reject|support)',
  'Secrets should (fail to create|patch|be immutable)',
  'CRUD Tests',
  'LimitRange',
  'PriorityClass endpoints',
  'lifecycle of a (CSIDriver|csinode|PV|StorageClass|VolumeA)',
  'CSIVolumeSource in Pod API',
  'CSIStorageCapacities API',
  'changes to a (pv/pvc|volumeattachment) status',
].map((pattern) => String.raw`${pattern}.*\[Conformance\]`);

export const FOCUS: readonly string[] = [API_MACHINERY, ...OTHERS];

/** What cannot pass anywhere without a container runtime, and why. */
export const NEEDS_CONTAINERS: Readonly<Record<string, string>> = {
  AdmissionWebhook: 'its webhook is an image',
  Aggregator: 'its API server is an image',
  CustomResourceConversionWebhook: 'its webhook is an image',
  CustomResourceFieldSelectors: 'its conversion webhook is an image',
  OrderedNamespaceDeletion: 'it waits for a running pod',
  'all pods are removed when a namespace is deleted': 'it waits for a running pod',
};
