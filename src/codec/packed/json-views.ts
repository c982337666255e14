import { DecodeError } from '../decode-error.ts';
import { BRACE_OPEN, BRACKET_OPEN, JsonMembers } from '../json/json-bytes.ts';
import { setEntry, WireReader } from '../protobuf/wire-reader.ts';
import { elementsOf, isKey, parseJson, parseScalar } from './json-values.ts';
import { Accessors, bindFields, fieldsOf, type Identity, type PartReader, type ViewSource } from './lazy-view.ts';

type Data = Record<string, unknown>;

/** An object or list of fewer bytes is parsed sooner than it is put off. */
const PART_BYTES = 96;
/** The same for a single value. */
const SCALAR_BYTES = 128;
/** An object of fewer bytes is parsed sooner than it is looked through. */
const SMALL_BYTES = 256;

const PUT_OFF = Symbol('put off');

/** Makes views of the objects within the text of an object. */
export class JsonViews implements PartReader {
  readonly #accessors = new Accessors();
  /** For its table of texts that repeat from object to object. */
  readonly #texts = new WireReader();
  readonly #textOf = (bytes: Buffer, start: number, end: number): string => {
    this.#texts.open(bytes, start, end);
    return this.#texts.string(end);
  };

  /** Of the value from `start` to `end`. `identity` is for the metadata of an object, which take from it what it has. */
  view(
    bytes: Buffer,
    start: number,
    end: number,
    objectStart: number,
    source: ViewSource,
    identity?: Identity,
  ): unknown {
    if (end - start >= SMALL_BYTES) {
      const view = this.#large(bytes, start, end, objectStart, source, identity);
      // What is not written as servers do it is left to the parser.
      if (view !== undefined) return view;
    }
    return isContainer(bytes, start) ? parseJson(bytes, start, end) : parseScalar(bytes, start, end, this.#textOf);
  }

  /** Adds a field to a view: its value, or an accessor when it is large or damaged. Returns whether it is an accessor. */
  addField(view: Data, name: string, bytes: Buffer, start: number, end: number): boolean {
    const accessor = this.#valueOf(bytes, start, end);
    if (accessor !== PUT_OFF) {
      setEntry(view, name, accessor);
      return false;
    }
    const found = this.#accessors.of(name);
    if (found === undefined) setEntry(view, name, parseJson(bytes, start, end));
    else Object.defineProperty(view, name, found);
    return found !== undefined;
  }

  /** Undefined when there are too many. */
  accessor(name: string): PropertyDescriptor | undefined {
    return this.#accessors.of(name);
  }

  readField(bytes: Buffer, start: number, end: number, name: string, objectStart: number, source: ViewSource): unknown {
    const members = new JsonMembers(bytes, start, end);
    let valueStart = 0;
    let valueEnd = 0;
    while (members.next()) {
      members.skip();
      if (!isKey(bytes, members.keyStart, members.keyEnd, name)) continue;
      valueStart = members.valueStart;
      valueEnd = members.valueEnd;
    }
    return this.view(bytes, valueStart, valueEnd, objectStart, source);
  }

  #large(
    bytes: Buffer,
    start: number,
    end: number,
    objectStart: number,
    source: ViewSource,
    identity: Identity | undefined,
  ): unknown {
    if (bytes[start] === BRACKET_OPEN) {
      const ranges = elementsOf(bytes, start, end);
      if (ranges === undefined) return undefined;
      const list: unknown[] = [];
      for (let i = 0; i < ranges.length; i += 2) {
        const from = ranges[i] as number;
        const to = ranges[i + 1] as number;
        // Lists directly in lists are left to the parser, however deep they are: nothing in them could be put off.
        const isList = bytes[from] === BRACKET_OPEN;
        list.push(isList ? parseJson(bytes, from, to) : this.view(bytes, from, to, objectStart, source));
      }
      return list;
    }
    if (bytes[start] !== BRACE_OPEN) return undefined;
    const view: Data = {};
    let isLazy = false;
    const members = new JsonMembers(bytes, start, end);
    while (members.next()) {
      members.skip();
      if (members.valueEnd < 0) return undefined;
      const name = this.#nameOf(bytes, members.keyStart, members.keyEnd);
      if (identity !== undefined) {
        const known = identityField(name, identity);
        if (known !== '') {
          view[name] = known;
          continue;
        }
      }
      if (this.addField(view, name, bytes, members.valueStart, members.valueEnd)) isLazy = true;
    }
    if (members.end !== end) return undefined;
    return isLazy ? bindFields(view, fieldsOf(source, this, start - objectStart, end - objectStart)) : view;
  }

  #nameOf(bytes: Buffer, start: number, end: number): string {
    return parseScalar(bytes, start, end, this.#textOf) as string;
  }

  /** A damaged value is put off: it is for its reader to hear of it, and for nobody else. */
  #valueOf(bytes: Buffer, start: number, end: number): unknown {
    if (isLarge(bytes, start, end)) return PUT_OFF;
    try {
      return isContainer(bytes, start) ? parseJson(bytes, start, end) : parseScalar(bytes, start, end, this.#textOf);
    } catch (error) {
      if (error instanceof DecodeError) return PUT_OFF;
      throw error;
    }
  }
}

/** Whether the value from `start` to `end` is put off. */
export function isLarge(bytes: Buffer, start: number, end: number): boolean {
  return end - start > (isContainer(bytes, start) ? PART_BYTES : SCALAR_BYTES);
}

function isContainer(bytes: Buffer, start: number): boolean {
  return bytes[start] === BRACE_OPEN || bytes[start] === BRACKET_OPEN;
}

/** "" when it is not known, and has to be read. */
function identityField(name: string, identity: Identity): string {
  return name === 'name' || name === 'namespace' || name === 'uid' || name === 'resourceVersion' ? identity[name] : '';
}
