/** Compares two texts word by word, by their longest common subsequence of words. Pure. */

export interface Difference {
  readonly kind: 'same' | 'gone' | 'new';
  readonly text: string;
}

/**
 * Maximum product of the numbers of words in the two texts, because the work grows with it. Longer texts are reported
 * as changed as a whole.
 */
const maxProduct = 4_000_000;

export function differencesOf(before: string, after: string): readonly Difference[] {
  const one = wordsIn(before);
  const other = wordsIn(after);
  if (one.length * other.length > maxProduct)
    return joined([
      { kind: 'gone', text: before },
      { kind: 'new', text: after },
    ]);
  const lengths = commonLengths(one, other);
  const width = other.length + 1;
  const found: Difference[] = [];
  let [i, j] = [0, 0];
  while (i < one.length || j < other.length) {
    const [mine, theirs] = [one[i], other[j]];
    if (mine !== undefined && mine === theirs) {
      found.push({ kind: 'same', text: mine });
      i += 1;
      j += 1;
    } else if (
      theirs === undefined ||
      (mine !== undefined &&
        (lengths[(i + 1) * width + j] as number) >= (lengths[i * width + j + 1] as number))
    ) {
      found.push({ kind: 'gone', text: mine as string });
      i += 1;
    } else {
      found.push({ kind: 'new', text: theirs });
      j += 1;
    }
  }
  return joined(found);
}

const wordsIn = (text: string) => text.match(/\s+|[^\s]+/g) ?? [];

/** For each pair of positions, the length of the longest common subsequence of what follows them in the two texts. */
function commonLengths(one: readonly string[], other: readonly string[]): Uint32Array {
  const width = other.length + 1;
  const lengths = new Uint32Array((one.length + 1) * width);
  for (let i = one.length - 1; i >= 0; i -= 1)
    for (let j = other.length - 1; j >= 0; j -= 1)
      lengths[i * width + j] =
        one[i] === other[j]
          ? 1 + (lengths[(i + 1) * width + j + 1] as number)
          : Math.max(lengths[(i + 1) * width + j] as number, lengths[i * width + j + 1] as number);
  return lengths;
}

/** Joins neighbouring pieces of the same kind. */
function joined(pieces: readonly Difference[]): readonly Difference[] {
  const found: Difference[] = [];
  for (const piece of pieces) {
    const last = found.at(-1);
    if (piece.text === '') continue;
    if (last?.kind === piece.kind)
      found[found.length - 1] = { kind: last.kind, text: last.text + piece.text };
    else found.push(piece);
  }
  return found;
}
