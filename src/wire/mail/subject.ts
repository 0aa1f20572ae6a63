/** What the subject of a mail says, and what its opening tells of the mail: an answer, a mail passed on, an absence note. */
import { decodeText } from './charset.ts';
import { cleanLine } from './clean-text.ts';
import { fieldValue, type MailHeader } from './header-fields.ts';
import { maxSubjectLength } from './reading-bounds.ts';
import { absencePhrases, followUpPrefixes, replyPrefixes } from './reply-phrases.ts';
import { decodeWords } from './transfer-encoding.ts';

/** In one line; empty when there is none. */
export function subjectOf(header: MailHeader): string {
  const value = fieldValue(header, 'subject')?.slice(0, maxSubjectLength) ?? '';
  return cleanLine(decodeWords(fieldText(value)));
}

/** Fields are ASCII, or UTF-8 (RFC 6532), or what a program that knows neither wrote. */
export function fieldText(value: string): string {
  return decodeText(Buffer.from(value, 'latin1'));
}

/**
 * An earlier mail is the reason for this one, so that a copy of that may stand in it: it names the mail that it answers
 * (RFC 5322 3.6.4), or its subject begins as programs make those of answers and of mails that are passed on.
 */
export function followsAnother(header: MailHeader): boolean {
  if (['in-reply-to', 'references'].some((name) => hasId(header, name))) return true;
  const prefix = prefixOf(subjectOf(header));
  return replyPrefixes.includes(prefix) || followUpPrefixes.includes(prefix);
}

/**
 * It answers one mail. `References` alone tells of a conversation (RFC 5322 3.6.4), by which programs keep alarms of one
 * fault together.
 */
export function answersAnother(header: MailHeader): boolean {
  return hasId(header, 'in-reply-to') || replyPrefixes.includes(prefixOf(subjectOf(header)));
}

/** By the words that responders put in front: “Automatic reply: Shift”, “Autosvar: Vakt”, or nothing but those. */
export function isAbsenceSubject(subject: string): boolean {
  const opening = subject.slice(0, maxOpeningLength).toLowerCase();
  return absencePhrases.some(
    (phrase) => opening === phrase || (opening.startsWith(phrase) && isEnd(opening.slice(phrase.length))),
  );
}

const maxOpeningLength = 80;

/** Of such words: a colon in whatever script, a dash, or a bracket. “Auto reply works again” goes on otherwise. */
function isEnd(rest: string): boolean {
  return /^\s?([:：(（[]|[-–—]\s)/u.test(rest);
}

/** Some programs leave out the angle brackets. */
function hasId(header: MailHeader, name: string): boolean {
  return (fieldValue(header, name) ?? '').includes('@');
}

/** “re” of “Re: Shift”, “RE[2]: Shift” and “[oncall] Re: Shift”; empty when the subject has none. */
function prefixOf(subject: string): string {
  const opening = /^(?:\[[^\]]{0,60}\]\s?)?(\p{L}{1,12}\.?)(?:[[(^]?\d{1,3}[\])]?)?\s?[:：]/u.exec(
    subject.slice(0, maxOpeningLength),
  );
  return opening?.[1]?.toLowerCase() ?? '';
}
