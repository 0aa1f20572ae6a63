/** The texts of a room in the languages of the portal: `en.ts` says which there are, `sv.ts satisfies` it. */
import { type Language, languageNow, useLanguage } from './language.ts';

/** Makes the hook by which the components of a room get its texts. */
export function wordsOf<Words>(inLanguages: Readonly<Record<Language, Words>>): () => Words {
  return () => inLanguages[useLanguage()];
}

/** For what happens outside of components. */
export function wordsNowOf<Words>(inLanguages: Readonly<Record<Language, Words>>): () => Words {
  return () => inLanguages[languageNow()];
}

/** A text with a number in it, which stands in place of `#`: `plural('en', '# message', '# messages')`. */
export function plural(language: Language, one: string, other: string): (count: number) => string {
  const rules = new Intl.PluralRules(language);
  const numbers = new Intl.NumberFormat(language);
  return (count) => (rules.select(count) === 'one' ? one : other).replace('#', numbers.format(count));
}

/** Numbers as the language writes them. */
export function useNumbers(): (value: number) => string {
  const numbers = new Intl.NumberFormat(useLanguage());
  return (value) => numbers.format(value);
}
