import { FieldSet } from './field-set.ts';
import { fieldElement } from './path-element.ts';

export interface Endpoint {
  /** `apps/v1`, `v1` */
  readonly apiVersion: string;
  readonly kind?: string;
  /** Unset for the object itself. */
  readonly subresource?: string;
  /** Default false. */
  readonly hasStatusSubresource?: boolean;
}

const NONE = paths();
const STATUS = paths('status');
const SPEC = paths('spec');
const SPEC_AND_STATUS = paths('spec', 'status');
const SPEC_AND_METADATA = paths('spec', 'metadata');
const SPEC_AND_CERTIFICATE = paths('spec', 'status.certificate');

/** Kinds whose status endpoint lets metadata through; the others, custom resources among them, do not. */
const STATUS_TAKES_METADATA = new Set([
  'Namespace',
  'Node',
  'PersistentVolume',
  'PersistentVolumeClaim',
  'ReplicationController',
  'ResourceQuota',
  'Service',
  'DaemonSet.apps',
  'ReplicaSet.apps',
  'StatefulSet.apps',
  'HorizontalPodAutoscaler.autoscaling',
  'CronJob.batch',
  'Job.batch',
  'PodCertificateRequest.certificates.k8s.io',
  'CustomResourceDefinition.apiextensions.k8s.io',
  'Ingress.networking.k8s.io',
  'PodDisruptionBudget.policy',
]);

const CERTIFICATE_REQUEST = 'CertificateSigningRequest.certificates.k8s.io';

const OTHER_STATUS = new Map([
  ['Deployment.apps', paths('spec', 'metadata.labels')],
  ['Pod', paths('spec', 'metadata.deletionTimestamp', 'metadata.ownerReferences')],
  [CERTIFICATE_REQUEST, paths('spec', 'status.conditions')],
]);

/** What the server puts back to its old value whoever writes it through this endpoint, so that writers never own it. */
export function resetFields(endpoint: Endpoint, kindOfObject: string): FieldSet {
  const kind = endpoint.kind ?? kindOfObject;
  const slash = endpoint.apiVersion.indexOf('/');
  const name = slash < 0 ? kind : `${kind}.${endpoint.apiVersion.slice(0, slash)}`;
  switch (endpoint.subresource ?? '') {
    case '':
      if (name === CERTIFICATE_REQUEST) return SPEC_AND_STATUS;
      return endpoint.hasStatusSubresource ? STATUS : NONE;
    case 'status':
      return OTHER_STATUS.get(name) ?? (STATUS_TAKES_METADATA.has(name) ? SPEC : SPEC_AND_METADATA);
    case 'approval':
      return SPEC_AND_CERTIFICATE;
    case 'finalize':
      return STATUS;
    default:
      return NONE;
  }
}

function paths(...dotted: readonly string[]): FieldSet {
  return FieldSet.of(...dotted.map((path) => path.split('.').map(fieldElement)));
}
