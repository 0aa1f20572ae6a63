/** An entry of the dictionary of sentences: a sentence in each language, made from the same values. */

/** Plain JSON values. A caller's own text is quoted and truncated, so that a response does not grow with it. */
export type Values = Readonly<Record<string, string | number>>;

/**
 * A stored reason within a sentence, in the language of the sentence. What is no sentence of ours, such as a carrier's words, is
 * quoted in every language but English, unless it is a name or a code.
 */
export type Told = (stored: string, words?: 'as it is') => string;

export interface Entry<V extends Values> {
  /** Sample values: they give the types, and an example for the documentation. */
  readonly sample: V;
  readonly en: (values: V, told: Told) => string;
  readonly sv: (values: V, told: Told) => string;
}

export function entry<V extends Values>(sample: V, en: Entry<V>['en'], sv: Entry<V>['sv']): Entry<V> {
  return { sample, en, sv };
}

/** A sentence without values. */
export function constant(en: string, sv: string) {
  return entry(
    {},
    () => en,
    () => sv,
  );
}
