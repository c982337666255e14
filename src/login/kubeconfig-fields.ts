import { KubeconfigError } from './kubeconfig.ts';

/**
 * Typed reading of one mapping of a kubeconfig. A missing or null field reads as empty, as in Go; a field of the wrong
 * type is an error that names file and field, and never shows the value, which may be a secret.
 */
export class KubeconfigFields {
  readonly #file: string;
  readonly #path: string;
  readonly #fields: Map<string, unknown>;

  constructor(value: unknown, file: string, path: string) {
    this.#file = file;
    this.#path = path;
    if (value !== undefined && value !== null && (typeof value !== 'object' || Array.isArray(value))) {
      if (path === '') throw new KubeconfigError(`${file} is not a kubeconfig: it holds ${typeName(value)}`, { file });
      throw this.#mismatch('', 'a mapping', value);
    }
    this.#fields = new Map(Object.entries(value ?? {}));
  }

  has(name: string): boolean {
    return (this.#fields.get(name) ?? null) !== null;
  }

  string(name: string): string {
    return this.#scalar(name, 'string', '');
  }

  boolean(name: string): boolean {
    return this.#scalar(name, 'boolean', false);
  }

  /** Base64 as Go's decoder takes it: padded, with line breaks allowed and nothing else. */
  bytes(name: string): Buffer | undefined {
    const text = this.string(name).replace(/[\r\n]/g, '');
    if (text === '') return undefined;
    if (text.length % 4 !== 0 || !/^[A-Za-z0-9+/]*={0,2}$/.test(text)) {
      throw new KubeconfigError(`${this.#where(name)} is not base64`, { file: this.#file });
    }
    return Buffer.from(text, 'base64');
  }

  object(name: string): KubeconfigFields {
    return new KubeconfigFields(this.#fields.get(name), this.#file, this.#join(name));
  }

  objects(name: string): KubeconfigFields[] {
    return this.#list(name).map((item, i) => new KubeconfigFields(item, this.#file, `${this.#join(name)}[${i}]`));
  }

  strings(name: string): string[] {
    return this.#list(name).map((item, i) => {
      if (item === null) return '';
      if (typeof item !== 'string') throw this.#mismatch(`${name}[${i}]`, 'a string', item);
      return item;
    });
  }

  stringMap(name: string): Map<string, string> {
    const inner = this.object(name);
    return new Map([...inner.#fields.keys()].map((key) => [key, inner.string(key)]));
  }

  stringLists(name: string): Map<string, string[]> {
    const inner = this.object(name);
    return new Map([...inner.#fields.keys()].map((key) => [key, inner.strings(key)]));
  }

  /** A list of `{ name, [inner]: {…} }` as a map. */
  named<T>(list: string, inner: string, read: (fields: KubeconfigFields) => T): Map<string, T> {
    const result = new Map<string, T>();
    for (const item of this.objects(list)) {
      const name = item.string('name');
      if (result.has(name)) throw this.#duplicate(list, name);
      result.set(name, read(item.object(inner)));
    }
    return result;
  }

  extensions(): Map<string, unknown> {
    const result = new Map<string, unknown>();
    for (const item of this.objects('extensions')) {
      const name = item.string('name');
      if ((result.get(name) ?? null) !== null) throw this.#duplicate('extensions', name);
      result.set(name, item.#fields.get('extension') ?? null);
    }
    return result;
  }

  #scalar<T extends string | boolean>(name: string, type: 'string' | 'boolean', empty: T): T {
    const value = this.#fields.get(name) ?? empty;
    // The check above the cast is the same one.
    if (typeof value === type) return value as T;
    throw this.#mismatch(name, type === 'string' ? 'a string' : 'true or false', value);
  }

  #list(name: string): unknown[] {
    const value = this.#fields.get(name) ?? [];
    if (!Array.isArray(value)) throw this.#mismatch(name, 'a list', value);
    return value;
  }

  #join(name: string): string {
    if (this.#path === '' || name === '') return `${this.#path}${name}`;
    return `${this.#path}.${name}`;
  }

  #where(name: string): string {
    return `${this.#file}: ${this.#join(name)}`;
  }

  #duplicate(list: string, name: string): KubeconfigError {
    return new KubeconfigError(`${this.#where(list)} has two entries with the name "${name}"`, { file: this.#file });
  }

  #mismatch(name: string, expected: string, value: unknown): KubeconfigError {
    const hint = expected === 'a string' && typeof value !== 'object' ? ' (quote it)' : '';
    return new KubeconfigError(`${this.#where(name)} should be ${expected} but is ${typeName(value)}${hint}`, {
      file: this.#file,
    });
  }
}

function typeName(value: unknown): string {
  if (Array.isArray(value)) return 'a list';
  if (typeof value === 'object') return 'a mapping';
  return typeof value === 'string' ? 'plain text' : `a ${typeof value}`;
}
