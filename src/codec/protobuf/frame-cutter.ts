import { DecodeError } from '../decode-error.ts';
import { ChunkReader } from './chunk-reader.ts';

const PREFIX_BYTES = 4;

/** Cuts a watch into frames: each comes behind its length, four bytes with the highest first. */
export class FrameCutter {
  readonly #chunks = new ChunkReader();
  readonly #maxFrameBytes: number;
  #frameStart = 0;
  #frameEnd = 0;

  constructor(maxFrameBytes: number) {
    this.#maxFrameBytes = maxFrameBytes;
  }

  /** The frame found by `nextFrame` lies at [`frameStart`, `frameEnd`) of these, until the next call of the cutter. */
  get bytes(): Buffer {
    return this.#chunks.bytes;
  }

  get frameStart(): number {
    return this.#frameStart;
  }

  get frameEnd(): number {
    return this.#frameEnd;
  }

  /** To be called when `nextFrame` has found no more. */
  append(chunk: Uint8Array): void {
    this.#chunks.append(chunk);
  }

  /** Whether there is another frame in what has arrived. Throws `DecodeError` when it is too large. */
  nextFrame(): boolean {
    const chunks = this.#chunks;
    if (!chunks.need(PREFIX_BYTES)) return false;
    const length = chunks.bytes.readUInt32BE(chunks.position);
    if (length > this.#maxFrameBytes) {
      throw new DecodeError(
        'tooLarge',
        `the watch announces a frame of ${length} bytes, larger than ${this.#maxFrameBytes}, at byte ${chunks.offset}`,
      );
    }
    if (!chunks.need(PREFIX_BYTES + length)) return false;
    this.#frameStart = chunks.position + PREFIX_BYTES;
    this.#frameEnd = this.#frameStart + length;
    // The bytes stay where they are until the next call.
    chunks.position = this.#frameEnd;
    return true;
  }

  /** To be called when the body has ended. */
  finish(): void {
    if (this.#chunks.isEmpty) return;
    throw new DecodeError('truncated', `the watch broke off in the middle of the frame at byte ${this.#chunks.offset}`);
  }
}
