import { access, constants } from 'node:fs/promises';
import { delimiter, isAbsolute, join, normalize, resolve, sep } from 'node:path';
import type { Environment } from './kubeconfig-loader.ts';

/**
 * Whether the credential plugins that a kubeconfig names may run: all, none, or only the listed commands. An entry is a
 * path, or a bare name, which stands for the file that PATH finds under it. client-go's plugin policy.
 */
export type ExecPolicy = 'allow' | 'forbid' | { readonly allow: readonly string[] };

/** `file` is the one that was found by our own PATH: the kubeconfig, which can set variables, must not lead elsewhere. */
export async function isExecAllowed(
  command: string,
  file: string | undefined,
  policy: ExecPolicy,
  env: Environment,
): Promise<boolean> {
  if (policy === 'allow') return true;
  if (policy === 'forbid') return false;
  if (policy.allow.includes(normalize(command))) return true;
  if (file === undefined) return false;
  for (const entry of policy.allow) {
    if ((await findExecutable(entry, env)) === file) return true;
  }
  return false;
}

/** The file that a command means, or undefined. */
export async function findExecutable(command: string, env: Environment): Promise<string | undefined> {
  const folders = command.includes(sep) ? [''] : (env.PATH ?? '').split(delimiter).filter(isAbsolute);
  const endings = process.platform === 'win32' ? ['', ...(env.PATHEXT ?? '.EXE').split(delimiter)] : [''];
  for (const folder of folders) {
    for (const ending of endings) {
      const file = folder === '' ? resolve(command + ending) : join(folder, command + ending);
      if (await isExecutable(file)) return file;
    }
  }
  return undefined;
}

async function isExecutable(file: string): Promise<boolean> {
  return access(file, constants.X_OK).then(
    () => true,
    () => false,
  );
}
