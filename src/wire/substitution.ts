/** Puts each recipient's own texts in the place of the labels in a message (API: /send, rule 5). */

/** The values stand in the order of the labels; one that is missing is empty, so that its label disappears. */
export type Fill = (values: readonly (string | undefined)[]) => string;

/**
 * Cuts the text at the labels once, so that each of many recipients costs no more than joining the pieces.
 * A label counts wherever its exact characters occur, also inside a word; where several begin, the longest wins.
 * What was filled in is never looked at again. Of equal labels the first has the value; an empty label has no place.
 */
export function compileSubstitution(text: string, labels: readonly string[]): Fill {
  const { literals, slots } = cut(text, labels);
  return (values) => {
    let filled = literals[0] ?? '';
    for (let at = 0; at < slots.length; at += 1) {
      filled += values[slots[at] ?? -1] ?? '';
      filled += literals[at + 1] ?? '';
    }
    return filled;
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

/** Literal texts with a label between each two of them; `slots` holds the labels' places in the list. */
interface Pieces {
  readonly literals: readonly string[];
  readonly slots: readonly number[];
}

function cut(text: string, labels: readonly string[]): Pieces {
  const slotOf = new Map<string, number>();
  for (const [slot, label] of labels.entries()) {
    if (label !== '' && !slotOf.has(label)) slotOf.set(label, slot);
  }
  const lengthsOf = lengthsByFirstUnit([...slotOf.keys()]);
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
    slots.push(slotOf.get(label) ?? -1);
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
