export { FakeClock } from '../observe/fake-clock.ts';
export { ApiServer, type InProcessClusterOptions } from './api-server.ts';
export { ControlPlane } from './control-plane.ts';
