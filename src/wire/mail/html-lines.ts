/** Converts the HTML of an e-mail into lines of text, and keeps what its markup says about quotations and signatures. */
import { Parser } from 'htmlparser2';
import { type Line, type LineKind, markOf } from './line-marks.ts';
import { maxCharacters, maxLines } from './reading-bounds.ts';

/** Deeper than Outlook nests after years of replies. The parser's work per tag may grow with depth. */
const maxDepth = 250;
/** The amount parsed per step, after which the limits are checked again. */
const chunkLength = 4 * 1024;
/** Links longer than this are meant for machines. */
const maxLinkLength = 500;

const blocks: ReadonlySet<string> = new Set(
  'address article aside blockquote center dd div dl dt fieldset figcaption figure footer form h1 h2 h3 h4 h5 h6 header li main nav ol p pre section table tr ul'.split(
    ' ',
  ),
);
/** These elements have a blank line before and after them. */
const paragraphs: ReadonlySet<string> = new Set(['p', 'h1', 'h2', 'h3', 'h4', 'h5', 'h6']);
const unseen: ReadonlySet<string> = new Set(
  'title style script template noscript iframe svg select textarea audio video'.split(' '),
);

export interface HtmlLines {
  readonly lines: readonly Line[];
  /** Whether reading stopped early because the page is longer or deeper than anything people write. */
  readonly isCut: boolean;
}

/** Parses in one pass without a tree, so the work is limited by the length, whatever is nested or left open. */
export function* htmlLines(html: string): Generator<void, HtmlLines> {
  const writer = new LineWriter();
  const parser = new Parser(
    {
      onopentag: (name, attributes) => writer.open(name, attributes),
      onclosetag: (name) => writer.close(name),
      ontext: (text) => writer.text(text),
    },
    { decodeEntities: true, lowerCaseTags: true, recognizeSelfClosing: false },
  );
  let at = 0;
  while (at < html.length && !writer.isFull) {
    parser.write(html.slice(at, at + chunkLength));
    at += chunkLength;
    yield;
  }
  if (!writer.isFull) parser.end();
  return { lines: writer.finish(), isCut: writer.isFull };
}

interface Level {
  readonly kind: LineKind | undefined;
  readonly isUnseen: boolean;
  readonly isPreformatted: boolean;
  readonly isParagraph: boolean;
  readonly link: Link | undefined;
}

interface Link {
  readonly href: string;
  /** The start of the label: its line, and its first word in that line. */
  readonly line: number;
  readonly word: number;
}

class LineWriter {
  readonly #lines: Line[] = [];
  readonly #levels: Level[] = [];
  #unseen = 0;
  #preformatted = 0;
  #kinds: LineKind[] = [];
  /** Set once a mark has come after which everything is history. */
  #isHistory = false;
  /** The words of the current line, including the spaces between them. */
  #words: string[] = [];
  #spaceIsDue = false;
  #characters = 0;

  get isFull(): boolean {
    return (
      this.#levels.length > maxDepth || this.#characters > maxCharacters || this.#lines.length > maxLines
    );
  }

  open(name: string, attributes: Record<string, string>): void {
    const mark = markOf(name, attributes);
    if (mark !== undefined || blocks.has(name)) this.#endLine();
    const isParagraph = paragraphs.has(name) && !isTight(attributes);
    if (isParagraph) this.#blankLine();
    if (mark === 'history') this.#isHistory = true;
    const kind = mark === 'history' ? undefined : mark;
    const isUnseen = unseen.has(name) || isHidden(attributes);
    const isPreformatted = name === 'pre';
    const href = name === 'a' ? linkOf(attributes.href) : undefined;
    const link =
      href === undefined ? undefined : { href, line: this.#lines.length, word: this.#words.length };
    this.#levels.push({ kind, isUnseen, isPreformatted, isParagraph, link });
    if (kind !== undefined) this.#kinds.push(kind);
    if (isUnseen) this.#unseen += 1;
    if (isPreformatted) this.#preformatted += 1;
    if (name === 'br') this.#lineBreak();
    if (name === 'hr') this.#endLine();
    if (name === 'li') this.#append('- ');
    if (name === 'img') this.#append(emojiOf(attributes.alt));
    if (name === 'td' || name === 'th') this.#spaceIsDue = this.#words.length > 0;
  }

  close(name: string): void {
    const level = this.#levels.pop();
    if (level === undefined) return;
    if (level.link !== undefined) this.#appendLink(level.link);
    if (level.kind !== undefined || blocks.has(name)) this.#endLine();
    if (level.isParagraph) this.#blankLine();
    if (level.kind !== undefined) this.#kinds.pop();
    if (level.isUnseen) this.#unseen -= 1;
    if (level.isPreformatted) this.#preformatted -= 1;
  }

  text(text: string): void {
    if (this.#unseen > 0) return;
    if (this.#preformatted > 0) {
      for (const [index, line] of text.split(/\r\n?|\n/).entries()) {
        if (index > 0) this.#lineBreak();
        this.#append(line);
      }
      return;
    }
    // HTML white space does not include the no-break space.
    for (const [index, word] of text.split(/[ \t\r\n\f]+/).entries()) {
      if (index > 0) this.#spaceIsDue = true;
      if (word !== '') this.#append(word);
    }
  }

  finish(): readonly Line[] {
    this.#endLine();
    return this.#lines;
  }

  #append(text: string): void {
    if (text === '' || this.#unseen > 0) return;
    if (this.#spaceIsDue && this.#words.length > 0) this.#words.push(' ');
    this.#spaceIsDue = false;
    this.#words.push(text);
    this.#characters += 1 + text.length;
  }

  #appendLink({ href, line, word }: Link): void {
    const start = line === this.#lines.length ? word : 0;
    // A label with more words than an address has characters is not an address.
    const label = this.#words
      .slice(start, start + maxLinkLength)
      .join('')
      .trim();
    const bare = (address: string) => address.replace(/^https?:\/\/(www\.)?/i, '').replace(/\/$/, '');
    if (label === '' || bare(label) === bare(href)) return;
    this.#spaceIsDue = true;
    this.#append(`(${href})`);
  }

  #lineBreak(): void {
    this.#push(this.#words.join(''));
    this.#words = [];
    this.#spaceIsDue = false;
  }

  #endLine(): void {
    if (this.#words.length > 0) this.#lineBreak();
    this.#spaceIsDue = false;
  }

  #blankLine(): void {
    if (this.#lines.at(-1)?.text !== '') this.#push('');
  }

  #push(text: string): void {
    // Breaks count as characters, so a page of nothing but breaks is limited too.
    this.#characters += 1;
    this.#lines.push({ text, kind: this.#isHistory ? 'history' : (this.#kinds.at(-1) ?? 'own') });
  }
}

const maxStyleLength = 1_000;

/** Outlook writes each line as a paragraph without space around it. */
function isTight({ class: classes, style }: Record<string, string>): boolean {
  if (classes?.startsWith('Mso')) return true;
  return /(^|[;\s])margin\s{0,9}:\s{0,9}0/i.test(style?.slice(0, maxStyleLength) ?? '');
}

function isHidden(attributes: Record<string, string>): boolean {
  if (attributes.hidden !== undefined) return true;
  const style = attributes.style?.slice(0, maxStyleLength);
  return style !== undefined && /display\s{0,9}:\s{0,9}none|mso-hide\s{0,9}:\s{0,9}all/i.test(style);
}

/** Returns an address that is useful in an SMS: a page, not an e-mail address or a number that the label already shows. */
function linkOf(href: string | undefined): string | undefined {
  const address = href?.trim() ?? '';
  return address.length <= maxLinkLength && /^https?:\/\/\S+$/i.test(address) ? address : undefined;
}

/** Gmail and Outlook send emoji as images. Other images are meaningless in an SMS. */
function emojiOf(alternative: string | undefined): string {
  const text = alternative?.trim() ?? '';
  return text.length <= 16 && emoji.test(text) ? text : '';
}

/** Includes the joiners and selectors between the pieces of an emoji. */
const emoji = /^(\p{Extended_Pictographic}|\p{Emoji_Modifier}|\u200D|\uFE0F)+$/u;
