import { systemScheduler, Turns } from '../../observe/scheduler.ts';

/** The turns of sockets are the machine's, also in a program whose clock is a fake. */
const TURNS = Turns.of(systemScheduler);
const NOTHING = Buffer.alloc(0);
/** Where quiet sockets read into, all of them: what one has read is copied before another reads. */
const LANDING = Buffer.allocUnsafeSlow(16 * 1024);
const LARGEST_BYTES = 256 * 1024;
/** This much is handed on without waiting for the end of the turn. */
const ENOUGH_BYTES = 64 * 1024;
/** A quiet socket reads less at a time. */
const SMALL_BYTES = 4 * 1024;
/** After this many small pieces in a row a socket is quiet again, and gives up its pages. */
const SMALL_PIECES = 64;

/**
 * The memory that a socket reads into, again and again, instead of new memory with each read: of a list of 200 MB nothing is
 * left for the garbage collector. Its pages grow while reads fill them. A socket that reads little and seldom, such as that of a quiet
 * watch, has no page.
 *
 * The first read of a turn of the event loop is handed on at once, and those that follow it in the same turn together: TLS reads
 * its records one by one, each of at most 16 KB, and a busy watch is many small reads.
 *
 * The bytes of a piece are valid until whoever got it is `done`, however much is read meanwhile. A socket that is paused may
 * still bring some: one with TLS decrypts all that it has.
 */
export class ReadBuffer {
  /** Filled from its beginning. What lies from `#start` to `#end` has not been handed on. */
  #page: Buffer = NOTHING;
  #start = 0;
  #end = 0;
  /** The page before this one, while somebody may not be done with it; then it is free to be filled again. */
  #lent: Buffer | undefined;
  #free: Buffer | undefined;
  #size = LANDING.length;
  #isQuiet = true;
  #smallPieces = 0;
  #receive: ((bytes: Buffer) => void) | undefined;
  #isUsed = false;
  #isGivenUp = false;
  /** That of the last read. */
  #turn = -1;
  #isHandedOnLater = false;
  #wasEarly = false;

  /** Whether a socket reads into it. One that does has no 'data' events. */
  get isUsed(): boolean {
    return this.#isUsed;
  }

  /** Whether what is handed on stays as it is only until `done`. What a quiet socket has read is a copy. */
  get isLent(): boolean {
    return !this.#isQuiet;
  }

  /** For the socket that is to read into it. */
  get onread(): { buffer: () => Uint8Array; callback: (length: number) => boolean } {
    return { buffer: () => this.#room(), callback: (length) => this.#received(length) };
  }

  /** Where the bytes go from now on. False when some came before, which went nowhere. */
  receive(receive: (bytes: Buffer) => void): boolean {
    this.#receive = receive;
    return !this.#wasEarly;
  }

  /** Nobody needs what has been handed on so far. */
  done(): void {
    this.#free = this.#lent ?? this.#free;
    this.#lent = undefined;
  }

  /** What has been read stays as it is, whoever holds it: the reads after the next one go elsewhere. */
  giveUp(): void {
    this.#isGivenUp = !this.#isQuiet;
    this.#lent = this.#free = undefined;
  }

  /** Hands on what has been read, and does not wait for the end of the turn. */
  handOn(): void {
    const length = this.#end - this.#start;
    if (length === 0) return;
    const piece = this.#page.subarray(this.#start, this.#end);
    this.#start = this.#end;
    if (length >= this.#page.length / 2) this.#size = Math.min(4 * this.#page.length, LARGEST_BYTES);
    this.#smallPieces = length < SMALL_BYTES ? this.#smallPieces + 1 : 0;
    this.#give(piece);
  }

  #give(piece: Buffer): void {
    if (this.#receive === undefined) this.#wasEarly = true;
    else this.#receive(piece);
  }

  #received(length: number): boolean {
    const turn = TURNS.current();
    const isFirst = turn !== this.#turn;
    this.#turn = turn;
    if (!this.#isQuiet) this.#end += length;
    else if (isFirst && length < SMALL_BYTES) this.#give(copyOf(LANDING, length));
    else this.#wake(length);
    if (isFirst || this.#end - this.#start >= ENOUGH_BYTES) this.handOn();
    else if (!this.#isHandedOnLater) {
      this.#isHandedOnLater = true;
      systemScheduler.nextTurn(() => {
        this.#isHandedOnLater = false;
        this.handOn();
      });
    }
    return true;
  }

  /** So much has been read that it takes a page. */
  #wake(length: number): void {
    this.#isQuiet = false;
    this.#smallPieces = 0;
    this.#turnPage();
    this.#end = LANDING.copy(this.#page, 0, 0, length);
  }

  /** Called by the socket before its first read and after each: where the next one goes. */
  #room(): Buffer {
    this.#isUsed = true;
    if (this.#isQuiet) return LANDING;
    const isOver = this.#isGivenUp || this.#smallPieces >= SMALL_PIECES;
    const hasRoom = this.#page.length === this.#size && this.#page.length - this.#end >= this.#size / 4;
    if (hasRoom && !isOver) return this.#page.subarray(this.#end);
    this.handOn();
    if (isOver) return this.#rest();
    this.#turnPage();
    return this.#page;
  }

  #rest(): Buffer {
    this.#isQuiet = true;
    this.#isGivenUp = false;
    this.#page = NOTHING;
    this.#lent = this.#free = undefined;
    this.#size = LANDING.length;
    this.#start = this.#end = 0;
    return LANDING;
  }

  #turnPage(): void {
    const free = this.#free?.length === this.#size ? this.#free : undefined;
    this.#free = undefined;
    this.#lent = this.#page.length === this.#size ? this.#page : undefined;
    this.#page = free ?? Buffer.allocUnsafeSlow(this.#size);
    this.#start = this.#end = 0;
  }
}

function copyOf(bytes: Buffer, length: number): Buffer {
  const copy = Buffer.allocUnsafe(length);
  bytes.copy(copy, 0, 0, length);
  return copy;
}
