/** The meaning of mail programs' HTML elements for the lines inside them. */

import { maxMarkLength } from './reading-bounds.ts';

/** `history`: everything after this point was written earlier. */
export type LineKind = 'own' | 'quoted' | 'attribution' | 'signature' | 'history';

export interface Line {
  readonly text: string;
  readonly kind: LineKind;
}

/**
 * Returns a line's text without surrounding white space, for rules by which a line says something about other lines.
 * Undefined if the line is so long that it is ordinary text, which no expression needs to check.
 */
export function markIn(line: Line | undefined): string | undefined {
  const text = line?.text.trim() ?? '';
  return text.length <= maxMarkLength ? text : undefined;
}

export function isBlank({ text }: Line): boolean {
  return text.trim() === '';
}

type Mark = Exclude<LineKind, 'own'>;

/** Marks by the element's `id`, in lower case. */
const byId: ReadonlyMap<string, Mark> = new Map([
  // Outlook on the web and new Outlook: the rule above an answered e-mail, and that e-mail's header.
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

/** Marks by a word of `class`, in lower case. */
const byClass: ReadonlyMap<string, Mark> = new Map([
  // Gmail. The element `gmail_quote` itself also contains text written between quotations.
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
  // Yahoo prefixes the class with letters in its own pages.
  ['yahoo_quoted', 'history'],
  // Proton, Tuta, Zimbra, Fastmail.
  ['protonmail_quote', 'quoted'],
  ['protonmail_signature_block', 'signature'],
  ['tutanota_quote', 'quoted'],
  ['zimbra-quote', 'quoted'],
]);

/** Undefined if the element has no meaning. */
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
  // RFC 2557 defines no markup for quotations. Netscape introduced `type=cite`, and Apple Mail and Thunderbird write it.
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
