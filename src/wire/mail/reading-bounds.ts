/**
 * Limits on how much of an e-mail is read. An SMS text has at most 39,015 characters (255 parts of 153), whereas an e-mail may
 * be as large and as strange as its sender likes. Everything that costs more than reading an octet is limited here,
 * before any regular expression runs on it. Text beyond the limits is cut and reported as `overlong`.
 */

/** Postfix accepts 100 kB of header by default, and 1,000 recipients need half of that. */
export const maxHeaderOctets = 128 * 1024;
export const maxHeaderFields = 1_000;
export const maxHeaderLines = 4_000;

/** For a part, which has only about five fields. */
export const maxPartHeaderOctets = 16 * 1024;
export const maxPartHeaderFields = 100;
export const maxPartHeaderLines = 400;

/** Mail written by people has at most four levels and a few dozen parts. */
export const maxDepth = 10;
export const maxParts = 200;
/** Maximum number of lines per e-mail that begin like a delimiter. */
export const maxDelimiters = 10_000;

/** For a field whose meaning is read: type, encoding, disposition, marks of automatic mail. */
export const maxWordingLength = 1_000;
/** `From` holds one address, whose name may be in encoded words. */
export const maxFromLength = 4_000;
/** A header line has 998 characters (RFC 5322 2.1.1), and several encoded words may follow one another. */
export const maxSubjectLength = 4_000;

/**
 * For all parts together, still encoded: enough for a long reply in Chinese as quoted-printable, or for Outlook's HTML of it.
 */
export const maxTextOctets = 384 * 1024;
/** For character sets that the platform does not know and that cost ten times as much (UTF-7). */
export const maxRareOctets = 64 * 1024;
/** Twice the longest SMS, so that a reply below a quotation is found too. */
export const maxCharacters = 80_000;
export const maxLines = 5_000;
/**
 * For a line that says something about other lines, such as who wrote them and when, or that a signature begins. Longer
 * lines are ordinary text.
 */
export const maxMarkLength = 400;
