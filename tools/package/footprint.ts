import { existsSync, lstatSync, readdirSync, readFileSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import { type LockFile, lockFileProblems, WITHOUT_INTEGRITY } from './lock-file.ts';
import { lines, manifest, megabytes, need, note, report, repository } from './package-report.ts';

const MAX_PACKAGES = 5;
const MAX_MEGABYTES = 10;
/** What a user reads without a network: every page and every example. */
function documents(): string[] {
  const below = (folder: string) =>
    readdirSync(join(repository, folder), { recursive: true, encoding: 'utf8' }).map((file) => `${folder}/${file}`);
  const pages = below('docs').filter((file) => file.endsWith('.md'));
  const examples = below('examples').filter((file) => /\.(ts|md)$/.test(file) && !/\.test\.|-fixture\./.test(file));
  return ['README.md', 'CHANGELOG.md', 'LICENSE', 'dist/licenses/yaml.txt', ...pages, ...examples];
}

export function checkLockFile(): void {
  const lock: LockFile = JSON.parse(readFileSync(join(repository, 'package-lock.json'), 'utf8'));
  const problems = lockFileProblems(lock, WITHOUT_INTEGRITY);
  report(
    problems.length === 0,
    `package-lock.json names no registry, and nothing but listed binaries of other platforms lacks an integrity${lines(problems)}`,
  );
}

/** The tarball as `npm publish` would make it, with the dist/ that `prepack` builds. */
export function pack(into: string): string {
  rmSync(join(repository, 'dist'), { recursive: true, force: true });
  const flags = ['--json', '--foreground-scripts=false', '--pack-destination', into];
  const [packed] = JSON.parse(need('npm', ['pack', ...flags], repository));
  report(existsSync(join(repository, 'dist', 'index.js')), 'prepack builds what is packed');
  const files: { path: string }[] = packed.files;
  const strays = files.filter(({ path }) => /\.test\.|-fixture\.|\.tsbuildinfo$|(^|\/)testdata\//.test(path));
  report(strays.length === 0, `the tarball holds no test files${strays.map(({ path }) => ` ${path}`).join(',')}`);
  const wanted = documents();
  const missing = wanted.filter((path) => !files.some((file) => file.path === path));
  report(missing.length === 0, `the tarball holds ${wanted.length} pages, examples and licences${lines(missing)}`);
  note(
    `     ${packed.filename}: ${files.length} files, ${megabytes(packed.size)} packed, ${megabytes(packed.unpackedSize)} unpacked`,
  );
  return join(into, packed.filename);
}

/** What `du` counts: whole blocks, not file lengths. */
function diskUsage(path: string): number {
  const stat = lstatSync(path);
  const own = stat.blocks * 512;
  return stat.isDirectory() ? readdirSync(path).reduce((sum, name) => sum + diskUsage(join(path, name)), own) : own;
}

export function checkFootprint(project: string): void {
  const lock = JSON.parse(readFileSync(join(project, 'node_modules', '.package-lock.json'), 'utf8'));
  const packages = Object.keys(lock.packages);
  const names = packages
    .map((path) => `${path.slice(path.lastIndexOf('node_modules/') + 13)} ${megabytes(diskUsage(join(project, path)))}`)
    .join(', ');
  report(packages.length <= MAX_PACKAGES, `installs ${packages.length} packages, at most ${MAX_PACKAGES}: ${names}`);
  const bytes = diskUsage(join(project, 'node_modules'));
  report(bytes <= MAX_MEGABYTES * 1e6, `installs ${megabytes(bytes)}, at most ${MAX_MEGABYTES} MB`);
}

/** Whoever follows a source map, or goes to a definition, must end at something that is in the package. */
export function checkSourceMaps(project: string): void {
  const folder = join(project, 'node_modules', manifest.name, 'dist');
  const files = readdirSync(folder, { recursive: true, encoding: 'utf8' });
  const problems: string[] = [];
  for (const file of files) {
    const path = join(folder, file);
    if (file.endsWith('.map')) {
      const { sources, sourcesContent = [] } = JSON.parse(readFileSync(path, 'utf8'));
      sources.forEach((source: string, index: number) => {
        if (typeof sourcesContent[index] === 'string' || existsSync(join(path, '..', source))) return;
        problems.push(`${file} leads to ${source}, which is not in the package`);
      });
    } else if (file.endsWith('.js') || file.endsWith('.d.ts')) {
      const [, map] = /\n\/\/# sourceMappingURL=(\S+)\s*$/.exec(readFileSync(path, 'utf8')) ?? [];
      if (map !== undefined && !existsSync(join(path, '..', map)))
        problems.push(`${file} names ${map}, which is missing`);
    }
  }
  report(problems.length === 0, `source maps and declarations lead to what is in the package${lines(problems)}`);
}
