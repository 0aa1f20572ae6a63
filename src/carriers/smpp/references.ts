/**
 * The number that the parts of a long message have in common (3GPP TS 23.040 9.2.3.24.1). It follows from the message's
 * id, so that a part that is tried again, even after a restart, has that of the parts that went before; and of two
 * messages in a row to the same number the second has another.
 */

interface Given {
  readonly messageId: number;
  readonly reference: number;
}

/** Numbers whose last message is remembered; beyond, the longest known are forgotten. */
const mostRecipients = 10_000;

export class References {
  readonly #count: number;
  readonly #last = new Map<string, Given>();

  /** 0 to `count` - 1. */
  constructor(count: number) {
    this.#count = count;
  }

  of(recipient: string, messageId: number): number {
    const last = this.#last.get(recipient);
    if (last?.messageId === messageId) return last.reference;
    let reference = messageId % this.#count;
    if (reference === last?.reference) reference = (reference + 1) % this.#count;
    this.#last.delete(recipient);
    this.#last.set(recipient, { messageId, reference });
    if (this.#last.size > mostRecipients) this.#last.delete(this.#last.keys().next().value as string);
    return reference;
  }
}
