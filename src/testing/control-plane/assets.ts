import { accessSync, constants, statSync } from 'node:fs';
import { homedir } from 'node:os';
import { join } from 'node:path';
import { ControlPlaneError } from './control-plane-error.ts';

/** The release of Kubernetes that `scripts/build-control-plane.ts` builds; the versions in tools/control-plane follow it. */
export const CONTROL_PLANE_VERSION = 'v1.36.3';

export type ProgramName = 'etcd' | 'kube-apiserver' | 'kubectl' | 'kube-controller-manager';

export const PROGRAM_NAMES: readonly ProgramName[] = ['etcd', 'kubectl', 'kube-apiserver', 'kube-controller-manager'];

type Environment = Readonly<Record<string, string | undefined>>;

/** Where `scripts/build-control-plane.ts` puts the programs: outside any checkout, so that they are built once a machine. */
export function controlPlaneCacheFolder(env: Environment = process.env): string {
  const cache = env.XDG_CACHE_HOME || join(env.HOME || homedir(), '.cache');
  return join(cache, 'tidewatch', 'control-plane', CONTROL_PLANE_VERSION);
}

export interface FindProgramOptions {
  /** A folder that must hold the program; nothing else is searched then. */
  assets?: string | undefined;
  /** Default `process.env`; read for KUBEBUILDER_ASSETS, XDG_CACHE_HOME and HOME. */
  env?: Environment;
}

/**
 * The path of a program: in `assets` when given, else in the folder that KUBEBUILDER_ASSETS names, else in the cache
 * folder. KUBEBUILDER_ASSETS may hold some of the programs only (envtest's has no kube-controller-manager).
 */
export function findProgram(name: ProgramName, options: FindProgramOptions = {}): string {
  const env = options.env ?? process.env;
  const kubebuilder = env.KUBEBUILDER_ASSETS ? [env.KUBEBUILDER_ASSETS] : [];
  const folders = options.assets ? [options.assets] : [...kubebuilder, controlPlaneCacheFolder(env)];
  for (const folder of folders) {
    const path = join(folder, process.platform === 'win32' ? `${name}.exe` : name);
    if (isExecutable(path)) return path;
  }
  throw new ControlPlaneError(
    'missing',
    `${name} is not in ${folders.join(' nor in ')}. Set KUBEBUILDER_ASSETS to a folder with etcd, kube-apiserver and kubectl ` +
      '(setup-envtest makes one), or run `npx tsx scripts/build-control-plane.ts` in a clone of tidewatch, which builds ' +
      `${CONTROL_PLANE_VERSION} with Go.`,
  );
}

/** Whether there is a file at `path` that this user may run. */
export function isExecutable(path: string): boolean {
  try {
    accessSync(path, constants.X_OK);
    return statSync(path).isFile();
  } catch {
    return false;
  }
}
