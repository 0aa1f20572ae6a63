/**
 * Puts the sentences of an answer into its reader's language (decision 91). Everything behind the endpoints writes English,
 * with the values of each sentence beside it; here, as the answer becomes JSON, other languages are made from these values.
 */
import type { IncomingMessage } from 'node:http';
import { type ErrorContent, swedishOfCode } from '../../foundation/errors.ts';
import { type Language, preferredLanguage } from '../../foundation/language.ts';
import { inSwedish, type Sentence } from '../../foundation/sentences.ts';
import { pathOf } from '../request-context.ts';

/** What `JSON.stringify` takes to replace values. Undefined for English, so that answers in English cost nothing more. */
export type Replacer = ((this: unknown, key: string, value: unknown) => unknown) | undefined;

/** The paths that have translations. Those of the API contract always answer in English. */
const translated = /\/(?:api\/v1|portal)\//;

export function languageOf(request: Pick<IncomingMessage, 'headers' | 'url'>): Language {
  const header = request.headers['accept-language'];
  if (header === undefined || !translated.test(pathOf(request))) return 'en';
  return preferredLanguage(header);
}

export function replacerFor(language: Language): Replacer {
  return language === 'en' ? undefined : inSwedishWords;
}

type Texts = Readonly<Record<string, unknown>> & { readonly code?: unknown };

/**
 * A text whose values are beside it is made from them: `reason` from `reasonValues`, the `error` of a fault from `values`. A
 * fault without values says what its code means, as its `title` does.
 */
function inSwedishWords(this: unknown, key: string, value: unknown): unknown {
  if (typeof value !== 'string' || key === '') return value;
  const holder = this as Texts;
  if (typeof holder.code === 'string') {
    const isProblem = holder.result === 'ERROR';
    if (key === 'error' || (key === 'detail' && isProblem))
      return faultInSwedish(holder as unknown as ErrorContent);
    if (key === 'title' && isProblem) return swedishOfCode(holder.code) ?? value;
  }
  const values = holder[`${key}Values`] as Sentence | undefined;
  return (values && inSwedish(values)) ?? value;
}

function faultInSwedish(fault: ErrorContent & { readonly errors?: readonly ErrorContent[] }): string {
  const { code, error, values, errors = [] } = fault;
  const said = (values && inSwedish(values)) ?? swedishOfCode(code) ?? error;
  const [first] = errors;
  return code === 'nothing_queued' && first !== undefined ? `${said} ${faultInSwedish(first)}` : said;
}
