import type { Cached, EncodedObject } from '../../api/cached.ts';
import type { KubernetesObject } from '../../api/metadata.ts';
import type { MessagePlan } from '../protobuf/message-plan.ts';
import type { WireReader } from '../protobuf/wire-reader.ts';
import type { SharedPlace } from './assembler.ts';
import type { Outline } from './outline.ts';
import {
  type KeptIdentity,
  PackedCached,
  PackedFamily,
  type PackedFamilyOptions,
  type PackedProtobufKeeperOptions,
  ReducingKeeper,
} from './packed-cached.ts';
import type { Sharing } from './sharing.ts';
import type { Room } from './slabs.ts';
import type { Template } from './templates.ts';

/** What all objects of one format have in common that share what they hold. */
export class SharedFamily<T extends KubernetesObject> extends PackedFamily<T> {
  readonly sharing: Sharing;

  constructor(options: PackedFamilyOptions<T>, sharing: Sharing, outline?: Outline) {
    super(options, outline);
    this.sharing = sharing;
  }

  protected override withOutline(options: PackedFamilyOptions<T>, outline: Outline): SharedFamily<T> {
    return new SharedFamily(options, this.sharing, outline);
  }
}

/** A `Cached` that keeps what tells the object from a template, in slabs. It is put together when somebody reads it. */
export class SharedCached<T extends KubernetesObject> extends PackedCached<T> implements SharedPlace {
  readonly template: Template;
  declare protected readonly family: SharedFamily<T>;

  /** The recipe lies in the room. */
  constructor(family: SharedFamily<T>, identity: KeptIdentity, room: Room, length: number, template: Template) {
    super(family, identity, room, length);
    this.template = template;
  }

  protected override get bytes(): Buffer {
    return this.family.sharing.assembler.bytesOf(this);
  }

  protected override get start(): number {
    return 0;
  }

  protected override get end(): number {
    return this.family.sharing.assembler.lengthOf(this);
  }

  override encoded(): EncodedObject {
    const bytes = this.family.sharing.assembler.copyOf(this);
    return this.family.format.encoded(bytes, 0, bytes.length);
  }

  protected override keepStored(): void {
    this.family.sharing.store(this);
  }

  override dropped(): void {
    this.family.sharing.drop(this);
  }

  override detach(): void {
    this.family.sharing.detach(this);
  }
}

export interface SharedProtobufKeeperOptions<T extends KubernetesObject> extends PackedProtobufKeeperOptions<T> {
  family: SharedFamily<T>;
  plan: MessagePlan;
  reader: WireReader;
}

/** From the message of an object to a `Cached` that shares with others what it has in common with them. */
export class SharedProtobufKeeper<T extends KubernetesObject> extends ReducingKeeper<T> {
  readonly #family: SharedFamily<T>;
  readonly #plan: MessagePlan;
  readonly #reader: WireReader;

  constructor(options: SharedProtobufKeeperOptions<T>) {
    super(options);
    this.#family = options.family;
    this.#plan = options.plan;
    this.#reader = options.reader;
  }

  protected override keepReduced(length: number): Cached<T> {
    const { sharing } = this.#family;
    const arrived = sharing.room(length);
    this.write(arrived, 0);
    const family = this.#family.like(this.outlineOf(arrived, 0, length));
    const template = sharing.share(this.#plan, this.#reader, length);
    const room = sharing.writeRecipe();
    return new SharedCached(family, this.scanner, room, sharing.recipeLength, template);
  }
}
