/**
 * The details of an entry in the audit log: names and codes as they are, and what the server itself says as sentences with
 * values, so that all readers have them in their own language.
 */
import { isSentence, readReason, type Sentence, storedReason } from '../foundation/sentences.ts';

/** A name or a code, or a sentence of the server. */
export type Remark = string | Sentence;

/** Several remarks are separated by commas. They never include texts of messages. */
export type AuditDetails = Remark | readonly Remark[];

/** Maximum length of an object, and of each text in the details, in characters. */
const maxLength = 200;

/** A cut within a surrogate pair would leave invalid Unicode. */
export function bounded(text: string): string {
  return text.length > maxLength ? `${text.slice(0, maxLength).replace(/[\uD800-\uDBFF]$/, '')}…` : text;
}

/** For what is to be sent, or begins, at a later time. */
export function remarkOfTime(time: number | null): readonly Remark[] {
  return time === null ? [] : [{ sentence: 'scheduled_for', time: new Date(time).toISOString() }];
}

export function storedDetails(details: AuditDetails): string {
  const remarks = (Array.isArray(details) ? details : [details]).filter((one) => one !== '');
  if (remarks.every((one) => typeof one === 'string')) return storedRemark(remarks.join(', '));
  const [first = '', ...others] = remarks.map(storedRemark);
  if (others.length === 0) return first;
  return storedReason({ sentence: 'remarks', parts: [first, ...others].join('\n') });
}

function storedRemark(remark: Remark): string {
  // A name must not be taken for a sentence.
  if (typeof remark === 'string')
    return bounded(isSentence(remark) ? ` ${remark}` : remark.replaceAll('\n', ' '));
  const values = Object.entries(remark).map(([name, value]) => [
    name,
    typeof value === 'string' ? bounded(value) : value,
  ]);
  return storedReason(Object.fromEntries(values) as Sentence);
}

/** The details in English, with their values if they are a sentence of the server. */
export function readDetails(stored: string): {
  readonly details: string;
  readonly detailsValues?: Sentence | undefined;
} {
  if (!isSentence(stored)) return { details: stored };
  const { text, values } = readReason(stored);
  return { details: text, detailsValues: values };
}
