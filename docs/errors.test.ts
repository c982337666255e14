import { readFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import { TidewatchError, type TidewatchErrorKind } from 'tidewatch';
import ts from 'typescript';
import { beforeAll, describe, expect, it } from 'vitest';

const root = fileURLToPath(new URL('..', import.meta.url));

interface Row {
  readonly kind: string;
  readonly classes: readonly string[];
  readonly when: string;
  readonly retryable: string;
  readonly whatToDo: string;
}

/** The rows of the tables of errors.md: every line that begins with a kind. */
function documented(): Row[] {
  const lines = readFileSync(`${root}docs/errors.md`, 'utf8').split('\n');
  return lines
    .filter((line) => line.startsWith('| `'))
    .map((line) => {
      const [, kind = '', classes = '', when = '', retryable = '', whatToDo = ''] = line
        .split('|')
        .map((cell) => cell.trim());
      const named = [...classes.matchAll(/`(\w+)`/g)].map(([, name = '']) => name);
      return { kind: kind.replaceAll('`', ''), classes: named, when, retryable, whatToDo };
    });
}

/** The kinds of `TidewatchError` and of each public class that extends it, by the name of the class; from the types. */
function kindsInCode(): Map<string, string[]> {
  const doors = ['src/index.ts', 'src/controller/index.ts', 'src/testing/index.ts'].map((door) => `${root}${door}`);
  const { config } = ts.readConfigFile(`${root}tsconfig.json`, ts.sys.readFile);
  const { options } = ts.parseJsonConfigFileContent({ ...config, include: [], files: doors }, ts.sys, root);
  const program = ts.createProgram(doors, options);
  const checker = program.getTypeChecker();
  const modules = doors.map((door) => {
    const source = program.getSourceFile(door);
    const module = source && checker.getSymbolAtLocation(source);
    if (module === undefined) throw new Error(`${door} exports nothing`);
    return module;
  });
  const exported = modules
    .flatMap((module) => checker.getExportsOfModule(module))
    .map((symbol) => (symbol.flags & ts.SymbolFlags.Alias ? checker.getAliasedSymbol(symbol) : symbol))
    .filter((symbol) => symbol.flags & ts.SymbolFlags.Class);
  const isOurs = (type: ts.Type): boolean =>
    type.symbol?.name === 'TidewatchError' || (type.isClassOrInterface() && checker.getBaseTypes(type).some(isOurs));
  const kinds = new Map<string, string[]>();
  for (const symbol of exported) {
    const type = checker.getDeclaredTypeOfSymbol(symbol);
    const kind = type.getProperty('kind');
    if (!isOurs(type) || kind === undefined) continue;
    const union = checker.getTypeOfSymbol(kind);
    const members = union.isUnion() ? union.types : [union];
    kinds.set(
      symbol.name,
      members.map((member) => (member as ts.StringLiteralType).value),
    );
  }
  return kinds;
}

describe('the tables of errors.md', () => {
  const rows = documented();
  let kinds: Map<string, string[]>;

  beforeAll(() => {
    kinds = kindsInCode();
  }, 120_000);

  it('name every kind once, and no other', () => {
    expect(rows.map(({ kind }) => kind).sort()).toEqual(kinds.get('TidewatchError')?.sort());
    expect(rows.length).toBeGreaterThan(40);
  });

  it('name the kinds of each public class, and no others', () => {
    const byClass = new Map(
      [...kinds.keys()].map((name) => [name, rows.filter(({ classes }) => classes.includes(name))]),
    );
    byClass.delete('TidewatchError');
    expect(byClass.size).toBe(12);
    for (const [name, ofClass] of byClass) {
      expect(ofClass.map(({ kind }) => kind).sort(), name).toEqual(kinds.get(name)?.sort());
    }
    for (const { classes } of rows) {
      expect(classes).not.toEqual([]);
      for (const name of classes) expect([...kinds.keys()]).toContain(name);
    }
  });

  it('say of each kind whether a retry may help, when it comes, and what to do', () => {
    for (const { kind, retryable, when, whatToDo } of rows) {
      expect(retryable, kind).toBe(new TidewatchError(kind as TidewatchErrorKind, '').retryable ? 'yes' : 'no');
      expect(when, kind).not.toBe('');
      expect(whatToDo, kind).not.toBe('');
    }
  });
});
