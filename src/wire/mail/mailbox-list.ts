/** Parses the addresses of `From` by the grammar of RFC 5322 3.4 without guessing, because they determine who pays. */

export interface Mailbox {
  /** Without quotes or escapes. */
  readonly local: string;
  /** As written. */
  readonly domain: string;
}

export interface MailboxList {
  readonly mailboxes: readonly Mailbox[];
  readonly hasGroup: boolean;
  /** What is wrong, as the end of a sentence. `mailboxes` holds what could be read. */
  readonly fault: string | undefined;
}

/** Enough for hundreds of recipients. */
const maxLength = 64 * 1024;
const maxMailboxes = 1_000;

/** The text between separators: words, specials and quoted strings. Comments are removed. */
interface Token {
  readonly kind: 'word' | 'quoted' | 'special';
  readonly text: string;
}

export function parseMailboxList(value: string): MailboxList {
  if (value.length > maxLength) return { mailboxes: [], hasGroup: false, fault: 'is too long' };
  const tokens = tokensOf(value);
  if (typeof tokens === 'string') return { mailboxes: [], hasGroup: false, fault: tokens };
  const mailboxes: Mailbox[] = [];
  let hasGroup = false;
  let isInGroup = false;
  let fault: string | undefined;
  let element: Token[] = [];
  let isInAngles = false;
  const endElement = () => {
    if (element.length > 0) {
      const mailbox = mailboxOf(element);
      if (typeof mailbox === 'string') fault ??= mailbox;
      else mailboxes.push(mailbox);
    }
    element = [];
  };
  for (const token of tokens) {
    if (mailboxes.length > maxMailboxes) return { mailboxes, hasGroup, fault: 'has too many addresses' };
    if (token.kind === 'special' && token.text === '<') isInAngles = true;
    if (token.kind === 'special' && token.text === '>') isInAngles = false;
    const separator = token.kind === 'special' && !isInAngles ? token.text : '';
    if (separator === ':') {
      if (isInGroup) fault ??= 'has a group within a group';
      hasGroup = true;
      isInGroup = true;
      element = [];
    } else if (separator === ';') {
      endElement();
      if (!isInGroup) fault ??= 'has a semicolon that does not end a group';
      isInGroup = false;
    } else if (separator === ',') {
      endElement();
    } else {
      element.push(token);
    }
  }
  endElement();
  return { mailboxes, hasGroup, fault };
}

/** Accepts `Name <address>` or `address`. Returns the end of a sentence if it is neither. */
function mailboxOf(tokens: readonly Token[]): Mailbox | string {
  const opening = tokens.findIndex(({ kind, text }) => kind === 'special' && text === '<');
  if (opening < 0) return addressOf(tokens);
  const closing = tokens.findIndex(({ kind, text }) => kind === 'special' && text === '>');
  if (closing !== tokens.length - 1) return 'has angle brackets that do not enclose one address';
  const inside = tokens.slice(opening + 1, closing);
  if (inside.some(({ kind, text }) => kind === 'special' && text === '<'))
    return 'has angle brackets within angle brackets';
  // RFC 5322 4.4, a route: `<@a.example,@b.example:name@domain>`. Nobody has written one for decades.
  if (inside.some(({ kind, text }) => kind === 'special' && (text === ',' || text === ':')))
    return 'has a route in angle brackets';
  return addressOf(inside);
}

/** RFC 5322 3.4.1, local part and domain around the only @ that is not quoted. */
function addressOf(tokens: readonly Token[]): Mailbox | string {
  const ats = tokens.filter(({ kind, text }) => kind === 'special' && text === '@').length;
  if (ats !== 1) return ats === 0 ? 'has a name without an address' : 'has an address with more than one @';
  const at = tokens.findIndex(({ kind, text }) => kind === 'special' && text === '@');
  const local = wordsJoined(tokens.slice(0, at), true);
  const domain = wordsJoined(tokens.slice(at + 1), false);
  if (local === undefined || domain === undefined) return 'has an invalid address';
  return { local, domain };
}

/** Accepts words with dots between them. Of the obsolete form (RFC 5322 4.4), white space around dots is accepted. */
function wordsJoined(tokens: readonly Token[], mayBeQuoted: boolean): string | undefined {
  let joined = '';
  for (const [index, { kind, text }] of tokens.entries()) {
    const isDot = kind === 'special' && text === '.';
    if (isDot !== (index % 2 === 1)) return undefined;
    if (!isDot && (kind === 'special' || (kind === 'quoted' && !mayBeQuoted))) return undefined;
    if (kind === 'word' && /[[\]\\]/.test(text)) return undefined;
    joined += text;
  }
  return tokens.length % 2 === 1 ? joined : undefined;
}

const specials = '<>,:;@.';

/**
 * RFC 5322 3.2. Returns the end of a sentence if a quotation or comment is not closed, or a character is not allowed in its
 * place.
 */
function tokensOf(value: string): Token[] | string {
  const tokens: Token[] = [];
  let at = 0;
  while (at < value.length) {
    const character = value.charAt(at);
    if (character === ' ' || character === '\t') {
      at += 1;
      continue;
    }
    if (character === '(') {
      const end = commentEnd(value, at);
      if (end === undefined) return 'has a comment that is not closed';
      at = end;
      continue;
    }
    if (character === '"') {
      const quoted = quotedString(value, at);
      if (quoted === undefined) return 'has a quotation that is not closed';
      tokens.push({ kind: 'quoted', text: quoted.text });
      at = quoted.end;
    } else if (specials.includes(character)) {
      tokens.push({ kind: 'special', text: character });
      at += 1;
    } else {
      const word = wordAt(value, at);
      if (word === '') return 'has a character that does not belong there';
      tokens.push({ kind: 'word', text: word });
      at += word.length;
    }
  }
  return tokens;
}

/**
 * RFC 5322 3.2.3 and, for internationalised mail, RFC 6532 3.2. Also includes the brackets and the backslash that people
 * leave unquoted in names. Addresses don't have them.
 */
const word = /[A-Za-z0-9!#$%&'*+/=?^_`{|}~\u00A0-\uFFFC[\]\\-]+/y;

function wordAt(value: string, at: number): string {
  word.lastIndex = at;
  return word.exec(value)?.[0] ?? '';
}

/** Comments nest. They are counted rather than parsed recursively, so no depth is too deep. */
function commentEnd(value: string, start: number): number | undefined {
  let depth = 0;
  for (let at = start; at < value.length; at += 1) {
    const character = value.charAt(at);
    if (character === '\\') at += 1;
    else if (character === '(') depth += 1;
    else if (character === ')') {
      depth -= 1;
      if (depth === 0) return at + 1;
    }
  }
  return undefined;
}

function quotedString(value: string, start: number): { text: string; end: number } | undefined {
  let text = '';
  for (let at = start + 1; at < value.length; at += 1) {
    const character = value.charAt(at);
    if (character === '"') return { text, end: at + 1 };
    if (character === '\\') at += 1;
    text += value.charAt(at);
  }
  return undefined;
}
