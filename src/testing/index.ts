export type { ApiServerOptions } from '../apiserver/apiserver.ts';
export type {
  Kubelet,
  KubeletLogRequest,
  KubeletPort,
  KubeletSession,
  KubeletTarget,
} from '../apiserver/kubelet/kubelet.ts';
export type { Access, AccessMatch, User } from '../apiserver/request/access.ts';
export type { Fault, FaultMatch, FaultOptions, FaultPlan, PlannedFault } from '../apiserver/request/fault-plan.ts';
export type { ServerSnapshot } from '../apiserver/storage/server-snapshot.ts';
export { FakeClock } from '../observe/fake-clock.ts';
export { ApiServer, type InProcessClusterOptions } from './api-server.ts';
export type { ClientCertificate, TokenUser } from './control-plane/control-plane-credentials.ts';
export { ControlPlaneError, type ControlPlaneErrorKind } from './control-plane/control-plane-error.ts';
export type { KubeconfigUser } from './control-plane/control-plane-kubeconfig.ts';
export {
  type ControllerManager,
  type ControllerManagerOptions,
  startControllerManager,
} from './control-plane/controller-manager.ts';
export { type KubectlOptions, type KubectlResult, runKubectl } from './control-plane/kubectl.ts';
export { ControlPlane, type ControlPlaneOptions, type ControlPlaneProgram } from './control-plane.ts';
export { ControllerTest, type ControllerTestOptions, type SettleOptions } from './controller-test.ts';
export { type ReconcileOnceOptions, type ReconcileOnceResult, reconcileOnce } from './reconcile-once.ts';
export type { TestObject } from './test-objects.ts';
export {
  type AdmissionAnswer,
  type AdmissionHandler,
  type ConversionHandler,
  type PatchOperation,
  type VersionedObject,
  type WebhookClientConfig,
  type WebhookHandlers,
  WebhookServer,
} from './webhook-server.ts';
