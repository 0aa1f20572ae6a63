/** What the generated pages share in the way they are written. */

export const generatedBy = '<!-- Written by `npm run docs` from the source; not to be edited. -->';

/** Text as it stands in a cell of a table. */
export function inCell(text: string): string {
  return text.replaceAll('|', '\\|').replaceAll('\n', ' ');
}
