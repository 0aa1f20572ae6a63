/** The words by which people say YES and NO, by language. First words of answers are compared with them. */

export const languages = ['en', 'sv', 'no', 'da', 'fi', 'de'] as const;
export type Language = (typeof languages)[number];

interface Words {
  /** The first is the one that texts ask for. */
  readonly yes: readonly string[];
  readonly no: readonly string[];
}

/** Without diacritics, in small letters: answers are compared so. */
const byLanguage: Readonly<Record<Language, Words>> = {
  en: {
    yes: ['yes', 'y', 'yep', 'yeah', 'yup', 'ya', 'sure', 'absolutely', 'certainly', 'coming'],
    no: ['no', 'n', 'nope', 'nah', 'negative', 'cannot', "can't", 'cant', 'sorry'],
  },
  sv: {
    yes: [
      'ja',
      'japp',
      'jajamen',
      'jajamensan',
      'jepp',
      'jo',
      'jodå',
      'absolut',
      'visst',
      'givetvis',
      'gärna',
    ],
    no: ['nej', 'nä', 'nää', 'nix', 'näpp', 'tyvärr', 'nejtack', 'knappast'],
  },
  no: {
    yes: ['ja', 'japp', 'jepp', 'jo', 'jada', 'klart', 'absolutt', 'selvfølgelig', 'gjerne'],
    no: ['nei', 'neida', 'niks', 'dessverre', 'beklager'],
  },
  da: {
    yes: ['ja', 'jep', 'jeps', 'jo', 'jada', 'klart', 'absolut', 'selvfølgelig', 'gerne'],
    no: ['nej', 'næ', 'nix', 'desværre', 'beklager', 'niks'],
  },
  fi: {
    yes: ['kyllä', 'joo', 'juu', 'jep', 'jees', 'tulen', 'totta', 'toki', 'pääsen', 'onnistuu'],
    no: ['ei', 'en', 'valitettavasti', 'emmä', 'enpä', 'eipä'],
  },
  de: {
    yes: ['ja', 'jawohl', 'jo', 'jap', 'jep', 'klar', 'gerne', 'natürlich', 'selbstverständlich'],
    no: ['nein', 'nee', 'ne', 'nö', 'leider'],
  },
};

const everywhere: Words = { yes: ['ok', 'okay', 'okej', 'oki', 'k', 'jes', 'si'], no: ['stop'] };

/** Words that are another one elsewhere: `en` is *a* in Swedish, `k` nobody's NO. They count in their language alone. */
const onlyAtHome = new Set(['en', 'ne', 'n', 'y', 'k', 'sorry', 'coming', 'klart', 'totta', 'si', 'ya']);

export interface AnswerWords {
  readonly yes: ReadonlySet<string>;
  readonly no: ReadonlySet<string>;
  readonly digits: boolean;
}

/** What a type lists is all that counts, beside 👍 and 👎 and STOP. */
export function answerWords(settings: {
  readonly language: Language;
  readonly yes?: readonly string[];
  readonly no?: readonly string[];
  readonly digits: boolean;
}): AnswerWords {
  const { language, digits } = settings;
  return {
    yes: new Set((settings.yes ?? commonWords('yes', language)).map(plainWord)),
    no: new Set([...(settings.no ?? commonWords('no', language)), ...everywhere.no].map(plainWord)),
    digits,
  };
}

function commonWords(of: keyof Words, language: Language): readonly string[] {
  return [
    ...byLanguage[language][of],
    ...everywhere[of],
    ...languages.flatMap((other) => byLanguage[other][of].filter((word) => !onlyAtHome.has(word))),
  ];
}

/** The words that a text asks people to answer with. */
export function askedWords(settings: {
  readonly language: Language;
  readonly yes?: readonly string[];
  readonly no?: readonly string[];
}): { readonly yes: string; readonly no: string } {
  const { yes, no } = byLanguage[settings.language];
  return {
    yes: (settings.yes?.[0] ?? (yes[0] as string)).toUpperCase(),
    no: (settings.no?.[0] ?? (no[0] as string)).toUpperCase(),
  };
}

/** Letters that Unicode does not take apart. */
const folded: Readonly<Record<string, string>> = { ø: 'o', æ: 'ae', ß: 'ss', đ: 'd', ł: 'l', œ: 'oe' };

/** As words are compared: small letters without diacritics, full-width ones and the like as the usual ones. */
export function plainWord(word: string): string {
  return word
    .normalize('NFKD')
    .toLowerCase()
    .replace(/\p{M}/gu, '')
    .replace(/[’‘`´]/g, "'")
    .replace(/[øæßđłœ]/g, (letter) => folded[letter] as string);
}
