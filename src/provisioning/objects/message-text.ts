/** Texts of SMS in a provisioning file, which may have several lines: they are made safe for phones when they are sent. */
import { longestText } from '../../wire/sms/segments.ts';
import { type Read, type TextRule, text } from '../../yaml/fields.ts';

export const textToSend: TextRule = (written) => {
  if (written === '') return { wrong: 'must not be empty' };
  if (written.length > longestText) return { wrong: `must have at most ${longestText} characters` };
  if (/[\0\p{Cs}]/u.test(written)) return { wrong: 'must not hold NUL or half a surrogate pair' };
  return { value: written };
};

export const messageText: Read<string> = text(textToSend);
