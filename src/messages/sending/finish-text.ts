/** The last steps for every text: normalised, optionally reduced to GSM-7, checked, and its parts counted. */
import { type Fault, fault, type Result, success } from '../../foundation/result.ts';
import { isGsm7 } from '../../wire/sms/gsm7.ts';
import { normaliseText } from '../../wire/sms/normalise.ts';
import { replaceCharacters } from '../../wire/sms/replacement.ts';
import { countParts, maxParts } from '../../wire/sms/segments.ts';
import { maxTextLength, type Work } from '../../wire/sms/substitution.ts';

export interface FinishedText {
  readonly text: string;
  readonly parts: number;
}

export interface Finishing {
  readonly flash: boolean;
  /** Whether characters outside GSM-7 are replaced by similar ones, as the call asks and the account allows. */
  readonly replacing: boolean;
}

/** Of looking for a likeness of a character, which few texts need. */
const stepsToReplace = 4;

/** The error for a text that is too long; a text with substitutions may be cut off, so its full length is unknown. */
export const tooLong = fault(
  'text_too_long',
  `The text has more than ${maxTextLength} characters, which is more than ${maxParts} SMS parts hold.`,
);

/** The last steps of every text: made safe for phones, likened to GSM-7 where `replacing`, checked, counted. */
export function finisher(
  { flash, replacing }: Finishing,
  work: Work,
): (text: string) => Result<FinishedText> {
  const finish = (given: string): Result<FinishedText> => {
    // Before all that looks at each of its characters.
    if (given.length > maxTextLength) return tooLong;
    const normal = normaliseText(given);
    const replaceable = replacing && !isGsm7(normal);
    if (replaceable) work.stepsLeft -= stepsToReplace * normal.length;
    const text = replaceable ? replaceCharacters(normal) : normal;
    if (text === '') return fault('no_text', 'The message text is empty.');
    if (flash && (text.length > maxFlashCharacters || !isGsm7(text))) return flashFault(text);
    const parts = countParts(text);
    if (parts > maxParts)
      return fault('text_too_long', `The text needs ${parts} SMS parts; ${maxParts} is the most.`);
    return success({ text, parts });
  };
  // Recipients whose own texts change nothing, or are the same, mostly follow one another.
  let last: { readonly given: string; readonly finished: Result<FinishedText> } | undefined;
  return (given) => {
    if (last?.given !== given) last = { given, finished: finish(given) };
    return last.finished;
  };
}

/** 3GPP TS 23.038: class 0 is shown at once; the contract allows one SMS's worth of characters. */
const maxFlashCharacters = 160;

function flashFault(text: string): Fault {
  const why =
    text.length > maxFlashCharacters
      ? `The text has ${text.length} characters`
      : 'The text has characters outside the GSM 03.38 alphabet';
  return fault(
    'invalid_flash_text',
    `${why}; a flash SMS takes at most ${maxFlashCharacters} characters of that alphabet.`,
  );
}
