/** Cuts what a mail gateway has added to a mail, by the openings of its lines that a company names. */
import type { Line } from './line-marks.ts';

/** Longer than any opening, with room for white space. */
const maxLooked = 400;

/**
 * A line that begins with one of them goes; from the last third of the text on, all that follows goes with it: a notice at the
 * end has more lines than its first one, and one at the beginning has the text behind it. Letter case does not count.
 */
export function withoutGatewayLines(lines: readonly Line[], openings: readonly string[]): readonly Line[] {
  if (openings.length === 0) return lines;
  const wanted = openings.map(comparable);
  const isAdded = ({ text }: Line) => {
    const looked = comparable(text.slice(0, maxLooked));
    return wanted.some((opening) => looked.startsWith(opening));
  };
  const written = lines.findLastIndex(({ text }) => text.trim() !== '') + 1;
  const end = lines.findIndex((line, index) => 3 * index >= 2 * written && isAdded(line));
  return (end < 0 ? lines : lines.slice(0, end)).filter((line) => !isAdded(line));
}

function comparable(text: string): string {
  return text.trim().replace(/\s+/g, ' ').toLowerCase();
}
