import { spawn } from 'node:child_process';
import { mkdirSync, mkdtempSync, readFileSync, realpathSync, rmSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { build, type Plugin } from 'esbuild';
import { bundleOptions } from '../../scripts/bundle-options.ts';

/** What is run in a process of its own: a file of the repository, or the text of a page. */
export interface Program {
  readonly name: string;
  /** Absolute. */
  readonly file?: string;
  readonly text?: string;
}

export interface RunOptions {
  env?: Readonly<Record<string, string>>;
  args?: readonly string[];
  /** The program gets a signal as soon as this is true. */
  interruptWhen?: (lines: readonly string[]) => boolean;
  /** Which one. Default: SIGINT, as from Ctrl-C. */
  signal?: 'SIGINT' | 'SIGTERM';
}

export interface Run {
  readonly lines: readonly string[];
  /** What it wrote to stderr. */
  readonly complaints: string;
  readonly exitCode: number | null;
  /** Whether it came to its last line. */
  readonly hasEnded: boolean;
  /** Whether the process then ended by itself, in time. */
  readonly hasExited: boolean;
}

const END = 'the program has come to its end';
/** The looks at a process, and how many of them it may take: on a busy machine both sides are slow. */
const LOOK_MS = 100;
const LOOKS_TO_END = 900;
const LOOKS_TO_EXIT = 50;

/** Programs as plain JavaScript for `node`, on the library's present code. */
export class Programs implements Disposable {
  readonly #folder: string;
  readonly #files: ReadonlyMap<string, string>;

  private constructor(folder: string, files: ReadonlyMap<string, string>) {
    this.#folder = folder;
    this.#files = files;
  }

  static async build(root: string, programs: readonly Program[]): Promise<Programs> {
    // Here, because what the library depends on is looked up from where the program is. esbuild names files by their real paths.
    const folder = mkdtempSync(join(realpathSync(join(root, 'node_modules')), '.programs-'));
    const entries = new Map<string, string>();
    for (const [index, { name, file, text = '' }] of programs.entries()) {
      const stem = `${index}-${name.replace(/[^\w-]+/g, '-')}`;
      const source = file ?? join(folder, 'text', `${stem}.ts`);
      if (file === undefined) {
        mkdirSync(dirname(source), { recursive: true });
        writeFileSync(source, text);
      }
      entries.set(stem, source);
    }
    await build({
      entryPoints: Object.fromEntries(entries),
      outdir: folder,
      outExtension: { '.js': '.mjs' },
      bundle: true,
      splitting: true,
      format: 'esm',
      platform: 'node',
      target: 'node20.19',
      packages: 'external',
      logLevel: 'error',
      alias: doorsOf(root),
      define: bundleOptions.define,
      plugins: [tellingTheirEnd(new Set(entries.values()))],
    });
    const stems = [...entries.keys()];
    const files = programs.map(({ name }, index) => [name, join(folder, `${stems[index]}.mjs`)] as const);
    return new Programs(folder, new Map(files));
  }

  async run(name: string, { env = {}, args = [], interruptWhen, signal = 'SIGINT' }: RunOptions = {}): Promise<Run> {
    const file = this.#files.get(name);
    if (file === undefined) throw new Error(`there is no program ${name}`);
    const child = spawn(process.execPath, [file, ...args], {
      env: { ...process.env, ...env },
      stdio: ['ignore', 'pipe', 'pipe'],
    });
    const lines: string[] = [];
    let complaints = '';
    let rest = '';
    child.stdout.setEncoding('utf8').on('data', (text: string) => {
      const parts = (rest + text).split('\n');
      rest = parts.pop() ?? '';
      lines.push(...parts);
    });
    child.stderr.setEncoding('utf8').on('data', (text: string) => {
      complaints += text;
    });
    const closed = new Promise<void>((resolve) => child.on('close', () => resolve()));
    const isGone = () => child.exitCode !== null || child.signalCode !== null;
    const looks = async (count: number, isDone: () => boolean) => {
      for (let look = 0; look < count && !isDone(); look++)
        await new Promise((resolve) => setTimeout(resolve, LOOK_MS));
    };
    if (interruptWhen !== undefined) {
      await looks(LOOKS_TO_END, () => interruptWhen(lines) || isGone());
      child.kill(signal);
    }
    await looks(LOOKS_TO_END, () => complaints.includes(END) || isGone());
    await looks(LOOKS_TO_EXIT, isGone);
    const hasExited = isGone();
    if (!hasExited) child.kill('SIGKILL');
    await closed;
    const hasEnded = complaints.includes(END);
    // A signal that comes behind the last line finds Node on its way out, when nobody listens any more.
    const cameTooLate = hasEnded && child.signalCode === signal;
    return {
      lines,
      complaints: complaints.replace(`${END}\n`, ''),
      exitCode: cameTooLate ? 0 : child.exitCode,
      hasEnded,
      hasExited,
    };
  }

  [Symbol.dispose](): void {
    rmSync(this.#folder, { recursive: true, force: true });
  }
}

/** What `tidewatch` and its doors are in this repository. */
function doorsOf(root: string): Record<string, string> {
  const { compilerOptions } = JSON.parse(readFileSync(join(root, 'tsconfig.json'), 'utf8')) as {
    compilerOptions: { paths: Record<string, [string]> };
  };
  const doors = Object.entries(compilerOptions.paths);
  return Object.fromEntries(
    doors.map(([door, [path]]) => [door.replace('/*', ''), join(root, path.replace('/*.ts', ''))]),
  );
}

function tellingTheirEnd(files: ReadonlySet<string>): Plugin {
  return {
    name: 'telling-their-end',
    setup(bundler) {
      bundler.onLoad({ filter: /\.ts$/ }, ({ path }) => {
        if (!files.has(path)) return undefined;
        const contents = `${readFileSync(path, 'utf8')}\nprocess.stderr.write(${JSON.stringify(`${END}\n`)});\n`;
        return { contents, loader: 'ts', resolveDir: dirname(path) };
      });
    },
  };
}
