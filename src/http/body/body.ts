/** The bytes of a large body, in the blocks in which they arrived; they are never joined. */
import { isUtf8 } from 'node:buffer';

export class Body {
  readonly length: number;
  readonly #blocks: readonly Uint8Array[];
  readonly #blockBytes: number;

  /** All blocks have the same size except the last, which may also have unused room at its end. */
  constructor(blocks: readonly Uint8Array[], length: number) {
    this.length = length;
    this.#blocks = blocks;
    this.#blockBytes = blocks[0]?.length ?? 1;
  }

  at(offset: number): number {
    const { block, start } = this.blockAt(offset);
    return block[offset - start] as number;
  }

  /** The block that contains a byte, and where it starts and ends in the body. */
  blockAt(offset: number): { readonly block: Uint8Array; readonly start: number; readonly end: number } {
    const index = Math.floor(offset / this.#blockBytes);
    const block = this.#blocks[index] as Uint8Array;
    const start = index * this.#blockBytes;
    return { block, start, end: Math.min(start + block.length, this.length) };
  }

  /** Copies only if the range crosses a block boundary. */
  slice(start: number, end: number): Buffer {
    const pieces: Buffer[] = [];
    let from = start;
    while (from < end) {
      const at = this.blockAt(from);
      const to = Math.min(end, at.end);
      pieces.push(Buffer.from(at.block.buffer, at.block.byteOffset + from - at.start, to - from));
      from = to;
    }
    return pieces.length === 1 ? (pieces[0] as Buffer) : Buffer.concat(pieces);
  }

  /** Undefined if these bytes are not UTF-8. */
  text(start: number, end: number): string | undefined {
    const bytes = this.slice(start, end);
    return isUtf8(bytes) ? bytes.toString() : undefined;
  }

  /** The start of the text, after a byte order mark if there is one. */
  textStart(): number {
    return this.length >= 3 && this.at(0) === 0xef && this.at(1) === 0xbb && this.at(2) === 0xbf ? 3 : 0;
  }
}

/** All blocks of a body except the last have this size, so an offset needs no search. */
export const blockBytes = 1_048_576;

/** Collects a body in blocks, which then pass to another thread without being copied again. */
export class BodyBlocks {
  /** The last block may have unused room at its end. */
  readonly blocks: Uint8Array<ArrayBuffer>[] = [];
  length = 0;
  readonly #declaredBytes: number;

  /**
   * `declaredBytes` is the Content-Length, if present; no more bytes arrive. It keeps the last block as small as possible.
   */
  constructor(declaredBytes = Number.POSITIVE_INFINITY) {
    this.#declaredBytes = declaredBytes;
  }

  /** Wraps a body that is already complete. */
  static of(blocks: readonly Uint8Array<ArrayBuffer>[], length: number): BodyBlocks {
    const body = new BodyBlocks(length);
    body.blocks.push(...blocks);
    body.length = length;
    return body;
  }

  add(chunk: Uint8Array): void {
    let taken = 0;
    while (taken < chunk.length) {
      const { block, at } = this.#room();
      const some = chunk.subarray(taken, taken + block.length - at);
      block.set(some, at);
      taken += some.length;
      this.length += some.length;
    }
  }

  end(): this {
    return this;
  }

  #room(): { readonly block: Uint8Array<ArrayBuffer>; readonly at: number } {
    const at = this.length % blockBytes;
    const last = this.blocks.at(-1);
    if (last !== undefined && this.length < (this.blocks.length - 1) * blockBytes + last.length) {
      return { block: last, at };
    }
    // The system provides memory for a block only as far as the block is written.
    const size = Math.max(1, Math.min(blockBytes, this.#declaredBytes - this.length));
    const block = new Uint8Array(size);
    this.blocks.push(block);
    return { block, at: 0 };
  }
}
