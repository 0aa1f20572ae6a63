/**
 * Replaces labels and placeholders in a message with each recipient's own texts (API: /send, rules 5 and 6). Curly brackets
 * are placeholders only in saved templates (API: saved text template).
 */
import { type Fault, fault, quoted } from '../../foundation/result.ts';
import { longestText } from './segments.ts';

/** In characters. Labels are words that people write. */
export const maxLabelLength = 100;
/** Maximum number of labels per recipient, far more than a text has changing words. */
export const maxLabels = 1_000;

export function faultOfLabel(label: string): Fault | undefined {
  if (label.length <= maxLabelLength) return undefined;
  // A character outside the Basic Multilingual Plane counts once.
  if (label.length <= 2 * maxLabelLength && [...label].length <= maxLabelLength) return undefined;
  return fault('invalid_value', { sentence: 'label_length', most: maxLabelLength, label: quoted(label) });
}

/**
 * Maximum length of a text before and after filling, in UTF-16 code units: twice the longest SMS, since some characters are
 * dropped on the way to a phone. Longer texts need no processing.
 */
export const maxTextLength = 2 * longestText;

/**
 * Values are in label order. A missing value is empty, so its label disappears. A text that grows longer than `maxTextLength`
 * is left unfinished there, because it will be refused for its length.
 */
export type Fill = (values: readonly (string | undefined)[]) => string;

export interface Compiled {
  readonly fill: Fill;
  /** The cost of compiling, and of each filling beyond the length of its result. Each step takes 10 to 40 ns. */
  readonly compileSteps: number;
  readonly fillSteps: number;
}

/**
 * Splits the text at the labels once, so that each of many recipients costs only the joining of the pieces. A label
 * counts wherever its exact characters occur, even inside a word. If several labels begin at the same place, the
 * longest wins. Filled-in text is never searched again. Of equal labels, the first one has the value. An empty label
 * occurs nowhere.
 */
export function compileSubstitution(text: string, labels: readonly string[]): Compiled {
  return compileTemplate({ literals: [text], placeholders: [] }, labels, false);
}

/**
 * Does the same for a template: its placeholders take the values of their labels, whatever their descriptions say, and one
 * whose label has no value is empty. Unless only placeholders are filled, labels also count in the text around them, but
 * never across their borders.
 */
export function compileTemplate(
  { literals, placeholders }: TemplateText,
  labels: readonly string[],
  onlyPlaceholders: boolean,
): Compiled {
  const search = new LabelSearch(labels);
  const pieces: { literals: string[]; slots: number[] } = { literals: [], slots: [] };
  let compileSteps = 0;
  for (const [at, literal] of literals.entries()) {
    const cut = onlyPlaceholders ? { literals: [literal], slots: [], steps: 1 } : search.cut(literal);
    for (const piece of cut.literals) pieces.literals.push(piece);
    for (const slot of cut.slots) pieces.slots.push(slot);
    compileSteps += cut.steps + 1;
    const placeholder = placeholders[at];
    if (placeholder !== undefined) pieces.slots.push(search.slotOf.get(placeholder) ?? noSlot);
  }
  return { fill: filling(pieces), compileSteps, fillSteps: pieces.slots.length + 1 };
}

/** The steps left for one call. Negative if the call asked for more. */
export interface Work {
  stepsLeft: number;
}

/**
 * Maximum number of lists of labels whose compiled texts are kept for the next recipients. Each takes a megabyte at
 * worst.
 */
const maxKept = 50;

/**
 * Fills the text for each recipient of a call in turn; most recipients share a few lists of labels. Returns undefined as
 * soon as no work is left.
 */
export function substituter(
  compile: (labels: readonly string[]) => Compiled,
  work: Work,
): (texts: Readonly<Record<string, string>>) => string | undefined {
  // Most calls have no texts of single recipients.
  let kept: Map<string, Compiled> | undefined;
  let last: { readonly labels: readonly string[]; readonly compiled: Compiled } | undefined;

  function compiledFor(labels: readonly string[]): Compiled {
    // JSON preserves the border between two labels, whatever they contain.
    const key = JSON.stringify(labels);
    kept ??= new Map();
    const known = kept.get(key);
    if (known !== undefined) return known;
    if (kept.size === maxKept) kept.clear();
    const compiled = compile(labels);
    work.stepsLeft -= compiled.compileSteps;
    kept.set(key, compiled);
    return compiled;
  }

  return (texts) => {
    if (work.stepsLeft < 0) return undefined;
    const labels = Object.keys(texts);
    const isSame =
      last?.labels.length === labels.length && last.labels.every((label, at) => label === labels[at]);
    if (last === undefined || !isSame) last = { labels, compiled: compiledFor(labels) };
    const filled = last.compiled.fill(Object.values(texts));
    work.stepsLeft -= last.compiled.fillSteps + filled.length;
    return filled;
  };
}

/** For a placeholder without a value. */
const noSlot = -1;

function filling({
  literals,
  slots,
}: {
  readonly literals: readonly string[];
  readonly slots: readonly number[];
}): Fill {
  return (values) => {
    let filled = literals[0] ?? '';
    for (let at = 0; at < slots.length && filled.length <= maxTextLength; at += 1) {
      filled += values[slots[at] ?? noSlot] ?? '';
      filled += literals[at + 1] ?? '';
    }
    return filled;
  };
}

/** Labels of the same length with the same first unit. The longest come first. */
interface Bucket {
  readonly length: number;
  readonly hashes: Set<number>;
}

/** The labels' positions in a text: `literals` are the pieces between them, `slots` the labels' indexes in their list. */
interface Pieces {
  readonly literals: readonly string[];
  readonly slots: readonly number[];
  /** The number of steps taken, about 10 ns each. */
  readonly steps: number;
}

/**
 * Finds labels in a text within a time that no choice of labels or text can extend much. The hashes of all pieces of a
 * text follow from those of its beginnings (Rabin-Karp), so a label is compared only where it very likely occurs, and
 * each position costs one step per length of the labels with its first unit. A regular expression is not used, because
 * thousands of labels would exceed its capacity.
 */
class LabelSearch {
  /** The first of equal labels counts. An empty label is left out. */
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

  /**
   * A label counts wherever its exact characters occur. If several labels begin at the same position, the longest
   * counts.
   */
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

/** Odd, so that nothing is shifted out. Differs per process, so that nobody can prepare texts with equal hashes. */
const base = Math.floor(Math.random() * 2 ** 32) | 1;

/** Returns the hashes of all beginnings of the text, starting with the empty one. */
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

/** Literal texts with a placeholder between each adjacent pair. */
export interface TemplateText {
  readonly literals: readonly string[];
  /** The labels exactly as written. A placeholder's description is only for people. */
  readonly placeholders: readonly string[];
}

/**
 * `{Text:label}`, `{Text:label:description}`, `{DateTime:label}`. A label is not empty. Neither a label nor a description
 * contains curly brackets, so of nested brackets only the inner ones can be a placeholder. A description may contain colons
 * and may be empty. Anything that differs from this, even in letter case, is ordinary text.
 */
const placeholder = /\{(?:Text:([^{}:]+)(?::([^{}]*))?|DateTime:([^{}:]+))\}/g;

/** The fields of a form: each label once, in text order, with its first description. */
export interface TemplateField {
  readonly label: string;
  readonly kind: 'text' | 'datetime';
  readonly description: string | undefined;
}

export function fieldsOf(text: string): readonly TemplateField[] {
  const fields = new Map<string, TemplateField>();
  for (const [, ofText, description, ofTime] of text.matchAll(placeholder)) {
    const label = ofText ?? ofTime ?? '';
    const known = fields.get(label);
    const kind = ofText === undefined ? 'datetime' : 'text';
    const described = known?.description ?? (description === '' ? undefined : description);
    fields.set(label, { label, kind: known?.kind ?? kind, description: described });
  }
  return [...fields.values()];
}

export function parseTemplate(text: string): TemplateText {
  const literals: string[] = [];
  const placeholders: string[] = [];
  let literalStart = 0;
  for (const match of text.matchAll(placeholder)) {
    literals.push(text.slice(literalStart, match.index));
    placeholders.push(match[1] ?? match[3] ?? '');
    literalStart = match.index + match[0].length;
  }
  literals.push(text.slice(literalStart));
  return { literals, placeholders };
}
