/** The bytes of a batch, in the blocks that they came in: nothing joins them to one. */
import { isUtf8 } from 'node:buffer';

export class Body {
  readonly length: number;
  readonly #blocks: readonly Uint8Array[];
  readonly #blockBytes: number;

  /** All blocks have one size, but for the last, which may also have room behind the end. */
  constructor(blocks: readonly Uint8Array[], length: number) {
    this.length = length;
    this.#blocks = blocks;
    this.#blockBytes = blocks[0]?.length ?? 1;
  }

  at(offset: number): number {
    const { block, start } = this.blockAt(offset);
    return block[offset - start] as number;
  }

  /** The block that holds a byte, where it starts in the body, and where it ends. */
  blockAt(offset: number): { readonly block: Uint8Array; readonly start: number; readonly end: number } {
    const index = Math.floor(offset / this.#blockBytes);
    const block = this.#blocks[index] as Uint8Array;
    const start = index * this.#blockBytes;
    return { block, start, end: Math.min(start + block.length, this.length) };
  }

  /** Copied only where it crosses from one block to the next. */
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

  /** Undefined when these bytes are not UTF-8. */
  text(start: number, end: number): string | undefined {
    const bytes = this.slice(start, end);
    return isUtf8(bytes) ? bytes.toString() : undefined;
  }

  /** Where the text begins: behind a byte order mark, if there is one. */
  textStart(): number {
    return this.length >= 3 && this.at(0) === 0xef && this.at(1) === 0xbb && this.at(2) === 0xbf ? 3 : 0;
  }
}
