import { type Cached, type EncodedObject, JSON_MEDIA_TYPE, PROTOBUF_MEDIA_TYPE } from '../api/cached.ts';
import { type IndexedObject, Numbers, writePageIndex } from './page-index.ts';

/** A page of a LIST, as a server would send it: whoever reads lists can read it. */
export interface ListPage {
  readonly mediaType: EncodedObject['mediaType'];
  readonly body: Buffer;
  /** Who is in it, and where, so that it need not be looked for; see `page-index.ts`. */
  readonly index?: Buffer | undefined;
}

/** The type of the objects of a list. */
interface ItemType {
  readonly kind: string;
  readonly apiVersion: string;
}

interface Item {
  readonly object: Cached;
  readonly encoded: EncodedObject;
}

/** How much a page holds, unless one object alone is larger. Building one takes a millisecond or two. */
const PAGE_BYTES = 1024 * 1024;

/** All objects, each in the encoding in which it is kept; one that is kept decoded becomes JSON. */
export function* listPages(objects: Iterable<Cached>): Generator<ListPage, void, void> {
  let type: ItemType | undefined;
  const looks = new Numbers<unknown>();
  // Objects, not their bytes: those may move before the page is made, as others are written in between.
  const waiting = new Map<EncodedObject['mediaType'], { objects: Cached[]; size: number }>();
  for (const object of objects) {
    type ??= typeOf(object);
    const { mediaType, bytes } = encodedOf(object);
    const page = waiting.get(mediaType) ?? { objects: [], size: 0 };
    waiting.set(mediaType, page);
    page.objects.push(object);
    page.size += bytes.length;
    if (page.size < PAGE_BYTES) continue;
    waiting.delete(mediaType);
    yield pageOf(mediaType, type, page.objects, looks);
  }
  if (type === undefined) return;
  for (const [mediaType, page] of waiting) yield pageOf(mediaType, type, page.objects, looks);
}

function typeOf(object: Cached): ItemType {
  const { kind = '', apiVersion = '' } = object.view();
  return { kind, apiVersion };
}

function encodedOf(object: Cached): EncodedObject {
  return object.encoded?.() ?? asJson(object);
}

function asJson(object: Cached): EncodedObject {
  return { mediaType: JSON_MEDIA_TYPE, bytes: Buffer.from(JSON.stringify(object.view())) };
}

function pageOf(
  mediaType: EncodedObject['mediaType'],
  type: ItemType,
  objects: readonly Cached[],
  looks: Numbers<unknown>,
): ListPage {
  const items = objects.map((object): Item => ({ object, encoded: encodedOf(object) }));
  return mediaType === PROTOBUF_MEDIA_TYPE
    ? protobufPage(type, items, looks)
    : { mediaType, body: jsonList(type, items) };
}

function jsonList({ kind, apiVersion }: ItemType, items: readonly Item[]): Buffer {
  const head = `{"kind":${JSON.stringify(`${kind}List`)},"apiVersion":${JSON.stringify(apiVersion)},"metadata":{},"items":[`;
  const comma = Buffer.from(',');
  const parts: Uint8Array[] = [Buffer.from(head)];
  for (const [i, { encoded }] of items.entries()) {
    if (i > 0) parts.push(comma);
    parts.push(encoded.bytes);
  }
  parts.push(Buffer.from(']}'));
  return Buffer.concat(parts);
}

/** `k8s\0`, then `runtime.Unknown { 1: TypeMeta { 1: apiVersion, 2: kind }, 2: list { 1: ListMeta, 2: item … } }`. */
function protobufPage({ kind, apiVersion }: ItemType, items: readonly Item[], looks: Numbers<unknown>): ListPage {
  const typeMeta = Buffer.concat([textField(1, apiVersion), textField(2, `${kind}List`)]);
  const metadata = fieldHead(1, 0);
  let listLength = metadata.length;
  for (const { encoded } of items) listLength += headSize(encoded.bytes.length) + encoded.bytes.length;
  const head = Buffer.concat([
    Buffer.from('k8s\0'),
    fieldHead(1, typeMeta.length),
    typeMeta,
    fieldHead(2, listLength),
    metadata,
  ]);
  const body = Buffer.allocUnsafeSlow(head.length - metadata.length + listLength);
  const indexed: IndexedObject[] = [];
  let at = head.copy(body);
  for (const { object, encoded } of items) {
    const { bytes, look } = encoded;
    const start = writeHead(body, at, 2, bytes.length);
    indexed.push({ object, look, start, length: bytes.length });
    body.set(bytes, start);
    at = start + bytes.length;
  }
  return { mediaType: PROTOBUF_MEDIA_TYPE, body, index: writePageIndex(indexed, looks) };
}

function textField(number: number, text: string): Buffer {
  const bytes = Buffer.from(text);
  return Buffer.concat([fieldHead(number, bytes.length), bytes]);
}

/** The tag and the length of a field of bytes. */
function fieldHead(number: number, length: number): Buffer {
  const head = Buffer.alloc(headSize(length));
  writeHead(head, 0, number, length);
  return head;
}

function headSize(length: number): number {
  let size = 2;
  for (let rest = length; rest > 0x7f; rest = Math.floor(rest / 0x80)) size++;
  return size;
}

/** Returns where it ends. */
function writeHead(out: Buffer, at: number, number: number, length: number): number {
  out[at] = (number << 3) | 2;
  let position = at + 1;
  let rest = length;
  for (; rest > 0x7f; rest = Math.floor(rest / 0x80)) out[position++] = (rest & 0x7f) | 0x80;
  out[position] = rest;
  return position + 1;
}
