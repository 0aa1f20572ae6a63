/** Finds the name that was likely meant by one that is not known. */

/** No name that we know is longer. */
const maxLength = 64;

/** Of a letter or two the signs count: nobody means `T` by `_t`. */
function plain(name: string): string {
  const letters = name.toLowerCase().replace(/[^\p{L}\p{N}]/gu, '');
  return letters.length < 3 ? name.toLowerCase() : letters;
}

/**
 * The known name that differs from the given one only by letter case, underscores and the like, or by one letter, in
 * names of eight letters and more by two; the nearest of several. A swap of two neighbours counts as one. Digits are no
 * slips: `text6` is none of `text1` to `text5`.
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

/** Edits between two texts (optimal string alignment); some larger number where they are more than `most`. */
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
