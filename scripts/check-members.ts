/**
 * Finds dead members: methods and properties of classes and interfaces in src/ that nothing reads. knip sees exports, and not what
 * they hold. Tests and fixtures do not count, nor does a member's use of itself, nor a value that is only written.
 *
 *     tsx scripts/check-members.ts
 *
 * Members of what a door exports, and of what its signatures name, are the users', and alive. So is a member that is read through
 * another type: one that its own type names (`extends`, `implements`), or one of which its own type has all required members. One
 * that is there to be measured by tests says so with `@testonly`, one that another library calls with `@external`.
 */
import { relative, sep } from 'node:path';
import { fileURLToPath } from 'node:url';
import ts from 'typescript';

const root = fileURLToPath(new URL('..', import.meta.url));
const DOORS = [
  'src/index.ts',
  'src/client-node/index.ts',
  'src/controller/index.ts',
  'src/inspector/index.ts',
  'src/testing/index.ts',
  'src/workqueue/index.ts',
  'src/metrics/index.ts',
];
const TESTS = /(\.test|-fixture)\.ts$|^e2e\//;
/** Their members are those of the API, whoever reads them; what the server of the inspector says is read in a browser. */
const GENERATED = /^src\/(generated\/|inspector\/protocol\.ts$)/;
/** The language and Node call these by themselves. */
const CALLED_FROM_OUTSIDE = new Set([
  'toString',
  'toJSON',
  'valueOf',
  'next',
  'return',
  'throw',
  'then',
  'constructor',
]);

type Container = ts.ClassLikeDeclaration | ts.InterfaceDeclaration | ts.TypeLiteralNode;

const program = openProgram();
const checker = program.getTypeChecker();
const sources = program.getSourceFiles().filter((file) => isOurs(file) && !TESTS.test(pathOf(file)));
/** Declarations of members that something reads. */
const read = new Set<ts.Node>();

for (const file of sources) visit(file, (node) => markReads(node));

const containers = sources.flatMap((file) => containersIn(file));
const shapes = shapesByReadName();
const publicTypes = new Set<ts.Symbol>();
for (const door of DOORS) for (const symbol of exportsOf(door)) addPublic(symbol);
const dead = containers
  .filter((container) => isJudged(container))
  .flatMap((container) => membersOf(container).filter((member) => !isAlive(member, container)));

for (const member of dead) {
  const file = member.getSourceFile();
  const line = file.getLineAndCharacterOfPosition(member.getStart()).line + 1;
  console.error(`${pathOf(file)}:${line}: nothing but tests reads ${ownerName(member)}.${nameOf(member)}: remove it.`);
}
if (dead.length === 0) console.log(`Every member of ${containers.length} types is read somewhere.`);
else process.exitCode = 1;

function openProgram(): ts.Program {
  const { config } = ts.readConfigFile(`${root}tsconfig.json`, ts.sys.readFile);
  const { fileNames, options } = ts.parseJsonConfigFileContent(config, ts.sys, root);
  return ts.createProgram(fileNames, options);
}

function pathOf(file: ts.SourceFile): string {
  return relative(root, file.fileName).split(sep).join('/');
}

function isOurs(file: ts.SourceFile): boolean {
  return !file.isDeclarationFile && !pathOf(file).startsWith('..') && !pathOf(file).startsWith('node_modules/');
}

function visit(node: ts.Node, see: (node: ts.Node) => void): void {
  see(node);
  ts.forEachChild(node, (child) => visit(child, see));
}

/** Marks what the node reads: `a.b`, `a['b']`, `a[key]`, `{ b } = a`, `{ ...a }`, `A['b']`. */
function markReads(node: ts.Node): void {
  if (ts.isPropertyAccessExpression(node)) {
    if (isOnlyWritten(node)) markSetter(checker.getSymbolAtLocation(node.name));
    else markSymbol(checker.getSymbolAtLocation(node.name), node);
  } else if (ts.isQualifiedName(node)) markSymbol(checker.getSymbolAtLocation(node.right), node);
  else if (ts.isElementAccessExpression(node))
    markKeys(checker.getTypeAtLocation(node.expression), checker.getTypeAtLocation(node.argumentExpression), node);
  else if (ts.isIndexedAccessTypeNode(node))
    markKeys(checker.getTypeFromTypeNode(node.objectType), checker.getTypeFromTypeNode(node.indexType), node);
  else if (ts.isBindingElement(node) && ts.isObjectBindingPattern(node.parent)) {
    const type = checker.getTypeAtLocation(node.parent);
    const name = node.propertyName ?? node.name;
    if (node.dotDotDotToken) markAll(type, node);
    else if (ts.isIdentifier(name) || ts.isStringLiteral(name)) markSymbol(type.getProperty(name.text), node);
  } else if (ts.isSpreadAssignment(node)) markAll(checker.getTypeAtLocation(node.expression), node);
  else if (ts.isCallExpression(node) && node.expression.getText() === 'JSON.stringify') {
    const [value] = node.arguments;
    if (value) markWhole(checker.getTypeAtLocation(value), node);
  } else if (isDestructured(node)) {
    for (const property of node.properties) {
      const target = checker.getTypeAtLocation(node);
      if (property.name && ts.isIdentifier(property.name)) markSymbol(target.getProperty(property.name.text), node);
    }
  } else if (ts.isBinaryExpression(node) && node.operatorToken.kind === ts.SyntaxKind.InKeyword) {
    const type = checker.getTypeAtLocation(node.right);
    markKeys(type, checker.getTypeAtLocation(node.left), node);
  }
}

/** `({ a } = b)`: a literal that is a pattern. */
function isDestructured(node: ts.Node): node is ts.ObjectLiteralExpression {
  if (!ts.isObjectLiteralExpression(node)) return false;
  const { parent } = node;
  return (
    ts.isBinaryExpression(parent) && parent.left === node && parent.operatorToken.kind === ts.SyntaxKind.EqualsToken
  );
}

function isOnlyWritten(node: ts.Expression): boolean {
  const { parent } = node;
  return (
    ts.isBinaryExpression(parent) && parent.left === node && parent.operatorToken.kind === ts.SyntaxKind.EqualsToken
  );
}

/** What a set accessor does is its point. */
function markSetter(symbol: ts.Symbol | undefined): void {
  if (symbol?.declarations?.some((declaration) => ts.isSetAccessor(declaration))) markSymbol(symbol);
}

function markKeys(type: ts.Type, key: ts.Type, from: ts.Node): void {
  if (key.isUnion()) for (const one of key.types) markKeys(type, one, from);
  else if (key.isStringLiteral()) markSymbol(checker.getPropertyOfType(checker.getApparentType(type), key.value), from);
  else if (key.flags & (ts.TypeFlags.Index | ts.TypeFlags.TypeParameter)) markAll(type, from);
}

function markAll(type: ts.Type, from: ts.Node): void {
  for (const property of checker.getPropertiesOfType(checker.getApparentType(type))) markSymbol(property, from);
}

/** All that can be reached from it, as what is written to JSON. */
function markWhole(type: ts.Type, from: ts.Node, seen = new Set<ts.Type>()): void {
  if (seen.has(type)) return;
  seen.add(type);
  if (type.isUnionOrIntersection()) for (const part of type.types) markWhole(part, from, seen);
  for (const property of checker.getPropertiesOfType(type)) {
    if (!property.declarations?.some((declaration) => isOurs(declaration.getSourceFile()))) continue;
    markSymbol(property, from);
    markWhole(checker.getTypeOfSymbol(property), from, seen);
  }
}

function markSymbol(symbol: ts.Symbol | undefined, from?: ts.Node): void {
  for (const declaration of symbol?.declarations ?? []) {
    if (from === undefined || !isWithin(from, declaration)) read.add(declaration);
  }
}

function isWithin(node: ts.Node, ancestor: ts.Node): boolean {
  for (let at: ts.Node | undefined = node; at; at = at.parent) if (at === ancestor) return true;
  return false;
}

function containersIn(file: ts.SourceFile): Container[] {
  const found: Container[] = [];
  visit(file, (node) => {
    if (ts.isClassLike(node) || ts.isInterfaceDeclaration(node) || ts.isTypeLiteralNode(node)) found.push(node);
  });
  return found;
}

/** Type literals are read by name here and there; what nobody reads of them is seen where it is written. */
function isJudged(container: Container): boolean {
  const path = pathOf(container.getSourceFile());
  if (!path.startsWith('src/') || GENERATED.test(path) || ts.isTypeLiteralNode(container)) return false;
  const symbol = symbolOf(container);
  return symbol !== undefined && !publicTypes.has(symbol);
}

function symbolOf(container: Container): ts.Symbol | undefined {
  const name = ts.isTypeLiteralNode(container) ? undefined : container.name;
  return name && checker.getSymbolAtLocation(name);
}

function exportsOf(door: string): ts.Symbol[] {
  const file = program.getSourceFile(`${root}${door}`);
  const module = file && checker.getSymbolAtLocation(file);
  if (!module) throw new Error(`${door} exports nothing.`);
  return checker.getExportsOfModule(module).map((symbol) => aliased(symbol) as ts.Symbol);
}

/** The type, and all that the signatures of its members name. */
function addPublic(symbol: ts.Symbol | undefined): void {
  if (symbol === undefined || publicTypes.has(symbol)) return;
  publicTypes.add(symbol);
  for (const declaration of symbol.declarations ?? []) {
    if (isOurs(declaration.getSourceFile()) && !GENERATED.test(pathOf(declaration.getSourceFile())))
      addNamed(declaration);
  }
}

function addNamed(node: ts.Node): void {
  if (isHidden(node) || ts.isBlock(node)) return;
  if (ts.isTypeReferenceNode(node)) addPublic(aliased(checker.getSymbolAtLocation(node.typeName)));
  if (ts.isExpressionWithTypeArguments(node)) addPublic(aliased(checker.getSymbolAtLocation(node.expression)));
  if ((ts.isPropertyDeclaration(node) || ts.isVariableDeclaration(node)) && !node.type)
    addPublic(checker.getTypeAtLocation(node).symbol);
  if (ts.isFunctionLike(node) && !node.type && 'body' in node && !ts.isConstructorDeclaration(node)) {
    const signature = checker.getSignatureFromDeclaration(node);
    if (signature) addPublic(signature.getReturnType().symbol);
  }
  ts.forEachChild(node, (child) => {
    if (!ts.isExpression(child) || ts.isExpressionWithTypeArguments(child)) addNamed(child);
  });
}

/** Private, `#private` or `@internal`. */
function isHidden(node: ts.Node): boolean {
  if (!ts.isClassElement(node)) return false;
  if (node.name && ts.isPrivateIdentifier(node.name)) return true;
  if (ts.getCombinedModifierFlags(node) & ts.ModifierFlags.Private) return true;
  return hasTag(node, 'internal');
}

function hasTag(node: ts.Node, name: string): boolean {
  return ts.getJSDocTags(node).some(({ tagName }) => tagName.text === name);
}

function aliased(symbol: ts.Symbol | undefined): ts.Symbol | undefined {
  return symbol && symbol.flags & ts.SymbolFlags.Alias ? checker.getAliasedSymbol(symbol) : symbol;
}

/** Those with a plain name that others can see. TypeScript itself tells of unused private ones. */
function membersOf(container: Container): ts.NamedDeclaration[] {
  return [...container.members].filter((member) => {
    if (!member.name || !(ts.isIdentifier(member.name) || ts.isStringLiteral(member.name))) return false;
    return !(ts.getCombinedModifierFlags(member as ts.Declaration) & ts.ModifierFlags.Private);
  }) as ts.NamedDeclaration[];
}

function nameOf({ name }: ts.NamedDeclaration): string {
  return name && (ts.isIdentifier(name) || ts.isStringLiteral(name)) ? name.text : '';
}

function ownerName(member: ts.Node): string {
  return symbolOf(member.parent as Container)?.name ?? '(anonymous)';
}

function isAlive(member: ts.NamedDeclaration, container: Container): boolean {
  const name = nameOf(member);
  if (CALLED_FROM_OUTSIDE.has(name) || isRead(member) || hasTag(member, 'testonly') || hasTag(member, 'external'))
    return true;
  return isInherited(name, container) || isOverridden(name, container) || isReadByShape(name, container);
}

/** Also through its other declarations: overloads, and the other half of an accessor. */
function isRead(member: ts.NamedDeclaration): boolean {
  const symbol = member.name && checker.getSymbolAtLocation(member.name);
  return (symbol?.declarations ?? [member]).some((declaration) => read.has(declaration));
}

/** Whether a type that it extends or implements has the member, and it is read there, or is the users', or not ours. */
function isInherited(name: string, container: Container): boolean {
  return basesOf(container).some((base) =>
    (base.getProperty(name)?.declarations ?? []).some((declaration) => isReadOrForeign(declaration)),
  );
}

function isReadOrForeign(declaration: ts.Declaration): boolean {
  if (read.has(declaration) || !isOurs(declaration.getSourceFile())) return true;
  if (GENERATED.test(pathOf(declaration.getSourceFile()))) return true;
  const { parent } = declaration;
  if (!ts.isClassLike(parent) && !ts.isInterfaceDeclaration(parent)) return false;
  const symbol = symbolOf(parent);
  return symbol !== undefined && publicTypes.has(symbol);
}

function basesOf(container: Container): ts.Type[] {
  if (ts.isTypeLiteralNode(container)) return [];
  return (container.heritageClauses ?? []).flatMap(({ types }) => types.map((type) => checker.getTypeAtLocation(type)));
}

/** Whether a type that extends or implements this one has the member alive, or is the users'. */
function isOverridden(name: string, container: Container): boolean {
  const symbol = symbolOf(container);
  return containers.some((other) => {
    if (other === container || !basesOf(other).some((base) => isOrExtends(base, symbol))) return false;
    const own = symbolOf(other);
    if (own !== undefined && publicTypes.has(own)) return true;
    return membersOf(other).some((member) => nameOf(member) === name && isRead(member));
  });
}

function isOrExtends(type: ts.Type, symbol: ts.Symbol | undefined): boolean {
  if (type.symbol === symbol) return true;
  return (type.getBaseTypes() ?? []).some((base) => isOrExtends(base, symbol));
}

/** Whether the member is read through a type of which this one has every required member. */
function isReadByShape(name: string, container: Container): boolean {
  const properties = propertiesOf(container);
  const names = new Set(properties.map((property) => property.name));
  const isWeak = properties.every(({ flags }) => flags & ts.SymbolFlags.Optional);
  return (shapes.get(name) ?? []).some(
    // Anything fits a type without required members; that alone is no sign that it is used so.
    ({ owner, required }) =>
      owner !== container && (isWeak || required.length > 0) && required.every((one) => names.has(one)),
  );
}

interface Shape {
  readonly owner: ts.Node;
  readonly required: readonly string[];
}

function shapesByReadName(): Map<string, Shape[]> {
  const shapes = new Map<string, Shape[]>();
  const types: ts.Node[] = [...containers];
  for (const file of sources) visit(file, (node) => isPartOfAnother(node) && types.push(node));
  for (const owner of types) {
    // What a class has is not asked of others.
    if (ts.isClassLike(owner)) continue;
    const properties = propertiesOf(owner);
    const required = properties.filter(({ flags }) => !(flags & ts.SymbolFlags.Optional)).map((one) => one.name);
    for (const property of properties) {
      if (!property.declarations?.some((declaration) => read.has(declaration))) continue;
      shapes.set(property.name, [...(shapes.get(property.name) ?? []), { owner, required }]);
    }
  }
  return shapes;
}

/** `Pick<A, 'b'>` */
function isPartOfAnother(node: ts.Node): boolean {
  return ts.isTypeReferenceNode(node) && ['Pick', 'Omit'].includes(node.typeName.getText());
}

function propertiesOf(node: ts.Node): ts.Symbol[] {
  return checker.getPropertiesOfType(checker.getTypeAtLocation(node));
}
