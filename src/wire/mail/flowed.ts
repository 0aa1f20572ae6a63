/** Puts together the lines that `format=flowed` breaks softly (RFC 3676 4). */

/** With `deleteSpace` (DelSp=yes), the space that marks a soft break is no part of the text (RFC 3676 4.1). */
export function unflow(text: string, deleteSpace: boolean): string {
  const flowed: string[] = [];
  let paragraph: { depth: number; pieces: string[] } | undefined;
  const finish = () => {
    if (paragraph !== undefined) flowed.push(quotedLine(paragraph.depth, paragraph.pieces.join('')));
    paragraph = undefined;
  };
  for (const line of text.split(/\r\n|\n|\r/)) {
    const depth = quoteDepth(line);
    const stuffed = line.slice(depth);
    // RFC 3676 4.4: a space in front protects what a mail server might take for something else.
    const content = stuffed.startsWith(' ') ? stuffed.slice(1) : stuffed;
    // RFC 3676 4.3: the delimiter of a signature ends in a space and is a line of its own nevertheless.
    const isDelimiter = content === '-- ';
    const isSoft = content.endsWith(' ') && !isDelimiter;
    if (paragraph !== undefined && (paragraph.depth !== depth || isDelimiter)) finish();
    paragraph ??= { depth, pieces: [] };
    paragraph.pieces.push(isSoft && deleteSpace ? content.slice(0, -1) : content);
    if (!isSoft) finish();
  }
  finish();
  return flowed.join('\n');
}

function quoteDepth(line: string): number {
  let depth = 0;
  while (line.charCodeAt(depth) === 0x3e) depth += 1;
  return depth;
}

function quotedLine(depth: number, content: string): string {
  return depth === 0 ? content : `${'>'.repeat(depth)} ${content}`;
}
