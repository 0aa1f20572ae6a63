/** Guesses the word that somebody meant who mistyped it. */

/** The word with the fewest slips between it and what was written, when there are few enough. */
export function nearest(written: string, words: readonly string[]): string | undefined {
  const most = Math.max(1, Math.floor(written.length / 3));
  let best: { readonly word: string; readonly slips: number } | undefined;
  for (const word of words) {
    const slips = distance(written.toLowerCase(), word.toLowerCase());
    if (slips <= most && slips < (best?.slips ?? Number.POSITIVE_INFINITY)) best = { word, slips };
  }
  return best?.word;
}

/** Levenshtein's: letters added, left out or exchanged. */
function distance(a: string, b: string): number {
  let row = Array.from({ length: b.length + 1 }, (_, index) => index);
  for (let i = 0; i < a.length; i++) {
    const next = [i + 1];
    for (let j = 0; j < b.length; j++) {
      const exchanged = (row[j] as number) + (a[i] === b[j] ? 0 : 1);
      next.push(Math.min(exchanged, (row[j + 1] as number) + 1, (next[j] as number) + 1));
    }
    row = next;
  }
  return row[b.length] as number;
}
