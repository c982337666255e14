import { CelError } from './cel-error.ts';
import type { FunctionTable } from './function-table.ts';
import { type CelValue, LibraryValue, ListValue, MapValue } from './values.ts';

class UrlValue extends LibraryValue {
  readonly typeName = 'kubernetes.URL';
  readonly url: URL;
  /** A path without scheme and host is a URL, too. */
  readonly isPath: boolean;

  constructor(url: URL, isPath: boolean) {
    super();
    this.url = url;
    this.isPath = isPath;
  }

  equals(other: LibraryValue): boolean {
    return other instanceof UrlValue && other.url.href === this.url.href;
  }
}

/** Kubernetes' URL library. */
export const urlFunctions: FunctionTable = {
  isURL: (text) => (typeof text === 'string' ? parse(text) !== undefined : undefined),
  url: (text) => {
    if (typeof text !== 'string') return undefined;
    const parsed = parse(text);
    if (parsed === undefined)
      throw new CelError(`URL parse error during conversion from string: parse ${JSON.stringify(text)}`);
    return parsed;
  },
  '.getScheme': part((url) => url.protocol.replace(/:$/, '')),
  '.getHost': part((url) => url.host),
  '.getHostname': part((url) => url.hostname.replace(/^\[|\]$/g, '')),
  '.getPort': part((url) => url.port),
  '.getEscapedPath': (value) => (value instanceof UrlValue ? value.url.pathname : undefined),
  '.getQuery': (value) => {
    if (!(value instanceof UrlValue)) return undefined;
    const { searchParams } = value.url;
    const names = [...new Set(searchParams.keys())];
    return new MapValue(names.map((name): [CelValue, CelValue] => [name, new ListValue(searchParams.getAll(name))]));
  },
};

function part(read: (url: URL) => string) {
  return (value?: CelValue): CelValue | undefined => {
    if (!(value instanceof UrlValue)) return undefined;
    return value.isPath ? '' : read(value.url);
  };
}

function parse(text: string): UrlValue | undefined {
  if (text.startsWith('/') && !text.startsWith('//')) {
    const base = 'http://path.invalid';
    return URL.canParse(text, base) ? new UrlValue(new URL(text, base), true) : undefined;
  }
  return /^[a-z][a-z0-9+.-]*:\/\//i.test(text) && URL.canParse(text) ? new UrlValue(new URL(text), false) : undefined;
}
