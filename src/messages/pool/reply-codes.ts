/** Defines short codes that distinguish jobs sharing a pool number for one person (JOB-7), as in "YES 61". */

/** From here on, no code is an hour, a minute or a small count, which people also write after a YES. */
const firstCode = 61;
const lastCode = 999;

/** Returns this many codes that no live lease of the person has; codes not used lately come first. */
export function freeCodes(
  leases: readonly { readonly code: number | null; readonly endsAt: number }[],
  now: number,
  count: number,
): readonly number[] {
  const known = new Set(leases.map(({ code }) => code));
  const live = new Set(leases.filter(({ endsAt }) => endsAt > now).map(({ code }) => code));
  const free: number[] = [];
  const used: number[] = [];
  for (let code = firstCode; code <= lastCode && free.length < count; code++) {
    if (!known.has(code)) free.push(code);
    else if (!live.has(code)) used.push(code);
  }
  return [...free, ...used].slice(0, count);
}

/** Characters beyond this many are ignored. */
const maxRead = 100;
const maxWords = 4;

/** The first of the codes found among the first words of a text, as in "YES 61", "61", "Ja till 61" or "JA61". */
export function codeIn(text: string, codes: ReadonlySet<number>): number | undefined {
  const words =
    text
      .slice(0, maxRead)
      .normalize('NFKC')
      .match(/\p{L}+|[0-9]+/gu) ?? [];
  return words
    .slice(0, maxWords)
    .map(Number)
    .find((code) => codes.has(code));
}

/** The text without the code, in which words are then searched for. */
export function withoutCode(text: string, code: number): string {
  return text.normalize('NFKC').replace(String(code), ' ');
}
