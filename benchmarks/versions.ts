import { execFileSync } from 'node:child_process';
import { readFileSync } from 'node:fs';
import { cpus, totalmem } from 'node:os';
import { fileURLToPath } from 'node:url';

/** `2 cores of …, 24 GiB; Node 20.20.2, Go 1.26.8, rustc 1.95.0`, as far as it can be found out. */
export function machine(): string {
  const processors = cpus();
  const model = processors[0]?.model.trim() ?? 'an unknown processor';
  const memory = `${Math.round(totalmem() / 2 ** 30)} GiB of memory`;
  const tools = [
    `Node ${process.versions.node}`,
    ...printed('go', ['version'], /go(\d[\d.]*)/).map((version) => `Go ${version}`),
    ...printed('rustc', ['--version'], /rustc ([\d.]+)/).map((version) => `rustc ${version}`),
  ];
  return `${processors.length} cores of ${model}, ${memory}; ${tools.join(', ')}`;
}

/** `client-go 0.36.3, kube-rs 5.0, …`, from their manifests. */
export function peerVersions(): string {
  return [
    `client-go ${written('peers/client-go/go.mod', /k8s\.io\/client-go v([\d.]+)/)}`,
    `kube-rs ${written('peers/kube-rs/Cargo.toml', /^kube = \{ version = "([\d.]+)"/m)}`,
    `@kubernetes/client-node ${written('../node_modules/@kubernetes/client-node/package.json', /"version": "([^"]+)"/)}`,
  ].join(', ');
}

function printed(program: string, args: readonly string[], version: RegExp): string[] {
  try {
    return version.exec(execFileSync(program, args, { encoding: 'utf8' }))?.slice(1) ?? [];
  } catch {
    return [];
  }
}

function written(path: string, version: RegExp): string {
  const text = readFileSync(fileURLToPath(new URL(path, import.meta.url)), 'utf8');
  return version.exec(text)?.[1] ?? '(unknown version)';
}
