/** Puts each recipient's own texts in the place of labels and placeholders in a message (API: /send, rules 5 and 6). */
import { type Fault, fault, quoted } from '../../foundation/result.ts';
import { LabelSearch } from './label-search.ts';
import { longestText } from './segments.ts';
import type { TemplateText } from './template-text.ts';

/** In characters: labels are words that people write. */
export const maxLabelLength = 100;
/** Of one recipient: far more than a text has words that change. */
export const maxLabels = 1_000;

export function faultOfLabel(label: string): Fault | undefined {
  if (label.length <= maxLabelLength) return undefined;
  // A character outside the Basic Multilingual Plane counts once.
  if (label.length <= 2 * maxLabelLength && [...label].length <= maxLabelLength) return undefined;
  return fault(
    'invalid_value',
    `A label has at most ${maxLabelLength} characters, but ${quoted(label)} has more.`,
  );
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
