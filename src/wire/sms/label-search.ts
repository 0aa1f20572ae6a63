/** Finds labels in a text, in a time that no choice of the text and the labels can stretch much. */

/** Of one length, with the same first unit; the longest stand first. */
interface Bucket {
  readonly length: number;
  readonly hashes: Set<number>;
}

/** Where labels stand in a text: `literals` are the pieces between them, `slots` the labels' places in their list. */
export interface Pieces {
  readonly literals: readonly string[];
  readonly slots: readonly number[];
  /** How much was looked at: about 10 ns each. */
  readonly steps: number;
}

/**
 * Hashes of all pieces of a text follow from those of its beginnings (Rabin and Karp), so that a label is compared only
 * where it very likely stands, and a place costs a step for each length that labels with its first unit have. No regular
 * expression: thousands of labels would outgrow what one can hold.
 */
export class LabelSearch {
  /** Of equal labels the first counts; an empty one has no place. */
  readonly slotOf: ReadonlyMap<string, number>;
  readonly #buckets = new Map<number, Bucket[]>();
  readonly #powers: readonly number[];

  constructor(labels: readonly string[]) {
    const slotOf = new Map<string, number>();
    for (const [slot, label] of labels.entries())
      if (label !== '' && !slotOf.has(label)) slotOf.set(label, slot);
    this.slotOf = slotOf;
    const sorted = [...slotOf.keys()].sort((left, right) => right.length - left.length);
    for (const label of sorted) this.#remember(label);
    this.#powers = powersUpTo(sorted[0]?.length ?? 0);
  }

  #remember(label: string): void {
    const unit = label.charCodeAt(0);
    const buckets = this.#buckets.get(unit) ?? [];
    this.#buckets.set(unit, buckets);
    if (buckets.at(-1)?.length !== label.length) buckets.push({ length: label.length, hashes: new Set() });
    buckets.at(-1)?.hashes.add(hashesOf(label)[label.length] ?? 0);
  }

  /** A label counts wherever its exact characters stand; of several that begin at a place the longest. */
  cut(text: string): Pieces {
    if (this.slotOf.size === 0) return { literals: [text], slots: [], steps: 0 };
    const hashes = hashesOf(text);
    const literals: string[] = [];
    const slots: number[] = [];
    let steps = text.length;
    let literalStart = 0;
    for (let at = 0; at < text.length; ) {
      const buckets = this.#buckets.get(text.charCodeAt(at));
      const label = buckets === undefined ? undefined : this.#labelAt(text, at, buckets, hashes);
      steps += buckets?.length ?? 0;
      if (label === undefined) {
        at += 1;
        continue;
      }
      literals.push(text.slice(literalStart, at));
      slots.push(this.slotOf.get(label) ?? 0);
      at += label.length;
      literalStart = at;
    }
    literals.push(text.slice(literalStart));
    return { literals, slots, steps };
  }

  #labelAt(
    text: string,
    at: number,
    buckets: readonly Bucket[],
    beginnings: Uint32Array,
  ): string | undefined {
    for (const { length, hashes } of buckets) {
      if (at + length > text.length) continue;
      const before = Math.imul(beginnings[at] ?? 0, this.#powers[length] ?? 0);
      if (!hashes.has(((beginnings[at + length] ?? 0) - before) >>> 0)) continue;
      const candidate = text.slice(at, at + length);
      if (this.slotOf.has(candidate)) return candidate;
    }
    return undefined;
  }
}

/** Odd, so that nothing is shifted out; of each process its own, so that nobody can prepare texts of equal hashes. */
const base = Math.floor(Math.random() * 2 ** 32) | 1;

/** Of all beginnings of the text, the empty one first. */
function hashesOf(text: string): Uint32Array {
  const hashes = new Uint32Array(text.length + 1);
  let hash = 0;
  for (let at = 0; at < text.length; at += 1) {
    hash = (Math.imul(hash, base) + text.charCodeAt(at) + 1) | 0;
    hashes[at + 1] = hash;
  }
  return hashes;
}

function powersUpTo(exponent: number): readonly number[] {
  const powers = [1];
  for (let at = 1; at <= exponent; at += 1) powers.push(Math.imul(powers[at - 1] ?? 1, base));
  return powers;
}
