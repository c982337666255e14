import ts from 'typescript';

const DOOR = `
export interface ObjectMeta { name?: string; namespace?: string; labels?: Record<string, string> }
export interface KubernetesObject { apiVersion?: string; kind?: string; metadata?: ObjectMeta }
export interface Resource<T extends KubernetesObject> { readonly kind: string; readonly t?: T }
export declare function defineResource<T extends KubernetesObject>(definition: { group?: string; version: string; plural: string; kind: string; namespaced?: boolean }): Resource<T>;
`;

const libraries = new Map<string, ts.SourceFile | undefined>();

/** What the compiler has against a file, and against the lines that use it. */
export function problemsOf(source: string, use = ''): string[] {
  const files = new Map([
    ['/tidewatch.d.ts', DOOR],
    ['/generated.ts', source],
    ['/use.ts', `import type * as generated from './generated.ts';\n${use}\nexport type G = typeof generated;`],
  ]);
  const options: ts.CompilerOptions = {
    strict: true,
    exactOptionalPropertyTypes: true,
    noEmit: true,
    target: ts.ScriptTarget.ES2022,
    module: ts.ModuleKind.ESNext,
    moduleResolution: ts.ModuleResolutionKind.Bundler,
    allowImportingTsExtensions: true,
    lib: ['lib.es5.d.ts'],
    types: [],
    paths: { tidewatch: ['/tidewatch.d.ts'] },
    isolatedModules: true,
    verbatimModuleSyntax: true,
  };
  const host = ts.createCompilerHost(options);
  const readSource = host.getSourceFile.bind(host);
  host.getSourceFile = (name, version) => {
    const text = files.get(name);
    if (text !== undefined) return ts.createSourceFile(name, text, version);
    if (!libraries.has(name)) libraries.set(name, readSource(name, version));
    return libraries.get(name);
  };
  host.fileExists = (name) => files.has(name) || (name.endsWith('package.json') === false && ts.sys.fileExists(name));
  host.readFile = (name) => files.get(name) ?? (name === '/package.json' ? '{"type":"module"}' : ts.sys.readFile(name));
  const program = ts.createProgram([...files.keys()], options, host);
  return ts
    .getPreEmitDiagnostics(program)
    .map(
      ({ file, start, messageText }) =>
        `${file?.fileName}:${start} ${ts.flattenDiagnosticMessageText(messageText, ' ')}`,
    );
}
