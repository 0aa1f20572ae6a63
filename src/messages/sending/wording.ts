/** The text of each recipient's SMS: the message or template with its texts, made safe for phones, checked and counted. */
import type { Caller } from '../../accounts/caller.ts';
import { ServiceError } from '../../foundation/errors.ts';
import { fault, quoted, type Result } from '../../foundation/result.ts';
import {
  compileSubstitution,
  compileTemplate,
  maxTextLength,
  substituter,
  type Work,
} from '../../wire/sms/substitution.ts';
import type { TemplateText } from '../../wire/sms/template-text.ts';
import { type FinishedText, finisher, tooLong } from './finish-text.ts';

/** The text of a call, for those with texts of their own and for all others. */
export interface Wording {
  readonly common: () => Result<FinishedText>;
  /** Throws when the texts of the call are too much together. */
  readonly of: (texts: Readonly<Record<string, string>>) => Result<FinishedText>;
}

export interface WordingRequest {
  readonly message: string | undefined;
  readonly onlytemplateplaceholders: boolean;
  readonly flash: boolean;
  readonly replacecharacters: boolean;
}

/**
 * What the texts of one call's recipients may cost, in steps: about a second of nobody else being served. It is enough
 * for 10,000 recipients with texts of three parts and labels of their own, many times over.
 */
const maxSteps = 50_000_000;
/** Curly brackets in a message are text: only templates have placeholders. */
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
      'Give the text of the SMS in `message`, or a template in `templateid`.',
    );
  if (message.length > maxTextLength) throw new ServiceError('text_too_long', tooLong.error);
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

/** Of a template of placeholders only, whose caller gave no texts, or gave them under other labels. */
function explainEmpty(finished: Result<FinishedText>, { placeholders }: TemplateText): Result<FinishedText> {
  if (finished.ok || finished.code !== 'no_text' || placeholders.length === 0) return finished;
  const labels = [...new Set(placeholders)];
  const named = labels.slice(0, maxNamedLabels).map(quoted).join(', ');
  const more = labels.length > maxNamedLabels ? ` and ${labels.length - maxNamedLabels} more` : '';
  return fault(
    'no_text',
    `The message text is empty: the template has no text but that of its placeholders, and none was given for ${named}${more}. Labels count in their exact letter case.`,
  );
}

function tooMuch(): never {
  throw new ServiceError(
    'text_too_long',
    'The texts of all recipients in `tosubst` are too long together for one call. Nothing was sent; spread the recipients over several calls.',
  );
}
