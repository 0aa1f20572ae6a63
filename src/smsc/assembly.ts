/** Puts the parts of long messages together, for whoever reads along and for the phone that answers the whole. */
import { type Concatenation, joinParts } from '../wire/smpp/concatenation.ts';
import type { ReceivedContent } from '../wire/smpp/short-message.ts';

/** A message whose last part never comes makes room for others in the end. */
const maxOpen = 1_000;

interface AssembledPart {
  readonly text: string;
  readonly id: string;
}

export interface AssembledMessage {
  readonly text: string;
  /** Of its parts, the first part's first. */
  readonly ids: readonly string[];
}

export class MessageAssembly {
  readonly #open = new Map<string, (AssembledPart | undefined)[]>();

  /** The whole message, once it is there. `route` tells messages apart that use the same reference. */
  add(route: string, { text, concatenation }: ReceivedContent, id: string): AssembledMessage | undefined {
    if (concatenation === undefined) return { text, ids: [id] };
    const { reference, part, parts } = concatenation;
    const key = `${route} ${reference} ${parts}`;
    const known = this.#open.get(key) ?? this.#begin(key, concatenation);
    known[part - 1] = { text, id };
    if (known.includes(undefined)) return undefined;
    this.#open.delete(key);
    const all = known as AssembledPart[];
    return { text: joinParts(all.map((one) => one.text)), ids: all.map((one) => one.id) };
  }

  #begin(key: string, { parts }: Concatenation): (AssembledPart | undefined)[] {
    for (const oldest of this.#open.keys()) {
      if (this.#open.size < maxOpen) break;
      this.#open.delete(oldest);
    }
    const none = new Array<AssembledPart | undefined>(parts).fill(undefined);
    this.#open.set(key, none);
    return none;
  }
}
