import { inspect } from 'node:util';

/** What a view decodes its fields from. */
export interface ViewSource {
  /** The value of one top-level field, made anew for each call. May throw when the bytes are damaged. */
  decodeField(name: string): unknown;
}

/** Returns what it is given, so that a subclass can stamp its private fields on any object. */
class Stamp {
  constructor(object: object) {
    // biome-ignore lint/correctness/noConstructorReturn: this is the purpose of the class
    return object;
  }
}

/** The private state of a view. It is on the view itself, and nobody can see it. */
class ViewState extends Stamp {
  readonly #source: ViewSource;
  readonly #decoded = new Map<string, unknown>();

  constructor(view: object, source: ViewSource) {
    super(view);
    this.#source = source;
  }

  static read(view: object, field: string): unknown {
    if (!(#decoded in view)) return undefined;
    const state = view as ViewState;
    if (!state.#decoded.has(field)) state.#decoded.set(field, state.#source.decodeField(field));
    return state.#decoded.get(field);
  }
}

/** Shared by all views, so that making one makes no functions. */
const descriptors = new Map<string, PropertyDescriptor>();

function descriptorOf(field: string): PropertyDescriptor {
  let descriptor = descriptors.get(field);
  if (!descriptor) {
    descriptor = {
      enumerable: true,
      configurable: true,
      get(this: object) {
        return ViewState.read(this, field);
      },
      set(this: object, value: unknown) {
        Object.defineProperty(this, field, { value, writable: true, enumerable: true, configurable: true });
      },
    };
    descriptors.set(field, descriptor);
  }
  return descriptor;
}

/** Without it, `console.log` would show `[Getter/Setter]`. */
const inspectDescriptor: PropertyDescriptor = {
  configurable: true,
  writable: true,
  value(this: object) {
    return { ...this };
  },
};

/**
 * An object with these fields, each decoded when it is first read and remembered by this view alone. To its reader it is
 * plain data: spread, `JSON.stringify`, `structuredClone`, `Object.keys`, `in`, deep equality, assignment and
 * `console.log` do what they would do with the decoded object.
 */
export function lazyView(fields: Iterable<string>, source: ViewSource): object {
  const view = {};
  for (const field of fields) Object.defineProperty(view, field, descriptorOf(field));
  Object.defineProperty(view, inspect.custom, inspectDescriptor);
  return new ViewState(view, source);
}
