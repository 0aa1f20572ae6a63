/**
 * The texts of a room, each in English and in Swedish. The room's components get those of their language. In pages built for
 * one language, the build has put that language's text in the place of each pair (`portal/one-language.ts`).
 */
import { builtFor, language } from './language.ts';

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

/** The place of a text that can be shown. Pages built for one language have no other texts. */
const place = builtFor === undefined && language === 'sv' ? 1 : 0;

export function inLanguage<In>(pair: Pair<In>): In {
  return builtFor === undefined ? pair[place] : (pair as unknown as In);
}

function isPair(texts: Pair<Text> | Texts): texts is Pair<Text> {
  return Array.isArray(texts);
}

function wordsIn<T extends Texts>(texts: T): Words<T> {
  const words = Object.entries(texts).map(([name, one]) => [
    name,
    isPair(one) ? inLanguage(one) : wordsIn(one),
  ]);
  return Object.fromEntries(words) as Words<T>;
}

/** Makes the hook by which a room's components get its texts; `now` is for use outside components. */
export function wordsOf<T extends Texts>(texts: T): { (): Words<T>; readonly now: () => Words<T> } {
  const words = builtFor === undefined ? wordsIn(texts) : (texts as unknown as Words<T>);
  const say = () => words;
  return Object.assign(say, { now: say });
}

export const numberFormats = { en: new Intl.NumberFormat('en'), sv: new Intl.NumberFormat('sv') };

const pluralRules = new Intl.PluralRules(language);

type Forms = readonly [one: string, other: string];

/** Makes a text with a number in place of `#`: `plural(['# part', '# parts'], ['# del', '# delar'])`. */
export function plural(...forms: readonly [en: Forms, sv: Forms]): Pair<(count: number) => string> {
  const [one, other] = forms[place];
  const said = (count: number) =>
    (pluralRules.select(count) === 'one' ? one : other).replace('#', numberFormats[language].format(count));
  return builtFor === undefined ? [said, said] : (said as unknown as ReturnType<typeof plural>);
}

/** Formats numbers as the language writes them. */
export function useNumbers(): (value: number) => string {
  return numberFormats[language].format;
}
