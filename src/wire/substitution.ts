/** Puts each recipient's own texts in the place of labels and placeholders in a message (API: /send, rules 5 and 6). */
import type { TemplateText } from './template-text.ts';

/** The values stand in the order of the labels; one that is missing is empty, so that its label disappears. */
export type Fill = (values: readonly (string | undefined)[]) => string;

/**
 * Cuts the text at the labels once, so that each of many recipients costs no more than joining the pieces.
 * A label counts wherever its exact characters occur, also inside a word; where several begin, the longest wins.
 * What was filled in is never looked at again. Of equal labels the first has the value; an empty label has no place.
 */
export function compileSubstitution(text: string, labels: readonly string[]): Fill {
  return filling(cut(text, sought(labels)));
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
): Fill {
  const known = sought(labels);
  const pieces: { literals: string[]; slots: number[] } = { literals: [], slots: [] };
  for (const [at, literal] of literals.entries()) {
    const { literals, slots } = onlyPlaceholders ? { literals: [literal], slots: [] } : cut(literal, known);
    for (const piece of literals) pieces.literals.push(piece);
    for (const slot of slots) pieces.slots.push(slot);
    const placeholder = placeholders[at];
    if (placeholder !== undefined) pieces.slots.push(known.slotOf.get(placeholder) ?? noSlot);
  }
  return filling(pieces);
}

/** Recipients of one call mostly have the same labels: what was compiled for one serves the next. */
export function substituter(
  compile: (labels: readonly string[]) => Fill,
): (texts: Readonly<Record<string, string>>) => string {
  let last: { readonly labels: readonly string[]; readonly fill: Fill } | undefined;
  return (texts) => {
    const labels = Object.keys(texts);
    const isSame =
      last?.labels.length === labels.length && last.labels.every((label, at) => label === labels[at]);
    if (last === undefined || !isSame) last = { labels, fill: compile(labels) };
    return last.fill(Object.values(texts));
  };
}

export function substitute(
  text: string,
  texts: ReadonlyMap<string, string> | Readonly<Record<string, string>>,
): string {
  // Own entries only, so that `constructor` is a label like any other.
  const entries = texts instanceof Map ? [...texts] : Object.entries<string>(texts as Record<string, string>);
  if (entries.length === 0) return text;
  const fill = compileSubstitution(
    text,
    entries.map(([label]) => label),
  );
  return fill(entries.map(([, value]) => value));
}

/** For a placeholder that nothing was given for. */
const noSlot = -1;

/** Literal texts with a label between each two of them; `slots` holds the labels' places in the list. */
interface Pieces {
  readonly literals: readonly string[];
  readonly slots: readonly number[];
}

function filling({ literals, slots }: Pieces): Fill {
  return (values) => {
    let filled = literals[0] ?? '';
    for (let at = 0; at < slots.length; at += 1) {
      filled += values[slots[at] ?? noSlot] ?? '';
      filled += literals[at + 1] ?? '';
    }
    return filled;
  };
}

/** Labels as they are looked for. */
interface Sought {
  readonly slotOf: ReadonlyMap<string, number>;
  /** By the first unit of labels the lengths that they have, longest first. */
  readonly lengthsOf: ReadonlyMap<number, readonly number[]>;
}

function sought(labels: readonly string[]): Sought {
  const slotOf = new Map<string, number>();
  for (const [slot, label] of labels.entries()) {
    if (label !== '' && !slotOf.has(label)) slotOf.set(label, slot);
  }
  return { slotOf, lengthsOf: lengthsByFirstUnit([...slotOf.keys()]) };
}

function cut(text: string, { slotOf, lengthsOf }: Sought): Pieces {
  const literals: string[] = [];
  const slots: number[] = [];
  let literalStart = 0;
  let at = 0;
  while (at < text.length) {
    const label = labelAt(text, at, lengthsOf, slotOf);
    if (label === undefined) {
      at += 1;
      continue;
    }
    literals.push(text.slice(literalStart, at));
    slots.push(slotOf.get(label) ?? noSlot);
    at += label.length;
    literalStart = at;
  }
  literals.push(text.slice(literalStart));
  return { literals, slots };
}

/** The longest label that begins here, found by one look-up for each length that its first unit can begin. */
function labelAt(
  text: string,
  at: number,
  lengthsOf: ReadonlyMap<number, readonly number[]>,
  slotOf: ReadonlyMap<string, number>,
): string | undefined {
  for (const length of lengthsOf.get(text.charCodeAt(at)) ?? []) {
    if (at + length > text.length) continue;
    const candidate = text.slice(at, at + length);
    if (slotOf.has(candidate)) return candidate;
  }
  return undefined;
}

/** No regular expression: thousands of labels would outgrow what one can hold. */
function lengthsByFirstUnit(labels: readonly string[]): Map<number, number[]> {
  const lengths = new Map<number, number[]>();
  for (const label of [...labels].sort((left, right) => right.length - left.length)) {
    const unit = label.charCodeAt(0);
    const known = lengths.get(unit);
    if (known === undefined) lengths.set(unit, [label.length]);
    else if (known.at(-1) !== label.length) known.push(label.length);
  }
  return lengths;
}
