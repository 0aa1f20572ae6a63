/** Formatting helpers that the generated pages share. */

export const generatedBy = '<!-- Written by `npm run docs` from the source; not to be edited. -->';

/** Escapes a text for a table cell. */
export function inCell(text: string): string {
  return text.replaceAll('|', '\\|').replaceAll('\n', ' ');
}
