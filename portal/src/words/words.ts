/** The texts of a room, each in English and in Swedish. The room's components get those of the chosen language. */
import { type Language, languageNow, useLanguage } from './language.ts';

type Text = string | readonly string[] | ((...values: never[]) => string);

/** The English text and the Swedish text. */
export type Pair<In = string> = readonly [en: In, sv: In];

interface Texts {
  readonly [name: string]: Pair<Text> | Texts;
}

/** The type of a text in either language: any string, not only the literal of one language. */
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

/** Makes the hook by which a room's components get its texts; `now` is for use outside components. */
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

/** Makes a text with a number in place of `#`: `plural(['# part', '# parts'], ['# del', '# delar'])`. */
export function plural(en: Forms, sv: Forms): Pair<(count: number) => string> {
  const counted = (language: Language, [one, other]: Forms) => {
    const text = (count: number) => (pluralRules[language].select(count) === 'one' ? one : other);
    return (count: number) => text(count).replace('#', numberFormats[language].format(count));
  };
  return [counted('en', en), counted('sv', sv)];
}

/** Formats numbers as the language writes them. */
export function useNumbers(): (value: number) => string {
  return numberFormats[useLanguage()].format;
}
