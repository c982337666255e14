import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { manifest, report, run } from './package-report.ts';

interface Doors {
  code: string[];
  data: string[];
  /** Those of a pattern; one that has types alone exports nothing at run time. */
  mayBeEmpty: Set<string>;
}

/** Every specifier that the exports of the installed package allow; a `*` stands for each file that it matches. */
function doorsOf(project: string): Doors {
  const folder = join(project, 'node_modules', manifest.name);
  const code: string[] = [];
  const data: string[] = [];
  const mayBeEmpty = new Set<string>();
  for (const [door, targets] of Object.entries(manifest.exports)) {
    const target = typeof targets === 'string' ? targets : (targets.default ?? '');
    const [before = '', after] = target.split('*');
    const names = after === undefined ? [''] : filesUnder(join(folder, before), after);
    report(names.length > 0, `${door} leads to ${names.length} ${names.length === 1 ? 'file' : 'files'}`);
    for (const name of names) {
      const specifier = manifest.name + door.slice(1).replace('*', name);
      (target.endsWith('.json') ? data : code).push(specifier);
      if (after !== undefined) mayBeEmpty.add(specifier);
      const types = typeof targets === 'string' ? undefined : targets.types?.replace('*', name);
      if (types !== undefined && !existsSync(join(folder, types)))
        report(false, `${specifier} has no types at ${types}`);
    }
  }
  return { code, data, mayBeEmpty };
}

function filesUnder(folder: string, suffix: string): string[] {
  if (!existsSync(folder)) return [];
  return readdirSync(folder, { recursive: true, encoding: 'utf8' })
    .filter((path) => path.endsWith(suffix))
    .map((path) => path.slice(0, -suffix.length).replaceAll('\\', '/'))
    .sort();
}

export function checkDoors(project: string): void {
  const { code, data, mayBeEmpty } = doorsOf(project);
  const all = JSON.stringify(code.map((door) => [door, mayBeEmpty.has(door)]));
  const load = (source: string) => run(process.execPath, ['--input-type=module', '-e', source], project);
  const empty = "if (!mayBeEmpty && Object.keys(m).length === 0) throw new Error('no exports')";
  const wrap = (load: string) =>
    `for (const [d, mayBeEmpty] of ${all}) { try { const m = ${load}; ${empty}; } catch (e) { console.log(d + ': ' + e.message); process.exitCode = 1; } }`;
  const imported = load(wrap('await import(d)'));
  report(imported.code === 0, `import() of each of ${code.length} doors ${imported.output}`.trimEnd());
  const required =
    load(`import { createRequire } from 'node:module'; const require = createRequire(process.cwd() + '/');
    for (const d of ${JSON.stringify(data)}) require(d); ${wrap('require(d)')}`);
  // Up to 20.18 and 22.11 this was an experiment that says so on the screen.
  report(required.code === 0, `require() of each of ${code.length} doors ${required.output}`.trimEnd());
  for (const [command, path] of Object.entries(manifest.bin ?? {})) {
    const target = join(project, 'node_modules', manifest.name, path);
    const hasShebang = existsSync(target) && readFileSync(target, 'utf8').startsWith('#!/usr/bin/env node\n');
    report(hasShebang, `the command ${command} is at ${path} and starts with #!/usr/bin/env node`);
  }
}
