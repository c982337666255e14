const SMALLEST_BYTES = 16 * 1024;
const LARGEST_BYTES = 1024 * 1024;
/** A slab is at most this part of all bytes, so that the room left in the newest one does not count for much. */
const SLAB_PART = 64;
/** A place takes at most this part of a slab, else it gets one of its own: so little is lost at the ends of slabs. */
const PLACE_PART = 8;
/** Dead bytes up to this part of the live ones are left where they are. With the room in the newest slab, a tenth. */
const DEAD_PART = 12;
const SLACK_BYTES = 2 * SMALLEST_BYTES;
/** The newest slab may be this part of the live bytes when most of them have gone; a larger one is given up. */
const OUTGROWN_PART = 8;

/** When this many places have got memory of their own, the others wait until the next slab is made: each takes some microseconds. */
const MANY_DETACHED = 64;

const UNLISTED = -1;

/**
 * - `fresh`: nobody has said yet that anything in it is to stay; it lives only through the places in it.
 * - `known`: counted, and cleared when too much of it is dead.
 * - `gone`: no part of the slabs any more (or never one): it lives only through the places that are still in it.
 */
type SlabState = 'fresh' | 'known' | 'gone';

/** A stretch of memory that is filled from its beginning to its end, once: what has been written never changes. */
export class Slab {
  readonly bytes: Buffer;
  state: SlabState;
  used = 0;
  /** Bytes of the places that stay. */
  live = 0;
  /** By the slots of the places: those that stay, and, without keeping them alive, those that stayed once. */
  entries: (Place | WeakRef<Place>)[] = [];
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
  /** Its index in the entries of the slab, from the first time that it was stored there. */
  slot = UNLISTED;

  constructor(home: Slab, offset: number, length: number) {
    this.home = home;
    this.offset = offset;
    this.length = length;
  }
}

/** What was still referred to when its slab had gone: looked at again after the next collection of garbage. */
interface Leftover {
  /** Empty once there has been such a collection. */
  readonly sentinel: WeakRef<object>;
  readonly places: readonly WeakRef<Place>[];
}

/**
 * Bytes outside the heap of V8, in slabs that are only ever appended to. Bytes are written on arrival (`reserve`), and
 * count from the moment that somebody says they stay (`store`) until they do not (`drop`); those of which nobody ever says
 * so go with the places that refer to them. When more than a twelfth as many bytes are dead as are alive, the slab with most
 * dead bytes is cleared: what is alive in it moves to the newest slab. One slab at a time, so that no call takes long.
 */
export class Slabs {
  readonly #known = new Set<Slab>();
  readonly #leftovers: Leftover[] = [];
  #current: Slab | undefined;
  /** How many views of what lies in them have been made. */
  views = 0;
  #heldBytes = 0;
  #liveBytes = 0;
  /** Written since anything was last stored: a list on its way, most likely. */
  #arrivingBytes = 0;

  /** The memory of all slabs in which something stays. */
  get heldBytes(): number {
    return this.#heldBytes;
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
    if (isLive(place)) return false;
    this.#arrivingBytes = 0;
    if (place.home.state === 'gone') this.#move(place);
    else this.#enter(place);
    this.#liveBytes += place.length;
    this.#clearOne();
    return true;
  }

  /** The bytes of the place are still there for those who hold it, and no longer count. False when they did not before. */
  drop(place: Place): boolean {
    if (!isLive(place)) return false;
    const slab = place.home;
    slab.entries[place.slot] = new WeakRef(place);
    slab.live -= place.length;
    this.#liveBytes -= place.length;
    if (slab.live === 0 && slab !== this.#current) this.#clear(slab);
    this.#clearOne();
    return true;
  }

  /** Gives a place that is not stored memory of its own, so that it does not keep a whole slab alive. */
  detach(place: Place): void {
    if (isLive(place) || place.home.bytes.length === place.length) return;
    copyOut(place);
  }

  #slabWithRoom(length: number): Slab {
    const current = this.#current;
    if (current !== undefined && current.bytes.length - current.used >= length) return current;
    this.#releaseLeftovers();
    const size = slabSize(this.#liveBytes + this.#arrivingBytes);
    if (length > size / PLACE_PART) return new Slab(Buffer.allocUnsafeSlow(length), 'fresh');
    this.#current = new Slab(Buffer.allocUnsafeSlow(size), 'fresh');
    // What was kept only because it might still be filled.
    if (current?.state === 'known' && current.live === 0) this.#clear(current);
    return this.#current;
  }

  /** Lists the place in its slab. */
  #enter(place: Place): void {
    const slab = place.home;
    if (slab.state === 'fresh') {
      slab.state = 'known';
      this.#known.add(slab);
      this.#heldBytes += slab.bytes.length;
    }
    if (place.slot === UNLISTED) place.slot = slab.entries.push(place) - 1;
    else slab.entries[place.slot] = place;
    slab.live += place.length;
  }

  #move(place: Place): void {
    const removal = new Removal(place.home);
    removal.take(place, this.#slabWithRoom(place.length));
    removal.copy();
    this.#enter(place);
  }

  #clearOne(): void {
    const current = this.#current;
    if (current?.state === 'known' && isOutgrown(current, this.#liveBytes)) {
      this.#clear(current);
      return;
    }
    const room = current?.state === 'known' ? current.bytes.length - current.used : 0;
    if (this.#heldBytes - room - this.#liveBytes <= this.#liveBytes / DEAD_PART + SLACK_BYTES) return;
    let worst: Slab | undefined;
    let most = 0;
    for (const slab of this.#known) {
      // What is left at the end of a slab that has been filled is lost, too.
      const dead = (slab === current ? slab.used : slab.bytes.length) - slab.live;
      if (dead <= most) continue;
      most = dead;
      worst = slab;
    }
    if (worst !== undefined) this.#clear(worst);
  }

  #clear(slab: Slab): void {
    if (slab === this.#current) this.#current = undefined;
    this.#known.delete(slab);
    this.#heldBytes -= slab.bytes.length;
    slab.state = 'gone';
    const dead: WeakRef<Place>[] = [];
    // What lies together goes together: to copy a few long stretches takes less than to copy many short ones.
    const removal = new Removal(slab);
    for (const entry of slab.entries) {
      if (entry instanceof Place) {
        removal.take(entry, this.#slabWithRoom(entry.length));
        this.#enter(entry);
      } else dead.push(entry);
    }
    removal.copy();
    slab.entries = [];
    if (dead.length > 0) this.#leftovers.push({ sentinel: new WeakRef({}), places: dead });
  }

  /**
   * A place that was dropped may be kept by somebody for long, and its whole slab with it. Those that have outlived a
   * collection of garbage get memory of their own; before one there is no telling them from those that nobody holds. A few slabs at a time, so
   * that no call takes long when somebody holds many.
   */
  #releaseLeftovers(): void {
    for (let detached = 0; detached < MANY_DETACHED; ) {
      const first = this.#leftovers[0];
      if (first === undefined || first.sentinel.deref() !== undefined) return;
      this.#leftovers.shift();
      for (const reference of first.places) {
        const place = reference.deref();
        if (place?.home.state !== 'gone') continue;
        this.detach(place);
        detached++;
      }
    }
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

function isLive(place: Place): boolean {
  return place.slot !== UNLISTED && place.home.entries[place.slot] === place;
}

function isOutgrown({ bytes }: Slab, liveBytes: number): boolean {
  return bytes.length > SMALLEST_BYTES && bytes.length * OUTGROWN_PART > liveBytes;
}

function slabSize(total: number): number {
  let size = SMALLEST_BYTES;
  while (size < LARGEST_BYTES && size * 2 * SLAB_PART <= total) size *= 2;
  return size;
}

function copyOut(place: Place): void {
  const bytes = Buffer.allocUnsafeSlow(place.length);
  place.home.bytes.copy(bytes, 0, place.offset, place.offset + place.length);
  place.home = new Slab(bytes, 'gone');
  place.offset = 0;
  place.slot = UNLISTED;
}
