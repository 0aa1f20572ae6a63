/** The last steps of every text on its way to a phone: made safe, likened to GSM-7, checked, counted. */
import { type Fault, fault, type Result, success } from '../foundation/result.ts';
import { isGsm7 } from '../wire/sms/gsm7.ts';
import { normaliseText } from '../wire/sms/normalise.ts';
import { replaceCharacters } from '../wire/sms/replacement.ts';
import { countParts } from '../wire/sms/segments.ts';

export interface FinishedText {
  readonly text: string;
  readonly parts: number;
}

export interface Finishing {
  readonly flash: boolean;
  /** Characters outside GSM-7 by similar ones: wished for by the call, and allowed to its account. */
  readonly replacing: boolean;
}

const maxParts = 255;
/** 3GPP TS 23.038: class 0 is shown at once; the contract allows one SMS's worth of characters. */
const maxFlashCharacters = 160;

export function finisher({ flash, replacing }: Finishing): (text: string) => Result<FinishedText> {
  return (given) => {
    const normal = normaliseText(given);
    const text = replacing ? replaceCharacters(normal) : normal;
    if (text === '') return fault('no_text', 'The message text is empty.');
    if (flash && (text.length > maxFlashCharacters || !isGsm7(text))) return flashFault(text);
    const parts = countParts(text);
    if (parts > maxParts)
      return fault('text_too_long', `The text needs ${parts} SMS parts; ${maxParts} is the most.`);
    return success({ text, parts });
  };
}

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
