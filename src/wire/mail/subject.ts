/** Reads the subject of an e-mail, and what its opening says about the e-mail: a reply, a forward, an absence note. */
import { decodeText } from './charset.ts';
import { cleanLine } from './clean-text.ts';
import { fieldValue, type MailHeader } from './header-fields.ts';
import { maxSubjectLength } from './reading-bounds.ts';
import { absencePhrases, followUpPrefixes, replyPrefixes } from './reply-phrases.ts';
import { decodeWords } from './transfer-encoding.ts';

/** In one line. Empty if there is no subject. */
export function subjectOf(header: MailHeader): string {
  const value = fieldValue(header, 'subject')?.slice(0, maxSubjectLength) ?? '';
  return cleanLine(decodeWords(fieldText(value)));
}

/** Fields are in ASCII or UTF-8 (RFC 6532), or in whatever is written by a program that knows neither. */
export function fieldText(value: string): string {
  return decodeText(Buffer.from(value, 'latin1'));
}

/**
 * Whether the e-mail follows an earlier one and so may contain a copy of it: it names the e-mail that it answers (RFC 5322
 * 3.6.4), or its subject begins like that of a reply or a forward.
 */
export function followsAnother(header: MailHeader): boolean {
  if (['in-reply-to', 'references'].some((name) => hasId(header, name))) return true;
  const prefix = prefixOf(subjectOf(header));
  return replyPrefixes.includes(prefix) || followUpPrefixes.includes(prefix);
}

/**
 * Whether the e-mail answers a specific other e-mail. `References` alone indicates a conversation (RFC 5322 3.6.4), which
 * programs use to group alarms about one fault.
 */
export function answersAnother(header: MailHeader): boolean {
  return hasId(header, 'in-reply-to') || replyPrefixes.includes(prefixOf(subjectOf(header)));
}

/**
 * Recognised by the words that responders put first: “Automatic reply: Shift”, “Autosvar: Vakt”, or nothing but those words.
 */
export function isAbsenceSubject(subject: string): boolean {
  const opening = subject.slice(0, maxOpeningLength).toLowerCase();
  return absencePhrases.some(
    (phrase) => opening === phrase || (opening.startsWith(phrase) && isEnd(opening.slice(phrase.length))),
  );
}

const maxOpeningLength = 80;

/** Such words end with a colon in any script, a dash or a bracket. “Auto reply works again” continues differently. */
function isEnd(rest: string): boolean {
  return /^\s?([:：(（[]|[-–—]\s)/u.test(rest);
}

/** Some programs omit the angle brackets. */
function hasId(header: MailHeader, name: string): boolean {
  return (fieldValue(header, name) ?? '').includes('@');
}

/** Returns “re” for “Re: Shift”, “RE[2]: Shift” and “[oncall] Re: Shift”. Empty if the subject has no prefix. */
function prefixOf(subject: string): string {
  const opening = /^(?:\[[^\]]{0,60}\]\s?)?(\p{L}{1,12}\.?)(?:[[(^]?\d{1,3}[\])]?)?\s?[:：]/u.exec(
    subject.slice(0, maxOpeningLength),
  );
  return opening?.[1]?.toLowerCase() ?? '';
}
