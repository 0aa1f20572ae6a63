/** How much of each claim is left to bulk when bulk waits, however many interactive messages do. */

const share = 0.1;

export class BulkShare {
  /** Parts that are due: where claims are small, it saves up for one in many, or owes some. */
  #due = 0;

  /** Of a claim for so many parts. */
  floorOf(room: number): number {
    // Never more than the share of this claim or, where that is none, a single part: what bulk has not used is not
    // saved up to hold up others later. What its last message had beyond that is made up for first.
    return Math.max(0, Math.floor(Math.min(this.#due, Math.max(1, room * share))));
  }

  /** So many parts were claimed; by the floor, bulk has these of them. */
  claimed(parts: number, floor: number, floorParts: number): void {
    const left = floor > 0 ? Math.min(0, floor - floorParts) : this.#due;
    this.#due = left + parts * share;
  }
}
