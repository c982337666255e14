import { types } from 'node:util';
import { VIEW } from '../../api/origin.ts';

type Data = Record<string, unknown>;

/** What is known of an object without looking at its bytes: the fields of its metadata by these names. */
export type Identity = Readonly<Record<'name' | 'namespace' | 'uid' | 'resourceVersion', string>>;

/** Where a view gets its fields from when they are first read: the object that it shows. */
export interface ViewSource extends Identity {
  /**
   * What the view shows under `key`, from the part of the object that lies from `start` to `end`; throws what is wrong with it. A view
   * that is made for that, without fields of its own, reads by `fields`.
   */
  readField(part: PartReader, start: number, end: number, key: FieldKey, fields: Fields): unknown;
}

/** How parts of one type are read. */
export interface PartReader {
  /** Of the part in its object, when that does not follow from where it lies. */
  readonly path?: string | undefined;
  /** What the view of an object shows under `name`, when it takes no bytes to tell; else undefined. What it puts off reads by `fields`. */
  outlined?(name: string, source: ViewSource, fields: Fields): object | undefined;
  /**
   * The part lies from `start` to `end` in `bytes`, in an object that begins at `objectStart`, whose views ask `source` for more. `fields` are
   * those of the view that asks.
   */
  readField(
    bytes: Buffer,
    start: number,
    end: number,
    name: string,
    objectStart: number,
    source: ViewSource,
    fields: Fields,
  ): unknown;
}

/** A field of a part whose views have no fields of their own: they read by those of the whole object, which takes less memory. */
export class FieldOfPart {
  readonly part: PartReader;
  readonly name: string;

  constructor(part: PartReader, name: string) {
    this.part = part;
    this.name = name;
  }
}

/** By its name, when it is a field of the view that is asked. */
export type FieldKey = string | FieldOfPart;

/**
 * Reads the field of that key, or remembers the value that is to be read from now on. It is a function because state
 * libraries wrap every object that is read through their proxies, and leave functions alone. It lies where Node looks for what to
 * print, because to define one property takes most of the time that a view takes.
 */
export type Fields = (this: unknown, key: unknown, value?: unknown) => unknown;

/** What somebody has set to undefined. */
const UNDEFINED = Symbol('undefined');

/** Used again for each view. What it describes cannot be listed or assigned to: without it the view has lost its fields. */
const FIELDS: PropertyDescriptor = { value: undefined, configurable: true };

/** A field that has been read or set, and those before it: a view has few, and a list of this kind takes the least memory. */
interface KnownField {
  readonly key: FieldKey;
  value: unknown;
  readonly next: KnownField | undefined;
}

/** Makes a view of an object that has accessors from `Accessors`. It prints as data. */
export function bindFields(view: object, fields: Fields): object {
  FIELDS.value = fields;
  Object.defineProperty(view, VIEW, FIELDS);
  FIELDS.value = undefined;
  return view;
}

/** Those of the part that lies from `start` to `end`, counted from the beginning of its object, wherever that is by then. */
export function fieldsOf(source: ViewSource, part: PartReader, start: number, end: number): Fields {
  let known: KnownField | undefined;
  return function fields(this: unknown, key: unknown, assigned?: unknown): unknown {
    if (typeof key !== 'string' && !(key instanceof FieldOfPart)) return inspectAsData(this as Data);
    for (let field = known; field !== undefined; field = field.next) {
      if (field.key !== key) continue;
      if (assigned !== undefined) field.value = assigned;
      return field.value === UNDEFINED ? undefined : field.value;
    }
    const value = assigned === undefined ? source.readField(part, start, end, key, fields) : assigned;
    known = { key, value, next: known };
    return value;
  };
}

/** Makes plain objects, like a literal, but with room for what V8 has seen added to the first of them. */
export function plainObjects(): new () => Data {
  function Plain(): void {}
  Plain.prototype = Object.prototype;
  return Plain as unknown as new () => Data;
}

/** Objects of other servers may have any names: beyond this many, what has another one is decoded at once. */
const MAX_ACCESSORS = 4096;

/** The accessors of lazy fields, by name. Views share them, so that V8 gives those with the same fields one layout. */
export class Accessors {
  readonly #part: PartReader | undefined;
  readonly #byName = new Map<string, PropertyDescriptor>();

  /** `part`: the views have no fields of their own. */
  constructor(part?: PartReader) {
    this.#part = part;
  }

  /** Undefined when there are too many. */
  of(name: string): PropertyDescriptor | undefined {
    let found = this.#byName.get(name);
    if (found === undefined && this.#byName.size < MAX_ACCESSORS) {
      found = accessor(name, this.#part === undefined ? name : new FieldOfPart(this.#part, name));
      this.#byName.set(name, found);
    }
    return found;
  }
}

function accessor(name: string, key: FieldKey): PropertyDescriptor {
  return {
    get(this: object): unknown {
      return fieldsBehind(this, name)(key);
    },
    set(this: object, value: unknown): void {
      assign(this, name, key, value);
    },
    enumerable: true,
    configurable: true,
  };
}

function fieldsBehind(receiver: { readonly [VIEW]?: Fields }, name: string): Fields {
  const fields = receiver[VIEW];
  if (typeof fields === 'function') return fields;
  throw new TypeError(
    `${name} was copied from a view of a cached object, and the rest of the view was not: copy with { ...object } or structuredClone(object)`,
  );
}

export function constant(value: unknown): PropertyDescriptor {
  return { value, writable: true, enumerable: true, configurable: true };
}

/** As an assignment to a data property would do: on an object that inherits from the view, it makes a property of its own. */
function assign(receiver: object, name: string, key: FieldKey, value: unknown): void {
  const own = Object.getOwnPropertyDescriptor(receiver, name);
  if (own === undefined || own.configurable) {
    Object.defineProperty(receiver, name, constant(value));
  } else if (Object.isFrozen(receiver)) {
    throw new TypeError(`Cannot assign to read only property '${name}' of object`);
  } else {
    fieldsBehind(receiver, name)(key, value === undefined ? UNDEFINED : value);
  }
}

/**
 * Node shows accessors as such, so they become data first. Some ask what they get how it is to be shown, again and again (Vitest and Chai, for
 * the message of an assertion), so what is returned is plain data: the view itself, if it can be that from now on, or a copy.
 */
function inspectAsData(view: Data): Data {
  if (Object.isSealed(view) || types.isProxy(view)) return dataOf(view);
  for (const name of Object.keys(view)) {
    if (Object.getOwnPropertyDescriptor(view, name)?.get === undefined) continue;
    try {
      Object.defineProperty(view, name, constant(view[name]));
    } catch {
      return dataOf(view);
    }
  }
  return Reflect.deleteProperty(view, VIEW) && !(VIEW in view) ? view : dataOf(view);
}

/** A copy. The error of a damaged field is for who reads it there. */
function dataOf(view: Data): Data {
  const data: Data = {};
  for (const name of Object.keys(view)) Object.defineProperty(data, name, dataIn(view, name));
  return data;
}

function dataIn(view: Data, name: string): PropertyDescriptor {
  try {
    return constant(view[name]);
  } catch (error) {
    const get = () => {
      throw error;
    };
    return { get, enumerable: true, configurable: true };
  }
}
