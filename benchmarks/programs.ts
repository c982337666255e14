import { execFileSync, spawnSync } from 'node:child_process';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { build } from 'esbuild';
import { bundleOptions } from '../scripts/bundle-options.ts';

const root = fileURLToPath(new URL('..', import.meta.url));
const cache = join(root, 'node_modules/.cache/tidewatch-bench');

/** The programs that take part: the first word is the file, the rest its first arguments. */
export type Command = readonly [string, ...string[]];

/** Throws when Go is missing: without the server nothing can be measured. */
export function buildReplayServer(): string {
  try {
    return go('replay-server', 'replay-server');
  } catch (error) {
    throw new Error('The server that sends the pods cannot be built; it needs Go.', { cause: error });
  }
}

/** How many bytes the pod has. */
export interface PodSizes {
  readonly json: number;
  readonly protobuf: number;
  readonly jsonWithoutManagedFields: number;
  readonly protobufWithoutManagedFields: number;
}

export function podSizes(replayServer: string): PodSizes {
  return JSON.parse(execFileSync(replayServer, ['-sizes'], { encoding: 'utf8' })) as PodSizes;
}

/** By name; one whose toolchain is missing is left out, with a message. */
export async function buildPeers(names: ReadonlySet<string>): Promise<ReadonlyMap<string, Command>> {
  const commands = new Map<string, Command>();
  for (const [name, prepare] of Object.entries(PEERS)) {
    if (!names.has(name)) continue;
    try {
      commands.set(name, await prepare());
    } catch (error) {
      console.error(
        `${name} is skipped, because it cannot be built: ${error instanceof Error ? error.message : error}`,
      );
    }
  }
  return commands;
}

const PEERS: Readonly<Record<string, () => Command | Promise<Command>>> = {
  tidewatch: () => bundle('tidewatch', 'peers/tidewatch.ts'),
  'client-node': () => bundle('client-node', 'peers/client-node/main.ts'),
  'client-go': () => [go('client-go', 'peers/client-go')],
  controller: () => bundle('controller', 'peers/controller.ts'),
  idle: () => bundle('idle', 'peers/idle.ts'),
  restart: () => bundle('restart', 'peers/restart.ts'),
  'first-list': () => bundle('first-list', 'peers/first-list.ts'),
  backlog: () => bundle('backlog', 'peers/backlog.ts'),
  'controller-runtime': () => [go('controller-runtime', 'peers/controller-runtime')],
  'kube-rs': () => [cargo('kube-rs-peer', 'peers/kube-rs')],
};

/** With the same compiler and settings as dist/, so that what is measured is what is shipped, and never an old build. */
export async function bundle(name: string, entry: string): Promise<Command> {
  await build({
    absWorkingDir: root,
    entryPoints: { [name]: join('benchmarks', entry) },
    outdir: cache,
    outExtension: { '.js': '.mjs' },
    chunkNames: `${name}-chunks/[name]-[hash]`,
    ...bundleOptions,
  });
  return [process.execPath, '--expose-gc', join(cache, `${name}.mjs`)];
}

function go(name: string, folder: string): string {
  const output = join(cache, name);
  run('go', ['build', '-o', output, '.'], join(root, 'benchmarks', folder));
  return output;
}

function cargo(name: string, folder: string): string {
  const target = join(cache, 'kube-rs');
  run('cargo', ['build', '--release', '--quiet', '--target-dir', target], join(root, 'benchmarks', folder));
  return join(target, 'release', name);
}

function run(program: string, args: readonly string[], cwd: string): void {
  const { error, status, stderr } = spawnSync(program, args, { cwd, encoding: 'utf8' });
  if (error !== undefined) throw error;
  if (status !== 0) throw new Error(`${program} ${args[0]} failed: ${stderr.trim()}`);
}
