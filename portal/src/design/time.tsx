/** A moment in the zone of whoever reads; the title has it in UTC, as carriers and logs write it. */
import { useLanguage } from '../words/language.ts';
import { fullTime, shortTime, utcTime } from '../words/times.ts';

export function Time({ at, full = false }: { readonly at: string; readonly full?: boolean }) {
  const language = useLanguage();
  const moment = new Date(at);
  return (
    <time dateTime={at} title={utcTime(moment)}>
      {full ? fullTime(moment, language) : shortTime(moment, undefined, language)}
    </time>
  );
}
