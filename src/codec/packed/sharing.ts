import type { MessagePlan } from '../protobuf/message-plan.ts';
import type { WireReader } from '../protobuf/wire-reader.ts';
import { Assembler, type SharedPlace } from './assembler.ts';
import { type ContentHash, ObjectHashes } from './object-hashes.ts';
import { wholeRecipe } from './recipe.ts';
import type { Room, Slabs } from './slabs.ts';
import { Template, Templates } from './templates.ts';
import { type Stretch, WireDifference } from './wire-difference.ts';

/** An object is made from a template when at most this part of it is its own; else it becomes a template. */
const OWN_PART = 3;
/** In a small one a few more do not matter: a template takes some memory beside its bytes. */
const FEW_OWN_BYTES = 200;
/** With this many templates an object is compared before it becomes one. */
const MAX_TRIES = 2;
const USUAL_BYTES = 64 * 1024;

/**
 * Keeps what objects have in common once. An object is kept as what tells it from a template, which is one that came before it and has
 * the same owners, labels or beginning of its name. That is only how templates are found: what is shared has been
 * compared byte by byte.
 */
export class Sharing {
  readonly #slabs: Slabs;
  readonly #hashes: ObjectHashes;
  readonly #templates = new Templates();
  readonly #difference = new WireDifference();
  #arrived = stretch(USUAL_BYTES);
  readonly #tried: Template[] = [];
  /** Of the object that was shared last. */
  recipeLength = 0;
  readonly assembler = new Assembler();
  #savedBytes = 0;

  /** `hash`: for tests. */
  constructor(slabs: Slabs, hash?: ContentHash) {
    this.#slabs = slabs;
    this.#hashes = new ObjectHashes(hash);
  }

  /** Where the next object is to be written, from 0 on. */
  room(length: number): Buffer {
    const present = this.#arrived.bytes.length;
    if (length > present || (length <= USUAL_BYTES && present > USUAL_BYTES)) {
      this.#arrived = stretch(Math.max(length, USUAL_BYTES));
    }
    return this.#arrived.bytes;
  }

  /** From what the object in the `room` is made: something before it, or itself. Its recipe is still to be written. */
  share(plan: MessagePlan, reader: WireReader, length: number): Template {
    const { bytes, view } = this.#arrived;
    this.#hashes.read(reader, bytes, view, length);
    const { owners, labels, stem } = this.#hashes;
    const templates = this.#templates;
    this.#tried.length = 0;
    return (
      this.#try(plan, length, owners === 0 ? undefined : templates.find(owners)) ??
      this.#try(plan, length, owners === 0 ? undefined : templates.find(owners, true)) ??
      this.#try(plan, length, labels === 0 ? undefined : templates.find(labels)) ??
      this.#try(plan, length, templates.find(stem)) ??
      this.#become(length)
    );
  }

  /** Writes the recipe of the object that was shared last, `recipeLength` bytes. */
  writeRecipe(): Room {
    const room = this.#slabs.reserve(this.recipeLength);
    this.#difference.recipe.bytes.copy(room.slab.bytes, room.offset, 0, this.recipeLength);
    return room;
  }

  /** How many bytes more the stored objects would take if each were kept whole. */
  get savedBytes(): number {
    return this.#savedBytes;
  }

  /** As `Slabs` does it, with the template, which stays for as long as one that is made from it is stored. */
  store(place: SharedPlace): void {
    if (!this.#slabs.store(place)) return;
    const { template } = place;
    this.#savedBytes += this.assembler.lengthOf(place) - place.length;
    if (template.users++ > 0) return;
    this.#savedBytes -= template.length;
    this.#slabs.store(template);
  }

  drop(place: SharedPlace): void {
    if (!this.#slabs.drop(place)) return;
    const { template } = place;
    this.#savedBytes -= this.assembler.lengthOf(place) - place.length;
    if (--template.users > 0) return;
    this.#savedBytes += template.length;
    this.#slabs.drop(template);
  }

  detach(place: SharedPlace): void {
    this.#slabs.detach(place);
    this.#slabs.detach(place.template);
  }

  /** Undefined when the template does not do. */
  #try(plan: MessagePlan, length: number, template: Template | undefined): Template | undefined {
    const tried = this.#tried;
    if (template === undefined || tried.length >= MAX_TRIES || tried.includes(template)) return undefined;
    tried.push(template);
    const { home, offset } = template;
    const limit = Math.max(length / OWN_PART, FEW_OWN_BYTES);
    this.recipeLength = this.#difference.find(
      plan,
      this.#arrived,
      length,
      home,
      offset,
      offset + template.length,
      limit,
    );
    return this.recipeLength < 0 ? undefined : template;
  }

  #become(length: number): Template {
    const room = this.#slabs.reserve(length);
    this.#arrived.bytes.copy(room.slab.bytes, room.offset, 0, length);
    const template = new Template(room, length);
    this.recipeLength = wholeRecipe(this.#difference.recipe.bytes, length);
    const { owners, labels, stem } = this.#hashes;
    for (const hash of [owners, labels, stem]) if (hash !== 0) this.#templates.add(template, hash);
    return template;
  }
}

function stretch(length: number): Stretch {
  const bytes = Buffer.allocUnsafeSlow(length);
  return { bytes, view: new DataView(bytes.buffer, bytes.byteOffset, length) };
}
