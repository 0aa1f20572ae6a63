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

/** Words that are another one elsewhere: `en` is *a* in Swedish, `k` nobody's NO. They count in their language alone. */
const onlyAtHome = new Set([
  ...['en', 'ne', 'n', 'y', 'k', 'sorry', 'coming', 'klart', 'totta', 'ya', 'käy', 'sicher'],
]);

/** Words of other languages' lists that mean something else in this one: Finnish `jo` is *already*, German `na` is *well*. */
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

/** What a type lists is all that counts, beside 👍 and 👎 and STOP. */
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
