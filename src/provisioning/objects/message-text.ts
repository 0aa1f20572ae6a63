/** Texts of SMS in a provisioning file, which may have several lines: they are made safe for phones when they are sent. */
import { longestText } from '../../wire/sms/segments.ts';
import { type Read, type TextRule, text } from '../../yaml/fields.ts';

/** The rule of a text that both engines can store; lengths are in characters. */
export function storableText(longest: number, shortest = 1): TextRule {
  return (written) => {
    if (written.length < shortest) return { wrong: 'must not be empty' };
    if (written.length > longest) return { wrong: `must have at most ${longest} characters` };
    if (/[\0\p{Cs}]/u.test(written)) return { wrong: 'must not hold NUL or half a surrogate pair' };
    return { value: written };
  };
}

export const messageText: Read<string> = text(storableText(longestText));
