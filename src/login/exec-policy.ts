import { access, constants } from 'node:fs/promises';
import { delimiter, isAbsolute, join, resolve, sep } from 'node:path';
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
  for (const entry of policy.allow) {
    if (meansTheSame(entry, command)) return true;
    if (file !== undefined && (await findExecutable(entry, env)) === file) return true;
  }
  return false;
}

/** Whether both are one path or one name, found or not. A path never means what a bare name does: `./aws` is not `aws`. */
function meansTheSame(entry: string, command: string): boolean {
  if (isPath(entry) !== isPath(command)) return false;
  return isPath(command) ? resolve(entry) === resolve(command) : entry === command;
}

function isPath(command: string): boolean {
  return command.includes('/') || command.includes(sep);
}

/** The file that a command means, or undefined. */
export async function findExecutable(command: string, env: Environment): Promise<string | undefined> {
  const folders = isPath(command) ? [''] : (env.PATH ?? '').split(delimiter).filter(isAbsolute);
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
