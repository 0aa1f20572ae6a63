/**
 * The language of the portal: the language chosen here, otherwise that of the company, otherwise that of the browser. The
 * pages are built once for each language, and the server chooses by the same cookies; so another language is another page.
 */
import { languageCookie, languageInCookies } from '../../../src/wire/language-cookies.ts';

export const languages = ['en', 'sv'] as const;
export type Language = (typeof languages)[number];

/** Each language calls itself by its own name. */
export const languageNames: Readonly<Record<Language, string>> = { en: 'English', sv: 'Svenska' };

function isLanguage(text: string | undefined): text is Language {
  return (languages as readonly (string | undefined)[]).includes(text);
}

/** The language that the pages were built for. Undefined on the development server, which has all texts in one page. */
export const builtFor: Language | undefined = import.meta.env.LANGUAGE;

export const language: Language =
  builtFor ??
  languageInCookies(document.cookie) ??
  navigator.languages.map((tag) => tag.slice(0, 2)).find(isLanguage) ??
  'en';
document.documentElement.lang = language;

/** Sorts what a page sorts itself, such as the values of tags, in the order that the server gives lists by name. */
export function inNameOrder<One>(all: readonly One[], nameOf: (one: One) => string): readonly One[] {
  return all.toSorted((one, other) => nameOf(one).localeCompare(nameOf(other), language));
}

/** Loads the page again, unless the browser keeps no cookies: the same page would come back. */
export function chooseLanguage(next: Language): void {
  // biome-ignore lint/suspicious/noDocumentCookie: the cookie store is not there over plain HTTP.
  document.cookie = languageCookie(next, 'chosen');
  if (next !== language && languageInCookies(document.cookie) === next) location.reload();
}

/**
 * Loads the page again in the language of the signed-in user's company, unless a language was chosen here. It does so only
 * once: if the page comes in another language even then, it stays. Returns whether the page is being loaded.
 */
export function speakAsCompany(next: string): boolean {
  const isSettled = languageInCookies(document.cookie, ['chosen']) !== undefined;
  if (isSettled || !isLanguage(next) || languageInCookies(document.cookie) === next) return false;
  // biome-ignore lint/suspicious/noDocumentCookie: the cookie store is not there over plain HTTP.
  document.cookie = languageCookie(next, 'ofCompany');
  if (next === language || languageInCookies(document.cookie) !== next) return false;
  location.reload();
  return true;
}
