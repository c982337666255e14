import { resolve } from 'node:path';
import { apiVersionOf, parseApiVersion } from '../../api/resource.ts';
import { didYouMean } from '../../api/suggestion.ts';
import { ApiRequests } from '../../cluster/api-requests.ts';
import type { Cluster } from '../../cluster/cluster.ts';
import { ServerWarnings } from '../../cluster/server-warnings.ts';
import { seeHelp } from '../arguments.ts';
import { CliError, UsageError } from '../cli-error.ts';
import type { Invocation } from '../command.ts';
import { connect } from '../connection-flags.ts';
import { type ApiDescription, apiModule } from './api-module.ts';
import { asNode } from './crd.ts';
import { writeModules } from './module-files.ts';

/** These become names of files and parts of the generated text. */
const PLAIN_NAME = /^[A-Za-z0-9]([A-Za-z0-9.-]*[A-Za-z0-9])?$/;

export async function generateApi(invocation: Invocation): Promise<number> {
  const { flags, positionals, io } = invocation;
  const output = flags.text('output') ?? '-';
  if (output === '-' && positionals.length !== 1) {
    throw new UsageError(
      '"tidewatch generate api" needs one GROUP/VERSION, or -o DIR for several',
      seeHelp({ name: 'generate api' }),
    );
  }
  const cluster = await connect(invocation);
  try {
    const descriptions = await describe(cluster, positionals, io.signal);
    if (output === '-') io.stdout.write(descriptions.map(apiModule).join('\n'));
    else {
      const modules = descriptions.map((description) => ({
        path: `${description.group || 'core'}/${description.version}.ts`,
        text: apiModule(description),
      }));
      await writeModules(modules, resolve(io.cwd, output), invocation);
    }
  } finally {
    await cluster.close();
  }
  return 0;
}

/** Of the versions that are wanted, or of all that have resources. */
async function describe(cluster: Cluster, wanted: readonly string[], signal: AbortSignal): Promise<ApiDescription[]> {
  const requests = new ApiRequests({
    transport: cluster.transport,
    clock: cluster.clock,
    warnings: new ServerWarnings(cluster.logger),
  });
  const ask = async (path: string) => {
    const [plain = '', query = ''] = path.split('?');
    return asNode(await requests.json({ method: 'GET', path: plain, query, signal }));
  };
  const index = asNode((await ask('/openapi/v3'))?.paths) ?? {};
  const resources = await cluster.discovery.resources({ signal });
  const versions = [...new Set(resources.map(apiVersionOf))].filter((name) => pathOf(name) in index);
  for (const name of wanted) {
    if (versions.includes(name)) continue;
    const hint = didYouMean(name, versions);
    throw new CliError(`the cluster does not describe "${name}"${hint ? `; ${hint}` : ''}`, {
      next: 'See "kubectl api-versions".',
    });
  }
  const descriptions: ApiDescription[] = [];
  for (const name of wanted.length > 0 ? [...new Set(wanted)] : versions) {
    const { group, version } = parseApiVersion(name);
    const own = resources.filter((resource) => resource.group === group && resource.version === version);
    for (const text of [
      version,
      ...(group === '' ? [] : [group]),
      ...own.flatMap(({ kind, plural }) => [kind, plural]),
    ]) {
      if (!PLAIN_NAME.test(text))
        throw new CliError(`the cluster serves a resource with the name ${JSON.stringify(text)}`);
    }
    const document = await ask(`/openapi/v3/${pathOf(name)}`);
    const schemas = asNode(asNode(document?.components)?.schemas) ?? {};
    descriptions.push({ group, version, resources: own, schemas });
  }
  return descriptions;
}

function pathOf(apiVersion: string): string {
  return apiVersion.includes('/') ? `apis/${apiVersion}` : `api/${apiVersion}`;
}
