/** Why a call failed, and other reasons: sentences of the server, in the language of the page, or words of others, quoted. */
import { type Language, language } from '../words/language.ts';
import { useDesignWords } from './texts.ts';

/** Only the page itself can say these. */
const own = ['unreachable', 'outdated', 'nocookies', 'unknown'] as const;
const isOwn = (code: string | undefined): code is (typeof own)[number] =>
  (own as readonly string[]).includes(code ?? '');

interface Told {
  readonly code?: string | undefined;
  readonly error: string;
  /** The language of `error`, if it was kept: the page may have been loaded in another since. */
  readonly language?: Language;
}

export function FaultText({ fault }: { readonly fault: Told }) {
  const words = useDesignWords();
  if (isOwn(fault.code)) return words[fault.code];
  return (fault.language ?? language) === language ? fault.error : words.told;
}

/** A reason without values is what a carrier said, or what an earlier version of the server noted: it is quoted. */
export function ReasonText({
  reason,
  values,
}: {
  readonly reason: string;
  readonly values: object | undefined;
}) {
  return values === undefined ? <q lang="en">{reason}</q> : reason;
}
