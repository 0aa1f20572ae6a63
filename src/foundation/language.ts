/** The languages in which the server answers people, and how a request says which one its reader prefers. */

export const languages = ['en', 'sv'] as const;
export type Language = (typeof languages)[number];

/**
 * The language that an `Accept-Language` header ranks highest (RFC 9110 section 12.5.4); of equal ranks, the one named first.
 * English if it names neither. Only the primary subtag counts: `sv-FI` is Swedish.
 */
export function preferredLanguage(header: string | undefined): Language {
  let preferred: Language = 'en';
  let highest = 0;
  for (const range of header?.toLowerCase().split(',') ?? []) {
    const [tag = '', ...parameters] = range.split(';').map((part) => part.trim());
    const language = languages.find((one) => tag === one || tag.startsWith(`${one}-`));
    const quality = parameters.find((parameter) => parameter.startsWith('q='));
    const weight = quality === undefined ? 1 : Number(quality.slice(2)) || 0;
    if (language === undefined || weight <= highest) continue;
    preferred = language;
    highest = weight;
  }
  return preferred;
}
