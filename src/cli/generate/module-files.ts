import { mkdir, readFile, writeFile } from 'node:fs/promises';
import { dirname, join, relative } from 'node:path';
import { CliError } from '../cli-error.ts';
import type { Invocation } from '../command.ts';
import { safeText } from '../terminal/safe-text.ts';
import { isGenerated } from './generated-header.ts';

/** The text of a file, and the name that it deserves. */
export interface ModuleFile {
  /** Relative, with forward slashes: `stable.example.com/v1/crontabs.ts`. */
  readonly path: string;
  readonly text: string;
}

/** Refuses before it writes the first, when one of the files was not generated. */
export async function writeModules(modules: readonly ModuleFile[], folder: string, { io }: Invocation): Promise<void> {
  const targets = modules.map(({ path, text }) => ({ file: join(folder, ...path.split('/')), text }));
  for (const { file } of targets) await checkReplaceable(file);
  for (const { file, text } of targets) {
    await mkdir(dirname(file), { recursive: true });
    await writeFile(file, text);
    io.stdout.write(`${safeText(relative(io.cwd, file) || file)}\n`);
  }
}

async function checkReplaceable(file: string): Promise<void> {
  const text = await readFile(file, 'utf8').catch(() => undefined);
  if (text === undefined || isGenerated(text)) return;
  throw new CliError(`${file} exists and was not generated, so it is left alone`, {
    next: 'Move it away, or choose another folder with -o DIR.',
  });
}
