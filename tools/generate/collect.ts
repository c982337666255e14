import { execFileSync } from 'node:child_process';
import { readFileSync } from 'node:fs';
import { Agent, request } from 'node:https';
import { fileURLToPath } from 'node:url';
import type { ResourceDescription } from '../../src/api/type-schema.ts';
import { ControlPlane } from '../../src/testing/control-plane.ts';
import { readDefaultRoles } from './default-roles.ts';
import { type Ask, askJson, discover } from './discovery.ts';
import { openApiSchemas } from './open-api.ts';
import { lowerCamelCase, modelPackage } from './packages.ts';
import { probeSelectableFields } from './selectable-fields.ts';
import type { DiscoveredResource, GoDocument, Sources } from './sources.ts';

const FOLDER = fileURLToPath(new URL('.', import.meta.url));

/** Flags of a server that serves all it can. */
const EVERYTHING = ['--runtime-config=api/all=true', '--feature-gates=AllAlpha=true,AllBeta=true'];

/** Runs the Go program and asks two real servers, one with default flags and one that serves all it can. */
export async function collectSources(log: (line: string) => void): Promise<Sources> {
  log('Reading the Go types (a first build takes some minutes)');
  const go = readGoTypes();
  log('Asking a kube-apiserver with default flags');
  const { byDefault, roles } = await withServer([], async (ask) => ({
    byDefault: await discoverWithFields(ask, go),
    roles: await readDefaultRoles(ask),
  }));
  log('Asking a kube-apiserver with every API');
  const everything = await withServer(EVERYTHING, async (ask) => ({
    found: await discoverWithFields(ask, go, byDefault),
    schemas: await openApiSchemas(ask),
  }));
  return { go, ...everything, resources: everything.found, roles };
}

function readGoTypes(): GoDocument {
  const text = execFileSync('go', ['run', '.'], { cwd: FOLDER, encoding: 'utf8', maxBuffer: 64 * 1024 * 1024 });
  return JSON.parse(text) as GoDocument;
}

/** Types of one release and resources of another would not fit together. */
async function ensureSameRelease(ask: Ask): Promise<void> {
  const modules = /k8s\.io\/api v0\.(\d+)\./.exec(readFileSync(`${FOLDER}/go.mod`, 'utf8'))?.[1];
  const { gitVersion } = await askJson<{ gitVersion: string }>(ask, '/version');
  if (modules === undefined || !gitVersion.startsWith(`v1.${modules}.`)) {
    throw new Error(
      `the kube-apiserver is ${gitVersion}, the Go modules are of v1.${modules}: set KUBEBUILDER_ASSETS to a folder with that release`,
    );
  }
}

/** What a default server has described is taken over; the rest is opt-in. */
async function discoverWithFields(
  ask: Ask,
  go: GoDocument,
  known?: readonly ResourceDescription[],
): Promise<ResourceDescription[]> {
  const types = new Map(go.types.map((type) => [type.name, type]));
  const found: ResourceDescription[] = [];
  for (const resource of await discover(ask)) {
    const before = known?.find(
      ({ group, version, plural }) =>
        group === resource.group && version === resource.version && plural === resource.plural,
    );
    if (before) {
      found.push(before);
      continue;
    }
    const named = { ...resource, ...clientNames(resource, go) };
    const selectableFields = await probeSelectableFields(ask, resource, types, named.schema);
    found.push({ ...named, selectableFields, ...(known ? { optIn: true } : {}) });
  }
  const missing = known?.filter((resource) => !found.includes(resource)) ?? [];
  if (missing.length > 0) throw new Error(`not served with every API on: ${missing.map(({ plural }) => plural)}`);
  return found;
}

function clientNames(
  resource: DiscoveredResource,
  go: GoDocument,
): Pick<ResourceDescription, 'schema' | 'groupAccessor' | 'accessor'> {
  const { group, version, kind, plural } = resource;
  const schema = go.kinds.find(
    (entry) => entry.group === group && entry.version === version && entry.kind === kind,
  )?.type;
  if (schema === undefined) throw new Error(`the Go modules have no ${kind} in ${group}/${version}`);
  const accessor = go.accessors.find((entry) => entry.type === schema && entry.method.toLowerCase() === plural);
  const groupAccessor = accessor?.package ?? modelPackage(schema).split('.').at(-2);
  if (groupAccessor === undefined) throw new Error(`${schema} belongs to no group`);
  // The clientset has no way to bindings but through pods.
  return { schema, groupAccessor, accessor: accessor ? lowerCamelCase(accessor.method) : plural };
}

async function withServer<T>(flags: readonly string[], work: (ask: Ask) => Promise<T>): Promise<T> {
  const plane = await ControlPlane.start({ flags: { apiserver: flags } });
  const agent = new Agent({ keepAlive: true, ca: plane.ca });
  try {
    const askPlane: Ask = (path, accept = 'application/json') => ask(agent, plane, path, accept);
    await ensureSameRelease(askPlane);
    return await work(askPlane);
  } finally {
    agent.destroy();
    await plane.stop();
  }
}

function ask(
  agent: Agent,
  plane: ControlPlane,
  path: string,
  accept: string,
): Promise<{ status: number; body: string }> {
  return new Promise((resolve, reject) => {
    const headers = { authorization: `Bearer ${plane.token}`, accept };
    const outgoing = request(new URL(path, plane.server), { agent, headers }, (answer) => {
      let body = '';
      answer.setEncoding('utf8');
      answer.on('data', (chunk: string) => {
        body += chunk;
      });
      answer.once('end', () => resolve({ status: answer.statusCode ?? 0, body }));
      answer.once('error', reject);
    });
    outgoing.once('error', reject);
    outgoing.end();
  });
}
