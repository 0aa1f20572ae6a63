/** Finds the known name that an unknown one was likely meant to be. */

/** No known name is longer. */
const maxLength = 64;

/** In names of one or two letters punctuation counts: nobody means `T` by `_t`. */
function plain(name: string): string {
  const letters = name.toLowerCase().replace(/[^\p{L}\p{N}]/gu, '');
  return letters.length < 3 ? name.toLowerCase() : letters;
}

/**
 * The nearest known name that differs from the given one only in letter case, underscores and the like, or by one letter, or
 * by two in names of eight letters and more. A swap of two neighbouring letters counts as one. Digits are never slips:
 * `text6` does not match `text1` to `text5`.
 */
export function nearestName(given: string, known: Iterable<string>): string | undefined {
  if (given.length > maxLength) return undefined;
  const meant = plain(given);
  if (meant === '') return undefined;
  let least = meant.length >= 8 ? 2 : meant.length >= 4 ? 1 : 0;
  let nearest: string | undefined;
  for (const name of known) {
    if (digitsOf(name) !== digitsOf(given)) continue;
    const distance = distanceWithin(meant, plain(name), least);
    if (distance > least || (distance === least && nearest !== undefined)) continue;
    nearest = name;
    least = distance;
  }
  return nearest;
}

const digitsOf = (name: string) => name.replace(/\D/g, '');

/** The edit distance of two texts (optimal string alignment); a larger number than `most` if they differ by more. */
function distanceWithin(one: string, other: string, most: number): number {
  if (Math.abs(one.length - other.length) > most) return most + 1;
  let beforeLast: number[] = [];
  let last = Array.from({ length: other.length + 1 }, (_, column) => column);
  for (let row = 1; row <= one.length; row++) {
    const current = [row];
    for (let column = 1; column <= other.length; column++) {
      const isSame = one[row - 1] === other[column - 1];
      const isSwapped = one[row - 1] === other[column - 2] && one[row - 2] === other[column - 1];
      current[column] = Math.min(
        (last[column] ?? 0) + 1,
        (current[column - 1] ?? 0) + 1,
        (last[column - 1] ?? 0) + (isSame ? 0 : 1),
        isSwapped ? (beforeLast[column - 2] ?? 0) + 1 : Number.POSITIVE_INFINITY,
      );
    }
    [beforeLast, last] = [last, current];
  }
  return last[other.length] ?? most + 1;
}
