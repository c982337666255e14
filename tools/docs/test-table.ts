import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { dirname, join, resolve } from 'node:path';
import ts from 'typescript';

interface Test {
  readonly title: string;
  /** With those of the groups that it is in. */
  readonly wholeTitle: string;
}

interface TestFile {
  readonly text: string;
  readonly tests: readonly Test[];
}

function readTests(path: string): TestFile {
  const text = readFileSync(path, 'utf8');
  const source = ts.createSourceFile(path, text, ts.ScriptTarget.Latest, true);
  const tests: Test[] = [];
  const visit = (node: ts.Node, groups: readonly string[]): void => {
    let within = groups;
    if (ts.isCallExpression(node)) {
      const [first] = node.arguments;
      const callee = /^(it|test|describe)\b/.exec(node.expression.getText())?.[1];
      if (callee !== undefined && first !== undefined && ts.isStringLiteralLike(first)) {
        within = [...groups, first.text];
        if (callee !== 'describe') tests.push({ title: first.text, wholeTitle: within.join(' ') });
      }
    }
    ts.forEachChild(node, (child) => visit(child, within));
  };
  visit(source, []);
  return { text, tests };
}

/** Whether `words` mean one of the tests: `…` stands for anything, and in place of `%s` of a title stands something that the file names. */
function isTested({ tests, text }: TestFile, words: string): boolean {
  const fragments = words.split('…').map((fragment) => fragment.trim());
  return tests.some(({ title, wholeTitle }) => {
    if (fragments.every((fragment) => wholeTitle.includes(fragment))) return true;
    const [, ...filledIn] =
      new RegExp(
        `^${title
          .split(/%[a-z]/)
          .map(escaped)
          .join('(.+)')}$`,
      ).exec(words) ?? [];
    return filledIn.length > 0 && filledIn.every((value) => text.includes(value));
  });
}

const escaped = (text: string) => text.replace(/[.*+?^${}()|[\]\\]/g, '\\$&');

/**
 * The rows of a table of other people's tests whose second cell names a test of ours that is not there. A cell is `file: title; title; file: title`;
 * what stands in brackets is a remark, and the text above the tables says which names stand for which files.
 */
export function missingTests(page: string): string[] {
  const folder = dirname(page);
  const text = readFileSync(page, 'utf8');
  const aliases = aliasesOf(text);
  const missing: string[] = [];
  for (const row of text.split('\n')) {
    const [theirs = '', ours = ''] = row
      .split('|')
      .slice(1)
      .map((cell) => cell.trim());
    if (ours === '' || /^(–|none|ours|-+)$/.test(ours)) continue;
    let files: string[] = heading(text, row) ?? [];
    for (const piece of ours.replace(/\s*\([^)]*\)/g, '').split(';')) {
      const [, name, words = ''] = /^\s*(?:([\w./-]+)(?::\s|$))?(.*)$/s.exec(piece) ?? [];
      if (name !== undefined) files = (aliases.get(name) ?? [name]).map((file) => pathOf(folder, file));
      const gone = files.find((file) => !existsSync(file));
      if (gone !== undefined || files.length === 0) {
        missing.push(`${theirs}: there is no file "${name ?? piece.trim()}"`);
        continue;
      }
      if (words.trim() !== '' && !files.some((file) => isTested(readTests(file), words.trim())))
        missing.push(`${theirs}: no test of ${name ?? 'that file'} says "${words.trim()}"`);
    }
  }
  return missing;

  function heading(whole: string, row: string): string[] | undefined {
    const above = whole
      .slice(0, whole.indexOf(row))
      .match(/^## .*\(all in ([\w-]+)\)$/gm)
      ?.at(-1);
    const last = whole
      .slice(0, whole.indexOf(row))
      .match(/^## .*$/gm)
      ?.at(-1);
    const name = /\(all in ([\w-]+)\)/.exec(above ?? '')?.[1];
    return name !== undefined && above === last ? [pathOf(folder, name)] : undefined;
  }
}

/** `name` is a.test.ts and b.test.ts, `other` c.test.ts */
function aliasesOf(text: string): Map<string, string[]> {
  const aliases = new Map<string, string[]>();
  const intro = text.split('\n## ')[0] ?? '';
  for (const [, name = '', files = ''] of intro.matchAll(
    /`([\w]+)`\s+(?:is\s+)?((?:[\w./-]+\.test\.ts(?:\s+and\s+)?)+)/g,
  )) {
    aliases.set(name, files.split(/\s+and\s+/));
  }
  return aliases;
}

/** `watchdog`, `codec/json-codec-list`, `src/api/key.test.ts`, or a file of another folder of src. */
function pathOf(folder: string, name: string): string {
  const file = name.endsWith('.test.ts') ? name : `${name}.test.ts`;
  const src = folder.slice(0, folder.indexOf('/src/') + 5);
  const candidates = [join(folder, file), join(src, file), resolve(src, '..', file)];
  const found = candidates.find(existsSync);
  if (found !== undefined) return found;
  const base = file.slice(file.lastIndexOf('/') + 1);
  const deep = readdirSync(src, { recursive: true, encoding: 'utf8' }).find((path) => path.endsWith(`/${base}`));
  return deep === undefined ? join(folder, file) : join(src, deep);
}
