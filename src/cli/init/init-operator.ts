import { mkdir, readdir, stat, writeFile } from 'node:fs/promises';
import { dirname, join, relative, resolve } from 'node:path';
import { seeHelp } from '../arguments.ts';
import { CliError, UsageError } from '../cli-error.ts';
import type { Invocation } from '../command.ts';
import { safeText } from '../terminal/safe-text.ts';
import { packageManifest } from '../version-command.ts';
import { operatorFiles } from './operator-files.ts';
import { operatorNames } from './operator-names.ts';

const SEE_HELP = seeHelp({ name: 'init operator' });
const GROUP = /^[a-z0-9]([-a-z0-9]*[a-z0-9])?(\.[a-z0-9]([-a-z0-9]*[a-z0-9])?)+$/;

export async function initOperator({ flags, positionals, io }: Invocation): Promise<number> {
  const [name] = positionals;
  if (name === undefined) throw new UsageError('"tidewatch init operator" needs a NAME, such as website', SEE_HELP);
  if (!/^[a-z]([-a-z0-9]{0,38}[a-z0-9])?$/.test(name) || name.includes('--')) {
    throw new UsageError(
      `"${name}" cannot be the name of an operator: it must be 1 to 40 characters of a-z, 0-9 and "-", begin with a letter, and have no "-" at the end or beside another`,
      SEE_HELP,
    );
  }
  const group = flags.text('group') ?? 'example.com';
  if (group.length > 200 || !GROUP.test(group)) {
    throw new UsageError(
      `"${group}" cannot be an API group: it must be a DNS name with a dot, such as example.com`,
      SEE_HELP,
    );
  }
  const folder = resolve(io.cwd, flags.text('output') ?? name);
  const { version, packages } = packageManifest();
  const spec = flags.text('tidewatch');
  const files = operatorFiles({
    ...operatorNames(name, group),
    tidewatch: spec === undefined ? version : await dependency(spec, io.cwd),
    toolVersions: packages,
  });
  await mustBeEmpty(folder);
  for (const { path, text } of files) {
    const file = join(folder, ...path.split('/'));
    await mkdir(dirname(file), { recursive: true });
    await writeFile(file, text, { flag: 'wx' });
    io.stdout.write(`${safeText(relative(io.cwd, file) || file)}\n`);
  }
  const where = relative(io.cwd, folder) || '.';
  io.stdout.write(`\nNext: ${where === '.' ? '' : `cd ${safeText(where)} && `}npm install && npm start\n`);
  return 0;
}

/** A path that exists becomes what npm calls it; everything else is a version or a URL, which npm knows. */
async function dependency(spec: string, cwd: string): Promise<string> {
  const path = resolve(cwd, spec.replace(/^file:/, ''));
  const isThere = await stat(path).then(
    () => true,
    () => false,
  );
  if (isThere) return `file:${path}`;
  if (!/^file:|^\.{0,2}\/|\.t(ar\.)?gz$/.test(spec) || /^https?:/.test(spec)) return spec;
  throw new CliError(`there is no ${spec} to depend on`, {
    next: 'Name a tarball, a folder, or a version of tidewatch.',
  });
}

async function mustBeEmpty(folder: string): Promise<void> {
  let names: string[];
  try {
    names = await readdir(folder);
  } catch (cause) {
    if ((cause as NodeJS.ErrnoException).code === 'ENOENT') return;
    throw new CliError(`${folder} cannot be used: ${(cause as Error).message}`, { cause });
  }
  if (names.length === 0) return;
  throw new CliError(`${folder} is not empty, so nothing is written there`, {
    next: 'Choose another folder with -o DIR.',
  });
}
