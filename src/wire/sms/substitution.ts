/**
 * Puts each recipient's own texts in the place of labels and placeholders in a message (API: /send, rules 5 and 6). Curly
 * brackets are placeholders in saved templates alone (API: saved text template).
 */
import { type Fault, fault, quoted } from '../../foundation/result.ts';
import { longestText } from './segments.ts';

/** In characters: labels are words that people write. */
export const maxLabelLength = 100;
/** So many one recipient may have: far more than a text has words that change. */
export const maxLabels = 1_000;

export function faultOfLabel(label: string): Fault | undefined {
  if (label.length <= maxLabelLength) return undefined;
  // A character outside the Basic Multilingual Plane counts once.
  if (label.length <= 2 * maxLabelLength && [...label].length <= maxLabelLength) return undefined;
  return fault('invalid_value', { sentence: 'label_length', most: maxLabelLength, label: quoted(label) });
}

/**
 * Of a text before and after filling, in UTF-16 code units: twice what the longest SMS holds, since some characters go
 * away on the way to a phone. Longer ones need not be looked at.
 */
export const maxTextLength = 2 * longestText;

/**
 * The values stand in the order of the labels; one that is missing is empty, so that its label disappears. A text that
 * becomes longer than `maxTextLength` is left unfinished there: it is to be refused for its length.
 */
export type Fill = (values: readonly (string | undefined)[]) => string;

export interface Compiled {
  readonly fill: Fill;
  /** What compiling cost, and what each filling costs beside the length of its result; 10 to 40 ns each. */
  readonly compileSteps: number;
  readonly fillSteps: number;
}

/**
 * Cuts the text at the labels once, so that each of many recipients costs no more than joining the pieces.
 * A label counts wherever its exact characters occur, also inside a word; where several begin, the longest wins.
 * What was filled in is never looked at again. Of equal labels the first has the value; an empty label has no place.
 */
export function compileSubstitution(text: string, labels: readonly string[]): Compiled {
  return compileTemplate({ literals: [text], placeholders: [] }, labels, false);
}

/**
 * The same for a template: its placeholders have the values of their labels, whatever stands in their descriptions, and
 * one whose label has none is empty. Labels also count in the text around placeholders, but never across the border to
 * one, unless only placeholders are to be filled.
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

/** The steps that may still be taken for one call; negative: it asked for more. */
export interface Work {
  stepsLeft: number;
}

/** Lists of labels whose compiled texts are kept for the next recipient: at the worst a megabyte each. */
const maxKept = 50;

/**
 * Fills for one recipient of a call after the other, who mostly have the same few lists of labels; undefined as soon as
 * no work is left.
 */
export function substituter(
  compile: (labels: readonly string[]) => Compiled,
  work: Work,
): (texts: Readonly<Record<string, string>>) => string | undefined {
  const kept = new Map<string, Compiled>();
  let last: { readonly labels: readonly string[]; readonly compiled: Compiled } | undefined;

  function compiledFor(labels: readonly string[]): Compiled {
    // JSON keeps the border between two labels, whatever they hold.
    const key = JSON.stringify(labels);
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

/** For a placeholder that nothing was given for. */
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

/** The labels of one length with the same first unit; the longest stand first. */
interface Bucket {
  readonly length: number;
  readonly hashes: Set<number>;
}

/** Where labels stand in a text: `literals` are the pieces between them, `slots` the labels' places in their list. */
interface Pieces {
  readonly literals: readonly string[];
  readonly slots: readonly number[];
  /** How much was looked at: about 10 ns each. */
  readonly steps: number;
}

/**
 * Finds labels in a text, in a time that no choice of the two can stretch much: hashes of all pieces of a text follow from those of its beginnings (Rabin and Karp), so that a label is compared only
 * where it very likely stands, and a place costs a step for each length that labels with its first unit have. No regular
 * expression: thousands of labels would outgrow what one can hold.
 */
class LabelSearch {
  /** The first of equal labels counts; an empty one has no place. */
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

/** The hashes of all beginnings of the text, the empty one first. */
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

/** Literal texts with a placeholder between each two of them. */
export interface TemplateText {
  readonly literals: readonly string[];
  /** Their labels, exactly as written. What the description of a placeholder says is for people. */
  readonly placeholders: readonly string[];
}

/**
 * `{Text:label}`, `{Text:label:description}`, `{DateTime:label}`. A label is not empty; neither it nor a description
 * holds curly brackets, so that of brackets within brackets only the inner ones can be a placeholder; a description may
 * hold colons and be empty. Whatever differs from that, be it in the case of a letter, is text like any other.
 */
const placeholder = /\{(?:Text:([^{}:]+)(?::([^{}]*))?|DateTime:([^{}:]+))\}/g;

/** What a form asks for: each label once, in the order of the text, with the first description that it has. */
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
    const told = known?.description ?? (description === '' ? undefined : description);
    fields.set(label, { label, kind: known?.kind ?? kind, description: told });
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
