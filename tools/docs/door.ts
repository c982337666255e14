import { join, relative, sep } from 'node:path';
import ts from 'typescript';
import { constructorsOf, type DocumentedMember, membersOf, oneLine, referencedTypes, staticsOf } from './members.ts';
import { type OptionParameter, optionParameters } from './option-parameters.ts';

/** One public name of a door, or a type that its signatures speak of. */
export interface DocumentedName {
  readonly name: string;
  readonly kind: 'class' | 'interface' | 'type' | 'function' | 'constant';
  /** Whether the door exports it; otherwise it can be read, but not imported. */
  readonly exported: boolean;
  /** The first whose declaration speaks of it; the door for what it exports. */
  readonly mentionedBy: string;
  /** Of the file that declares it, relative to the root. */
  readonly file: string;
  readonly declaration: string;
  readonly doc: string;
  readonly members: readonly DocumentedMember[];
}

/** Reads the public face of a door from its declarations and doc comments. */
export class DoorReader {
  readonly #root: string;
  readonly #doors: readonly string[];
  readonly #program: ts.Program;
  readonly #checker: ts.TypeChecker;

  constructor(root: string, doors: readonly string[]) {
    this.#root = root;
    this.#doors = doors;
    const { config } = ts.readConfigFile(join(root, 'tsconfig.json'), ts.sys.readFile);
    const { options } = ts.parseJsonConfigFileContent({ ...config, include: [], files: [] }, ts.sys, root);
    this.#program = ts.createProgram(
      doors.map((door) => join(root, door)),
      options,
    );
    this.#checker = this.#program.getTypeChecker();
  }

  /** Whatever of what the doors export takes options. */
  optionParameters(): OptionParameter[] {
    const exported = this.#doors.flatMap((door) =>
      this.#exportsOf(door).map(([symbol, name]): [string, ts.Symbol] => [name, symbol]),
    );
    return optionParameters(this.#checker, exported);
  }

  /** Sorted by file and name; `known` are names that another door documents. */
  read(door: string, known: ReadonlySet<string> = new Set()): DocumentedName[] {
    const names = new Map<ts.Symbol, DocumentedName>();
    const waiting = this.#exportsOf(door).map(([symbol, name]): [ts.Symbol, string, string] => [symbol, name, door]);
    for (let next = waiting.shift(); next; next = waiting.shift()) {
      const [symbol, name, mentionedBy] = next;
      if (names.has(symbol)) continue;
      names.set(symbol, { ...this.#document(symbol, name), exported: mentionedBy === door, mentionedBy });
      for (const mentioned of this.#mentioned(symbol)) {
        if (!names.has(mentioned) && !known.has(mentioned.name)) waiting.push([mentioned, mentioned.name, name]);
      }
    }
    return [...names.values()].sort((a, b) => compare(a.name, b.name));
  }

  #exportsOf(door: string): [symbol: ts.Symbol, name: string][] {
    const source = this.#program.getSourceFile(join(this.#root, door));
    const module = source && this.#checker.getSymbolAtLocation(source);
    if (!module) throw new Error(`${door} exports nothing`);
    return this.#checker
      .getExportsOfModule(module)
      .map((exported) => [
        exported.flags & ts.SymbolFlags.Alias ? this.#checker.getAliasedSymbol(exported) : exported,
        exported.name,
      ]);
  }

  #document(symbol: ts.Symbol, name: string): Omit<DocumentedName, 'exported' | 'mentionedBy'> {
    const declaration = declarationOf(symbol);
    const { kind, text } = describe(declaration, this.#checker);
    const members =
      kind === 'class' || kind === 'interface'
        ? [
            ...constructorsOf(declaration),
            ...staticsOf(symbol, declaration, this.#checker),
            ...membersOf(symbol, this.#checker),
          ]
        : [];
    return {
      name,
      kind,
      file: relative(this.#root, declaration.getSourceFile().fileName).split(sep).join('/'),
      declaration: text,
      doc: ts.displayPartsToString(symbol.getDocumentationComment(this.#checker)),
      members,
    };
  }

  /** The types of this repository that the public part of a declaration speaks of. */
  #mentioned(symbol: ts.Symbol): ts.Symbol[] {
    return referencedTypes(symbol, this.#checker).filter((found) => {
      const [declaration] = found.declarations ?? [];
      if (!declaration || isInternal(declaration)) return false;
      const path = relative(join(this.#root, 'src'), declaration.getSourceFile().fileName);
      return !path.startsWith('..') && !path.startsWith('generated');
    });
  }
}

/** `@inner` is a step in the computation of a type, which nobody has to name; it stays in the declarations. */
function isInternal(declaration: ts.Node): boolean {
  return ts.getJSDocTags(declaration).some((tag) => ['inner', 'internal'].includes(tag.tagName.text));
}

/** A class that an interface is merged with is documented as the class. */
function declarationOf(symbol: ts.Symbol): ts.Declaration {
  const declarations = symbol.declarations ?? [];
  const found = declarations.find(ts.isClassDeclaration) ?? symbol.valueDeclaration ?? declarations[0];
  if (!found) throw new Error(`${symbol.name} is declared nowhere`);
  return found;
}

function describe(node: ts.Declaration, checker: ts.TypeChecker): { kind: DocumentedName['kind']; text: string } {
  if (ts.isClassDeclaration(node)) return { kind: 'class', text: header(node, node.members.pos) };
  if (ts.isInterfaceDeclaration(node)) return { kind: 'interface', text: header(node, node.members.pos) };
  if (ts.isTypeAliasDeclaration(node)) return { kind: 'type', text: withoutExport(node.getText()) };
  if (ts.isFunctionDeclaration(node)) {
    return { kind: 'function', text: header(node, node.body?.pos ?? node.end).replace(/\s*\{?$/, '') };
  }
  if (ts.isVariableDeclaration(node)) {
    const type = node.type?.getText() ?? checker.typeToString(checker.getTypeAtLocation(node));
    return { kind: 'constant', text: `const ${node.name.getText()}: ${oneLine(type)}` };
  }
  throw new Error(`cannot describe ${node.getText().slice(0, 60)}`);
}

/** Everything of a declaration before its body, in one line. */
function header(node: ts.Declaration, bodyStart: number): string {
  const text = node.getSourceFile().text.slice(node.getStart(), bodyStart);
  return oneLine(withoutExport(text).replace(/\{\s*$/, ''));
}

function withoutExport(text: string): string {
  return text.replace(/^export (default |declare )?/, '').replace(/^async /, '');
}

function compare(a: string, b: string): number {
  return a < b ? -1 : a > b ? 1 : 0;
}
