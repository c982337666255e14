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

/** Places whose lengths differ by less are taken for each other. */
const CLASS_BITS = 6;
/** What is written may be shorter than what lay there by this part of it. */
const SPARE_PART = 16;
/** This many dead places are looked at for one in which something has room. */
const MAX_TRIES = 8;
/** With fewer it is not worth looking for those that are no longer dead. */
const FEW_HOLES = 1024;

/** The slot of a place that is in no slab's entries. */
const UNLISTED = -1;

/**
 * - `fresh`: nobody has said yet that anything in it is to stay; it lives only through the places in it.
 * - `known`: counted, and cleared when too much of it is dead.
 * - `gone`: no part of the slabs any more (or never one): it lives only through the places that are still in it.
 */
type SlabState = 'fresh' | 'known' | 'gone';

/** A stretch of memory that is filled from its beginning to its end, and after that where something dead lay. */
export class Slab {
  readonly bytes: Buffer;
  state: SlabState;
  used = 0;
  /** Bytes of the places that stay. */
  live = 0;
  /** Bytes of the places that are about to be stored for the first time: of memory that was adopted. */
  coming = 0;
  /** Bytes of the entries. */
  listed = 0;
  /** Bytes between them, which were too few for another place. Whatever else is used belongs to places that the slab does not know. */
  lost = 0;
  /** By their slots: the places that stay, and those that stayed once and still lie there. */
  entries: (Place | undefined)[] = [];
  /** The slots without an entry. */
  vacant: number[] = [];
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

/** Where something may be written. */
export interface Room {
  readonly slab: Slab;
  readonly offset: number;
}

/**
 * Bytes outside the heap of V8, in slabs. Bytes are written on arrival (`reserve`), and count from the moment that somebody says
 * they stay (`store`) until they do not (`drop`); those of which nobody ever says so go with the places that refer to them.
 * What is written takes the place of something dead that is a little longer, or goes to the end of the newest slab. What was dead
 * there gets memory of its own, as somebody may still read it. When more than a thirteenth as many bytes are dead as are
 * alive, the slab with most dead bytes is cleared: what is alive in it moves to the newest slab. One slab at a time, so that no
 * call takes long. The slab is then filled again: memory that is asked for and given back all the time makes V8 collect garbage
 * all the time.
 */
export class Slabs {
  readonly #known = new Set<Slab>();
  /** Unset until there is one. */
  #holes: Holes | undefined;
  #current: Slab | undefined;
  /** Cleared, and not referred to by any place. */
  #spare: Slab | undefined;
  /** Takes what is small and dead. */
  #remains: Slab | undefined;
  /** How many views of what lies in them have been made. */
  views = 0;
  #knownBytes = 0;
  #liveBytes = 0;
  /** In slabs of which something is stored already. */
  #comingBytes = 0;
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

  /** Room for `length` bytes, which the caller fills. */
  reserve(length: number): Room {
    this.#arrivingBytes += length;
    const hole = this.#holes?.take(length);
    if (hole !== undefined) return this.#vacate(hole, length);
    const slab = this.#slabWithRoom(length);
    const offset = slab.used;
    slab.used += length;
    return { slab, offset };
  }

  /** A slab of memory that is full already, and that nobody else reads or changes: places in it can be stored as they are. */
  adopt(bytes: Buffer): Slab {
    const slab = new Slab(bytes, 'fresh');
    slab.used = bytes.length;
    slab.coming = bytes.length;
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
    this.#holes ??= new Holes();
    this.#holes.add(place);
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
      this.#comingBytes += slab.coming;
    }
    if (slab.coming > 0) this.#came(slab, place.length);
    slab.live += place.length;
    if (place.slot === UNLISTED) {
      place.slot = slab.vacant.pop() ?? slab.entries.length;
      slab.entries[place.slot] = place;
      slab.listed += place.length;
    } else place.slot = dead(place.slot);
  }

  #came(slab: Slab, length: number): void {
    const bytes = Math.min(length, slab.coming);
    slab.coming -= bytes;
    this.#comingBytes -= bytes;
  }

  /** Moves something dead away, so that `length` bytes can be written where it lay. */
  #vacate(hole: Place, length: number): Room {
    const { home: slab, offset } = hole;
    const slot = dead(hole.slot);
    slab.entries[slot] = undefined;
    slab.vacant.push(slot);
    slab.listed -= hole.length;
    slab.lost += hole.length - length;
    moveTo(this.#lastRest(hole.length), hole);
    return { slab, offset };
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
    const allLost = this.#knownBytes - room - this.#liveBytes - this.#comingBytes;
    if (allLost <= this.#liveBytes / DEAD_PART + SLACK_BYTES) return;
    let worst: Slab | undefined;
    let most = 0;
    for (const slab of this.#known) {
      // What is left at the end of a slab that has been filled is lost, too.
      const lost = (slab === current ? slab.used : slab.bytes.length) - slab.live - slab.coming;
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
    this.#came(slab, slab.coming);
    // What lies together goes together: to copy a few long stretches takes less than to copy many short ones.
    const removal = new Removal(slab);
    for (const place of slab.entries) {
      if (place === undefined) continue;
      if (place.slot >= 0) {
        removal.take(place, this.#slabWithRoom(place.length));
        this.#enter(place);
      } else moveTo(this.#lastRest(place.length), place);
    }
    removal.copy();
    slab.entries = [];
    slab.vacant = [];
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
    if (slab.bytes.length === size && slab.listed + slab.lost === slab.used) {
      slab.state = 'fresh';
      slab.used = 0;
      slab.live = 0;
      slab.listed = 0;
      slab.lost = 0;
      this.#spare = slab;
    } else if (this.#spare?.bytes.length !== size) this.#spare = undefined;
  }
}

/** The dead places in slabs, by their lengths. Places that have been moved, or that stay again, are forgotten by and by. */
class Holes {
  readonly #byClass = new Map<number, Place[]>();
  #count = 0;
  #tidyAt = FEW_HOLES;

  add(place: Place): void {
    const key = place.length >> CLASS_BITS;
    const alike = this.#byClass.get(key);
    if (alike === undefined) this.#byClass.set(key, [place]);
    else alike.push(place);
    if (++this.#count >= this.#tidyAt) this.#tidy();
  }

  /** Takes out a place in which `length` bytes have room, and little room is left beside them. */
  take(length: number): Place | undefined {
    const first = length >> CLASS_BITS;
    const last = (length + length / SPARE_PART) >> CLASS_BITS;
    for (let key = first; key <= last; key++) {
      const alike = this.#byClass.get(key);
      if (alike === undefined) continue;
      // In the first class not all have room; a look at the newest of them must do.
      for (let tries = 0; tries < MAX_TRIES && alike.length > tries; ) {
        const at = alike.length - 1 - tries;
        const place = alike[at] as Place;
        if (isDead(place) && place.length < length) {
          tries++;
          continue;
        }
        alike[at] = alike.at(-1) as Place;
        alike.pop();
        this.#count--;
        if (isDead(place)) return place;
      }
    }
    return undefined;
  }

  #tidy(): void {
    this.#count = 0;
    for (const [key, alike] of this.#byClass) {
      const left = alike.filter(isDead);
      this.#count += left.length;
      if (left.length === 0) this.#byClass.delete(key);
      else this.#byClass.set(key, left);
    }
    this.#tidyAt = Math.max(FEW_HOLES, 2 * this.#count);
  }
}

/** Whether it lies where it once stayed. */
function isDead({ slot }: Place): boolean {
  return slot < UNLISTED;
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
