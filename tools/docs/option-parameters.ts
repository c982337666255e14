import ts from 'typescript';
import { isOurs, whereIs } from './accepts-undefined.ts';

/** A parameter of an exported function, constructor or method that is an object with options. */
export interface OptionParameter {
  /** `new WorkQueue`, `ListWatch.for`, `Client#get`, `retryOnConflict`. */
  readonly call: string;
  /** The name of its type; `{…}` for one without a name. */
  readonly type: string;
  readonly options: readonly Option[];
}

export interface Option {
  readonly name: string;
  /** The file and line that declare it. */
  readonly where: string;
  readonly doc: string;
}

/** What is handed in whole, made by us, the API or a class of the user's own: it may have whatever else it needs. */
const NOT_OPTIONS = new Set([
  'Answered',
  'ApiErrorContext',
  'CallContext',
  'ClientNodeConfig',
  'ClusterConnection',
  'Condition',
  'KubernetesObject',
  'LabelSelectorObject',
  'ListerSource',
  'ListOptions',
  'NewCondition',
  'RbacUses',
  'RecordedEvent',
  'ReflectorErrorOptions',
  'Resource',
  'ResourceDefinition',
  'ResourceEventHandler',
  'Status',
  'Stored',
  'Transport',
  'TransportErrorOptions',
  'TransportRequest',
  'AnsweredResource',
  'PodResource',
  'Clock',
  'Kubelet',
  'ListerWatcher',
  'ReflectorTarget',
  'KubeconfigContent',
  'User',
]);

/** By the types of the parameters, whatever they are called, and of the options in them. Sorted by call. */
export function optionParameters(checker: ts.TypeChecker, exported: Iterable<[string, ts.Symbol]>): OptionParameter[] {
  const walk = new ParameterWalk(checker);
  for (const [name, symbol] of exported) walk.enterExport(name, symbol);
  return [...walk.found.values()].sort((a, b) => (a.call < b.call ? -1 : 1));
}

class ParameterWalk {
  readonly found = new Map<string, OptionParameter>();
  readonly #checker: ts.TypeChecker;
  /** Options within options are found once, wherever they are first. */
  readonly #within = new Set<ts.Type>();

  constructor(checker: ts.TypeChecker) {
    this.#checker = checker;
  }

  enterExport(name: string, symbol: ts.Symbol): void {
    if (!(symbol.flags & ts.SymbolFlags.Value)) return;
    const type = this.#checker.getTypeOfSymbol(symbol);
    const isClass = (symbol.flags & ts.SymbolFlags.Class) !== 0;
    this.#enterCalls(isClass ? `new ${name}` : name, type);
    if (!isClass) return;
    const instance = this.#checker.getDeclaredTypeOfSymbol(symbol);
    for (const member of this.#checker.getPropertiesOfType(type)) this.#enterMember(`${name}.`, member);
    for (const member of this.#checker.getPropertiesOfType(instance)) this.#enterMember(`${name}#`, member);
  }

  #enterMember(prefix: string, member: ts.Symbol): void {
    const declaration = member.valueDeclaration;
    if (!declaration || !isOurs(declaration) || isHidden(declaration)) return;
    this.#enterCalls(`${prefix}${member.name}`, this.#checker.getTypeOfSymbol(member));
  }

  #enterCalls(call: string, type: ts.Type): void {
    for (const signature of [...type.getCallSignatures(), ...type.getConstructSignatures()]) {
      if (signature.declaration && isHidden(signature.declaration)) continue;
      for (const parameter of signature.getParameters()) {
        this.#enterOptions(call, this.#checker.getTypeOfSymbol(parameter));
      }
    }
  }

  #enterOptions(call: string, given: ts.Type): void {
    const whole = this.#checker.getNonNullableType(given);
    for (const type of whole.isUnion() ? whole.types : [whole]) {
      const name = nameOfOptions(type);
      const members = this.#checker
        .getPropertiesOfType(type)
        .filter(({ declarations: [one] = [] }) => one && isOurs(one) && !isHidden(one));
      if (name === undefined || !members.some(({ flags }) => flags & ts.SymbolFlags.Optional)) continue;
      const options = members.map((member) => this.#option(member));
      this.found.set(`${call} ${name}`, { call, type: name, options });
      for (const member of members) this.#enterWithin(`${call}: ${member.name}`, this.#checker.getTypeOfSymbol(member));
    }
  }

  #enterWithin(call: string, type: ts.Type): void {
    const options = this.#checker.getNonNullableType(type);
    if (this.#within.has(options)) return;
    this.#within.add(options);
    this.#enterOptions(call, options);
  }

  #option(member: ts.Symbol): Option {
    const [declaration] = member.declarations ?? [];
    return {
      name: member.name,
      where: declaration ? whereIs(declaration) : '',
      doc: ts.displayPartsToString(member.getDocumentationComment(this.#checker)),
    };
  }
}

/** Undefined for what cannot be an object with options. */
function nameOfOptions(type: ts.Type): string | undefined {
  if (type.isIntersection() && !type.aliasSymbol) {
    const names = type.types.map(nameOfOptions);
    return names.includes(undefined) ? undefined : names.join(' & ');
  }
  const symbol = type.aliasSymbol ?? type.getSymbol();
  const [declared] = symbol?.declarations ?? [];
  if (!symbol || !declared || type.flags & ts.TypeFlags.TypeParameter) return undefined;
  if (!isOurs(declared) && !['Pick', 'Omit', 'Partial'].includes(symbol.name)) return undefined;
  if (symbol.flags & ts.SymbolFlags.Class || NOT_OPTIONS.has(symbol.name)) return undefined;
  return symbol.name === '__type' ? '{…}' : symbol.name;
}

function isHidden(declaration: ts.Node): boolean {
  const name = ts.getNameOfDeclaration(declaration as ts.Declaration);
  if (name && ts.isPrivateIdentifier(name)) return true;
  if (ts.getCombinedModifierFlags(declaration as ts.Declaration) & ts.ModifierFlags.Private) return true;
  return ts.getJSDocTags(declaration).some((tag) => tag.tagName.text === 'internal');
}
