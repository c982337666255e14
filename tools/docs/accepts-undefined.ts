import ts from 'typescript';

/** Objects of the API follow Kubernetes, and are written as JSON, which has no undefined. */
const API_OBJECTS = /\/src\/(generated\/|api\/(metadata|patch|status|watch-event|type-schema)\.ts)/;

/** What we hand out, what the API defines, and contracts that are implemented by classes. */
const NOT_HANDED_IN = new Set([
  'Attributes',
  'Cached',
  'ClientNodeConfig',
  'EventObject',
  'EventReference',
  'InformerMemory',
  'InformerState',
  'ReflectorState',
  'ReflectorTarget',
  'Resource',
  'Transport',
  'User',
]);

/**
 * The options of a door that refuse `undefined` under `exactOptionalPropertyTypes`, with the place of each: everything optional in a type that an
 * exported function, constructor or method takes, and in the types of its properties.
 */
export function refusedUndefined(checker: ts.TypeChecker, exported: readonly ts.Symbol[]): string[] {
  const walk = new OptionWalk(checker);
  for (const symbol of exported) walk.enterExport(symbol);
  return [...walk.refused.keys()].sort();
}

class OptionWalk {
  readonly refused = new Map<string, ts.Declaration>();
  readonly #checker: ts.TypeChecker;
  readonly #seen = new Set<ts.Type>();
  readonly #seenCallable = new Set<ts.Type>();

  constructor(checker: ts.TypeChecker) {
    this.#checker = checker;
  }

  /** A class or an interface with methods, a function, or a type named for what is handed in. */
  enterExport(symbol: ts.Symbol): void {
    if (symbol.flags & ts.SymbolFlags.Value) {
      const type = this.#checker.getTypeOfSymbol(symbol);
      for (const signature of [...type.getCallSignatures(), ...type.getConstructSignatures()])
        this.#enterCall(signature);
      this.#enterMethods(type);
    }
    if (!(symbol.flags & (ts.SymbolFlags.Class | ts.SymbolFlags.Interface | ts.SymbolFlags.TypeAlias))) return;
    const type = this.#checker.getDeclaredTypeOfSymbol(symbol);
    this.#enterMethods(type);
    if (/(Options|Definition|Handler)$/.test(symbol.name)) this.#enterInput(type);
  }

  #enterMethods(type: ts.Type): void {
    if (this.#seenCallable.has(type)) return;
    this.#seenCallable.add(type);
    for (const member of this.#checker.getPropertiesOfType(type)) {
      const declaration = member.valueDeclaration ?? member.declarations?.[0];
      if (declaration === undefined || !isOurs(declaration) || member.name.startsWith('__#')) continue;
      for (const signature of this.#checker.getTypeOfSymbol(member).getCallSignatures()) this.#enterCall(signature);
    }
  }

  #enterCall(signature: ts.Signature): void {
    for (const parameter of signature.getParameters()) this.#enterInput(this.#checker.getTypeOfSymbol(parameter));
  }

  #enterInput(type: ts.Type): void {
    if (this.#seen.has(type)) return;
    this.#seen.add(type);
    for (const part of type.isUnionOrIntersection() ? type.types : [type]) {
      if (part !== type) this.#enterInput(part);
    }
    const symbol = type.aliasSymbol ?? type.getSymbol();
    const declared = symbol?.declarations?.[0];
    if (symbol === undefined || declared === undefined || !isOurs(declared) || type.isClass()) return;
    for (const property of this.#checker.getPropertiesOfType(type)) {
      const declaration = property.declarations?.[0];
      if (declaration === undefined || !isOurs(declaration)) continue;
      if (property.flags & ts.SymbolFlags.Optional && !this.#acceptsUndefined(property, declaration)) {
        const { name } = declaration.parent as { name?: ts.Identifier };
        if (!NOT_HANDED_IN.has(name?.text ?? ''))
          this.refused.set(`${whereIs(declaration)} ${property.name}`, declaration);
      }
      this.#enterInput(this.#checker.getNonNullableType(this.#checker.getTypeOfSymbol(property)));
    }
  }

  #acceptsUndefined(property: ts.Symbol, declaration: ts.Declaration): boolean {
    if (ts.isPropertySignature(declaration) && declaration.questionToken && declaration.type) {
      const type = this.#checker.getTypeFromTypeNode(declaration.type);
      const parts = type.isUnion() ? type.types : [type];
      return parts.some(({ flags }) => flags & (ts.TypeFlags.Undefined | ts.TypeFlags.Any | ts.TypeFlags.Unknown));
    }
    if (ts.isMethodSignature(declaration)) return false;
    // What a mapped type has made optional.
    const text = this.#checker.typeToString(
      this.#checker.getTypeOfSymbol(property),
      undefined,
      ts.TypeFormatFlags.NoTruncation,
    );
    return /\| undefined$/.test(text);
  }
}

export function whereIs(declaration: ts.Declaration): string {
  const file = declaration.getSourceFile();
  const { line } = file.getLineAndCharacterOfPosition(declaration.getStart());
  return `${file.fileName.slice(file.fileName.lastIndexOf('/src/') + 1)}:${line + 1}`;
}

export function isOurs(declaration: ts.Declaration): boolean {
  const { fileName } = declaration.getSourceFile();
  return fileName.includes('/src/') && !fileName.includes('/node_modules/') && !API_OBJECTS.test(fileName);
}
