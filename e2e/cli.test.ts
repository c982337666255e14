import { type ChildProcessByStdio, spawn } from 'node:child_process';
import { existsSync } from 'node:fs';
import { mkdtemp, readFile, rm, stat, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { Readable, Writable } from 'node:stream';
import { fileURLToPath } from 'node:url';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { runKubectl } from '../src/testing/control-plane/kubectl.ts';
import { makeNamespace, sharedControlPlane } from './shared-control-plane-fixture.ts';

const BIN = fileURLToPath(new URL('../dist/cli/main.js', import.meta.url));
if (!existsSync(BIN)) throw new Error('there is no dist/cli/main.js: run "npm run build" first');

let folder: string;
beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), 'tidewatch-cli-'));
});
afterAll(() => rm(folder, { recursive: true, force: true }));

/** A command line of the built program, as a user's shell would run it. */
class Run {
  readonly child: ChildProcessByStdio<Writable, Readable, Readable>;
  readonly ended: Promise<{ code: number | null; signal: string | null }>;
  stdout = '';
  stderr = '';
  #wake = () => {};

  constructor(command: string, args: readonly string[], env: Record<string, string> = {}) {
    const { kubeconfigFile } = sharedControlPlane();
    this.child = spawn(command, args, {
      cwd: folder,
      stdio: ['pipe', 'pipe', 'pipe'],
      env: { PATH: process.env.PATH ?? '', HOME: folder, KUBECONFIG: kubeconfigFile, ...env },
    });
    this.child.stdout.on('data', (chunk: Buffer) => {
      this.stdout += chunk.toString('utf8');
      this.#wake();
    });
    this.child.stderr.on('data', (chunk: Buffer) => {
      this.stderr += chunk.toString('utf8');
    });
    this.child.stdin.on('error', () => {});
    this.ended = new Promise((resolve) => {
      this.child.on('close', (code, signal) => {
        this.#wake();
        resolve({ code, signal });
      });
    });
  }

  async shows(what: RegExp): Promise<string> {
    while (!what.test(this.stdout)) {
      if (this.child.exitCode !== null)
        throw new Error(`it ended with ${this.child.exitCode}: ${this.stdout}${this.stderr}`);
      await new Promise<void>((resolve) => {
        this.#wake = resolve;
      });
    }
    return this.stdout;
  }

  async result(): Promise<{ code: number | null; stdout: string; stderr: string }> {
    const { code } = await this.ended;
    return { code, stdout: this.stdout, stderr: this.stderr };
  }
}

const tidewatch = (...args: string[]) => new Run(process.execPath, [BIN, ...args]);

async function kubectl(args: readonly string[], input?: string): Promise<string> {
  const { kubeconfigFile } = sharedControlPlane();
  const result = await runKubectl([...args], { kubeconfig: kubeconfigFile, ...(input !== undefined && { input }) });
  if (result.code !== 0) throw new Error(`kubectl ${args.join(' ')}: ${result.stderr}`);
  return result.stdout;
}

describe('tidewatch watch on a real cluster', () => {
  it('prints the table that kubectl prints, to the byte', async () => {
    for (const resource of ['clusterroles', 'apiservices', 'flowschemas.flowcontrol.apiserver.k8s.io']) {
      const { code, stdout, stderr } = await tidewatch('watch', resource, '--exit-after-sync').result();
      expect({ code, stderr }).toEqual({ code: 0, stderr: '' });
      // Ages pass while we look, and flow schemas come in an order of their own.
      const ageless = (text: string) =>
        text
          .replace(/ (\d+m)?\d+[smh] *$| (\d+m)?\d+[smh] +/gm, ' AGE ')
          .split('\n')
          .sort();
      expect(ageless(stdout)).toEqual(ageless(await kubectl(['get', resource])));
    }
  });

  it('prints one line for each event, until it is interrupted', async () => {
    const namespace = await makeNamespace('cli');
    await kubectl(['create', 'configmap', 'one', '-n', namespace]);
    const run = tidewatch(
      'watch',
      'cm',
      '-n',
      namespace,
      '-o',
      'events',
      '--field-selector',
      'metadata.name!=kube-root-ca.crt',
    );
    await run.shows(new RegExp(`^ADD ${namespace}/one \\d+\\n$`));
    await kubectl(['annotate', 'configmap', 'one', 'a=b', '-n', namespace]);
    await run.shows(new RegExp(`\\nUPDATE ${namespace}/one \\d+\\n$`));
    await kubectl(['delete', 'configmap', 'one', '-n', namespace]);
    await run.shows(new RegExp(`\\nDELETE ${namespace}/one \\d+\\n$`));
    run.child.kill('SIGINT');
    expect(await run.result()).toMatchObject({ code: 130, stderr: '' });
  });

  it('ends quietly when the reader of its pipe has gone', async () => {
    const namespace = await makeNamespace('cli');
    const line = `${process.execPath} ${BIN} watch cm -n ${namespace} -o events --watch-only | head -n 1; echo \${PIPESTATUS[0]}`;
    const run = new Run('bash', ['-c', line]);
    let count = 0;
    const changing = setInterval(() => {
      void kubectl(['create', 'configmap', `c-${count++}`, '-n', namespace]).catch(() => {});
    }, 500);
    const { stdout, stderr } = await run.result();
    clearInterval(changing);
    expect(stdout).toMatch(/^ADD \S+ \d+\n0\n$/);
    expect(stderr).toBe('');
  });

  it('is live in a terminal, and leaves it as it was', async () => {
    const namespace = await makeNamespace('cli');
    await kubectl(['create', 'configmap', 'one', '-n', namespace]);
    const line = `stty rows 20 cols 80; stty -g; ${process.execPath} ${BIN} watch cm -n ${namespace}; echo "code $?"; stty -g`;
    const run = new Run('script', ['-qec', line, '/dev/null'], { TERM: 'xterm', LANG: 'C.UTF-8', SHELL: '/bin/bash' });
    await run.shows(/● watching/);
    await kubectl(['create', 'configmap', 'two', '-n', namespace]);
    await run.shows(/\+\S* \S*two/);
    run.child.stdin.write('\x03');
    const { stdout } = await run.result();
    const [before = '', inside = ''] = stdout.split('\x1b[?1049h');
    expect(inside).toContain('\x1b[?25h\x1b[?1049l');
    const after = inside
      .slice(inside.indexOf('\x1b[?1049l') + 8)
      .trim()
      .split(/\r?\n/);
    expect(after).toEqual(['code 130', before.trim()]);
  });

  it('says in one sentence what is wrong', async () => {
    const cases: [string[], number, RegExp][] = [
      [['watch', 'podz'], 1, /^error: the cluster has no resource "podz"; did you mean "pods"\? .*\n$/],
      [
        ['watch', 'pods', '--as', 'nobody'],
        1,
        /^error: pods is forbidden: User "nobody" cannot list resource "pods".*\n$/,
      ],
      [['watch', 'pods', '--field-selector', 'spec.color=red'], 1, /^error: the server finds the request wrong: .*\n$/],
      [['watch', 'pods', '-l', 'a in (b'], 2, /^error: "a in \(b" is not a label selector.*\n$/],
      [
        ['watch', 'pods', '--context', 'nowhere'],
        1,
        /^error: the context "nowhere", named by --context, is not defined in .*\n$/,
      ],
      [
        ['watch', 'pods', '--kubeconfig', 'nowhere'],
        1,
        /^error: the kubeconfig .*nowhere cannot be used: it does not exist\. .*\n$/,
      ],
      [['watch', 'pods', '--nope'], 2, /^error: "tidewatch watch" has no flag --nope\. .*\n$/],
    ];
    for (const [args, code, stderr] of cases) {
      expect(await tidewatch(...args).result(), args.join(' ')).toEqual({
        code,
        stdout: '',
        stderr: expect.stringMatching(stderr),
      });
    }
  });
});

describe('tidewatch generate crd on a real cluster', () => {
  it('gives the same types from the cluster as from the file', async () => {
    const crd = `
apiVersion: apiextensions.k8s.io/v1
kind: CustomResourceDefinition
metadata: { name: crontabs.cli.example.com }
spec:
  group: cli.example.com
  scope: Namespaced
  names: { plural: crontabs, singular: crontab, kind: CronTab, shortNames: [clict] }
  versions:
  - name: v1
    served: true
    storage: true
    additionalPrinterColumns: [{ name: Spec, type: string, jsonPath: .spec.cronSpec }]
    schema:
      openAPIV3Schema:
        type: object
        properties:
          spec:
            type: object
            required: [cronSpec]
            properties:
              cronSpec: { type: string }
              replicas: { type: integer, default: 1 }
              limit: { x-kubernetes-int-or-string: true }
              template: { type: object, x-kubernetes-embedded-resource: true, x-kubernetes-preserve-unknown-fields: true }
`;
    await writeFile(join(folder, 'crd.yaml'), crd);
    await kubectl(['apply', '-f', '-'], crd);
    try {
      await kubectl(['wait', '--for=condition=Established', 'crd/crontabs.cli.example.com', '--timeout=60s']);
      const fromFile = await tidewatch('generate', 'crd', 'crd.yaml').result();
      const fromCluster = await tidewatch('generate', 'crd', '--from-cluster', 'crontabs').result();
      expect(fromCluster).toMatchObject({ code: 0, stderr: '' });
      // The server keeps fields in another order than the file has them.
      expect(fromCluster.stdout.split('\n').sort()).toEqual(fromFile.stdout.split('\n').sort());
      expect(fromFile.stdout).toContain('export const cronTabs: Resource<CronTab>');
      const wrong = await tidewatch('generate', 'crd', '--from-cluster', 'crontab').result();
      expect(wrong).toMatchObject({ code: 0 });
      const missing = await tidewatch('generate', 'crd', '--from-cluster', 'cronjobs').result();
      expect(missing).toMatchObject({
        code: 1,
        stderr: expect.stringMatching(/^error: the cluster has no Custom.* "cronjobs".*\n$/),
      });

      const namespace = await makeNamespace('cli');
      const object = {
        apiVersion: 'cli.example.com/v1',
        kind: 'CronTab',
        metadata: { name: 'nightly', namespace },
        spec: { cronSpec: '0 3 * * *' },
      };
      await kubectl(['create', '-f', '-'], JSON.stringify(object));
      const { stdout } = await tidewatch('watch', 'clict', '-n', namespace, '--exit-after-sync').result();
      expect(stdout).toBe(await kubectl(['get', 'crontabs.cli.example.com', '-n', namespace]));
    } finally {
      await kubectl(['delete', 'crd', 'crontabs.cli.example.com', '--wait=false']);
    }
  });
});

describe('the embedded server from the command line', () => {
  it('tells the story of the demo, and ends', async () => {
    const { code, stdout, stderr } = await tidewatch('demo').result();
    expect({ code, stderr }).toEqual({ code: 0, stderr: '' });
    expect(stdout).toMatch(/\ncheck +the cache equals the server: web-1 and web-3\n$/);
  });

  it('serves kubectl, and takes its kubeconfig away when it is interrupted', async () => {
    const run = tidewatch('serve', '--kubeconfig', 'serve.kubeconfig');
    await run.shows(/Press Ctrl-C to stop it/);
    const kubeconfig = join(folder, 'serve.kubeconfig');
    expect((await stat(kubeconfig)).mode & 0o777).toBe(0o600);
    expect(await readFile(kubeconfig, 'utf8')).toContain('current-context: tidewatch');
    const created = await runKubectl(['create', 'deployment', 'web', '--image=nginx'], { kubeconfig });
    expect(created).toMatchObject({ code: 0, stdout: 'deployment.apps/web created\n' });
    const { stdout } = await new Run(process.execPath, [BIN, 'watch', 'deploy', '--exit-after-sync', '-o', 'name'], {
      KUBECONFIG: kubeconfig,
    }).result();
    expect(stdout).toBe('deployment.apps/web\n');
    run.child.kill('SIGINT');
    expect(await run.result()).toMatchObject({ code: 0, stderr: '' });
    expect(existsSync(kubeconfig)).toBe(false);
  });
});
