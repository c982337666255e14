import { type EncodedObject, JSON_MEDIA_TYPE } from '../../api/cached.ts';
import type { Labels } from '../../api/label-selector.ts';
import { type ObjectPath, valueAt } from '../../api/object-path.ts';
import { beginsWith } from '../json/json-object-reader.ts';
import { JsonMetadataOutlines, type MetadataNames } from './json-metadata-outlines.ts';
import { JsonPaths, parseJson } from './json-values.ts';
import { isLarge, JsonViews } from './json-views.ts';
import { bindFields, fieldsOf, type PartReader, type ViewSource } from './lazy-view.ts';
import { type MetadataOutline, Outline, OutlineField } from './outline.ts';
import type { PackedFormat } from './packed-cached.ts';

const NO_LABELS: Labels = Object.freeze({});
/** A text of JSON that stands for itself, without the quotes. */
const PLAIN_TEXT = /^"([\w./-]*)"$/;
const NO_SHAPE = 0xffff;
const SHAPE_BYTES = 2;
const RANGE_BYTES = 8;
/** Objects of a kind have few: an object with yet another one is parsed as a whole. */
const MAX_SHAPES = 256;

/** Which top-level fields an object has, in their order. */
export interface JsonShape {
  readonly id: number;
  readonly names: readonly string[];
  /** As the first of them had it: null when that one has none, unset when there was no object yet. */
  outlined?: OutlinedText | null;
}

/** Which objects of a shape have outlines: those that have the same type as the first of them, and all else large. */
interface OutlinedText {
  readonly fields: readonly OutlineField[];
  /** By the names of the shape: the text of the value, of those that say what type it is. */
  readonly types: readonly (Buffer | undefined)[];
  /** By that of their metadata; undefined is that of objects whose metadata have none. */
  readonly outlines: Map<MetadataOutline | undefined, Outline>;
}

/** Where in the text of an object its parts lie. */
export interface JsonLayout {
  readonly shape: JsonShape | undefined;
  /** By the names of the shape: where each value begins and ends, by turns. */
  readonly ranges: readonly number[];
  /** Both 0 when there are none. */
  readonly labelsStart: number;
  readonly labelsEnd: number;
  readonly metadataNames: MetadataNames;
}

/**
 * The bytes are the text of the object and, behind it, where its top-level fields and its labels lie in it, so that a view
 * need not look for them: the ranges of the fields, that of the labels, and the number of the shape.
 */
export class JsonFormat implements PackedFormat, PartReader {
  readonly #shapes: JsonShape[] = [];
  readonly #byNames = new Map<string, JsonShape>();
  readonly #views = new JsonViews();
  readonly #paths = new JsonPaths();
  readonly #metadata = new JsonMetadataOutlines(this.#views, (bytes, end) => this.#metadataAt(bytes, end));

  /** Undefined when there are too many. */
  shapeOf(names: readonly string[]): JsonShape | undefined {
    const text = JSON.stringify(names);
    const known = this.#byNames.get(text);
    if (known !== undefined || this.#shapes.length >= MAX_SHAPES) return known;
    const shape: JsonShape = { id: this.#shapes.length, names: [...names] };
    this.#shapes.push(shape);
    this.#byNames.set(text, shape);
    return shape;
  }

  /** How many bytes the layout takes behind the text. */
  layoutSize({ ranges }: JsonLayout): number {
    return ranges.length * (RANGE_BYTES / 2) + RANGE_BYTES + SHAPE_BYTES;
  }

  writeLayout({ shape, ranges, labelsStart, labelsEnd }: JsonLayout, out: Buffer, at: number): void {
    let position = at;
    for (let i = 0; i < ranges.length; i++) position = out.writeUInt32LE(ranges[i] as number, position);
    position = out.writeUInt32LE(labelsStart, position);
    position = out.writeUInt32LE(labelsEnd, position);
    out.writeUInt16LE(shape?.id ?? NO_SHAPE, position);
  }

  labels(bytes: Buffer, start: number, end: number): Labels {
    const at = end - SHAPE_BYTES - RANGE_BYTES;
    const labelsStart = bytes.readUInt32LE(at);
    if (labelsStart === 0) return NO_LABELS;
    return parseJson(bytes, start + labelsStart, start + bytes.readUInt32LE(at + 4)) as Labels;
  }

  /** Of the object whose text begins at `start`. */
  outline({ shape, ranges, metadataNames }: JsonLayout, bytes: Buffer, start: number): Outline | undefined {
    if (shape === undefined) return undefined;
    if (shape.outlined === undefined) shape.outlined = this.#outlined(shape, ranges, bytes, start);
    if (shape.outlined === null) return undefined;
    const { fields, types, outlines } = shape.outlined;
    for (let i = 0; i < types.length; i++) {
      const type = types[i];
      const valueStart = start + (ranges[2 * i] as number);
      const valueEnd = start + (ranges[2 * i + 1] as number);
      const isKnown =
        type === undefined
          ? isLarge(bytes, valueStart, valueEnd)
          : valueEnd - valueStart === type.length && beginsWith(bytes, valueStart, valueEnd, type);
      if (!isKnown) return undefined;
    }
    const metadata = this.#metadata.outline(metadataNames);
    let outline = outlines.get(metadata);
    if (outline === undefined) {
      outline = new Outline(fields, this, metadata);
      outlines.set(metadata, outline);
    }
    return outline;
  }

  view(bytes: Buffer, start: number, end: number, source: ViewSource): object {
    const shape = this.#shapeAt(bytes, end);
    if (shape === undefined) return this.#decodeAll(bytes, start, end);
    const view: Record<string, unknown> = {};
    let at = layoutStart(shape, end);
    for (const name of shape.names) {
      const valueStart = start + bytes.readUInt32LE(at);
      const valueEnd = start + bytes.readUInt32LE(at + 4);
      this.#views.addField(view, name, bytes, valueStart, valueEnd);
      at += RANGE_BYTES;
    }
    // Whether or not it has to be read later: a whole object can always be told from one that is not of a cache.
    return bindFields(view, fieldsOf(source, this, 0, end - start));
  }

  readField(bytes: Buffer, start: number, end: number, name: string, objectStart: number, source: ViewSource): unknown {
    const at = rangeOf(this.#shapeAt(bytes, end), name, end);
    if (at < 0) return undefined;
    const valueStart = start + bytes.readUInt32LE(at);
    const valueEnd = start + bytes.readUInt32LE(at + 4);
    const identity = name === 'metadata' ? source : undefined;
    return this.#views.view(bytes, valueStart, valueEnd, objectStart, source, identity);
  }

  read(bytes: Buffer, start: number, end: number, path: ObjectPath): unknown {
    const [first = '*'] = path.segments;
    const shape = this.#shapeAt(bytes, end);
    if (shape === undefined || first === '*') return valueAt(this.#decodeAll(bytes, start, end), path);
    const at = rangeOf(shape, first, end);
    if (at < 0) return path.isPlural ? [] : undefined;
    return this.#paths.read(bytes, start + bytes.readUInt32LE(at), start + bytes.readUInt32LE(at + 4), path, 1);
  }

  encoded(bytes: Buffer, start: number, end: number): EncodedObject {
    const textEnd = layoutStart(this.#shapeAt(bytes, end), end);
    return { mediaType: JSON_MEDIA_TYPE, bytes: bytes.subarray(start, textEnd) };
  }

  #outlined(shape: JsonShape, ranges: readonly number[], bytes: Buffer, start: number): OutlinedText | null {
    const types: (Buffer | undefined)[] = [];
    const fields: OutlineField[] = [];
    for (const [i, name] of shape.names.entries()) {
      const isType = name === 'kind' || name === 'apiVersion';
      const value = bytes.toString('latin1', start + (ranges[2 * i] as number), start + (ranges[2 * i + 1] as number));
      const field = isType ? PLAIN_TEXT.exec(value)?.[1] : this.#views.accessor(name);
      if (field === undefined) return null;
      types.push(isType ? Buffer.from(value) : undefined);
      fields.push(new OutlineField(name, field));
    }
    return { fields, types, outlines: new Map() };
  }

  #decodeAll(bytes: Buffer, start: number, end: number): object {
    return parseJson(bytes, start, layoutStart(this.#shapeAt(bytes, end), end)) as object;
  }

  /** Where the range of the metadata is written. */
  #metadataAt(bytes: Buffer, end: number): number {
    return rangeOf(this.#shapeAt(bytes, end), 'metadata', end);
  }

  #shapeAt(bytes: Buffer, end: number): JsonShape | undefined {
    return this.#shapes[bytes.readUInt16LE(end - SHAPE_BYTES)];
  }
}

/** Where the range of the field is written; -1 when there is no such field. */
function rangeOf(shape: JsonShape | undefined, name: string, end: number): number {
  const index = shape === undefined ? -1 : shape.names.indexOf(name);
  return index < 0 ? -1 : layoutStart(shape, end) + index * RANGE_BYTES;
}

function layoutStart(shape: JsonShape | undefined, end: number): number {
  return end - SHAPE_BYTES - RANGE_BYTES - (shape?.names.length ?? 0) * RANGE_BYTES;
}
