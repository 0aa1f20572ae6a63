/** What begins like a YES or NO and is none: turns of speech, doubts, and words that other languages use otherwise. */
import type { Language } from './words.ts';

const noMatter = ['problem', 'problems', 'prob', 'probs', 'worries', 'trouble', 'bother', 'issue', 'issues'];

/** As `plainWord` writes them; the first words of an answer that leaves it open. */
const phrases: ReadonlySet<string> = new Set([
  ...[...noMatter, 'stress', 'idea', 'reply', 'clue', 'doubt', 'longer', 'one', 'signal'].map(
    (word) => `no ${word}`,
  ),
  ...noMatter.map((word) => `no not a ${word}`),
  // Of telephones that answer by themselves, and of people who are glad, or can't read the text.
  ...["can't", 'cant', 'cannot'].flatMap((word) =>
    ['wait', 'talk', 'say', 'tell', 'read', 'see', 'open', 'hear', 'remember', 'believe', 'understand'].map(
      (verb) => `${word} ${verb}`,
    ),
  ),
  ...["sorry i can't talk", 'sorry i cant talk', 'sorry wrong', 'sorry for', 'coming down', 'sure wish'],
  ...['negative test', 'negative result', 'yeah right', 'ok but', 'k a'],
  ...[
    'ei ongelmaa',
    'ei ongelmia',
    'ei haittaa',
    'ei hataa',
    'ei mitaan',
    'ei viela',
    'en tieda',
    'en ole varma',
  ],
  ...['yes or', 'yes and no', 'ja eller', 'ja oder', 'ja och nej', 'ja og nei', 'ja og nej', 'ja und nein'],
  ...['kylla vai', 'kylla tai', 'joo vai', 'joo ja ei', 'kylla ja ei'],
]);
const longestPhrase = 4;

/** Behind a YES or NO: it is not sure. */
const doubts: ReadonlySet<string> = new Set([
  ...['maybe', 'perhaps', 'possibly', 'probably', 'kanske', 'eventuellt', 'troligen', 'kanskje', 'muligens'],
  ...['maske', 'muligvis', 'eventuelt', 'evt', 'evtl', 'ehka', 'mahdollisesti', 'luultavasti', 'vielleicht'],
  ...['eventuell', 'moglicherweise', 'wahrscheinlich'],
]);

/** Behind a YES: whoever asks that does not know what it is about. */
const whoWords: ReadonlySet<string> = new Set(['who', 'vem', 'hvem', 'kuka', 'wer']);
/** Behind a word that only says that something was understood: it is asked about. */
const questionWords: ReadonlySet<string> = new Set([
  ...[
    'what',
    'where',
    'when',
    'why',
    'which',
    'how',
    'vad',
    'nar',
    'var',
    'varfor',
    'vilken',
    'vilket',
    'hur',
  ],
  ...['hva', 'hvad', 'hvornar', 'hvor', 'hvorfor', 'hvilken', 'hvordan', 'mita', 'milloin', 'missa', 'miksi'],
  ...['mihin', 'was', 'wann', 'wo', 'warum', 'welche', 'wie'],
]);
const understood: ReadonlySet<string> = new Set([
  'ok',
  'okay',
  'okej',
  'okei',
  'oki',
  'k',
  'sorry',
  'beklager',
]);

const clearYes: ReadonlySet<string> = new Set(['yes', 'ja', 'joo', 'kylla']);
const clearNo: ReadonlySet<string> = new Set([
  ...['no', 'n', 'nope', 'nej', 'nei', 'nein', 'nee', "can't", 'cant', 'cannot'],
]);

/** Behind a Finnish or Norwegian `no`, which is *well* or *now*: it is the English one. */
const behindEnglishNo: ReadonlySet<string> = new Set([
  ...['thanks', 'thank', 'thx', 'sorry', 'i', 'not', 'way', 'unfortunately', 'time', 'we', 'my', 'problem'],
  ...["can't", 'cant', 'cannot', 'worries'],
]);
/** Behind a Finnish `ja`, which is *and*: it is the Swedish, or German, YES. */
const behindForeignJa: ReadonlySet<string> = new Set([
  ...['tack', 'gärna', 'garna', 'jag', 'kommer', 'kan', 'det', 'men', 'absolut', 'ok', 'visst', 'klart'],
  ...['takk', 'tak', 'gerne', 'danke', 'ich'],
]);

/** Without what stands in front of the answer itself: "Na klar", "No joo", "Nå, ok". */
export function withoutFiller(
  pieces: readonly string[],
  text: string,
  language: Language,
): readonly string[] {
  const [first, second] = pieces;
  if (second === undefined) return /^\P{L}*nå(?!\p{L})/iu.test(text.normalize('NFC')) ? [] : pieces;
  const isFiller =
    /^\P{L}*nå(?!\p{L})/iu.test(text.normalize('NFC')) ||
    (first === 'na' && language === 'de') ||
    (first === 'no' && (language === 'fi' || language === 'no') && !behindEnglishNo.has(second));
  return isFiller ? pieces.slice(1) : pieces;
}

/** What follows leaves the YES or NO of the first word open. */
export function isLeftOpen(pieces: readonly string[], text: string, language: Language): boolean {
  const [first = '', second] = pieces;
  // "Yes?" is what people say to somebody whom they don't know.
  if (second === undefined) return /[?\uFF1F]/.test(text);
  for (let length = 2; length <= Math.min(longestPhrase, pieces.length); length++)
    if (phrases.has(pieces.slice(0, length).join(' '))) return true;
  if (language === 'de' && first === 'na' && second === 'ja') return true;
  if (language === 'fi' && first === 'ja' && !behindForeignJa.has(second)) return true;
  if (doubts.has(second) || whoWords.has(second)) return true;
  return understood.has(first) && questionWords.has(second);
}

/** "Yes, no, wait": neither; but for "yes, no problem". `en` and `ei` are a NO in Finnish alone. */
export function isContradiction(
  pieces: readonly string[],
  meaning: 'yes' | 'no',
  language: Language,
): boolean {
  const [, second = '', third = ''] = pieces;
  if (meaning === 'no') return clearYes.has(second);
  if (language === 'fi' && (second === 'en' || second === 'ei')) return true;
  return clearNo.has(second) && !noMatter.includes(third);
}
