/** The cookies by which a browser asks for the portal in a language; pages set them, and the server reads them (decision 93). */
import { type Language, languages } from '../foundation/language.ts';

/** What the user has chosen comes before what the company has set. */
const names = { chosen: 'carillon-language', ofCompany: 'carillon-company-language' } as const;
type Origin = keyof typeof names;

/** Reads a `Cookie` header, or what a page sees of it. */
export function languageInCookies(
  cookies: string,
  origins: readonly Origin[] = ['chosen', 'ofCompany'],
): Language | undefined {
  const set = new Map(cookies.split(';').map((one) => one.trim().split('=') as [string, string | undefined]));
  const named = origins.map((origin) => languages.find((language) => set.get(names[origin]) === language));
  return named.find((language) => language !== undefined);
}

/** What a page sets as its cookie. A choice is kept for a year, and the company's language until the browser is closed. */
export function languageCookie(language: Language, origin: Origin): string {
  const lifetime = origin === 'chosen' ? `; Max-Age=${365 * 24 * 60 * 60}` : '';
  return `${names[origin]}=${language}; Path=/; SameSite=Lax${lifetime}`;
}
