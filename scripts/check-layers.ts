/**
 * Holds the layering of ARCHITECTURE.md, and four habits of CONTRIBUTING.md: time, turns, chance and logging come in through options, npm packages
 * stay where they belong, errors have a kind, and files can be read at a sitting. One sentence for each breach.
 *
 *     tsx scripts/check-layers.ts [source folder]
 */
import { readdirSync, readFileSync } from 'node:fs';
import { dirname, join, relative, resolve, sep } from 'node:path';
import ts from 'typescript';

const root = resolve(process.argv[2] ?? 'src');
const MAX_LINES = 450;

/** Folders that each folder may import besides itself. */
const WORDS = ['api', 'observe'];
const STAGES = ['http', 'codec', 'reflector', 'queue', 'store', 'processor'];
const ALLOWED_FOLDERS: ReadonlyMap<string, readonly string[] | 'any'> = new Map<string, readonly string[] | 'any'>([
  ['api', []],
  ['observe', []],
  ['generated', ['api']],
  ...STAGES.map((stage): [string, readonly string[]] => [stage, WORDS]),
  ['login', [...WORDS, 'http']],
  ['cluster', [...WORDS, 'http', 'login']],
  ['codec', [...WORDS, 'generated']],
  ['workqueue', WORDS],
  ['snapshot', WORDS],
  ['metrics', WORDS],
  ['client-node', ['api', 'generated']],
  ['informer', [...WORDS, ...STAGES, 'cluster', 'generated', 'snapshot']],
  ['controller', [...WORDS, 'http', 'cluster', 'generated', 'informer', 'processor', 'store', 'workqueue']],
  ['inspector', [...WORDS, 'controller', 'informer', 'processor', 'store']],
  ['apiserver', [...WORDS, 'generated']],
  ['testing', 'any'],
  ['cli', 'any'],
]);

/** Folders that may import npm packages, and which. Everything else has Node and itself. */
const ALLOWED_PACKAGES: ReadonlyMap<string, readonly string[]> = new Map([
  ['login', ['yaml']],
  ['apiserver', ['yaml']],
  ['cli', ['yaml']],
  // For its types: nothing of it is loaded.
  ['client-node', ['@kubernetes/client-node']],
]);

/** `api` is the words of the API without I/O. */
const IO_MODULES = /^(node:)?(fs|net|tls|dgram|http|https|http2|child_process|worker_threads)(\/|$)/;

const TIME_MODULES = /^(node:)?(timers|perf_hooks)(\/|$)/;
const FREE_NAMES = new Set(['setTimeout', 'setInterval', 'setImmediate', 'queueMicrotask', 'console']);
const MEMBERS = new Map([
  ['Date', 'now'],
  ['Math', 'random'],
  ['AbortSignal', 'timeout'],
  ['performance', 'now'],
  ['process', 'hrtime'],
]);
/** Here the real clock, the console and chance are what it is about. */
const AMBIENT_FOLDERS = new Set(['observe', 'cli']);

/** Folders whose errors a user of the library does not meet. Everywhere else an error is a kind of `TidewatchError`. */
const PLAIN_ERROR_FOLDERS = new Set(['apiserver', 'cli', 'generated', 'testing']);
/** Runs in a browser: it has the browser's time and errors, and imports itself and the words that it shares with its server. */
const PAGE_FOLDER = join('inspector', 'page');
const PAGE_WORDS = join('inspector', 'protocol.ts');
const BASE_ERROR_FILE = join('api', 'tidewatch-error.ts');

const breaches: string[] = [];

/** What each file imports, types included; what it loads later, when it is needed, is not a part of it. */
const imports = new Map<string, string[]>();
/** A parser and an evaluator of expressions call each other: an expression holds macros, and a macro holds expressions. */
const ALLOWED_CYCLE = 'apiserver/crd/cel/evaluator.ts apiserver/crd/cel/macro-evaluation.ts';

function sourceFiles(): string[] {
  return readdirSync(root, { recursive: true, encoding: 'utf8' })
    .filter((path) => path.endsWith('.ts') && !path.endsWith('.d.ts'))
    .sort();
}

/** The folder directly under the root, or undefined for a file that lies in the root itself. */
function folderOf(path: string): string | undefined {
  const parts = path.split(sep);
  return parts.length > 1 ? parts[0] : undefined;
}

function isPage(path: string): boolean {
  return path.startsWith(PAGE_FOLDER + sep);
}

function packageOf(specifier: string): string {
  return specifier
    .split('/')
    .slice(0, specifier.startsWith('@') ? 2 : 1)
    .join('/');
}

function checkImport(path: string, folder: string | undefined, specifier: string, where: string): void {
  if (specifier.startsWith('.')) {
    const target = relative(root, resolve(root, dirname(path), specifier));
    if (target.startsWith('..')) {
      breaches.push(`${where} imports ${specifier}, which lies outside ${relative('.', root)}/ and is not published.`);
      return;
    }
    if (isPage(path) !== isPage(target) && target !== PAGE_WORDS) {
      breaches.push(`${where} imports ${target}, but a page and what runs in Node share ${PAGE_WORDS} alone.`);
    }
    const targetFolder = folderOf(target);
    if (folder === undefined || targetFolder === folder) return;
    const allowed = ALLOWED_FOLDERS.get(folder);
    if (allowed === 'any' || allowed === undefined) return;
    if (targetFolder !== undefined && allowed.includes(targetFolder)) return;
    const list = ['itself', ...allowed].join(', ');
    breaches.push(
      `${where} imports ${target}, but ${folder}/ may import only ${list}: declare what it needs as an interface.`,
    );
  } else if (specifier.startsWith('node:')) {
    if (folder === 'api' && IO_MODULES.test(specifier)) {
      breaches.push(`${where} imports ${specifier}, but api/ does no I/O.`);
    }
    if (TIME_MODULES.test(specifier) && !AMBIENT_FOLDERS.has(folder ?? '')) {
      breaches.push(`${where} imports ${specifier}: take a Clock through the options instead.`);
    }
  } else {
    const name = packageOf(specifier);
    if (folder !== undefined && ALLOWED_PACKAGES.get(folder)?.includes(name)) return;
    breaches.push(
      `${where} imports the package ${name}, which ${folder === undefined ? 'a door' : `${folder}/`} may not use.`,
    );
  }
}

/** Whether the identifier is read as a free variable, and not the name of a member, a parameter or a property. */
function isFreeName(node: ts.Identifier): boolean {
  const { parent } = node;
  if (ts.isPropertyAccessExpression(parent)) return parent.expression === node;
  if (ts.isPropertyAssignment(parent) || ts.isBindingElement(parent)) return parent.initializer === node;
  if (ts.isQualifiedName(parent) || ts.isImportSpecifier(parent) || ts.isTypeQueryNode(parent)) return false;
  const named = parent as ts.Node & { name?: ts.Node };
  return named.name !== node || ts.isShorthandPropertyAssignment(parent);
}

/** Of `name` and of `globalThis.name`. */
function globalName(node: ts.Expression): string | undefined {
  if (ts.isIdentifier(node)) return node.text;
  return ts.isPropertyAccessExpression(node) && globalName(node.expression) === 'globalThis'
    ? node.name.text
    : undefined;
}

/** What the node takes from its surroundings instead of from options, or undefined. */
function ambientUse(node: ts.Node): string | undefined {
  if (ts.isIdentifier(node) && FREE_NAMES.has(node.text) && isFreeName(node)) return node.text;
  if (ts.isPropertyAccessExpression(node)) {
    const member = node.name.text;
    const owner = globalName(node.expression);
    if (owner !== undefined && MEMBERS.get(owner) === member) return `${owner}.${member}`;
    if (owner === 'globalThis' && FREE_NAMES.has(member)) return `globalThis.${member}`;
  }
  if (ts.isNewExpression(node) && ts.isIdentifier(node.expression)) {
    if (node.expression.text === 'Date' && (node.arguments?.length ?? 0) === 0) return 'new Date()';
  }
  return undefined;
}

/** How the node makes an error without a kind, `new Error()` or `extends Error`, or undefined. */
function plainError(node: ts.Node): string | undefined {
  const isMade = ts.isNewExpression(node) || ts.isCallExpression(node);
  const isBase = ts.isExpressionWithTypeArguments(node) && ts.isHeritageClause(node.parent);
  if (
    !(isMade || (isBase && node.parent.token === ts.SyntaxKind.ExtendsKeyword && ts.isClassLike(node.parent.parent)))
  ) {
    return undefined;
  }
  const { expression } = node;
  if (!ts.isIdentifier(expression) || expression.text !== 'Error') return undefined;
  return isMade ? 'makes an Error' : 'extends Error';
}

/** Of `import`, `export … from`, `import()`, `import('x').Type` and `require()`. */
function importedBy(node: ts.Node): string | undefined {
  const literal =
    ts.isImportDeclaration(node) || ts.isExportDeclaration(node)
      ? node.moduleSpecifier
      : ts.isImportTypeNode(node) && ts.isLiteralTypeNode(node.argument)
        ? node.argument.literal
        : ts.isCallExpression(node) && isLoader(node.expression)
          ? node.arguments[0]
          : undefined;
  return literal && ts.isStringLiteralLike(literal) ? literal.text : undefined;
}

function isLoader(callee: ts.Expression): boolean {
  return callee.kind === ts.SyntaxKind.ImportKeyword || (ts.isIdentifier(callee) && callee.text === 'require');
}

function checkFile(path: string): void {
  const folder = folderOf(path);
  if (folder !== undefined && !ALLOWED_FOLDERS.has(folder)) {
    breaches.push(
      `${path} lies in a folder that has no place in the layering: give ${folder}/ one in scripts/check-layers.ts.`,
    );
    return;
  }
  if (folder === undefined && path !== 'index.ts') {
    breaches.push(`${path} lies beside index.ts: move it into the folder of its stage.`);
  }
  const text = readFileSync(join(root, path), 'utf8');
  const lines = text.trimEnd().split('\n').length;
  if (folder !== 'generated' && lines > MAX_LINES) {
    breaches.push(
      `${path} has ${lines} lines, more than ${MAX_LINES}: it holds more than one thing, so make it more than one file.`,
    );
  }
  const hasPlainErrors = PLAIN_ERROR_FOLDERS.has(folder ?? '') || path === BASE_ERROR_FILE || isPage(path);
  const isAmbient = AMBIENT_FOLDERS.has(folder ?? '') || isPage(path);
  const source = ts.createSourceFile(path, text, ts.ScriptTarget.Latest, true);
  const visit = (node: ts.Node): void => {
    const where = () => `${path}:${source.getLineAndCharacterOfPosition(node.getStart(source)).line + 1}`;
    const specifier = importedBy(node);
    if (specifier !== undefined) checkImport(path, folder, specifier, where());
    if (specifier?.startsWith('.') && (ts.isImportDeclaration(node) || ts.isExportDeclaration(node))) {
      imports.get(path)?.push(relative(root, resolve(root, dirname(path), specifier)));
    }
    const use = isAmbient ? undefined : ambientUse(node);
    if (use !== undefined) {
      breaches.push(
        `${where()} uses ${use}: take the Clock with its scheduler, the random source or the Logger from the options instead.`,
      );
    }
    const plain = hasPlainErrors ? undefined : plainError(node);
    if (plain !== undefined) {
      breaches.push(
        `${where()} ${plain}, which has no kind: make it a TidewatchError, or a TypeError for wrong arguments.`,
      );
    }
    ts.forEachChild(node, visit);
  };
  visit(source);
}

/** Files that import each other, directly or through others (Tarjan's strongly connected components). */
function cycles(): string[][] {
  const found: string[][] = [];
  const order = new Map<string, number>();
  const path: string[] = [];
  const visit = (file: string): number => {
    order.set(file, order.size);
    let low = order.size - 1;
    path.push(file);
    for (const next of imports.get(file) ?? []) {
      if (!imports.has(next)) continue;
      if (!order.has(next)) low = Math.min(low, visit(next));
      else if (path.includes(next)) low = Math.min(low, order.get(next) ?? low);
    }
    if (low === order.get(file)) {
      const component = path.splice(path.indexOf(file));
      if (component.length > 1) found.push(component.sort());
    }
    return low;
  };
  for (const file of imports.keys()) if (!order.has(file)) visit(file);
  return found;
}

const files = sourceFiles().filter((path) => !/(\.test|-fixture)\.ts$/.test(path));
for (const path of files) {
  if (folderOf(path) !== 'generated') imports.set(path, []);
}
for (const path of files) checkFile(path);
for (const cycle of cycles()) {
  if (cycle.join(' ') !== ALLOWED_CYCLE)
    breaches.push(`${cycle.join(', ')} import each other in a circle: move what they share to a file of its own.`);
}
for (const breach of breaches) console.error(breach);
if (breaches.length > 0) {
  console.error(`${breaches.length} breaches of the layering in ${files.length} files.`);
  process.exitCode = 1;
} else {
  console.log(`The layering holds in ${files.length} files.`);
}
