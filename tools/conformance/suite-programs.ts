import { join } from 'node:path';
import { controlPlaneCacheFolder } from '../../src/testing/control-plane/assets.ts';

/** Kubernetes' end-to-end suite, and ginkgo, which runs its specs in parallel. */
export type SuiteProgramName = 'e2e.test' | 'ginkgo';

export const SUITE_PROGRAM_NAMES: readonly SuiteProgramName[] = ['e2e.test', 'ginkgo'];

/** Where `scripts/build-control-plane.ts --suite` puts them. */
export function suiteProgram(name: SuiteProgramName): string {
  return join(controlPlaneCacheFolder(), process.platform === 'win32' ? `${name}.exe` : name);
}
