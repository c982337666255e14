import { resolve } from 'node:path';
import { seeHelp } from '../arguments.ts';
import { UsageError } from '../cli-error.ts';
import type { Invocation } from '../command.ts';
import { connect } from '../connection-flags.ts';
import type { Crd } from './crd.ts';
import { combinedModule, crdModules } from './crd-module.ts';
import { crdsFromCluster, crdsFromFiles } from './crd-sources.ts';
import { writeModules } from './module-files.ts';

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
