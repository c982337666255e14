import { KubeconfigError } from './kubeconfig.ts';

/** How YAML's own scalars are read: as the Go library of kubectl does, which knows neither base-60 numbers nor dates. */
function isKnownToGo(tag: unknown): boolean {
  if (typeof tag !== 'object' || tag === null) return true;
  const { tag: name, format } = tag as { tag?: string; format?: string };
  return format !== 'TIME' && name !== 'tag:yaml.org,2002:timestamp';
}

/**
 * The first document of a YAML 1.1 text, as plain data. The message of an error gives the place and never the text
 * there, since a kubeconfig is full of secrets; for the same reason the parser's own error is not kept as a cause.
 */
export async function parseYaml(text: string, file: string): Promise<unknown> {
  const { parseAllDocuments } = await import('yaml');
  const documents = parseAllDocuments(text.replace(/^\uFEFF/, ''), {
    version: '1.1',
    merge: true,
    uniqueKeys: false,
    prettyErrors: false,
    logLevel: 'error',
    customTags: (tags) => tags.filter(isKnownToGo),
  });
  const document = Array.isArray(documents) ? documents[0] : undefined;
  if (document === undefined) return undefined;
  const [error] = document.errors;
  if (error !== undefined) {
    const before = text.slice(0, error.pos[0]).split('\n');
    const column = (before.at(-1)?.length ?? 0) + 1;
    throw new KubeconfigError(
      `${file} is not YAML: ${describe(error.code)} at line ${before.length}, column ${column}`,
      { file },
    );
  }
  try {
    return document.toJS({ maxAliasCount: 1000 });
  } catch {
    throw new KubeconfigError(`${file} is not usable YAML: its aliases refer to nothing, or to too much`, { file });
  }
}

/** `BAD_INDENT` → `bad indent`. */
function describe(code: string): string {
  return code.toLowerCase().replaceAll('_', ' ');
}
