/** Puts the parts of long messages together, for whoever reads along and for the phone that answers the whole. */
import { type Concatenation, joinParts } from '../wire/smpp/concatenation.ts';
import type { ReceivedContent } from '../wire/smpp/short-message.ts';

/** A message whose last part never comes makes room for others in the end. */
const maxOpen = 1_000;

export class MessageAssembly {
  readonly #open = new Map<string, (string | undefined)[]>();

  /** The whole text, once it is there. `route` tells messages apart that use the same reference. */
  add(route: string, { text, concatenation }: ReceivedContent): string | undefined {
    if (concatenation === undefined) return text;
    const { reference, part, parts } = concatenation;
    const key = `${route} ${reference} ${parts}`;
    const texts = this.#open.get(key) ?? this.#begin(key, concatenation);
    texts[part - 1] = text;
    if (texts.includes(undefined)) return undefined;
    this.#open.delete(key);
    return joinParts(texts as string[]);
  }

  #begin(key: string, { parts }: Concatenation): (string | undefined)[] {
    for (const oldest of this.#open.keys()) {
      if (this.#open.size < maxOpen) break;
      this.#open.delete(oldest);
    }
    const texts = new Array<string | undefined>(parts).fill(undefined);
    this.#open.set(key, texts);
    return texts;
  }
}
