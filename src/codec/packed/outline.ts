import { bindFields, type PartReader, plainObjects, type ViewSource } from './lazy-view.ts';

/** A field that all these objects have alike, or one that is read later. */
export type OutlineField = readonly [name: string, field: string | PropertyDescriptor];

/**
 * How the views of many objects look that nobody has read: what is not the same in all of them is put off. Such a view is made without
 * a look at the bytes, which most likely are in no cache of the processor.
 */
export class Outline {
  readonly #fields: readonly OutlineField[];
  readonly #part: PartReader;
  readonly #Plain = plainObjects();

  /** In the order of the view. `part` reads what is put off. */
  constructor(fields: readonly OutlineField[], part: PartReader) {
    this.#fields = fields;
    this.#part = part;
  }

  /** Of an object that is `length` bytes long. */
  view(source: ViewSource, length: number): object {
    const view = new this.#Plain();
    for (const [name, field] of this.#fields) {
      if (typeof field === 'string') view[name] = field;
      else Object.defineProperty(view, name, field);
    }
    return bindFields(view, source, this.#part, 0, length);
  }
}
