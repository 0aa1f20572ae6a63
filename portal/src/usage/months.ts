/** Months as the API writes them, which counts in UTC. */
import type { Language } from '../words/language.ts';

/** So many, that of `now` the last. */
export function monthsUntil(now: Date, count: number): readonly string[] {
  return Array.from({ length: count }, (_, index) =>
    new Date(Date.UTC(now.getUTCFullYear(), now.getUTCMonth() - (count - 1 - index), 1))
      .toISOString()
      .slice(0, 7),
  );
}

const localeOf = { en: 'en-GB', sv: 'sv-SE' } as const;

export function monthTitle(month: string, language: Language, length: 'short' | 'long'): string {
  const format = new Intl.DateTimeFormat(localeOf[language], {
    month: length,
    timeZone: 'UTC',
    ...(length === 'long' && { year: 'numeric' }),
  });
  return format.format(new Date(`${month}-01T00:00:00Z`));
}
