/** The words for YES and NO, by language, with which the first words of answers are compared. */

export const languages = ['en', 'sv', 'no', 'da', 'fi', 'de'] as const;
export type Language = (typeof languages)[number];

interface Words {
  /** Texts ask people to answer with the first word. */
  readonly yes: readonly string[];
  readonly no: readonly string[];
}

/** In lower case without diacritics, as answers are compared. */
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
      ...['självklart', 'naturligtvis', 'javisst', 'jadå', 'jajamän', 'klart', 'okidoki'],
    ],
    no: ['nej', 'nä', 'nää', 'nix', 'näpp', 'nepp', 'tyvärr', 'tyvär', 'nejtack', 'nejdå', 'knappast'],
  },
  no: {
    yes: [
      ...['ja', 'japp', 'jepp', 'jo', 'jada', 'klart', 'absolutt', 'selvfølgelig', 'selvsagt', 'sjølvsagt'],
      ...['gjerne', 'okei'],
    ],
    no: ['nei', 'neida', 'niks', 'dessverre', 'desverre', 'beklager', 'neppe'],
  },
  da: {
    yes: [
      ...['ja', 'jep', 'jeps', 'jo', 'jada', 'klart', 'absolut', 'selvfølgelig', 'naturligvis', 'gerne'],
      ...['javist', 'jovist'],
    ],
    no: ['nej', 'næ', 'næh', 'nix', 'desværre', 'beklager', 'niks', 'næppe'],
  },
  fi: {
    yes: [
      ...['kyllä', 'joo', 'juu', 'jep', 'jees', 'tulen', 'totta', 'tottakai', 'toki', 'pääsen', 'onnistuu'],
      ...['sopii', 'käy', 'okei'],
    ],
    no: ['ei', 'en', 'valitettavasti', 'emmä', 'enpä', 'eipä'],
  },
  de: {
    yes: [
      ...['ja', 'jawohl', 'jo', 'jap', 'jep', 'jup', 'jupp', 'klar', 'gern', 'gerne', 'natürlich', 'sicher'],
      'selbstverständlich',
    ],
    no: ['nein', 'nee', 'ne', 'nö', 'leider', 'keinesfalls'],
  },
};

const everywhere: Words = { yes: ['ok', 'okay', 'okej', 'oki', 'k', 'jes'], no: ['stop'] };

/**
 * Words that mean something else in other languages: `en` is *a* in Swedish, and `k` is not a NO anywhere else. They count
 * only in their own language.
 */
const onlyAtHome = new Set([
  ...['en', 'ne', 'n', 'y', 'k', 'sorry', 'coming', 'klart', 'totta', 'ya', 'käy', 'sicher'],
]);

/**
 * Words from other languages' lists that mean something else in this language: Finnish `jo` is *already*, German `na`
 * is *well*.
 */
const anotherWordIn: Readonly<Record<Language, ReadonlySet<string>>> = {
  en: new Set(),
  sv: new Set(['klar']),
  no: new Set(['ei', 'visst', 'klar']),
  da: new Set(['ei', 'klar']),
  fi: new Set(['jo']),
  de: new Set(['ei', 'nä', 'nää']),
};

export interface AnswerWords {
  readonly language: Language;
  readonly yes: ReadonlySet<string>;
  readonly no: ReadonlySet<string>;
  readonly digits: boolean;
}

/** If a type lists its own words, only those count, besides 👍, 👎 and STOP. */
export function answerWords(settings: {
  readonly language: Language;
  readonly yes?: readonly string[];
  readonly no?: readonly string[];
  readonly digits: boolean;
}): AnswerWords {
  const { language, digits } = settings;
  return {
    language,
    yes: new Set((settings.yes ?? commonWords('yes', language)).map(plainWord)),
    no: new Set([...(settings.no ?? commonWords('no', language)), ...everywhere.no].map(plainWord)),
    digits,
  };
}

function commonWords(of: keyof Words, language: Language): readonly string[] {
  return [
    ...byLanguage[language][of],
    ...everywhere[of],
    ...languages.flatMap((other) =>
      byLanguage[other][of].filter((word) => !onlyAtHome.has(word) && !anotherWordIn[language].has(word)),
    ),
  ];
}

/** The words with which a text asks people to answer. */
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

/** Letters that Unicode does not decompose. */
const folded: Readonly<Record<string, string>> = { ø: 'o', æ: 'ae', ß: 'ss', đ: 'd', ł: 'l', œ: 'oe' };

/**
 * Normalizes a word for comparison: lower case, without diacritics, and with full-width and similar forms as ordinary
 * letters.
 */
export function plainWord(word: string): string {
  return word
    .normalize('NFKD')
    .toLowerCase()
    .replace(/\p{M}/gu, '')
    .replace(/[’‘`´]/g, "'")
    .replace(/[øæßđłœ]/g, (letter) => folded[letter] as string);
}
