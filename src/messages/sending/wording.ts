/**
 * Produces the text of each recipient's SMS: the message or template with its texts, made safe for phones, checked and
 * counted.
 */
import type { Caller } from '../../accounts/caller.ts';
import { ServiceError } from '../../foundation/errors.ts';
import { type Fault, fault, orThrow, quoted, type Result, success } from '../../foundation/result.ts';
import { isGsm7 } from '../../wire/sms/gsm7.ts';
import { normaliseText } from '../../wire/sms/normalise.ts';
import { replaceCharacters } from '../../wire/sms/replacement.ts';
import { countParts, maxParts } from '../../wire/sms/segments.ts';
import {
  compileSubstitution,
  compileTemplate,
  maxTextLength,
  substituter,
  type TemplateText,
  type Work,
} from '../../wire/sms/substitution.ts';

export interface FinishedText {
  readonly text: string;
  readonly parts: number;
}

/** The text of a call, both for recipients with their own texts and for all others. */
interface Wording {
  readonly common: () => Result<FinishedText>;
  /** Throws when the texts of the call are too long in total. */
  readonly of: (texts: Readonly<Record<string, string>>) => Result<FinishedText>;
}

export interface WordingRequest {
  readonly message: string | undefined;
  readonly onlytemplateplaceholders: boolean;
  readonly flash: boolean;
  readonly replacecharacters: boolean;
}

/**
 * The limit, in steps, on what the texts of one call's recipients may cost: about a second in which nobody else is
 * served. It is many times what 10,000 recipients with three-part texts and their own labels need.
 */
const maxSteps = 50_000_000;
/** Curly brackets in a message are plain text, since only templates have placeholders. */
export function wordingOf(
  caller: Pick<Caller, 'replaceCharacters'>,
  request: WordingRequest,
  template?: TemplateText,
): Wording {
  const work: Work = { stepsLeft: maxSteps };
  const replacing = request.replacecharacters && caller.replaceCharacters;
  const finish = finisher({ flash: request.flash, replacing }, work);
  if (template === undefined) {
    const { common, of } = ofMessage(request, work);
    return { common: () => finish(common), of: (texts) => finish(of(texts) ?? tooMuch()) };
  }
  const { common, of } = ofTemplate(template, request, work);
  const finishFilled = (filled: string) => explainEmpty(finish(filled), template);
  return { common: () => finishFilled(common), of: (texts) => finishFilled(of(texts) ?? tooMuch()) };
}

interface UnfinishedWording {
  readonly common: string;
  /** Undefined when no work is left. */
  readonly of: (texts: Readonly<Record<string, string>>) => string | undefined;
}

function ofMessage({ message, onlytemplateplaceholders }: WordingRequest, work: Work): UnfinishedWording {
  if (message === undefined || message === '')
    throw new ServiceError(
      'no_text',
      'The call has no text. Give it in `message`, or a template in `templateid`.',
    );
  if (message.length > maxTextLength) return orThrow(tooLong);
  const of = onlytemplateplaceholders
    ? () => message
    : substituter((labels) => compileSubstitution(message, labels), work);
  return { common: message, of };
}

function ofTemplate(
  template: TemplateText,
  { onlytemplateplaceholders }: WordingRequest,
  work: Work,
): UnfinishedWording {
  const of = substituter((labels) => compileTemplate(template, labels, onlytemplateplaceholders), work);
  return { common: template.literals.join(''), of };
}

const maxNamedLabels = 5;

function tooMuch(): never {
  throw new ServiceError('text_too_long', { sentence: 'texts_together' });
}

/** A template that consists only of placeholders is empty if the caller gave no texts, or gave them under other labels. */
function explainEmpty(finished: Result<FinishedText>, { placeholders }: TemplateText): Result<FinishedText> {
  if (finished.ok || finished.code !== 'no_text' || placeholders.length === 0) return finished;
  const labels = [...new Set(placeholders)];
  const named = labels.slice(0, maxNamedLabels).map(quoted).join(', ');
  const others = Math.max(0, labels.length - maxNamedLabels);
  return fault('no_text', { sentence: 'only_placeholders', labels: named, others });
}

interface Finishing {
  readonly flash: boolean;
  /** Whether characters outside GSM-7 are replaced by similar ones, as requested by the call and allowed by the account. */
  readonly replacing: boolean;
}

/** The error for a text that is too long. A text with substitutions may have been cut off, so its full length is unknown. */
const tooLong = fault('text_too_long', { sentence: 'text_length', most: maxTextLength, parts: maxParts });

/** The cost of looking for a similar character, which few texts need. */
const stepsToReplace = 4;

/**
 * The last steps for every text: making it safe for phones, reducing it to GSM-7 if `replacing`, checking it and counting its
 * parts.
 */
export function finisher(
  { flash, replacing }: Finishing,
  work: Work,
): (text: string) => Result<FinishedText> {
  const finish = (given: string): Result<FinishedText> => {
    // Checked before anything that looks at each character.
    if (given.length > maxTextLength) return tooLong;
    const normal = normaliseText(given);
    const replaceable = replacing && !isGsm7(normal);
    if (replaceable) work.stepsLeft -= stepsToReplace * normal.length;
    const text = replaceable ? replaceCharacters(normal) : normal;
    if (text === '') return fault('no_text', { sentence: 'text_empty' });
    if (flash && (text.length > maxFlashCharacters || !isGsm7(text))) return flashFault(text);
    const parts = countParts(text);
    if (parts > maxParts) return fault('text_too_long', { sentence: 'text_parts', parts, most: maxParts });
    return success({ text, parts });
  };
  // Recipients whose own texts change nothing, or are the same, mostly follow one another.
  let last: { readonly given: string; readonly finished: Result<FinishedText> } | undefined;
  return (given) => {
    if (last?.given !== given) last = { given, finished: finish(given) };
    return last.finished;
  };
}

/** 3GPP TS 23.038: class 0 is displayed immediately; the contract allows as many characters as one SMS holds. */
const maxFlashCharacters = 160;

function flashFault(text: string): Fault {
  const most = maxFlashCharacters;
  return fault(
    'invalid_flash_text',
    text.length > most
      ? { sentence: 'flash_long', length: text.length, most }
      : { sentence: 'flash_characters', most },
  );
}
