import { inject } from 'vitest';
import type { TestProject } from 'vitest/node';
import { runKubectl } from '../src/testing/control-plane/kubectl.ts';
import { ControlPlane } from '../src/testing/control-plane.ts';

/** What a test needs of the control plane that runs for the whole suite. */
export interface SharedControlPlane {
  server: string;
  ca: string;
  /** The administrator's. */
  token: string;
  kubeconfigFile: string;
}

declare module 'vitest' {
  interface ProvidedContext {
    sharedControlPlane: SharedControlPlane;
  }
}

/** Vitest's globalSetup of the project `e2e`: one control plane for all files, which ends with the run. */
export default async function setup(project: TestProject): Promise<() => Promise<void>> {
  const plane = await ControlPlane.start();
  project.provide('sharedControlPlane', {
    server: plane.server,
    ca: plane.ca,
    token: plane.token,
    kubeconfigFile: plane.kubeconfigFile(),
  });
  return () => plane.stop();
}

/**
 * The control plane that all test files share. Each works in namespaces of its own (`makeNamespace`) and leaves the
 * programs alone; a test that kills, pauses, restarts or compacts starts a `ControlPlane` for itself.
 */
export function sharedControlPlane(): SharedControlPlane {
  const plane: SharedControlPlane | undefined = inject('sharedControlPlane');
  if (!plane)
    throw new Error('Nothing is shared: name e2e/shared-control-plane-fixture.ts as globalSetup of the project.');
  return plane;
}

/** Makes a namespace with a name that no other test has, and returns the name. */
export async function makeNamespace(prefix: string): Promise<string> {
  const manifest = JSON.stringify({ apiVersion: 'v1', kind: 'Namespace', metadata: { generateName: `${prefix}-` } });
  const result = await runKubectl(['create', '-f', '-', '-o', 'jsonpath={.metadata.name}'], {
    kubeconfig: sharedControlPlane().kubeconfigFile,
    input: manifest,
  });
  if (result.code !== 0) throw new Error(`kubectl could not make a namespace: ${result.stderr}`);
  return result.stdout;
}
