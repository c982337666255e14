import { readFile } from 'node:fs/promises';
import { delimiter, dirname, join, resolve } from 'node:path';
import { type Kubeconfig, KubeconfigError } from './kubeconfig.ts';
import { parseKubeconfig } from './kubeconfig-parser.ts';

export type Environment = Readonly<Record<string, string | undefined>>;

/** A kubeconfig as data, in the words of its file format: what a YAML or JSON parser makes of one. */
export interface KubeconfigContent {
  readonly apiVersion?: string | undefined;
  readonly kind?: string | undefined;
  readonly 'current-context'?: string | undefined;
  readonly clusters?: readonly unknown[] | undefined;
  readonly users?: readonly unknown[] | undefined;
  readonly contexts?: readonly unknown[] | undefined;
  readonly preferences?: unknown;
  readonly extensions?: readonly unknown[] | undefined;
}

export interface KubeconfigLoadOptions {
  /** Files named by the caller: each must exist, and neither KUBECONFIG nor the home folder is looked at. */
  paths?: readonly string[];
  /** A kubeconfig itself, as text or data: nothing is read. Relative paths in it start at the working directory. */
  content?: string | KubeconfigContent;
  env: Environment;
}

/**
 * Finds, reads and merges kubeconfigs by kubectl's rules: the named files, else those in KUBECONFIG (missing and empty
 * ones skipped), else `~/.kube/config`. The first file to define a name wins, whole: nothing of a later definition is
 * mixed in. Nothing is ever written.
 */
export async function loadKubeconfig(options: KubeconfigLoadOptions): Promise<Kubeconfig> {
  if (options.content !== undefined) {
    const text = typeof options.content === 'string' ? options.content : JSON.stringify(options.content);
    return parseKubeconfig(text, 'the option `kubeconfig`', resolve('.'));
  }
  const explicit = options.paths !== undefined;
  const files = options.paths ?? defaultKubeconfigFiles(options.env);
  const loaded: Kubeconfig[] = [];
  for (const file of new Set(files)) {
    if (file === '' && !explicit) continue;
    const text = await readText(file, explicit);
    if (text !== undefined) loaded.push(await parseKubeconfig(text, file, dirname(resolve(file))));
  }
  return mergeKubeconfigs(loaded);
}

/** Whether it is a kubeconfig itself, and not the path of one: it may hold secrets, and must not be in a message. */
export function isContent(text: string): boolean {
  return /\n|^\s*\{/.test(text);
}

/**
 * What `loadKubeconfig` looks at when no file is named; a file in this list may be missing. Throws `KubeconfigError` when KUBECONFIG does
 * not hold paths.
 */
export function defaultKubeconfigFiles(env: Environment): string[] {
  if (env.KUBECONFIG && isContent(env.KUBECONFIG)) {
    throw new KubeconfigError(
      'KUBECONFIG holds a kubeconfig itself, and must hold the path of one: write it to a file, or pass it as the option `kubeconfig`',
    );
  }
  if (env.KUBECONFIG) return env.KUBECONFIG.split(delimiter);
  const home = env.HOME || env.USERPROFILE;
  return home ? [join(home, '.kube', 'config')] : [];
}

export function mergeKubeconfigs(configs: readonly Kubeconfig[]): Kubeconfig {
  const current = configs.find((config) => config.currentContext !== '');
  return {
    currentContext: current?.currentContext ?? '',
    currentContextFile: current?.currentContextFile,
    clusters: firstWins(configs.map((config) => config.clusters)),
    users: firstWins(configs.map((config) => config.users)),
    contexts: firstWins(configs.map((config) => config.contexts)),
    extensions: firstWins(configs.map((config) => config.extensions)),
    preferences: {
      colors: configs.some((config) => config.preferences.colors),
      extensions: firstWins(configs.map((config) => config.preferences.extensions)),
    },
    files: configs.flatMap((config) => config.files),
  };
}

function firstWins<T>(maps: ReadonlyArray<ReadonlyMap<string, T>>): Map<string, T> {
  return new Map([...maps].reverse().flatMap((map) => [...map]));
}

async function readText(file: string, mustExist: boolean): Promise<string | undefined> {
  try {
    return await readFile(file, 'utf8');
  } catch (error) {
    const code = (error as NodeJS.ErrnoException).code;
    if (code === 'ENOENT' && !mustExist) return undefined;
    const reason = code === 'ENOENT' ? 'it does not exist' : `reading it failed (${code})`;
    throw new KubeconfigError(`the kubeconfig ${file === '' ? '""' : file} cannot be used: ${reason}`, {
      file,
      cause: error,
    });
  }
}
