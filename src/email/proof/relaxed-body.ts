/**
 * The body of a mail as DKIM's relaxed form has it (RFC 6376 3.4.4), in pieces. mailauth would come to the same; but for
 * lines that end in a space it takes 0.4 ms a kilobyte, and a mail may be nothing else.
 */

const cr = 0x0d;
const lf = 0x0a;
const space = 0x20;
const tab = 0x09;

/** Its lines must end in CR LF. */
export function* relaxedBody(body: Uint8Array, pieceOctets: number): Generator<Uint8Array, void> {
  const out = new OutputPiece(pieceOctets);
  let isEmpty = true;
  // What is held back until it is seen that it is not at the end of the body, or of a line.
  let lineEnds = 0;
  let isSpaceDue = false;
  for (let at = 0; at < body.length; at += 1) {
    const octet = body[at] as number;
    if (octet === space || octet === tab) {
      isSpaceDue = true;
      continue;
    }
    if (octet === cr && body[at + 1] === lf) {
      at += 1;
      lineEnds += 1;
      isSpaceDue = false;
      continue;
    }
    for (; lineEnds > 0; lineEnds -= 1) {
      out.write(cr);
      out.write(lf);
      if (out.isFull) yield out.taken();
    }
    if (isSpaceDue) out.write(space);
    isSpaceDue = false;
    out.write(octet);
    isEmpty = false;
    if (out.isFull) yield out.taken();
  }
  if (isEmpty) return;
  out.write(cr);
  out.write(lf);
  yield out.taken();
}

class OutputPiece {
  readonly #octets: number;
  #buffer: Buffer;
  #length = 0;

  constructor(octets: number) {
    this.#octets = octets;
    this.#buffer = Buffer.allocUnsafe(octets);
  }

  /** There may be no room for a line end behind a space and a sign. */
  get isFull(): boolean {
    return this.#length > this.#octets - 4;
  }

  write(octet: number): void {
    this.#buffer[this.#length] = octet;
    this.#length += 1;
  }

  taken(): Uint8Array {
    const piece = this.#buffer.subarray(0, this.#length);
    this.#buffer = Buffer.allocUnsafe(this.#octets);
    this.#length = 0;
    return piece;
  }
}
