import { type Cached, type EncodedObject, JSON_MEDIA_TYPE, PROTOBUF_MEDIA_TYPE } from '../api/cached.ts';

/** A page of a LIST, as a server would send it: whoever reads lists can read it. */
export interface ListPage {
  readonly mediaType: EncodedObject['mediaType'];
  readonly body: Buffer;
}

/** The type of the objects of a list. */
interface ItemType {
  readonly kind: string;
  readonly apiVersion: string;
}

/** How much a page holds, unless one object alone is larger. Building one takes a millisecond or two. */
const PAGE_BYTES = 2 * 1024 * 1024;

/** All objects, each in the encoding in which it is kept; one that is kept decoded becomes JSON. */
export function* listPages(objects: Iterable<Cached>): Generator<ListPage, void, void> {
  let type: ItemType | undefined;
  const waiting = new Map<EncodedObject['mediaType'], { items: Uint8Array[]; size: number }>();
  for (const object of objects) {
    type ??= typeOf(object);
    const { mediaType, bytes } = object.encoded?.() ?? asJson(object);
    const page = waiting.get(mediaType) ?? { items: [], size: 0 };
    waiting.set(mediaType, page);
    page.items.push(bytes);
    page.size += bytes.length;
    if (page.size < PAGE_BYTES) continue;
    waiting.delete(mediaType);
    yield pageOf(mediaType, type, page.items);
  }
  if (type === undefined) return;
  for (const [mediaType, { items }] of waiting) yield pageOf(mediaType, type, items);
}

function typeOf(object: Cached): ItemType {
  const { kind = '', apiVersion = '' } = object.view();
  return { kind, apiVersion };
}

function asJson(object: Cached): EncodedObject {
  return { mediaType: JSON_MEDIA_TYPE, bytes: Buffer.from(JSON.stringify(object.view())) };
}

function pageOf(mediaType: EncodedObject['mediaType'], type: ItemType, items: readonly Uint8Array[]): ListPage {
  return { mediaType, body: mediaType === PROTOBUF_MEDIA_TYPE ? protobufList(type, items) : jsonList(type, items) };
}

function jsonList({ kind, apiVersion }: ItemType, items: readonly Uint8Array[]): Buffer {
  const head = `{"kind":${JSON.stringify(`${kind}List`)},"apiVersion":${JSON.stringify(apiVersion)},"metadata":{},"items":[`;
  const comma = Buffer.from(',');
  const parts: Uint8Array[] = [Buffer.from(head)];
  for (const [i, item] of items.entries()) {
    if (i > 0) parts.push(comma);
    parts.push(item);
  }
  parts.push(Buffer.from(']}'));
  return Buffer.concat(parts);
}

/** `k8s\0`, then `runtime.Unknown { 1: TypeMeta { 1: apiVersion, 2: kind }, 2: list { 1: ListMeta, 2: item … } }`. */
function protobufList({ kind, apiVersion }: ItemType, items: readonly Uint8Array[]): Buffer {
  const fields = items.flatMap((item) => [fieldHead(2, item.length), item]);
  const list = Buffer.concat([fieldHead(1, 0), ...fields]);
  const typeMeta = Buffer.concat([textField(1, apiVersion), textField(2, `${kind}List`)]);
  return Buffer.concat([
    Buffer.from('k8s\0'),
    fieldHead(1, typeMeta.length),
    typeMeta,
    fieldHead(2, list.length),
    list,
  ]);
}

function textField(number: number, text: string): Buffer {
  const bytes = Buffer.from(text);
  return Buffer.concat([fieldHead(number, bytes.length), bytes]);
}

/** The tag and the length of a field of bytes. */
function fieldHead(number: number, length: number): Buffer {
  const head = [(number << 3) | 2];
  let rest = length;
  for (; rest > 0x7f; rest = Math.floor(rest / 0x80)) head.push((rest & 0x7f) | 0x80);
  head.push(rest);
  return Buffer.from(head);
}
