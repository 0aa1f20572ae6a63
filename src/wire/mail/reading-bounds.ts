/**
 * How much of a mail is ever looked at. The text of an SMS has 39,015 characters at most (255 parts of 153), while a mail
 * may be as large and as strange as its sender likes: all that costs more than a glance at an octet is bounded here, before
 * any expression sees it. What goes beyond is cut, and told as `overlong`.
 */

/** Postfix takes 100 kB of header by default; 1,000 recipients need half of that. */
export const maxHeaderOctets = 128 * 1024;
export const maxHeaderFields = 1_000;
export const maxHeaderLines = 4_000;

/** Of a part, which has five fields of its own. */
export const maxPartHeaderOctets = 16 * 1024;
export const maxPartHeaderFields = 100;
export const maxPartHeaderLines = 400;

/** Mail that people write has four levels at most, and a few dozen parts. */
export const maxDepth = 10;
export const maxParts = 200;
/** Lines that begin like a delimiter, in one mail. */
export const maxDelimiters = 10_000;

/** Of a field that is read for its sense: type, encoding, disposition, marks of automatic mail. */
export const maxWordingLength = 1_000;
/** `From` holds one address, its name in encoded words perhaps. */
export const maxFromLength = 4_000;
/** A line of a header has 998 characters (RFC 5322 2.1.1); several encoded words follow one another. */
export const maxSubjectLength = 4_000;

/** In all parts together, as they are encoded: a long answer in Chinese as quoted-printable, or Outlook's HTML of it. */
export const maxTextOctets = 384 * 1024;
/** Of sets that the platform does not know, and that cost ten times as much (UTF-7). */
export const maxRareOctets = 64 * 1024;
/** Twice the longest SMS, so that an answer below what it quotes is found as well. */
export const maxCharacters = 80_000;
export const maxLines = 5_000;
/** Of a line that says something about others: who wrote, when; that a signature begins. Longer ones are just words. */
export const maxMarkLength = 400;
