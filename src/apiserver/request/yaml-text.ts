import {
  isAlias,
  isMap,
  isScalar,
  isSeq,
  LineCounter,
  type Node,
  type Pair,
  parseDocument,
  type Scalar,
  type YAMLMap,
} from 'yaml';
import { cloneJson, isObject, type JsonObject, type JsonValue, setKey } from '../values/json.ts';
import { checkYamlDepth } from './yaml-depth.ts';

/** What aliases may add to a document, in bytes and values. */
const MAX_ALIASED = 3 * 1024 * 1024;

/**
 * YAML 1.1 as Go's library reads it; only the first document counts. Throws an Error with what is wrong: also for texts
 * that nest too deeply, or that aliases would blow up, and long before either costs anything. `problem` is what Go's strict
 * reader says of keys that stand twice in a map; otherwise the last one counts.
 */
export function readYaml(text: string): { value: JsonValue; problem: string | undefined } {
  checkYamlDepth(text);
  const lines = new LineCounter();
  // With places in its messages the parser would look at the whole text once for every problem.
  const document = parseDocument(text, { version: '1.1', uniqueKeys: false, prettyErrors: false, lineCounter: lines });
  const problem = document.errors.find(({ code }) => code !== 'MULTIPLE_DOCS');
  if (problem) {
    const line = text.slice(0, problem.pos[0]).split('\n').length;
    throw new Error(`yaml: line ${line}: ${problem.message}`);
  }
  const conversion = new Conversion((offset) => lines.linePos(offset).line);
  const value = document.contents ? conversion.value(document.contents) : {};
  const { repeated } = conversion;
  return { value, problem: repeated.length === 0 ? undefined : ['yaml: unmarshal errors:', ...repeated].join('\n  ') };
}

interface Anchored {
  readonly value: JsonValue;
  /** How much of it there is, with what its own aliases brought in. */
  readonly size: number;
}

/** Turns nodes into JSON. The library's own way looks through the whole document for each alias. */
class Conversion {
  /** Undefined while the node that carries the anchor is still being read. */
  readonly #anchors = new Map<string, Anchored | undefined>();
  /** `line 9: key "foo" already set in map` */
  readonly repeated: string[] = [];
  readonly #lineOf: (offset: number) => number;
  #size = 0;
  #aliased = 0;

  constructor(lineOf: (offset: number) => number) {
    this.#lineOf = lineOf;
  }

  value(node: Node | null): JsonValue {
    if (node === null) return null;
    if (isAlias(node)) return this.#alias(node.source);
    const anchor = (node as { anchor?: string }).anchor;
    if (anchor === undefined) return this.#plain(node);
    const before = this.#size;
    this.#anchors.set(anchor, undefined);
    const value = this.#plain(node);
    this.#anchors.set(anchor, { value, size: this.#size - before });
    return value;
  }

  #alias(name: string): JsonValue {
    if (!this.#anchors.has(name)) throw new Error(`yaml: unknown anchor '${name}' referenced`);
    const anchored = this.#anchors.get(name);
    if (!anchored) throw new Error(`yaml: anchor '${name}' value contains itself`);
    this.#size += anchored.size;
    this.#aliased += anchored.size;
    if (this.#aliased > MAX_ALIASED) throw new Error('yaml: document contains excessive aliasing');
    return cloneJson(anchored.value);
  }

  #plain(node: Node): JsonValue {
    this.#size++;
    if (isSeq(node)) return node.items.map((item) => this.value(item as Node | null));
    if (isMap(node)) return this.#map(node);
    return isScalar(node) ? this.#scalar(node) : null;
  }

  #map(node: YAMLMap): JsonObject {
    const object: JsonObject = {};
    const merged: JsonValue[] = [];
    for (const { key, value } of node.items as Pair<Node, Node | null>[]) {
      if (isMergeKey(key)) merged.push(this.value(value));
      else this.#set(object, this.#key(key), this.value(value), value ?? key);
    }
    // What the map says itself wins over what it merges in.
    for (const source of merged.flat().filter(isObject)) {
      for (const [key, value] of Object.entries(source)) {
        if (!Object.hasOwn(object, key) && value !== undefined) setKey(object, key, value);
      }
    }
    return object;
  }

  #set(object: JsonObject, key: string, value: JsonValue, { range }: Node): void {
    if (Object.hasOwn(object, key)) {
      this.repeated.push(`line ${this.#lineOf(range?.[0] ?? 0)}: key ${JSON.stringify(key)} already set in map`);
    }
    setKey(object, key, value);
  }

  #key(node: Node): string {
    const key = this.value(node);
    if (typeof key === 'object') throw new Error('yaml: only texts, numbers and booleans can be keys');
    return String(key);
  }

  #scalar(node: Scalar): JsonValue {
    const { value, source = '' } = node;
    this.#size += source.length;
    // To Go, what looks like a date or like a number to the base of sixty is text.
    if (value instanceof Date || node.format === 'TIME') return source;
    if (value instanceof Uint8Array) return Buffer.from(value).toString();
    if (typeof value === 'number') {
      if (!Number.isFinite(value)) throw new Error(`json: unsupported value: ${value}`);
      return value;
    }
    if (typeof value === 'bigint') return Number(value);
    return typeof value === 'string' || typeof value === 'boolean' ? value : null;
  }
}

function isMergeKey(key: Node): boolean {
  return isScalar(key) && (typeof key.value === 'symbol' || (key.value === '<<' && key.type === 'PLAIN'));
}
