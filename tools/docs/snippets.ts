import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { format } from 'node:util';
import ts from 'typescript';
import { parseMarkdown } from './markdown.ts';

/**
 * The TypeScript of a Markdown page as a module whose lines have the numbers of the page. Blocks that begin with
 * ```` ```ts ```` continue each other: together they are one module, with what stands between `<!-- ts` and `-->` among
 * them. ```` ```ts alone ```` is a module of its own; ```` ```ts check ```` is one that is not run. A block
 * ```` ```text prints ```` holds what the page has printed since the one before; `…` stands for anything.
 */
export interface SnippetModule {
  /** `docs/informers.md`, and `:12` for one that stands alone. */
  readonly name: string;
  /** The page, relative to the root. */
  readonly page: string;
  readonly text: string;
  readonly runs: boolean;
  /** What must have been printed, in order. */
  readonly prints: readonly Printed[];
}

export interface Printed {
  /** Counted from 0. */
  readonly line: number;
  readonly lines: readonly string[];
}

export function snippetModules(root: string, page: string): SnippetModule[] {
  const text = readFileSync(join(root, page), 'utf8');
  const { fences } = parseMarkdown(text);
  const snippets = fences.filter(({ language }) => language === 'ts');
  const continuing = [...snippets.filter(({ words }) => words.length === 0), ...hiddenBlocks(text)];
  const height = text.split('\n').length;
  const modules: SnippetModule[] = [];
  if (continuing.length > 0) {
    const prints = fences
      .filter(({ language, words }) => language === 'text' && words[0] === 'prints')
      .map(({ line, lines }) => ({ line, lines }));
    modules.push({ name: page, page, text: blanked(continuing, height), runs: true, prints });
  }
  for (const snippet of snippets) {
    const [word] = snippet.words;
    if (word === undefined) continue;
    if (word !== 'alone' && word !== 'check') throw new Error(`${page}:${snippet.line}: what is a "${word}" snippet?`);
    const name = `${page}:${snippet.line + 1}`;
    modules.push({ name, page, text: blanked([snippet], height), runs: word === 'alone', prints: [] });
  }
  return modules;
}

interface Block {
  readonly line: number;
  readonly lines: readonly string[];
}

function hiddenBlocks(text: string): Block[] {
  const blocks: Block[] = [];
  for (const match of text.matchAll(/^<!-- ts\n([\s\S]*?)\n-->$/gm)) {
    const line = text.slice(0, match.index).split('\n').length;
    blocks.push({ line, lines: (match[1] ?? '').split('\n') });
  }
  return blocks;
}

/** A text of `height` lines that is empty but for the blocks. */
function blanked(blocks: readonly Block[], height: number): string {
  const lines = new Array<string>(height).fill('');
  for (const block of blocks) for (const [index, content] of block.lines.entries()) lines[block.line + index] = content;
  return lines.join('\n');
}

/** The modules as files beside those of the repository, by their paths. */
function compiled(root: string, modules: readonly SnippetModule[]): [ts.Program, ReadonlyMap<string, SnippetModule>] {
  const { config } = ts.readConfigFile(join(root, 'tsconfig.json'), ts.sys.readFile);
  const { options } = ts.parseJsonConfigFileContent({ ...config, include: [], files: [] }, ts.sys, root);
  const virtual = new Map(modules.map((module) => [virtualFile(root, module), module]));
  const host = ts.createCompilerHost(options, true);
  const { fileExists, readFile, getSourceFile } = host;
  host.fileExists = (file) => virtual.has(file) || fileExists(file);
  host.readFile = (file) => virtual.get(file)?.text ?? readFile(file);
  host.getSourceFile = (file, languageVersion, ...rest) => {
    const module = virtual.get(file);
    if (module === undefined) return getSourceFile.call(host, file, languageVersion, ...rest);
    // Without an import or export the file would be a script, in which `await` is not allowed at the top.
    return ts.createSourceFile(file, `${module.text}\nexport {};\n`, languageVersion, true);
  };
  return [ts.createProgram([...virtual.keys()], options, host), virtual];
}

/** What the compiler has against the modules, one sentence each; none when all is well. */
export function typeErrors(root: string, modules: readonly SnippetModule[]): string[] {
  const [program, virtual] = compiled(root, modules);
  return [...virtual].flatMap(([file, { page }]) => {
    const source = program.getSourceFile(file);
    const found = [...program.getSyntacticDiagnostics(source), ...program.getSemanticDiagnostics(source)];
    return found.map(({ messageText, start = 0 }) => {
      const line = source ? source.getLineAndCharacterOfPosition(start).line + 1 : 0;
      return `${page}:${line}: ${ts.flattenDiagnosticMessageText(messageText, ' ')}`;
    });
  });
}

/** The functions of this repository that a module calls, and what their doc comments say. */
export function calledFunctions(root: string, module: SnippetModule): Map<string, string> {
  const [program, virtual] = compiled(root, [module]);
  const checker = program.getTypeChecker();
  const called = new Map<string, string>();
  const visit = (node: ts.Node): void => {
    if (ts.isCallExpression(node) || ts.isNewExpression(node)) {
      const signature = checker.getResolvedSignature(node);
      const declared = signature?.getDeclaration()?.getSourceFile().fileName ?? '';
      if (signature !== undefined && declared.startsWith(join(root, 'src'))) {
        const { expression } = node;
        const name = ts.isPropertyAccessExpression(expression) ? expression.name.text : `new ${expression.getText()}`;
        called.set(name, ts.displayPartsToString(signature.getDocumentationComment(checker)));
      }
    }
    ts.forEachChild(node, visit);
  };
  for (const file of virtual.keys()) visit(program.getSourceFile(file) as ts.SourceFile);
  return called;
}

function virtualFile(root: string, { name }: SnippetModule): string {
  return join(root, `${name.replace(/:/g, '-')}.ts`);
}

export interface RunOptions {
  /** Loads what a snippet imports. */
  load: (specifier: string) => Promise<unknown>;
  /** Hears of what a snippet prints with `console`. */
  print: (line: string) => void;
  /** Called where the page says what has been printed. */
  check: (printed: Printed) => Promise<void>;
}

/** Runs a module as it stands on the page; `import` becomes a call of `load`. */
export async function runSnippets(module: SnippetModule, { load, print, check }: RunOptions): Promise<void> {
  const lines = module.text.split('\n');
  for (const [index, { line }] of module.prints.entries()) lines[line] = `await __printed(${index});`;
  const { outputText } = ts.transpileModule(lines.join('\n'), {
    compilerOptions: {
      target: ts.ScriptTarget.ES2022,
      module: ts.ModuleKind.ESNext,
      verbatimModuleSyntax: true,
      newLine: ts.NewLineKind.LineFeed,
    },
  });
  const body = outputText
    .replace(/^export \{\};$/gm, '')
    .replace(
      /^import \{([^}]*)\} from (['"][^'"]+['"]);/gm,
      (_all, names: string, from: string) => `const {${names.replace(/\bas\b/g, ':')}} = await __load(${from});`,
    );
  const speak = (...values: unknown[]) => print(format(...values));
  const speaker = { log: speak, info: speak, warn: speak, error: speak, debug: () => {} };
  const AsyncFunction = (async () => {}).constructor as new (
    ...parts: string[]
  ) => (...args: unknown[]) => Promise<void>;
  const run = new AsyncFunction('__load', '__printed', 'console', body);
  const printed = (index: number) => check(module.prints[index] ?? { line: 0, lines: [] });
  try {
    await run(load, printed, speaker);
  } catch (error) {
    throw new Error(`${module.name} failed: ${error instanceof Error ? error.stack : String(error)}`, { cause: error });
  }
}
