import { mkdir, readFile, writeFile } from 'node:fs/promises';
import { dirname, join, relative, resolve } from 'node:path';
import { seeHelp } from '../arguments.ts';
import { CliError, UsageError } from '../cli-error.ts';
import type { Invocation } from '../command.ts';
import { connect } from '../connection-flags.ts';
import { safeText } from '../terminal/safe-text.ts';
import type { Crd } from './crd.ts';
import { type CrdModule, combinedModule, crdModules, isGenerated } from './crd-module.ts';
import { crdsFromCluster, crdsFromFiles } from './crd-sources.ts';

export async function generateCrd(invocation: Invocation): Promise<number> {
  const { flags, positionals, io } = invocation;
  const names = flags
    .texts('from-cluster')
    .flatMap((text) => text.split(','))
    .filter((name) => name !== '');
  if (positionals.length === 0 && names.length === 0) {
    throw new UsageError(
      '"tidewatch generate crd" needs a FILE or --from-cluster NAME',
      seeHelp({ name: 'generate crd' }),
    );
  }
  const crds = distinct([...(await crdsFromFiles(positionals, io)), ...(await fromCluster(invocation, names))]);
  const output = flags.text('output') ?? '-';
  if (output === '-') io.stdout.write(combinedModule(crds));
  else await writeModules(crdModules(crds), resolve(io.cwd, output), invocation);
  return 0;
}

async function fromCluster(invocation: Invocation, names: readonly string[]): Promise<Crd[]> {
  if (names.length === 0) return [];
  const cluster = await connect(invocation);
  try {
    return await crdsFromCluster(cluster, names, invocation.io.signal);
  } finally {
    await cluster.close();
  }
}

/** Of one that was given twice the last one counts. */
function distinct(crds: readonly Crd[]): Crd[] {
  return [...new Map(crds.map((crd) => [`${crd.plural}.${crd.group}`, crd])).values()];
}

async function writeModules(modules: readonly CrdModule[], folder: string, { io }: Invocation): Promise<void> {
  const targets = modules.map(({ path, text }) => ({ file: join(folder, ...path.split('/')), text }));
  for (const { file } of targets) await checkReplaceable(file);
  for (const { file, text } of targets) {
    await mkdir(dirname(file), { recursive: true });
    await writeFile(file, text);
    io.stdout.write(`${safeText(relative(io.cwd, file) || file)}\n`);
  }
}

async function checkReplaceable(file: string): Promise<void> {
  const text = await readFile(file, 'utf8').catch(() => undefined);
  if (text === undefined || isGenerated(text)) return;
  throw new CliError(`${file} exists and was not generated, so it is left alone`, {
    next: 'Move it away, or choose another folder with -o DIR.',
  });
}
