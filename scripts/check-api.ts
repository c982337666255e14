/**
 * The public names of every door, with their kinds, beside the snapshot in docs/api-snapshot.txt. A change of the public
 * face then shows in review: `tsx scripts/check-api.ts` fails on a difference, with `--write` it takes the new state. It also fails when an
 * option refuses `undefined`, which programs with `exactOptionalPropertyTypes` hand in.
 */
import { readFileSync, writeFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import ts from 'typescript';
import { refusedUndefined } from '../tools/docs/accepts-undefined.ts';

const root = fileURLToPath(new URL('..', import.meta.url));
const snapshotFile = `${root}docs/api-snapshot.txt`;
const doors = [
  'src/index.ts',
  'src/client-node/index.ts',
  'src/controller/index.ts',
  'src/inspector/index.ts',
  'src/testing/index.ts',
  'src/workqueue/index.ts',
  'src/metrics/index.ts',
];

function memberNames(checker: ts.TypeChecker, symbol: ts.Symbol): string[] {
  const { flags } = symbol;
  if (!(flags & (ts.SymbolFlags.Class | ts.SymbolFlags.Interface))) return [];
  const type = checker.getDeclaredTypeOfSymbol(symbol);
  const isPublic = (member: ts.Symbol) => {
    const declaration = member.valueDeclaration ?? member.declarations?.[0];
    if (!declaration || member.name.startsWith('#') || member.name.startsWith('__')) return false;
    if (ts.getCombinedModifierFlags(declaration) & (ts.ModifierFlags.Private | ts.ModifierFlags.Protected))
      return false;
    return !ts.getJSDocTags(declaration).some((tag) => tag.tagName.text === 'internal');
  };
  return checker
    .getPropertiesOfType(type)
    .filter(isPublic)
    .map((member) => `${member.name}${member.flags & ts.SymbolFlags.Optional ? '?' : ''}`)
    .sort();
}

/** By its name in the door. */
function exportsOf(program: ts.Program, door: string): Map<string, ts.Symbol> {
  const checker = program.getTypeChecker();
  const file = program.getSourceFile(`${root}${door}`);
  const module = file && checker.getSymbolAtLocation(file);
  if (!module) throw new Error(`${door} exports nothing`);
  const sorted = checker.getExportsOfModule(module).sort((a, b) => (a.name < b.name ? -1 : 1));
  const target = (symbol: ts.Symbol) =>
    symbol.flags & ts.SymbolFlags.Alias ? checker.getAliasedSymbol(symbol) : symbol;
  return new Map(sorted.map((exported) => [exported.name, target(exported)]));
}

function describeDoor(program: ts.Program, door: string): string[] {
  const checker = program.getTypeChecker();
  const lines = [`# ${door}`];
  for (const [name, symbol] of exportsOf(program, door)) {
    const kind = symbol.flags & ts.SymbolFlags.Class ? 'class' : symbol.flags & ts.SymbolFlags.Value ? 'value' : 'type';
    const members = memberNames(checker, symbol);
    lines.push(`${kind} ${name}${members.length > 0 ? `: ${members.join(' ')}` : ''}`);
  }
  return lines;
}

const { config } = ts.readConfigFile(`${root}tsconfig.json`, ts.sys.readFile);
const { options } = ts.parseJsonConfigFileContent({ ...config, include: [], files: doors }, ts.sys, root);
const program = ts.createProgram(
  doors.map((door) => `${root}${door}`),
  options,
);
const now = `${doors
  .flatMap((door) => [...describeDoor(program, door), ''])
  .join('\n')
  .trim()}\n`;

if (process.argv.includes('--write')) {
  writeFileSync(snapshotFile, now);
} else {
  const before = readFileSync(snapshotFile, 'utf8');
  if (before !== now) {
    const known = new Set(before.split('\n'));
    const lines = new Set(now.split('\n'));
    for (const line of known) if (!lines.has(line)) console.error(`- ${line}`);
    for (const line of lines) if (!known.has(line)) console.error(`+ ${line}`);
    console.error('The public face has changed. If that is meant: npx tsx scripts/check-api.ts --write');
    process.exitCode = 1;
  } else console.log('The public face is as in docs/api-snapshot.txt.');
}

const exported = doors.flatMap((door) => [...exportsOf(program, door).values()]);
for (const option of refusedUndefined(program.getTypeChecker(), exported)) {
  console.error(
    `${option}: add "| undefined" to its type, so that programs with exactOptionalPropertyTypes can hand it in.`,
  );
  process.exitCode = 1;
}
