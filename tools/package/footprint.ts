import { existsSync, lstatSync, readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { type LockFile, lockFileProblems, WITHOUT_INTEGRITY } from './lock-file.ts';
import { lines, manifest, megabytes, need, note, report, repository } from './package-report.ts';

const MAX_PACKAGES = 5;
const MAX_MEGABYTES = 10;
/** What a user reads without a network. */
const DOCUMENTS = ['README.md', 'CHANGELOG.md', 'docs/README.md', 'docs/informers.md', 'examples/01-first-informer.ts'];

export function checkLockFile(): void {
  const lock: LockFile = JSON.parse(readFileSync(join(repository, 'package-lock.json'), 'utf8'));
  const problems = lockFileProblems(lock, WITHOUT_INTEGRITY);
  report(
    problems.length === 0,
    `package-lock.json names no registry, and nothing but listed binaries of other platforms lacks an integrity${lines(problems)}`,
  );
}

/** The tarball as `npm publish` would make it, of the dist/ that is there. */
export function pack(into: string): string {
  const [packed] = JSON.parse(
    need('npm', ['pack', '--json', '--ignore-scripts', '--pack-destination', into], repository),
  );
  const files: { path: string }[] = packed.files;
  const strays = files.filter(({ path }) => /\.test\.|-fixture\.|\.tsbuildinfo$|(^|\/)testdata\//.test(path));
  report(strays.length === 0, `the tarball holds no test files${strays.map(({ path }) => ` ${path}`).join(',')}`);
  const missing = [...DOCUMENTS, 'dist/licenses/yaml.txt'].filter((path) => !files.some((file) => file.path === path));
  report(missing.length === 0, `the tarball holds docs, examples and licences${missing.map((path) => ` not ${path}`)}`);
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
