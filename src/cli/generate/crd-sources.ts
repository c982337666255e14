import { readdir, readFile, stat } from 'node:fs/promises';
import { join, resolve } from 'node:path';
import { parseAllDocuments } from 'yaml';
import { didYouMean } from '../../api/suggestion.ts';
import type { Cluster } from '../../cluster/cluster.ts';
import { customResourceDefinitions } from '../../generated/api/apiextensions/v1.ts';
import { CliError } from '../cli-error.ts';
import type { CliIo } from '../cli-io.ts';
import { type Crd, manifestsIn, readCrd } from './crd.ts';

/** From files, folders of YAML and JSON files, and `-` for the standard input. Throws when there is none at all. */
export async function crdsFromFiles(files: readonly string[], io: CliIo): Promise<Crd[]> {
  const crds: Crd[] = [];
  for (const file of files) {
    const texts = file === '-' ? [{ where: 'the standard input', text: await textOf(io.stdin) }] : await read(file, io);
    const found = texts.flatMap(({ where, text }) => crdsIn(text, where));
    if (found.length === 0) {
      throw new CliError(`there is no CustomResourceDefinition in ${file === '-' ? 'the standard input' : file}`, {
        next: 'Name a file that holds one, or read it from a cluster with --from-cluster NAME.',
      });
    }
    crds.push(...found);
  }
  return crds;
}

/** By name, plural name or kind, or `*` for all. */
export async function crdsFromCluster(cluster: Cluster, names: readonly string[], signal: AbortSignal): Promise<Crd[]> {
  const { items } = await cluster.client(customResourceDefinitions).listAll({ signal });
  const known = items.flatMap((manifest) => {
    const crd = readCrd(manifest, cluster.server);
    return crd === undefined ? [] : [{ name: `${crd.plural}.${crd.group}`, crd }];
  });
  return names.flatMap((wanted) => {
    if (wanted === '*') return known.map(({ crd }) => crd);
    const found = known.filter(
      ({ name, crd }) => name === wanted || crd.plural === wanted || crd.kind.toLowerCase() === wanted.toLowerCase(),
    );
    if (found.length > 0) return found.map(({ crd }) => crd);
    const meant = didYouMean(
      wanted,
      known.flatMap(({ name, crd }) => [crd.plural, crd.kind, name]),
    );
    throw new CliError(
      `the cluster has no CustomResourceDefinition "${wanted}"${meant === undefined ? '' : `; ${meant}`}`,
      {
        next: 'See "kubectl get customresourcedefinitions".',
      },
    );
  });
}

/** Those in a YAML or JSON text of one or several documents. Throws `CliError`. */
export function crdsIn(text: string, where: string): Crd[] {
  const documents = parseAllDocuments(text);
  if (!Array.isArray(documents)) return [];
  return documents.flatMap((document) => {
    const [problem] = document.errors;
    if (problem) throw notYaml(where, problem);
    let manifest: unknown;
    try {
      manifest = document.toJS();
    } catch (error) {
      throw notYaml(where, error);
    }
    return [...manifestsIn(manifest)].flatMap((one) => readCrd(one, where) ?? []);
  });
}

function notYaml(where: string, error: unknown): CliError {
  const [line = ''] = (error instanceof Error ? error.message : String(error)).split('\n');
  return new CliError(`${where} is not valid YAML: ${line.replace(/:$/, '')}`);
}

async function read(file: string, io: CliIo): Promise<{ where: string; text: string }[]> {
  const path = resolve(io.cwd, file);
  try {
    if (!(await stat(path)).isDirectory()) return [{ where: file, text: await readFile(path, 'utf8') }];
    const inside = (await readdir(path)).filter((name) => /\.(ya?ml|json)$/i.test(name)).sort();
    return await Promise.all(
      inside.map(async (name) => ({ where: join(file, name), text: await readFile(join(path, name), 'utf8') })),
    );
  } catch (cause) {
    const why = (cause as NodeJS.ErrnoException).code === 'ENOENT' ? 'it does not exist' : (cause as Error).message;
    throw new CliError(`${file} cannot be read: ${why}`, { cause });
  }
}

async function textOf(stream: NodeJS.ReadableStream): Promise<string> {
  const chunks: Buffer[] = [];
  for await (const chunk of stream) chunks.push(Buffer.from(chunk));
  return Buffer.concat(chunks).toString('utf8');
}
