export type { AccessMatch, User } from '../apiserver/access.ts';
export type { ApiServerOptions } from '../apiserver/api-server.ts';
export type { Fault, FaultMatch, FaultOptions, FaultPlan, PlannedFault } from '../apiserver/fault-plan.ts';
export { FakeClock } from '../observe/fake-clock.ts';
export { ApiServer, type InProcessClusterOptions } from './api-server.ts';
export { ControlPlaneError } from './control-plane/control-plane-error.ts';
export { startControllerManager } from './control-plane/controller-manager.ts';
export { runKubectl } from './control-plane/kubectl.ts';
export { ControlPlane, type ControlPlaneOptions, type ControlPlaneProgram } from './control-plane.ts';
