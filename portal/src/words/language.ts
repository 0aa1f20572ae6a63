/**
 * The language of the portal: the language chosen here, otherwise that of the company, otherwise that of the browser.
 */
import { keep, kept } from '../browser/kept.ts';
import { sharedValue } from '../browser/value.ts';

export const languages = ['en', 'sv'] as const;
export type Language = (typeof languages)[number];

/** Each language calls itself by its own name. */
export const languageNames: Readonly<Record<Language, string>> = { en: 'English', sv: 'Svenska' };

function isLanguage(text: string | undefined): text is Language {
  return (languages as readonly (string | undefined)[]).includes(text);
}

function languageOfBrowser(): Language {
  const asked = navigator.languages.map((tag) => tag.slice(0, 2)).find(isLanguage);
  return asked ?? 'en';
}

const chosen = kept('language');
const current = sharedValue<Language>(isLanguage(chosen) ? chosen : languageOfBrowser());
const tell = (language: Language) => {
  if (language !== current.get()) current.set(language);
  document.documentElement.lang = language;
};
tell(current.get());

export const useLanguage = current.use;
export const languageNow = current.get;
export const whenLanguageChanges = current.subscribe;

/** Sorts what a page sorts itself, such as the values of tags, by the order that the server gives lists by name. */
export function useNameOrder() {
  const language = useLanguage();
  return <One>(all: readonly One[], nameOf: (one: One) => string): readonly One[] =>
    all.toSorted((one, other) => nameOf(one).localeCompare(nameOf(other), language));
}

export function chooseLanguage(language: Language): void {
  keep('language', language);
  tell(language);
}

/** Uses the language of the signed-in user's company, unless a language was chosen here. */
export function speakAsCompany(language: string): void {
  if (kept('language') === undefined && isLanguage(language)) tell(language);
}
