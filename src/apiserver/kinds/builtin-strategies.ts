import type { ResourceDescription } from '../../api/type-schema.ts';
import type { Strategy } from '../storage/strategy.ts';
import { validatingBindingStrategy, validatingPolicyStrategy } from './admission-policy.ts';
import { horizontalPodAutoscalerStrategy } from './autoscaling.ts';
import { cronJobStrategy, jobStrategy } from './batch.ts';
import * as cluster from './cluster-objects.ts';
import * as core from './core-objects.ts';
import { customResourceDefinitionStrategy } from './custom-resource-definition.ts';
import { podDisruptionBudgetStrategy } from './disruption-budget.ts';
import { endpointSliceStrategy } from './endpoint-slice.ts';
import { endpointsStrategy } from './endpoints.ts';
import { eventStrategy, eventsV1Strategy } from './event.ts';
import { selectableField } from './field-text.ts';
import { ingressClassStrategy, ingressStrategy } from './ingress.ts';
import { NAME_RULES } from './kind-names.ts';
import { limitRangeStrategy } from './limit-range.ts';
import { mutatingBindingStrategy, mutatingPolicyStrategy } from './mutating-policy.ts';
import { namespaceStrategy } from './namespace.ts';
import { networkPolicyStrategy } from './network-policy.ts';
import { podStrategy } from './pod.ts';
import * as rbac from './rbac.ts';
import { resourceQuotaStrategy } from './resource-quota.ts';
import { serviceStrategy } from './service.ts';
import { persistentVolumeClaimStrategy } from './volume-claim.ts';
import { webhookStrategy } from './webhook-configuration.ts';
import * as workloads from './workloads.ts';

/** The strategies of the built-in kinds for one server, by `plural.group`. Kinds without one are plain objects. */
export function builtinStrategies(): Map<string, Strategy> {
  const counted: Strategy = { generation: true };
  const conditional: Strategy = { unconditionalUpdate: false };
  const returned: Strategy = { returnDeletedObject: true };
  return new Map<string, Strategy>([
    ['configmaps', core.configMapStrategy],
    ['customresourcedefinitions.apiextensions.k8s.io', customResourceDefinitionStrategy],
    ['endpoints', endpointsStrategy],
    ['events', eventStrategy],
    ['events.events.k8s.io', eventsV1Strategy],
    ['limitranges', limitRangeStrategy],
    ['namespaces', namespaceStrategy],
    ['nodes', core.nodeStrategy],
    ['persistentvolumeclaims', persistentVolumeClaimStrategy],
    ['persistentvolumes', core.persistentVolumeStrategy],
    ['pods', podStrategy],
    ['podtemplates', workloads.podTemplateStrategy],
    ['replicationcontrollers', workloads.replicationControllerStrategy],
    ['resourcequotas', resourceQuotaStrategy],
    ['secrets', core.secretStrategy],
    ['serviceaccounts', core.serviceAccountStrategy],
    ['services', serviceStrategy()],
    ['controllerrevisions.apps', workloads.controllerRevisionStrategy],
    ['daemonsets.apps', workloads.daemonSetStrategy],
    ['deployments.apps', workloads.deploymentStrategy],
    ['replicasets.apps', workloads.replicaSetStrategy],
    ['statefulsets.apps', workloads.statefulSetStrategy],
    ['cronjobs.batch', cronJobStrategy],
    ['jobs.batch', jobStrategy],
    ['horizontalpodautoscalers.autoscaling', horizontalPodAutoscalerStrategy],
    ['certificatesigningrequests.certificates.k8s.io', cluster.certificateRequestStrategy],
    ['leases.coordination.k8s.io', cluster.leaseStrategy],
    ['endpointslices.discovery.k8s.io', endpointSliceStrategy],
    ['flowschemas.flowcontrol.apiserver.k8s.io', cluster.flowSchemaStrategy],
    ['prioritylevelconfigurations.flowcontrol.apiserver.k8s.io', cluster.priorityLevelStrategy],
    ['ingresses.networking.k8s.io', ingressStrategy],
    ['ipaddresses.networking.k8s.io', cluster.ipAddressStrategy],
    ['ingressclasses.networking.k8s.io', ingressClassStrategy],
    ['networkpolicies.networking.k8s.io', networkPolicyStrategy],
    ['runtimeclasses.node.k8s.io', { createOnUpdate: true, unconditionalUpdate: false }],
    ['poddisruptionbudgets.policy', podDisruptionBudgetStrategy],
    ['clusterrolebindings.rbac.authorization.k8s.io', rbac.roleBindingStrategy(false)],
    ['clusterroles.rbac.authorization.k8s.io', rbac.roleStrategy(false)],
    ['rolebindings.rbac.authorization.k8s.io', rbac.roleBindingStrategy(true)],
    ['roles.rbac.authorization.k8s.io', rbac.roleStrategy(true)],
    ['deviceclasses.resource.k8s.io', { ...counted, ...returned }],
    ['resourceclaims.resource.k8s.io', returned],
    ['resourceclaimtemplates.resource.k8s.io', returned],
    ['resourceslices.resource.k8s.io', { ...counted, ...returned }],
    ['priorityclasses.scheduling.k8s.io', cluster.priorityClassStrategy],
    ['csidrivers.storage.k8s.io', cluster.csiDriverStrategy],
    ['csinodes.storage.k8s.io', { ...conditional, ...returned }],
    ['csistoragecapacities.storage.k8s.io', conditional],
    ['storageclasses.storage.k8s.io', cluster.storageClassStrategy],
    ['volumeattachments.storage.k8s.io', { ...conditional, ...returned }],
    ['volumeattributesclasses.storage.k8s.io', returned],
    ['mutatingwebhookconfigurations.admissionregistration.k8s.io', webhookStrategy(true)],
    ['validatingwebhookconfigurations.admissionregistration.k8s.io', webhookStrategy(false)],
    ['mutatingadmissionpolicies.admissionregistration.k8s.io', mutatingPolicyStrategy],
    ['validatingadmissionpolicies.admissionregistration.k8s.io', validatingPolicyStrategy],
    ['mutatingadmissionpolicybindings.admissionregistration.k8s.io', mutatingBindingStrategy],
    ['validatingadmissionpolicybindings.admissionregistration.k8s.io', validatingBindingStrategy],
  ]);
}

/** The strategy of a resource, with the fields that its selectors may name. */
export function strategyFor(resource: ResourceDescription, strategies: ReadonlyMap<string, Strategy>): Strategy {
  const key = resource.group === '' ? resource.plural : `${resource.plural}.${resource.group}`;
  const nameRule = NAME_RULES.get(key);
  const own = { ...strategies.get(key), ...(nameRule && { nameRule }) };
  const fields = resource.selectableFields.map((name) => selectableField(resource.plural, resource.group, name));
  return fields.length === 0 ? own : { ...own, selectableFields: fields };
}
