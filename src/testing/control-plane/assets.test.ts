import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { controlPlaneCacheFolder, findProgram } from './assets.ts';

let folder: string;
beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), 'tidewatch-assets-'));
});
afterEach(() => rmSync(folder, { recursive: true }));

function makeProgram(inFolder: string, name: string, mode = 0o755): string {
  mkdirSync(inFolder, { recursive: true });
  const path = join(inFolder, process.platform === 'win32' ? `${name}.exe` : name);
  writeFileSync(path, '', { mode });
  return path;
}

describe('the cache folder of the control plane', () => {
  it('lies under XDG_CACHE_HOME, or under .cache in the home folder', () => {
    expect(controlPlaneCacheFolder({ XDG_CACHE_HOME: '/x', HOME: '/home/me' })).toMatch(
      /^\/x\/tidewatch\/control-plane\/v1\./,
    );
    expect(controlPlaneCacheFolder({ HOME: '/home/me' })).toMatch(
      /^\/home\/me\/\.cache\/tidewatch\/control-plane\/v1\./,
    );
    expect(controlPlaneCacheFolder({ XDG_CACHE_HOME: '', HOME: '/home/me' })).toMatch(/^\/home\/me\/\.cache\//);
  });
});

describe('finding a program of the control plane', () => {
  it('prefers KUBEBUILDER_ASSETS, and takes from the cache folder what is not in there', () => {
    const env = { KUBEBUILDER_ASSETS: join(folder, 'assets'), XDG_CACHE_HOME: join(folder, 'cache') };
    const cache = controlPlaneCacheFolder(env);
    const etcd = makeProgram(env.KUBEBUILDER_ASSETS, 'etcd');
    makeProgram(cache, 'etcd');
    const manager = makeProgram(cache, 'kube-controller-manager');
    expect(findProgram('etcd', { env })).toBe(etcd);
    expect(findProgram('kube-controller-manager', { env })).toBe(manager);
  });

  it('looks nowhere else when the folder is given', () => {
    const env = { KUBEBUILDER_ASSETS: join(folder, 'assets') };
    makeProgram(env.KUBEBUILDER_ASSETS, 'etcd');
    expect(() => findProgram('etcd', { assets: join(folder, 'given'), env })).toThrow(/^etcd is not in [^ ]+given\. /);
  });

  it('says where it has looked and what to do', () => {
    const env = { KUBEBUILDER_ASSETS: join(folder, 'assets'), XDG_CACHE_HOME: join(folder, 'cache') };
    expect(() => findProgram('kubectl', { env })).toThrow(
      expect.objectContaining({
        kind: 'missing',
        message: expect.stringMatching(
          /^kubectl is not in .*assets nor in .*cache.*Set KUBEBUILDER_ASSETS.*build-control-plane/,
        ),
      }),
    );
  });

  it.skipIf(process.platform === 'win32')('passes over folders and over files that cannot be run', () => {
    makeProgram(folder, 'etcd', 0o644);
    mkdirSync(join(folder, 'kubectl'));
    expect(() => findProgram('etcd', { assets: folder })).toThrow('etcd is not in');
    expect(() => findProgram('kubectl', { assets: folder })).toThrow('kubectl is not in');
  });
});
