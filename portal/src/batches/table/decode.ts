/** Finds out how a file of a spreadsheet is written: Excel alone saves CSV in four ways. */

export type Encoding = 'utf-8' | 'utf-16le' | 'utf-16be' | 'windows-1252';

/** The mark at the begin of a file decides, then whether every other byte is zero, then whether it can be UTF-8. */
export function encodingOf(head: Uint8Array, isWhole: boolean): Encoding {
  const [first, second] = head;
  if (first === 0xff && second === 0xfe) return 'utf-16le';
  if (first === 0xfe && second === 0xff) return 'utf-16be';
  const zeros = [0, 0];
  for (let at = 0; at < head.length; at += 1) if (head[at] === 0) zeros[at % 2] = (zeros[at % 2] ?? 0) + 1;
  const [even = 0, odd = 0] = zeros;
  if (odd > head.length / 4) return 'utf-16le';
  if (even > head.length / 4) return 'utf-16be';
  try {
    // The end of a piece may cut a character in two.
    new TextDecoder('utf-8', { fatal: true }).decode(head, { stream: !isWhole });
    return 'utf-8';
  } catch {
    return 'windows-1252';
  }
}

export const delimiters = [';', '\t', ',', '|'] as const;
export type Delimiter = (typeof delimiters)[number];

/** That which divides the first lines into the most columns, the same number in each; quoted text does not count. */
export function delimiterOf(head: string): Delimiter {
  const lines = linesOf(head).slice(0, 20);
  let best: { readonly delimiter: Delimiter; readonly score: number } = { delimiter: ';', score: 0 };
  for (const delimiter of delimiters) {
    const counts = lines.map((line) => line.split(delimiter).length - 1);
    const most = Math.max(0, ...counts);
    const alike = counts.filter((count) => count === counts[0] && count > 0).length;
    const score = alike * 1_000 + most;
    if (alike > 0 && score > best.score) best = { delimiter, score };
  }
  return best.delimiter;
}

/** Without what stands in quotes. */
function linesOf(text: string): readonly string[] {
  let isQuoted = false;
  let bare = '';
  for (const character of text) {
    if (character === '"') isQuoted = !isQuoted;
    else if (!isQuoted) bare += character;
  }
  return bare.split(/\r\n?|\n/).filter((line) => line !== '');
}
