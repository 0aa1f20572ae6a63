/**
 * The error sentences that contain variable values or share a code with others, and the reasons that the server itself
 * records, in English and Swedish. A response carries the name of its sentence and the values, and the answer is put into the
 * language of its reader (`src/http/answers/in-language.ts`).
 */
import type { Language } from './language.ts';
import { auditSentences } from './sentences/audit-details.ts';
import { callSentences } from './sentences/calls.ts';
import type { Entry, Told, Values } from './sentences/entry.ts';
import { notationSentences } from './sentences/notations.ts';
import { objectSentences } from './sentences/objects.ts';
import { reasonSentences } from './sentences/reasons.ts';
import { sendingSentences } from './sentences/sending.ts';

const dictionary = {
  ...callSentences,
  ...notationSentences,
  ...objectSentences,
  ...sendingSentences,
  ...reasonSentences,
  ...auditSentences,
};

export type SentenceName = keyof typeof dictionary;

/** A sentence by name, with its values. */
export type Sentence = {
  [Name in SentenceName]: { readonly sentence: Name } & (typeof dictionary)[Name]['sample'];
}[SentenceName];

/** One sample of each sentence. */
export const sampleSentences = Object.entries(dictionary).map(
  ([sentence, { sample }]) => ({ sentence, ...sample }) as Sentence,
);

const entryOf = (sentence: SentenceName): Entry<Values> => dictionary[sentence] as Entry<Values>;

const told: Readonly<Record<Language, Told>> = {
  en: (stored) => readReason(stored).text,
  sv: (stored, words) => {
    const { text, values } = readReason(stored);
    return (values && inSwedish(values)) ?? (words === undefined ? `”${text}”` : text);
  },
};

export function inEnglish(values: Sentence): string {
  return entryOf(values.sentence).en(values, told.en);
}

/**
 * Undefined if the values come from another server version that lacks this sentence or fills it in differently. Values are
 * quoted as in English, and Swedish has one quotation mark for both ends.
 */
export function inSwedish(values: Sentence): string | undefined {
  return isKnown(values) ? entryOf(values.sentence).sv(values, told.sv).replaceAll('“', '”') : undefined;
}

function isKnown(values: Sentence): boolean {
  if (!Object.hasOwn(dictionary, values.sentence)) return false;
  const given: Values = values;
  const { sample } = entryOf(values.sentence);
  return Object.keys(sample).every((key) => {
    // A text may stand where the sample is a number, since all that is done with numbers is to show them.
    const kind = Object.hasOwn(given, key) ? typeof given[key] : 'undefined';
    return kind === 'string' || (kind === 'number' && typeof sample[key] === 'number');
  });
}

export interface Reason {
  /** English, or a carrier's own text. */
  readonly text: string;
  /** The components of the text if it is one of our sentences. */
  readonly values?: Sentence;
}

/** The stored form of a reason that is a sentence. */
export function storedReason(values: Sentence): string {
  return JSON.stringify(values);
}

/** Reads a stored reason: a sentence, or a text from a carrier or an earlier version. */
export function readReason(stored: string): Reason {
  if (!isSentence(stored)) {
    const values = constant.get(stored);
    return values === undefined ? { text: stored } : { text: stored, values };
  }
  try {
    const values = JSON.parse(stored) as Sentence;
    return isKnown(values) ? { text: inEnglish(values), values } : { text: inPlainWords(values) };
  } catch {
    return { text: stored };
  }
}

/** Reasons without values that earlier versions stored in English. */
const constant = new Map(
  sampleSentences.flatMap((values): readonly [string, Sentence][] =>
    Object.keys(values).length === 1 ? [[inEnglish(values), values]] : [],
  ),
);

/** A stored reason in a language; words of others are quoted in every language but English. */
export function reasonIn(language: Language, stored: string): string {
  return told[language](stored);
}

export function isSentence(stored: string): boolean {
  return stored.startsWith('{"sentence":');
}

/** Renders a sentence known only to another server version: `aborted by (anna)`. */
function inPlainWords({ sentence, ...values }: Values): string {
  const varying = Object.values(values).join(', ');
  return `${String(sentence).replaceAll('_', ' ')}${varying === '' ? '' : ` (${varying})`}`;
}

/** A stored reason in the form used by responses. */
export function shownReason(stored: string | null): { reason?: string; reasonValues?: Sentence | undefined } {
  if (stored === null) return {};
  const { text, values } = readReason(stored);
  return { reason: text, reasonValues: values };
}

/** The same of what is called `error`. */
export function shownError(stored: string | null): { error?: string; errorValues?: Sentence | undefined } {
  if (stored === null) return {};
  const { text, values } = readReason(stored);
  return { error: text, errorValues: values };
}

/** The same of what is called `why`. */
export function shownWhy(stored: string): { why: string; whyValues?: Sentence | undefined } {
  const { text, values } = readReason(stored);
  return { why: text, whyValues: values };
}
