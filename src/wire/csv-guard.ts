/** Keeps spreadsheets from taking a cell for a formula. Pages load this file too, so it imports no package. */

/**
 * A spreadsheet takes a cell that begins with one of these characters, or their full-width forms from Japanese keyboards, for
 * a formula. A leading apostrophe keeps it a text. Where columns are separated by semicolons, as in much of Europe, a new
 * cell begins after each semicolon, even within quotes, or after the space that follows it in a list.
 */
export function withGuard(cell: string): string {
  return cell.replace(/^(?='*[=+\-@＝＋－＠\t\r\n])|(?<=[;\t\r\n] ?)(?='*[=+\-@＝＋－＠])/g, "'");
}

/** Restores the cell as it was before it was written. */
export function withoutGuard(cell: string): string {
  return cell.replace(/^'(?='*[=+\-@＝＋－＠\t\r\n])|(?<=[;\t\r\n] ?)'(?='*[=+\-@＝＋－＠])/g, '');
}
