import ts from 'typescript';

export interface DocumentedMember {
  readonly signature: string;
  readonly doc: string;
  /** The type that declares it, when that is another one. */
  readonly from?: string;
}

const TYPES = ts.SymbolFlags.Interface | ts.SymbolFlags.TypeAlias;
const HIDDEN = ts.ModifierFlags.Private | ts.ModifierFlags.Protected;

export function oneLine(text: string): string {
  return text
    .replace(/\s*\n\s*/g, ' ')
    .replace(/,? ([)}\]])/g, (all, bracket: string) => (all.startsWith(',') ? bracket : all))
    .trim();
}

export function constructorsOf(declaration: ts.Declaration): DocumentedMember[] {
  if (!ts.isClassDeclaration(declaration)) return [];
  return declaration.members
    .filter(ts.isConstructorDeclaration)
    .filter(isPublic)
    .map((member) => {
      const parameters = member.parameters.map((parameter) => oneLine(parameter.getText())).join(', ');
      return { signature: `new ${declaration.name?.text ?? ''}(${parameters})`, doc: docOf(member) };
    });
}

export function staticsOf(symbol: ts.Symbol, declaration: ts.Declaration, checker: ts.TypeChecker): DocumentedMember[] {
  if (!ts.isClassDeclaration(declaration)) return [];
  const members = checker.getPropertiesOfType(checker.getTypeOfSymbolAtLocation(symbol, declaration));
  return documented(members, symbol, checker).map((member) => ({
    ...member,
    signature: `${symbol.name}.${member.signature}`,
  }));
}

export function membersOf(symbol: ts.Symbol, checker: ts.TypeChecker): DocumentedMember[] {
  return documented(checker.getPropertiesOfType(checker.getDeclaredTypeOfSymbol(symbol)), symbol, checker);
}

function documented(members: readonly ts.Symbol[], owner: ts.Symbol, checker: ts.TypeChecker): DocumentedMember[] {
  return members.flatMap((member) => {
    const declarations = publicDeclarations(member);
    const own = owner.declarations ?? [];
    const declarer = declarations[0]?.parent;
    const from =
      declarer && !own.some((one) => one === declarer) && 'name' in declarer
        ? (declarer as ts.ClassDeclaration | ts.InterfaceDeclaration).name?.text
        : undefined;
    const doc = ts.displayPartsToString(member.getDocumentationComment(checker));
    return declarations.map((declaration) => ({
      signature: signatureOf(declaration, checker),
      doc,
      ...(from !== undefined && from !== owner.name && { from }),
    }));
  });
}

/** Those that a user may use, in this repository; of a getter and a setter the getter. */
function publicDeclarations(member: ts.Symbol): ts.Declaration[] {
  const declarations = (member.declarations ?? []).filter(isPublic);
  return declarations.filter((one) => !ts.isSetAccessorDeclaration(one) || declarations.length === 1);
}

function isPublic(declaration: ts.Declaration): boolean {
  const file = declaration.getSourceFile();
  if (/node_modules|[/\\]src[/\\]generated[/\\]/.test(file.fileName)) return false;
  const name = ts.getNameOfDeclaration(declaration);
  if (name && ts.isPrivateIdentifier(name)) return false;
  // What a class must have for the sake of the language is no news to its users.
  if (name?.getText() === '[Symbol.hasInstance]' || name?.getText() === '[inspect.custom]') return false;
  if (ts.getCombinedModifierFlags(declaration) & HIDDEN) return false;
  return !ts.getJSDocTags(declaration).some((tag) => tag.tagName.text === 'internal');
}

function signatureOf(declaration: ts.Declaration, checker: ts.TypeChecker): string {
  const name = ts.getNameOfDeclaration(declaration)?.getText() ?? '';
  if (ts.isMethodDeclaration(declaration) || ts.isMethodSignature(declaration)) {
    const end = ts.isMethodDeclaration(declaration) ? (declaration.body?.pos ?? declaration.end) : declaration.end;
    const start = declaration.name.getStart();
    return oneLine(declaration.getSourceFile().text.slice(start, end).replace(/;$/, ''));
  }
  if (ts.isPropertyDeclaration(declaration) || ts.isPropertySignature(declaration)) {
    const optional = declaration.questionToken ? '?' : '';
    return `${name}${optional}: ${typeText(declaration, declaration.type, checker)}`;
  }
  if (ts.isGetAccessorDeclaration(declaration)) return `${name}: ${typeText(declaration, declaration.type, checker)}`;
  return oneLine(declaration.getText());
}

function typeText(declaration: ts.Declaration, type: ts.TypeNode | undefined, checker: ts.TypeChecker): string {
  return oneLine(type?.getText() ?? checker.typeToString(checker.getTypeAtLocation(declaration)));
}

function docOf(node: ts.Node): string {
  const [comment] = ts.getJSDocCommentsAndTags(node);
  return comment && ts.isJSDoc(comment) ? (ts.getTextOfJSDocComment(comment.comment) ?? '') : '';
}

/** The named types in the public signatures of a declaration, inherited ones included; of constructors without classes. */
export function referencedTypes(symbol: ts.Symbol, checker: ts.TypeChecker): ts.Symbol[] {
  const found = new Set<ts.Symbol>();
  const add = (target: ts.Symbol | undefined, kinds: ts.SymbolFlags) => {
    const real = target && target.flags & ts.SymbolFlags.Alias ? checker.getAliasedSymbol(target) : target;
    if (real && real.flags & kinds) found.add(real);
  };
  const visit = (node: ts.Node, kinds: ts.SymbolFlags): void => {
    if (ts.isTypeReferenceNode(node)) add(checker.getSymbolAtLocation(node.typeName), kinds);
    if (ts.isExpressionWithTypeArguments(node)) add(checker.getSymbolAtLocation(node.expression), kinds);
    ts.forEachChild(node, (child) => visit(child, kinds));
  };
  const visitSignature = (node: ts.Declaration, kinds = TYPES | ts.SymbolFlags.Class): void => {
    if (ts.isFunctionLike(node)) for (const { type } of node.parameters) if (type) visit(type, kinds);
    if (ts.isFunctionLike(node) || ts.isPropertyDeclaration(node) || ts.isVariableDeclaration(node)) {
      // An initialiser is nobody's business, but its type may be.
      if (node.type) visit(node.type, kinds);
      else add(checker.getTypeAtLocation(node).symbol, kinds);
    } else visit(node, kinds);
  };
  for (const declaration of symbol.declarations ?? []) {
    if (!ts.isClassDeclaration(declaration)) {
      visitSignature(declaration, TYPES);
      continue;
    }
    for (const member of declaration.members) {
      if (ts.isConstructorDeclaration(member) && isPublic(member)) visitSignature(member, TYPES);
    }
    const members = [
      ...checker.getPropertiesOfType(checker.getDeclaredTypeOfSymbol(symbol)),
      ...checker.getPropertiesOfType(checker.getTypeOfSymbolAtLocation(symbol, declaration)),
    ];
    for (const member of members) for (const one of publicDeclarations(member)) visitSignature(one);
  }
  return [...found];
}
