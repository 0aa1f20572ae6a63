/** What the elements of HTML that mail programs write say about the lines inside them. */

import { maxMarkLength } from './reading-bounds.ts';

/** `history`: all that follows is what was written before. */
export type LineKind = 'own' | 'quoted' | 'attribution' | 'signature' | 'history';

export interface Line {
  readonly text: string;
  readonly kind: LineKind;
}

/**
 * What stands in a line, without the white space around it, for the rules by which a line says something about others.
 * Undefined when it is so long that it is just words, which no expression needs to see.
 */
export function markIn(line: Line | undefined): string | undefined {
  const text = line?.text.trim() ?? '';
  return text.length <= maxMarkLength ? text : undefined;
}

export function isBlank({ text }: Line): boolean {
  return text.trim() === '';
}

type Mark = Exclude<LineKind, 'own'>;

/** By the `id` of the element, in lower case. */
const byId: ReadonlyMap<string, Mark> = new Map([
  // Outlook on the web, and new Outlook: the rule above an answered mail, and the header of that mail.
  ['appendonsend', 'history'],
  ['divrplyfwdmsg', 'history'],
  ['stopspelling', 'history'],
  ['mail-editor-reference-message-container', 'history'],
  // Outlook for iOS and Android.
  ['ms-outlook-mobile-reference-message', 'history'],
  ['ms-outlook-mobile-signature', 'signature'],
  // Outlook for Mac.
  ['olk_src_body_section', 'history'],
  // Outlook on the web; Apple Mail.
  ['signature', 'signature'],
  ['applemailsignature', 'signature'],
]);

/** By a word of `class`, in lower case. */
const byClass: ReadonlyMap<string, Mark> = new Map([
  // Gmail. The element `gmail_quote` itself also holds what is written between quotations.
  ['gmail_attr', 'attribution'],
  ['gmail_signature', 'signature'],
  ['gmail_signature_prefix', 'signature'],
  // Thunderbird.
  ['moz-cite-prefix', 'attribution'],
  ['moz-signature', 'signature'],
  ['moz-forward-container', 'history'],
  // Outlook for iOS and Android.
  ['ms-outlook-mobile-reference-message', 'history'],
  ['ms-outlook-mobile-signature', 'signature'],
  ['outlookmessageheader', 'history'],
  // Yahoo puts letters in front of the class of its own pages.
  ['yahoo_quoted', 'history'],
  // Proton, Tuta, Zimbra, Fastmail.
  ['protonmail_quote', 'quoted'],
  ['protonmail_signature_block', 'signature'],
  ['tutanota_quote', 'quoted'],
  ['zimbra-quote', 'quoted'],
]);

/** Undefined when it says nothing. */
export function markOf(element: string, attributes: Record<string, string>): Mark | undefined {
  const { class: classes, type } = attributes;
  const id = attributes.id?.slice(0, maxClassLength).toLowerCase();
  if (id !== undefined) {
    const mark = byId.get(id) ?? (id.includes('yahoo_quoted') ? 'history' : undefined);
    if (mark !== undefined) return mark;
  }
  if (attributes['data-smartmail']?.slice(0, maxClassLength).toLowerCase() === 'gmail_signature')
    return 'signature';
  const words = classes === undefined ? [] : classes.slice(0, maxClassLength).toLowerCase().split(/\s+/);
  // RFC 2557 has no mark for quotations: `type=cite` is what Netscape began with and Apple Mail and Thunderbird write.
  if (
    element === 'blockquote' &&
    (type?.slice(0, maxClassLength).toLowerCase() === 'cite' || words.includes('gmail_quote'))
  )
    return 'quoted';
  for (const word of words) {
    const mark = byClass.get(word) ?? (word.endsWith('yahoo_quoted') ? 'history' : undefined);
    if (mark !== undefined) return mark;
  }
  return undefined;
}

const maxClassLength = 1_000;
