import { GENERATED_LENGTH, type MessageLook } from '../protobuf/identity-scanner.ts';
import {
  bindFields,
  type Fields,
  fieldsOf,
  type Identity,
  type PartReader,
  plainObjects,
  type ViewSource,
} from './lazy-view.ts';

/** Two, because V8 gives objects of one constructor room for as many fields as the first of them had. */
const ObjectView = plainObjects();
const MetadataView = plainObjects();

/** In place of the value of a field that follows from the identity of the object. */
export const OF_IDENTITY = Symbol('of the identity');

/** A field that all these objects have alike, one that follows from their identity, or one that is defined by a descriptor: most often it is read later. */
export class OutlineField {
  readonly name: string;
  readonly value: string | number | undefined;
  readonly descriptor: PropertyDescriptor | undefined;

  constructor(name: keyof Identity | 'generateName', value: typeof OF_IDENTITY);
  constructor(name: string, value: string | number | PropertyDescriptor);
  constructor(name: string, value: string | number | PropertyDescriptor | typeof OF_IDENTITY) {
    this.name = name;
    this.value = typeof value === 'string' || typeof value === 'number' ? value : undefined;
    this.descriptor = typeof value === 'object' ? value : undefined;
  }

  /** Of a field without a descriptor. */
  valueIn(source: Identity): string | number {
    if (this.value !== undefined) return this.value;
    // By name: V8 looks up what has a fixed name much faster.
    switch (this.name) {
      case 'name':
        return source.name;
      case 'generateName':
        return source.name.slice(0, -GENERATED_LENGTH);
      case 'namespace':
        return source.namespace;
      case 'uid':
        return source.uid;
      default:
        return source.resourceVersion;
    }
  }
}

/** How the views of the metadata of many objects look. They read what is put off by the fields of the view of their object. */
export class MetadataOutline {
  readonly #fields: readonly OutlineField[];

  /** In the order of the view. */
  constructor(fields: readonly OutlineField[]) {
    this.#fields = fields;
  }

  view(source: ViewSource, fields: Fields): object {
    return bindFields(withFields(new MetadataView(), this.#fields, source), fields);
  }
}

/**
 * How the views of many objects look that nobody has read: what is not the same in all of them, and not known of each, is put off. Such
 * a view is made without a look at the bytes, which most likely are in no cache of the processor.
 */
export class Outline implements PartReader {
  readonly #fields: readonly OutlineField[];
  readonly #part: PartReader;
  /** Unset when it takes the bytes to tell. */
  readonly #metadata: MetadataOutline | undefined;

  /** In the order of the view. `part` reads what is put off. */
  constructor(fields: readonly OutlineField[], part: PartReader, metadata: MetadataOutline | undefined) {
    this.#fields = fields;
    this.#part = part;
    this.#metadata = metadata;
  }

  /** Of an object that is `length` bytes long. */
  view(source: ViewSource, length: number): object {
    return bindFields(withFields(new ObjectView(), this.#fields, source), fieldsOf(source, this, 0, length));
  }

  outlined(name: string, source: ViewSource, fields: Fields): object | undefined {
    return name === 'metadata' ? this.#metadata?.view(source, fields) : undefined;
  }

  readField(
    bytes: Buffer,
    start: number,
    end: number,
    name: string,
    objectStart: number,
    source: ViewSource,
    fields: Fields,
  ): unknown {
    return this.#part.readField(bytes, start, end, name, objectStart, source, fields);
  }
}

function withFields(view: Record<string, unknown>, fields: readonly OutlineField[], source: Identity): object {
  for (let i = 0; i < fields.length; i++) {
    const field = fields[i] as OutlineField;
    if (field.descriptor === undefined) view[field.name] = field.valueIn(source);
    else Object.defineProperty(view, field.name, field.descriptor);
  }
  return view;
}

/** Objects of a kind look in few ways: for others it is found out each time. */
const MAX_LOOKS = 256;

/** Remembers the outlines of objects by their looks. */
export class KnownLooks {
  readonly #byLook = new Map<string, Outline | undefined>();
  /** That of the object before, which the next one most often has too. */
  #last: MessageLook | undefined;
  /** Of the look that was found or added last. */
  outline: Outline | undefined;

  /** Whether `outline` is that of objects with this look. */
  find(look: MessageLook): boolean {
    if (this.#last !== undefined && isSame(look, this.#last)) return true;
    const key = keyOf(look);
    this.outline = this.#byLook.get(key);
    if (this.outline === undefined && !this.#byLook.has(key)) return false;
    this.#remember(look);
    return true;
  }

  add(look: MessageLook, outline: Outline | undefined): void {
    this.outline = outline;
    this.#remember(look);
    if (this.#byLook.size < MAX_LOOKS) this.#byLook.set(keyOf(look), outline);
  }

  /** What it is now: whoever has it uses it again for the next object. */
  #remember({ isUsual, topFields, metadataFields, metadataZeros, metadataImplied }: MessageLook): void {
    this.#last = { isUsual, topFields, metadataFields, metadataZeros, metadataImplied };
  }
}

function isSame(look: MessageLook, other: MessageLook): boolean {
  return (
    look.topFields === other.topFields &&
    look.metadataFields === other.metadataFields &&
    look.metadataZeros === other.metadataZeros &&
    look.metadataImplied === other.metadataImplied
  );
}

function keyOf({ topFields, metadataFields, metadataZeros, metadataImplied }: MessageLook): string {
  return `${topFields} ${metadataFields} ${metadataZeros} ${metadataImplied}`;
}
