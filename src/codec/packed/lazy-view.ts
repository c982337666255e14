import { inspect, types } from 'node:util';
import { ORIGIN, type Origin, type Reduction } from '../../api/origin.ts';
import type { CommonMetadata } from './common-metadata.ts';

/** Where a view gets its fields from. */
export interface ViewSource {
  /** The value of a top-level field that the shape of the view has; throws what is wrong with it. */
  readField(name: string): unknown;
  /** What is missing of the whole object. */
  readonly reduction: Reduction | undefined;
}

type Data = Record<string, unknown>;

/** A view with more than `MAX_FIELDS` fields, or of a shape that came after `MAX_SHAPES` others, is decoded at once. */
const MAX_FIELDS = 64;
const MAX_SHAPES = 256;
const MAX_ACCESSORS = 256;

/** What all objects of a kind have in common. */
export interface ViewType {
  readonly kind: string;
  readonly apiVersion: string;
}

/**
 * Which top-level fields an object has, in their order. The type is data from the beginning, all else is read later. Objects
 * refer to their shapes, so it may also say what else they have in common.
 */
export class ViewShape {
  readonly id: number;
  readonly names: readonly string[];
  /** Set when objects of this shape have them in common. */
  readonly common: CommonMetadata | undefined;
  /** Whether views of this shape can be made with their metadata. */
  readonly takesMetadata: boolean;
  readonly #accessors: readonly PropertyDescriptor[];
  readonly #withCommon = new WeakMap<CommonMetadata, ViewShape>();
  readonly #type: ViewType | undefined;
  readonly #beginning: 'kind' | 'apiVersion' | 'other';
  /** The fields that are not made with the object itself. */
  readonly #addedNames: readonly string[];
  readonly #added: readonly PropertyDescriptor[];

  constructor(
    id: number,
    names: readonly string[],
    type: ViewType | undefined,
    accessors: readonly PropertyDescriptor[],
    common?: CommonMetadata,
  ) {
    this.common = common;
    this.#accessors = accessors;
    this.id = id;
    this.names = names;
    this.#type = type;
    const [first, second] = names;
    if (type !== undefined && first === 'kind' && second === 'apiVersion') this.#beginning = 'kind';
    else if (type !== undefined && first === 'apiVersion' && second === 'kind') this.#beginning = 'apiVersion';
    else this.#beginning = 'other';
    const made = this.#beginning === 'other' ? 0 : 2;
    this.#addedNames = names.slice(made);
    this.#added = accessors.slice(made).map((accessor, i) => {
      const name = this.#addedNames[i];
      return type && (name === 'kind' || name === 'apiVersion') ? constant(type[name]) : accessor;
    });
    this.takesMetadata = this.#beginning === 'kind' && this.#addedNames[0] === 'metadata';
  }

  /** The shape of objects that have these fields and these metadata. */
  withCommon(common: CommonMetadata): ViewShape {
    let shape = this.#withCommon.get(common);
    if (shape === undefined) {
      shape = new ViewShape(this.id, this.names, this.#type, this.#accessors, common);
      this.#withCommon.set(common, shape);
    }
    return shape;
  }

  /**
   * Plain data to its reader. No two views share anything that their readers could change. `metadata` is for the shapes that
   * take it, and for this view alone; without it they are read later, like the other fields.
   */
  view(source: ViewSource, metadata?: object): object {
    if (metadata === undefined || this.#type === undefined) return this.#extend(this.#begun(), 0, source);
    return this.#extend(new View(this.#type, metadata), 1, source);
  }

  /** Makes a view of plain data that nobody else has: adds the fields of the shape, unless they were made with the object. */
  extend(view: object, source: ViewSource): object {
    return this.#extend(view, 0, source);
  }

  #extend(view: object, from: number, source: ViewSource): object {
    const names = this.#addedNames;
    const added = this.#added;
    for (let i = from; i < names.length; i++) {
      Object.defineProperty(view, names[i] as string, added[i] as PropertyDescriptor);
    }
    return bindLazyFields(view, source);
  }

  /** By a literal: one that is copied from a template is five times as large, and as slow to make. */
  #begun(): object {
    const type = this.#type;
    if (type === undefined || this.#beginning === 'other') return {};
    const { kind, apiVersion } = type;
    return this.#beginning === 'kind' ? { kind, apiVersion } : { apiVersion, kind };
  }
}

/** Makes plain objects, like a literal, but with room for what is added. */
function PlainView(this: Data, { kind, apiVersion }: ViewType, metadata: object): void {
  this.kind = kind;
  this.apiVersion = apiVersion;
  this.metadata = metadata;
}
PlainView.prototype = Object.prototype;
const View = PlainView as unknown as new (type: ViewType, metadata: object) => object;

/** Used again for each view. */
const FIELDS: PropertyDescriptor = { value: undefined, enumerable: false, writable: true, configurable: true };

/** Makes a view of an object that has accessors from `ViewShapes`: they read from `source`, and print as data. */
export function bindLazyFields(view: object, source: ViewSource): object {
  Object.defineProperty(view, inspect.custom, INSPECT);
  FIELDS.value = fieldsOf(source);
  Object.defineProperty(view, ORIGIN, FIELDS);
  FIELDS.value = undefined;
  return view;
}

/** The shapes of the objects of one kind. They share the functions of their accessors, so that views share their layout. */
export class ViewShapes {
  readonly #type: ViewType | undefined;
  readonly #shapes: ViewShape[] = [];
  readonly #byNames = new Map<string, ViewShape>();
  readonly #accessors = new Map<string, PropertyDescriptor>();

  /** Without a type, `kind` and `apiVersion` are read like the other fields. */
  constructor(type?: ViewType) {
    this.#type = type;
  }

  /** Undefined when there are too many: views of such an object are to be decoded at once. */
  shapeOf(names: readonly string[]): ViewShape | undefined {
    const text = JSON.stringify(names);
    const known = this.#byNames.get(text);
    if (known || names.length > MAX_FIELDS || this.#shapes.length >= MAX_SHAPES) return known;
    if (this.#accessors.size + names.length > MAX_ACCESSORS) return undefined;
    const accessors = names.map((name) => this.accessorOf(name));
    const shape = new ViewShape(this.#shapes.length, names, this.#type, accessors);
    this.#shapes.push(shape);
    this.#byNames.set(text, shape);
    return shape;
  }

  byId(id: number): ViewShape | undefined {
    return this.#shapes[id];
  }

  /** The accessor of a field, for an object that `bindLazyFields` makes a view. */
  accessorOf(name: string): PropertyDescriptor {
    let found = this.#accessors.get(name);
    if (found === undefined) {
      found = accessor(name, this.#accessors.size);
      this.#accessors.set(name, found);
    }
    return found;
  }
}

/** What somebody has set to undefined. */
const UNDEFINED = Symbol('undefined');

/** Room for a few: an empty list would take room for seventeen when the first is added. */
function noValues(): unknown[] {
  return [undefined, undefined, undefined, undefined];
}

/** Reads the field with that slot and name, or remembers the value that is to be read from now on. */
type Fields = Origin & ((slot: number, name: string, value?: unknown) => unknown);

/** What a view remembers. Each has a function of its own, which it finds as `ORIGIN` of whatever stands for the view. */
function fieldsOf(source: ViewSource): Fields {
  /** By the slot of the accessor; undefined is what has not been read. */
  let values: unknown[] | undefined;
  return ((slot?: number, name: string = '', assigned?: unknown): unknown => {
    if (slot === undefined) return source.reduction;
    if (assigned === undefined) {
      const known = values?.[slot];
      if (known !== undefined) return known === UNDEFINED ? undefined : known;
    }
    const value = assigned === undefined ? source.readField(name) : assigned;
    values ??= noValues();
    values[slot] = value;
    return value;
  }) as Fields;
}

function fieldsBehind(receiver: { readonly [ORIGIN]?: Fields }, name: string): Fields {
  const fields = receiver[ORIGIN];
  if (typeof fields === 'function') return fields;
  throw new TypeError(
    `${name} was copied from a view of a cached object, and the rest of the view was not: copy with { ...object } or structuredClone(object)`,
  );
}

function accessor(name: string, slot: number): PropertyDescriptor {
  return {
    get(this: object): unknown {
      return fieldsBehind(this, name)(slot, name);
    },
    set(this: object, value: unknown): void {
      assign(this, name, slot, value);
    },
    enumerable: true,
    configurable: true,
  };
}

function constant(value: unknown): PropertyDescriptor {
  return { value, writable: true, enumerable: true, configurable: true };
}

/** As an assignment to a data property would do: on an object that inherits from the view, it makes a property of its own. */
function assign(receiver: object, name: string, slot: number, value: unknown): void {
  const own = Object.getOwnPropertyDescriptor(receiver, name);
  if (own === undefined || own.configurable) {
    Object.defineProperty(receiver, name, constant(value));
  } else if (Object.isFrozen(receiver)) {
    throw new TypeError(`Cannot assign to read only property '${name}' of object`);
  } else {
    fieldsBehind(receiver, name)(slot, name, value === undefined ? UNDEFINED : value);
  }
}

/** Node shows accessors as such; they become data first, and nothing else happens. */
function inspectAsData(this: Data): Data {
  const shown = Object.isSealed(this) || types.isProxy(this) ? {} : this;
  for (const name of Object.keys(this)) {
    if (shown === this && Object.getOwnPropertyDescriptor(this, name)?.get === undefined) continue;
    try {
      Object.defineProperty(shown, name, constant(this[name]));
    } catch {
      // It stays an accessor, whose reader will get the error.
    }
  }
  return shown;
}

/** An accessor takes no room in the view, as a value would. */
const INSPECT: PropertyDescriptor = {
  get: () => inspectAsData,
  set(this: object, value: unknown): void {
    Object.defineProperty(this, inspect.custom, { ...constant(value), enumerable: false });
  },
  enumerable: false,
  configurable: true,
};
