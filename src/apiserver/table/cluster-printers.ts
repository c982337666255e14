import { asObject, getPath, isObject, type JsonObject, type JsonValue } from '../values/json.ts';
import { count, flag, isSet, labelsText, list, strings, text } from './cell-text.ts';
import { ageColumn, nameColumn } from './common-columns.ts';
import { humanDuration } from './human-duration.ts';
import { column, type PrintedColumn, printer, type TablePrinter } from './table-printer.ts';

function field(name: string, description: string, ...path: string[]): PrintedColumn {
  return column(name, (object) => text(object, ...path), { description });
}

const bindings = printer([
  nameColumn,
  column('Role', (object) => `${text(object, 'roleRef', 'kind')}/${text(object, 'roleRef', 'name')}`, {
    description: 'The role that is given.',
  }),
  ageColumn,
  subjects('Users', 'User'),
  subjects('Groups', 'Group'),
  subjects('ServiceAccounts', 'ServiceAccount'),
]);

function subjects(name: string, kind: string): PrintedColumn {
  const cell = (object: JsonObject) =>
    list(object, 'subjects')
      .filter((subject) => subject.kind === kind)
      .map((subject) =>
        kind === 'ServiceAccount' ? `${text(subject, 'namespace')}/${text(subject, 'name')}` : text(subject, 'name'),
      )
      .join(', ');
  return column(name, cell, { wide: true, description: `Who gets the role, of kind ${kind}.` });
}

const certificateSigningRequests = printer([
  nameColumn,
  ageColumn,
  column('SignerName', (object) => text(object, 'spec', 'signerName') || '<none>', { description: 'Who should sign.' }),
  field('Requestor', 'Who asks.', 'spec', 'username'),
  column(
    'RequestedDuration',
    (object) =>
      isSet(object, 'spec', 'expirationSeconds')
        ? humanDuration(count(object, 'spec', 'expirationSeconds') * 1000)
        : '<none>',
    { description: 'How long the certificate should be valid.' },
  ),
  column('Condition', signingStatus, { description: 'How far the request is.' }),
]);

function signingStatus(request: JsonObject): string {
  const types = list(request, 'status', 'conditions').map(({ type }) => type);
  const decision = types.includes('Denied') ? 'Denied' : types.includes('Approved') ? 'Approved' : 'Pending';
  const failed = types.includes('Failed') ? ',Failed' : '';
  return `${decision}${failed}${text(request, 'status', 'certificate') === '' ? '' : ',Issued'}`;
}

const clusterTrustBundles = printer([
  nameColumn,
  column('SignerName', (object) => text(object, 'spec', 'signerName') || '<none>', { description: 'Whose roots.' }),
]);

const podCertificateRequests = printer([
  nameColumn,
  field('PodName', 'The pod that asks.', 'spec', 'podName'),
  field('ServiceAccountName', 'The service account of the pod.', 'spec', 'serviceAccountName'),
  field('NodeName', 'The node of the pod.', 'spec', 'nodeName'),
  field('SignerName', 'Who should sign.', 'spec', 'signerName'),
  column(
    'State',
    (object) => {
      const decided = list(object, 'status', 'conditions').findLast(({ type }) =>
        ['Issued', 'Denied', 'Failed'].includes(String(type)),
      );
      return decided === undefined ? 'Pending' : text(decided, 'type');
    },
    { description: 'Pending, Issued, Denied or Failed.' },
  ),
  column('UnverifiedUserAnnotations', (object) => labelsText(getPath(object, 'spec', 'unverifiedUserAnnotations')), {
    description: 'What the pod says of itself.',
  }),
]);

function lengthOf(name: string, description: string, ...path: string[]): PrintedColumn {
  return column(name, (object) => list(object, ...path).length, { type: 'integer', description });
}

const webhooks = printer([nameColumn, lengthOf('Webhooks', 'How many webhooks are set up.', 'webhooks'), ageColumn]);

const paramKind = column(
  'ParamKind',
  (object) => {
    const kind = getPath(object, 'spec', 'paramKind');
    return isSet(kind) ? `${text(kind, 'apiVersion')}/${text(kind, 'kind')}` : '<unset>';
  },
  { description: 'The kind of the objects that parameterise it.' },
);

const policyBindings = printer([
  nameColumn,
  field('PolicyName', 'The policy that is bound.', 'spec', 'policyName'),
  column('ParamRef', (object) => paramReference(getPath(object, 'spec', 'paramRef')), {
    description: 'The objects that parameterise it.',
  }),
  ageColumn,
]);

function paramReference(reference: JsonValue | undefined): string {
  const name = text(reference, 'name');
  if (name !== '') return `${text(reference, 'namespace') || '*'}/${name}`;
  const selector = getPath(reference, 'selector');
  return isObject(selector) ? goSelector(selector) : '<unset>';
}

/** The real server prints the selector as Go prints the struct. */
function goSelector(selector: JsonObject): string {
  const labels = Object.entries(asObject(selector.matchLabels))
    .sort(([a], [b]) => (a < b ? -1 : 1))
    .map(([key, value]) => `${key}: ${String(value)},`)
    .join('');
  const expressions = list(selector, 'matchExpressions')
    .map((expression) => {
      const values = strings(expression, 'values').join(' ');
      return `LabelSelectorRequirement{Key:${text(expression, 'key')},Operator:${text(expression, 'operator')},Values:[${values}],},`;
    })
    .join('');
  return `&LabelSelector{MatchLabels:map[string]string{${labels}},MatchExpressions:[]LabelSelectorRequirement{${expressions}},}`;
}

const flowSchemas = printer(
  [
    nameColumn,
    field('PriorityLevel', 'The priority level of its requests.', 'spec', 'priorityLevelConfiguration', 'name'),
    column('MatchingPrecedence', (object) => count(object, 'spec', 'matchingPrecedence'), {
      description: 'Lower numbers are tried first.',
    }),
    column(
      'DistinguisherMethod',
      (object) =>
        isSet(object, 'spec', 'distinguisherMethod') ? text(object, 'spec', 'distinguisherMethod', 'type') : '<none>',
      { description: 'What tells flows apart.' },
    ),
    ageColumn,
    column(
      'MissingPL',
      (object) => {
        const dangling = list(object, 'status', 'conditions').find(({ type }) => type === 'Dangling');
        return dangling === undefined ? '?' : text(dangling, 'status');
      },
      { description: 'Whether its priority level does not exist.' },
    ),
  ],
  {
    compare: (a, b) =>
      count(a, 'spec', 'matchingPrecedence') - count(b, 'spec', 'matchingPrecedence') ||
      (text(a, 'metadata', 'name') < text(b, 'metadata', 'name') ? -1 : 1),
  },
);

const priorityLevels = printer([
  nameColumn,
  field('Type', 'Exempt or Limited.', 'spec', 'type'),
  limited('NominalConcurrencyShares', 'Its share of the seats.', 'nominalConcurrencyShares'),
  limited('Queues', 'How many queues it has.', 'limitResponse', 'queuing', 'queues'),
  limited('HandSize', 'How many queues one flow may use.', 'limitResponse', 'queuing', 'handSize'),
  limited('QueueLengthLimit', 'How long a queue may be.', 'limitResponse', 'queuing', 'queueLengthLimit'),
  ageColumn,
]);

function limited(name: string, description: string, ...path: string[]): PrintedColumn {
  const cell = (object: JsonObject): JsonValue => {
    const settings = getPath(object, 'spec', 'limited', ...path.slice(0, -1));
    return isSet(settings) ? count(settings, path.at(-1) ?? '') : '<none>';
  };
  return column(name, cell, { description });
}

const priorityClasses = printer([
  nameColumn,
  column('Value', (object) => count(object, 'value'), { type: 'integer', description: 'The priority.' }),
  column('Global-Default', (object) => flag(object, 'globalDefault'), {
    type: 'boolean',
    description: 'Whether pods without a class get this one.',
  }),
  ageColumn,
  field('PreemptionPolicy', 'Whether its pods may displace others.', 'preemptionPolicy'),
]);

const runtimeClasses = printer([nameColumn, field('Handler', 'What runs its pods.', 'handler'), ageColumn]);

const leases = printer([nameColumn, field('Holder', 'Who holds the lease.', 'spec', 'holderIdentity'), ageColumn]);

const leaseCandidates = printer([
  nameColumn,
  field('LeaseName', 'The lease that it stands for.', 'spec', 'leaseName'),
  field('BinaryVersion', 'The version of the candidate.', 'spec', 'binaryVersion'),
  field('EmulationVersion', 'The version that it emulates.', 'spec', 'emulationVersion'),
  ageColumn,
]);

const apiServices = printer([
  nameColumn,
  column(
    'Service',
    (object) => {
      const service = getPath(object, 'spec', 'service');
      return isSet(service) ? `${text(service, 'namespace')}/${text(service, 'name')}` : 'Local';
    },
    { description: 'The service behind the group version.' },
  ),
  column('Available', availability, { description: 'Whether the group version is served.' }),
  ageColumn,
]);

function availability(service: JsonObject): string {
  const condition = list(service, 'status', 'conditions').find(({ type }) => type === 'Available');
  if (condition === undefined) return 'Unknown';
  const status = text(condition, 'status');
  const reason = text(condition, 'reason');
  return status === 'True' || reason === '' ? status : `${status} (${reason})`;
}

export const clusterPrinters: Readonly<Record<string, TablePrinter>> = {
  'RoleBinding.rbac.authorization.k8s.io': bindings,
  'ClusterRoleBinding.rbac.authorization.k8s.io': bindings,
  'CertificateSigningRequest.certificates.k8s.io': certificateSigningRequests,
  'ClusterTrustBundle.certificates.k8s.io': clusterTrustBundles,
  'PodCertificateRequest.certificates.k8s.io': podCertificateRequests,
  'MutatingWebhookConfiguration.admissionregistration.k8s.io': webhooks,
  'ValidatingWebhookConfiguration.admissionregistration.k8s.io': webhooks,
  'ValidatingAdmissionPolicy.admissionregistration.k8s.io': printer([
    nameColumn,
    lengthOf('Validations', 'How many rules it has.', 'spec', 'validations'),
    paramKind,
    ageColumn,
  ]),
  'MutatingAdmissionPolicy.admissionregistration.k8s.io': printer([
    nameColumn,
    lengthOf('Mutations', 'How many mutations it has.', 'spec', 'mutations'),
    paramKind,
    ageColumn,
  ]),
  'ValidatingAdmissionPolicyBinding.admissionregistration.k8s.io': policyBindings,
  'MutatingAdmissionPolicyBinding.admissionregistration.k8s.io': policyBindings,
  'FlowSchema.flowcontrol.apiserver.k8s.io': flowSchemas,
  'PriorityLevelConfiguration.flowcontrol.apiserver.k8s.io': priorityLevels,
  'PriorityClass.scheduling.k8s.io': priorityClasses,
  'RuntimeClass.node.k8s.io': runtimeClasses,
  'Lease.coordination.k8s.io': leases,
  'LeaseCandidate.coordination.k8s.io': leaseCandidates,
  'APIService.apiregistration.k8s.io': apiServices,
};
