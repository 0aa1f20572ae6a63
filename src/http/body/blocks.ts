/** Gathers a large body in blocks, which then pass to another thread without being copied once more. */

/** All blocks of a body have this size, but for the last: what has a place in the body is found without a search. */
export const blockBytes = 1_048_576;

export class BodyBlocks {
  /** The last one may have room behind the end of the body. */
  readonly blocks: Uint8Array<ArrayBuffer>[] = [];
  length = 0;
  readonly #declaredBytes: number;

  /** `declaredBytes`: the Content-Length, if there is one; no more bytes come. It makes the last block as small as can be. */
  constructor(declaredBytes = Number.POSITIVE_INFINITY) {
    this.#declaredBytes = declaredBytes;
  }

  /** A body that is whole already. */
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
    // The system gives memory to a block only as far as it is written.
    const size = Math.max(1, Math.min(blockBytes, this.#declaredBytes - this.length));
    const block = new Uint8Array(size);
    this.blocks.push(block);
    return { block, at: 0 };
  }
}
