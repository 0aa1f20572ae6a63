/**
 * Collects the pieces in which a mail arrives, and counts them at the gate. A sender may make them as small as one octet
 * and never end: memory grows with the octets, not with the number of pieces.
 */
import type { MailGate, MailOrigin } from './gate.ts';

const firstRoom = 64 * 1024;
/** Any mail may have as many; beyond, a piece of an honest one has far more octets than this. */
const freePieces = 10_000;
const minMeanOctets = 16;

export class MailPieces {
  readonly #gate: Pick<MailGate, 'hold' | 'release'>;
  readonly #from: MailOrigin;
  /** Grows by doubling; `#held` octets of it are taken. */
  #room = nothing;
  #held = 0;
  #count = 0;
  #octets = 0;

  constructor(gate: Pick<MailGate, 'hold' | 'release'>, from: MailOrigin) {
    this.#gate = gate;
    this.#from = from;
  }

  /**
   * Also of what is not kept. False: there are so many, and so small, that their number alone keeps a server busy
   * (3 microseconds each).
   */
  count(piece: Buffer): boolean {
    this.#count += 1;
    this.#octets += piece.length;
    return this.#count <= freePieces + this.#octets / minMeanOctets;
  }

  /** False: there is no room for it. */
  keep(piece: Buffer): boolean {
    if (!this.#gate.hold(piece.length, this.#from)) return false;
    const length = this.#held + piece.length;
    if (length > this.#room.length) this.#grow(length);
    // Copied as it comes: as objects, pieces weigh up to a hundred times what they hold.
    piece.copy(this.#room, this.#held);
    this.#held = length;
    return true;
  }

  whole(): Buffer {
    return this.#room.subarray(0, this.#held);
  }

  letGo(): void {
    this.#gate.release(this.#held, this.#from);
    this.#held = 0;
    this.#room = nothing;
  }

  #grow(length: number): void {
    const room = Buffer.allocUnsafeSlow(Math.max(firstRoom, length, 2 * this.#room.length));
    this.#room.copy(room, 0, 0, this.#held);
    this.#room = room;
  }
}

const nothing = Buffer.alloc(0);
