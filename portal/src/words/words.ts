/** The texts of a room, each in English and in Swedish: its components get those of the language that is chosen. */
import { type Language, languageNow, useLanguage } from './language.ts';

type Text = string | readonly string[] | ((...values: never[]) => string);

/** In English, in Swedish. */
export type Pair<In = string> = readonly [en: In, sv: In];

interface Texts {
  readonly [name: string]: Pair<Text> | Texts;
}

/** What a text is in either language: any string, not the literal that it is in one. */
type Said<T> = T extends string ? string : T extends readonly string[] ? readonly string[] : T;

type Words<T> = {
  readonly [Name in keyof T]: T[Name] extends Pair<Text> ? Said<T[Name][number]> : Words<T[Name]>;
};

export function inLanguage<In>(language: Language, [en, sv]: Pair<In>): In {
  return language === 'en' ? en : sv;
}

function isPair(texts: Pair<Text> | Texts): texts is Pair<Text> {
  return Array.isArray(texts);
}

function wordsIn<T extends Texts>(language: Language, texts: T): Words<T> {
  const words = Object.entries(texts).map(([name, one]) => [
    name,
    isPair(one) ? inLanguage(language, one) : wordsIn(language, one),
  ]);
  return Object.fromEntries(words) as Words<T>;
}

/** The hook by which the components of a room get its texts; `now` is for what happens outside of components. */
export function wordsOf<T extends Texts>(texts: T): { (): Words<T>; readonly now: () => Words<T> } {
  const made = new Map<Language, Words<T>>();
  const wordsFor = (language: Language) => {
    const words = made.get(language) ?? wordsIn(language, texts);
    made.set(language, words);
    return words;
  };
  return Object.assign(() => wordsFor(useLanguage()), { now: () => wordsFor(languageNow()) });
}

export const numberFormats = { en: new Intl.NumberFormat('en'), sv: new Intl.NumberFormat('sv') };

const pluralRules = { en: new Intl.PluralRules('en'), sv: new Intl.PluralRules('sv') };

type Forms = readonly [one: string, other: string];

/** A text with a number in it, which stands in place of `#`: `plural(['# part', '# parts'], ['# del', '# delar'])`. */
export function plural(en: Forms, sv: Forms): Pair<(count: number) => string> {
  const counted = (language: Language, [one, other]: Forms) => {
    const text = (count: number) => (pluralRules[language].select(count) === 'one' ? one : other);
    return (count: number) => text(count).replace('#', numberFormats[language].format(count));
  };
  return [counted('en', en), counted('sv', sv)];
}

/** Numbers as the language writes them. */
export function useNumbers(): (value: number) => string {
  return numberFormats[useLanguage()].format;
}
