const SMALLEST_BYTES = 16 * 1024;
const LARGEST_BYTES = 1024 * 1024;
/** A slab is at most this part of all bytes, so that the room left in the newest one does not count for much. */
const SLAB_PART = 64;
/** A place takes at most this part of a slab, else it gets one of its own: so little is lost at the ends of slabs. */
const PLACE_PART = 8;
/** Dead bytes up to this part of the live ones are left where they are. With the newest slab and a spare one, a tenth. */
const DEAD_PART = 13;
const SLACK_BYTES = 2 * SMALLEST_BYTES;
/** The newest slab may be this part of the live bytes when most of them have gone; a larger one is given up. */
const OUTGROWN_PART = 8;

const UNLISTED = -1;

/**
 * - `fresh`: nobody has said yet that anything in it is to stay; it lives only through the places in it.
 * - `known`: counted, and cleared when too much of it is dead.
 * - `gone`: no part of the slabs any more (or never one): it lives only through the places that are still in it.
 */
type SlabState = 'fresh' | 'known' | 'gone';

/** A stretch of memory that is filled from its beginning to its end. What a place refers to never changes. */
export class Slab {
  readonly bytes: Buffer;
  state: SlabState;
  used = 0;
  /** Bytes of the places that stay. */
  live = 0;
  /** Bytes of the entries. What has been used beside them belongs to places that the slab does not know. */
  listed = 0;
  /** By their slots: the places that stay, and those that stayed once. */
  entries: Place[] = [];
  #view: DataView | undefined;

  constructor(bytes: Buffer, state: SlabState) {
    this.bytes = bytes;
    this.state = state;
  }

  /** For those who read several bytes at a time. */
  get view(): DataView {
    this.#view ??= new DataView(this.bytes.buffer, this.bytes.byteOffset, this.bytes.length);
    return this.#view;
  }
}

/** Where the bytes of one object lie. `Slabs` may move them: whoever reads them asks the place each time. */
export class Place {
  home: Slab;
  offset: number;
  readonly length: number;
  /** Its index in the entries of the slab, from the first time that it was stored there; `dead` while it does not stay. */
  slot = UNLISTED;

  constructor(home: Slab, offset: number, length: number) {
    this.home = home;
    this.offset = offset;
    this.length = length;
  }
}

/**
 * Bytes outside the heap of V8, in slabs that are only ever appended to. Bytes are written on arrival (`reserve`), and
 * count from the moment that somebody says they stay (`store`) until they do not (`drop`); those of which nobody ever says
 * so go with the places that refer to them. When more than a thirteenth as many bytes are dead as are alive, the slab with most
 * dead bytes is cleared: what is alive in it moves to the newest slab, and what is dead, which somebody may still read, to memory
 * of its own. One slab at a time, so that no call takes long. The slab is then filled again: memory that is asked for and given
 * back all the time makes V8 collect garbage all the time.
 */
export class Slabs {
  readonly #known = new Set<Slab>();
  #current: Slab | undefined;
  /** Cleared, and not referred to by any place. */
  #spare: Slab | undefined;
  /** Takes what is small and dead. */
  #remains: Slab | undefined;
  /** How many views of what lies in them have been made. */
  views = 0;
  #knownBytes = 0;
  #liveBytes = 0;
  /** Written since anything was last stored: a list on its way, most likely. */
  #arrivingBytes = 0;

  /** The memory of all slabs in which something stays, and of the one that is filled next. */
  get heldBytes(): number {
    return this.#knownBytes + (this.#spare?.bytes.length ?? 0);
  }

  get liveBytes(): number {
    return this.#liveBytes;
  }

  /** What lies in them is what it is. */
  get wholeBytes(): number {
    return this.#liveBytes;
  }

  /** Room for `length` bytes, which the caller fills: the last ones before `used` of the slab that is returned. */
  reserve(length: number): Slab {
    this.#arrivingBytes += length;
    const slab = this.#slabWithRoom(length);
    slab.used += length;
    return slab;
  }

  /** The bytes of the place stay until it is dropped. Does nothing, and returns false, when they do already. */
  store(place: Place): boolean {
    if (place.slot >= 0) return false;
    this.#arrivingBytes = 0;
    if (place.home.state === 'gone') this.#move(place);
    else this.#enter(place);
    this.#liveBytes += place.length;
    this.#clearOne();
    return true;
  }

  /** The bytes of the place are still there for those who hold it, and no longer count. False when they did not before. */
  drop(place: Place): boolean {
    if (place.slot < 0) return false;
    const slab = place.home;
    place.slot = dead(place.slot);
    slab.live -= place.length;
    this.#liveBytes -= place.length;
    if (slab.live === 0 && slab !== this.#current) this.#clear(slab);
    this.#clearOne();
    return true;
  }

  /** Gives a place that is not stored memory of its own, so that it does not keep a whole slab alive. */
  detach(place: Place): void {
    if (place.slot !== UNLISTED || place.home.bytes.length === place.length) return;
    moveTo(new Slab(Buffer.allocUnsafeSlow(place.length), 'gone'), place);
  }

  #slabWithRoom(length: number): Slab {
    const current = this.#current;
    if (current !== undefined && current.bytes.length - current.used >= length) return current;
    const size = slabSize(this.#liveBytes + this.#arrivingBytes);
    if (length > size / PLACE_PART) return new Slab(Buffer.allocUnsafeSlow(length), 'fresh');
    const next = this.#takeSpare(size) ?? new Slab(Buffer.allocUnsafeSlow(size), 'fresh');
    this.#current = next;
    // What was kept only because it might still be filled.
    if (current?.state === 'known' && current.live === 0) this.#clear(current);
    return next;
  }

  #takeSpare(size: number): Slab | undefined {
    const spare = this.#spare;
    if (spare?.bytes.length !== size) return undefined;
    this.#spare = undefined;
    return spare;
  }

  /** Lists the place in its slab. */
  #enter(place: Place): void {
    const slab = place.home;
    if (slab.state === 'fresh') {
      slab.state = 'known';
      this.#known.add(slab);
      this.#knownBytes += slab.bytes.length;
    }
    slab.live += place.length;
    if (place.slot === UNLISTED) {
      place.slot = slab.entries.push(place) - 1;
      slab.listed += place.length;
    } else place.slot = dead(place.slot);
  }

  #move(place: Place): void {
    moveTo(this.#slabWithRoom(place.length), place);
    this.#enter(place);
  }

  #clearOne(): void {
    const current = this.#current;
    if (current?.state === 'known' && isOutgrown(current, this.#liveBytes)) {
      this.#clear(current);
      return;
    }
    const room = current?.state === 'known' ? current.bytes.length - current.used : 0;
    if (this.#knownBytes - room - this.#liveBytes <= this.#liveBytes / DEAD_PART + SLACK_BYTES) return;
    let worst: Slab | undefined;
    let most = 0;
    for (const slab of this.#known) {
      // What is left at the end of a slab that has been filled is lost, too.
      const lost = (slab === current ? slab.used : slab.bytes.length) - slab.live;
      if (lost <= most) continue;
      most = lost;
      worst = slab;
    }
    if (worst !== undefined) this.#clear(worst);
  }

  #clear(slab: Slab): void {
    if (slab === this.#current) this.#current = undefined;
    this.#known.delete(slab);
    this.#knownBytes -= slab.bytes.length;
    slab.state = 'gone';
    // What lies together goes together: to copy a few long stretches takes less than to copy many short ones.
    const removal = new Removal(slab);
    for (const place of slab.entries) {
      if (place.slot >= 0) {
        removal.take(place, this.#slabWithRoom(place.length));
        this.#enter(place);
      } else moveTo(this.#lastRest(place.length), place);
    }
    removal.copy();
    slab.entries = [];
    this.#keepSpare(slab);
  }

  /** Where something dead lies that has this many bytes: if it is small, beside others, at most `SMALLEST_BYTES` of them. */
  #lastRest(length: number): Slab {
    if (length > SMALLEST_BYTES / PLACE_PART) return new Slab(Buffer.allocUnsafeSlow(length), 'gone');
    const remains = this.#remains;
    if (remains !== undefined && remains.bytes.length - remains.used >= length) return remains;
    this.#remains = new Slab(Buffer.allocUnsafeSlow(SMALLEST_BYTES), 'gone');
    return this.#remains;
  }

  /** Of one that was just cleared. */
  #keepSpare(slab: Slab): void {
    const size = slabSize(this.#liveBytes);
    if (slab.bytes.length === size && slab.listed === slab.used) {
      slab.state = 'fresh';
      slab.used = 0;
      slab.live = 0;
      slab.listed = 0;
      this.#spare = slab;
    } else if (this.#spare?.bytes.length !== size) this.#spare = undefined;
  }
}

/** Moves places out of a slab. Their bytes follow when a place comes that does not lie behind the one before, or at `copy`. */
class Removal {
  readonly #from: Slab;
  #to: Slab | undefined;
  #start = 0;
  #end = 0;
  #at = 0;

  constructor(from: Slab) {
    this.#from = from;
  }

  /** To the end of `to`, which has room for it. */
  take(place: Place, to: Slab): void {
    if (to !== this.#to || place.offset !== this.#end) {
      this.copy();
      this.#to = to;
      this.#start = place.offset;
      this.#at = to.used;
    }
    this.#end = place.offset + place.length;
    place.home = to;
    place.offset = to.used;
    place.slot = UNLISTED;
    to.used += place.length;
  }

  copy(): void {
    if (this.#to !== undefined) this.#from.bytes.copy(this.#to.bytes, this.#at, this.#start, this.#end);
    this.#to = undefined;
  }
}

/** The slot of a place that stays when it does not stay any more, and the other way round. */
function dead(slot: number): number {
  return UNLISTED - 1 - slot;
}

function isOutgrown({ bytes }: Slab, liveBytes: number): boolean {
  return bytes.length > SMALLEST_BYTES && bytes.length * OUTGROWN_PART > liveBytes;
}

function slabSize(total: number): number {
  let size = SMALLEST_BYTES;
  while (size < LARGEST_BYTES && size * 2 * SLAB_PART <= total) size *= 2;
  return size;
}

/** Copies the bytes of the place to the end of `to`, which has room for them. */
function moveTo(to: Slab, place: Place): void {
  const removal = new Removal(place.home);
  removal.take(place, to);
  removal.copy();
}
