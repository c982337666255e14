import type { Labels } from '../../api/label-selector.ts';
import { DecodeError } from '../decode-error.ts';
import { readJsonPath } from './json-path-reader.ts';
import { type ViewShape, ViewShapes, type ViewType } from './lazy-view.ts';
import type { PackedFormat } from './packed-cached.ts';
import { collectTexts } from './path-text.ts';

const NO_LABELS: Labels = Object.freeze({});
const NO_SHAPE = 0xffff;
const SHAPE_BYTES = 2;
const RANGE_BYTES = 8;

/** Where in the text of an object its parts lie. */
export interface JsonLayout {
  readonly shape: ViewShape | undefined;
  /** By the names of the shape: where each value begins and ends, by turns. */
  readonly ranges: readonly number[];
  /** Both 0 when there are none. */
  readonly labelsStart: number;
  readonly labelsEnd: number;
}

/**
 * The bytes are the text of the object and, behind it, where its top-level fields and its labels lie in it, so that a view
 * need not look for them: the ranges of the fields, that of the labels, and the number of the shape.
 */
export class JsonFormat implements PackedFormat {
  readonly shapes: ViewShapes;

  /** The type is that of all objects, if they have the same. */
  constructor(type: ViewType | undefined) {
    this.shapes = new ViewShapes(type);
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
    return parse(bytes, start + labelsStart, start + bytes.readUInt32LE(at + 4)) as Labels;
  }

  shape(bytes: Buffer, _start: number, end: number): ViewShape | undefined {
    return this.shapes.byId(bytes.readUInt16LE(end - SHAPE_BYTES));
  }

  decodeField(bytes: Buffer, start: number, end: number, name: string): unknown {
    const shape = this.shape(bytes, start, end);
    if (shape === undefined) return undefined;
    const index = shape.names.indexOf(name);
    if (index < 0) return undefined;
    const at = layoutStart(shape, end) + index * RANGE_BYTES;
    return parse(bytes, start + bytes.readUInt32LE(at), start + bytes.readUInt32LE(at + 4));
  }

  decodeAll(bytes: Buffer, start: number, end: number): unknown {
    return parse(bytes, start, layoutStart(this.shape(bytes, start, end), end));
  }

  readPath(bytes: Buffer, start: number, end: number, segments: readonly string[]): readonly string[] {
    const [first] = segments;
    const shape = this.shape(bytes, start, end);
    const found: string[] = [];
    if (shape === undefined || first === undefined || first === '*') {
      collectTexts(this.decodeAll(bytes, start, end), segments, 0, found);
      return found;
    }
    const index = shape.names.indexOf(first);
    if (index < 0) return found;
    const at = layoutStart(shape, end) + index * RANGE_BYTES;
    try {
      readJsonPath(bytes, start + bytes.readUInt32LE(at), start + bytes.readUInt32LE(at + 4), segments, 1, found);
    } catch {
      throw damaged();
    }
    return found;
  }
}

function layoutStart(shape: ViewShape | undefined, end: number): number {
  return end - SHAPE_BYTES - RANGE_BYTES - (shape?.names.length ?? 0) * RANGE_BYTES;
}

function parse(bytes: Buffer, start: number, end: number): unknown {
  try {
    return JSON.parse(bytes.toString('utf8', start, end));
  } catch {
    throw damaged();
  }
}

/** Without the parser's message, which quotes the text: it may be a secret. */
function damaged(): DecodeError {
  return new DecodeError('malformed', 'its JSON is damaged');
}
