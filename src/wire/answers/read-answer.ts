/**
 * Interprets an SMS from a person who was asked: YES, NO, a question about the current state, or anything else. The text may
 * be a reaction that a phone writes out, or it may begin like a YES or NO without being one: an idiom, a doubt, a word of
 * another language.
 */
import { type AnswerWords, type Language, plainWord } from './words.ts';

export interface Answer {
  readonly meaning: 'yes' | 'no' | 'query' | 'comment';
}

/** Text beyond this many characters is ignored: the first word decides. */
const maxRead = 200;

/** A thumb, or a word: digits and letters, with hyphens and apostrophes inside. */
const pieceForm = /\u{1F44D}|\u{1F44E}|[\p{L}\p{N}]+(?:['-][\p{L}\p{N}]+)*/gu;

/** Words that negate the one before them: "absolutely not", "natürlich nicht". */
const negations = new Set(['not', 'inte', 'ikke', 'ikkje', 'icke', 'nicht', 'ej']);

export function readAnswer(text: string, words: AnswerWords): Answer {
  const read = text.slice(0, maxRead);
  const reaction = readReaction(read);
  if (reaction !== undefined) return { meaning: reaction };
  const all = firstPieces(read);
  if (all.length === 0) return { meaning: /[?\uFF1F\u2753\u2754]/.test(text) ? 'query' : 'comment' };
  const { language } = words;
  // "No problem" is an idiom in Finland too.
  const pieces = isLeftOpen(all, read, language) ? all : withoutFiller(all, read, language);
  const [first, second] = pieces;
  const meaning = first === undefined ? undefined : meaningOf(first, words);
  if (meaning === undefined || isLeftOpen(pieces, read, language)) return { meaning: 'comment' };
  if (meaning === 'yes' && second !== undefined && negations.has(second)) return { meaning: 'no' };
  return { meaning: isContradiction(pieces, meaning, language) ? 'comment' : meaning };
}

/** The length of the longest idiom, in words. */
const maxPieces = 4;

function firstPieces(text: string): readonly string[] {
  const found: string[] = [];
  for (const [piece] of plainWord(text).matchAll(pieceForm)) {
    found.push(piece);
    if (found.length === maxPieces) break;
  }
  return found;
}

function meaningOf(word: string, { yes, no, digits }: AnswerWords): 'yes' | 'no' | undefined {
  if (word === '\u{1F44D}') return 'yes';
  if (word === '\u{1F44E}') return 'no';
  if (/^[0-9]+$/.test(word)) {
    if (!digits) return undefined;
    return word === '1' ? 'yes' : word === '2' || word === '0' ? 'no' : undefined;
  }
  const short = unstretched(word);
  for (const form of short === word ? [word] : [word, short + short.at(-1), short]) {
    if (yes.has(form)) return 'yes';
    if (no.has(form)) return 'no';
  }
  return undefined;
}

/** Turns `jaaa` into `ja`. Turns `jooo` into `jo`, although `joo` may be meant. */
function unstretched(word: string): string {
  let end = word.length;
  while (end > 1 && word[end - 1] === word[end - 2]) end -= 1;
  return word.slice(0, end);
}

/**
 * Interprets a reaction to a text, which phones write out for recipients who cannot see it as such: `Liked “Can you
 * come tonight?”`. It is in the phone's language, whatever the job's language. Undefined if the text is not a reaction,
 * or a reaction that means neither YES nor NO.
 */
function readReaction(text: string): 'yes' | 'no' | undefined {
  const end = text.slice(0, maxOpening).search(quotationMark);
  if (end < 0) return undefined;
  const opening = plainWord(text.slice(0, end))
    .replace(/[\s\u200B-\u200F\u2060]{1,60}/g, ' ')
    .trim()
    .replace(/ ?:$/, '');
  const sign = withSign.exec(opening)?.[1];
  if (sign === '\u{1F44D}' || sign === '\u2764' || thumbsUp.has(opening)) return 'yes';
  return sign === '\u{1F44E}' || thumbsDown.has(opening) ? 'no' : undefined;
}

/** Quotation marks in all supported languages; apostrophes also occur within words. */
const quotationMark = /["“”„‟«»‹›「『]/;
const maxOpening = 60;

/** `Reacted ❤️ to`, as newer phones write it, and `❤️ to`, each in these languages. */
const withSign =
  /^(?:(?:reacted|reagerade|reagerte|reagerede|reagoi|reagierte)(?: (?:with|med|mit))? )?(\p{Extended_Pictographic})\p{Emoji_Modifier}?\uFE0F?(?: (?:to|till|til|på|pa|viestiin|auf|zu))?$/u;

/**
 * The words that precede the quoted text in approving reactions and, below, in disapproving ones. All other reactions mean
 * neither YES nor NO.
 */
const thumbsUp = phrases(`
  liked, likes, loved, loves, gillade, gillar, tyckte om, tycker om, älskade, älskar, likte, liker, likt, elsket, elska, elsker,
  likte meldingen, syntes godt om, synes godt om, kunne lide, kunne godt lide, kan lide, kan godt lide, elskede, tykkäsi, tykkää,
  tykkäsi viestistä, piti, piti viestistä, pitää, rakasti, rakasti viestiä, rakastaa, gefällt, gefällt mir, gefiel, mag, mochte,
  liebt, liebte
`);
const thumbsDown = phrases(`
  disliked, dislikes, ogillade, ogillar, tyckte inte om, tycker inte om, mislikte, misliker, likte ikke, liker ikke,
  kunne ikke lide, kan ikke lide, syntes ikke om, synes ikke om, syntes ikke godt om, synes ikke godt om, brød sig ikke om,
  ei tykännyt, ei tykännyt viestistä, ei tykkää, ei pitänyt, ei pitänyt viestistä, ei pidä, inhosi, gefällt nicht,
  gefällt mir nicht, gefiel nicht, mag nicht, mochte nicht, missfällt, missfiel
`);

function phrases(text: string): ReadonlySet<string> {
  return new Set(text.split(',').map((phrase) => plainWord(phrase.trim())));
}

/** Removes filler words before the answer itself: "Na klar", "No joo", "Nå, ok". */
function withoutFiller(pieces: readonly string[], text: string, language: Language): readonly string[] {
  const [first, second] = pieces;
  if (second === undefined) return /^\P{L}*nå(?!\p{L})/iu.test(text.normalize('NFC')) ? [] : pieces;
  const isFiller =
    /^\P{L}*nå(?!\p{L})/iu.test(text.normalize('NFC')) ||
    (first === 'na' && language === 'de') ||
    (first === 'no' && (language === 'fi' || language === 'no') && !behindEnglishNo.has(second));
  return isFiller ? pieces.slice(1) : pieces;
}

/** Whether the following words leave the YES or NO of the first word open. */
function isLeftOpen(pieces: readonly string[], text: string, language: Language): boolean {
  const [first = '', second] = pieces;
  // "Yes?" is how people respond to strangers.
  if (second === undefined) return /[?\uFF1F]/.test(text);
  for (let length = 2; length <= Math.min(longestPhrase, pieces.length); length++)
    if (leftOpen.has(pieces.slice(0, length).join(' '))) return true;
  if (language === 'de' && first === 'na' && second === 'ja') return true;
  if (language === 'fi' && first === 'ja' && !behindForeignJa.has(second)) return true;
  if (doubts.has(second) || whoWords.has(second)) return true;
  return understood.has(first) && questionWords.has(second);
}

/** "Yes, no, wait" means neither, but "yes, no problem" is a YES. `en` and `ei` are a NO only in Finnish. */
function isContradiction(pieces: readonly string[], meaning: 'yes' | 'no', language: Language): boolean {
  const [, second = '', third = ''] = pieces;
  if (meaning === 'no') return clearYes.has(second);
  if (language === 'fi' && (second === 'en' || second === 'ei')) return true;
  return clearNo.has(second) && !noMatter.includes(third);
}

const noMatter = ['problem', 'problems', 'prob', 'probs', 'worries', 'trouble', 'bother', 'issue', 'issues'];

/** In the form of `plainWord`: beginnings of answers that leave the meaning open. */
const leftOpen: ReadonlySet<string> = new Set([
  ...[...noMatter, 'stress', 'idea', 'reply', 'clue', 'doubt', 'longer', 'one', 'signal'].map(
    (word) => `no ${word}`,
  ),
  ...noMatter.map((word) => `no not a ${word}`),
  // Written by phones that reply automatically, and by people who are delighted or cannot read the text.
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

/** After a YES or NO, these words make the answer uncertain. */
const doubts: ReadonlySet<string> = new Set([
  ...['maybe', 'perhaps', 'possibly', 'probably', 'kanske', 'eventuellt', 'troligen', 'kanskje', 'muligens'],
  ...['maske', 'muligvis', 'eventuelt', 'evt', 'evtl', 'ehka', 'mahdollisesti', 'luultavasti', 'vielleicht'],
  ...['eventuell', 'moglicherweise', 'wahrscheinlich'],
]);

/** After a YES, these words show that the sender does not know what the question is about. */
const whoWords: ReadonlySet<string> = new Set(['who', 'vem', 'hvem', 'kuka', 'wer']);
/** After a word that only acknowledges, these words turn the answer into a question. */
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

/** After `no`, which is Finnish or Norwegian for *well* or *now*, these words show that the English word is meant. */
const behindEnglishNo: ReadonlySet<string> = new Set([
  ...['thanks', 'thank', 'thx', 'sorry', 'i', 'not', 'way', 'unfortunately', 'time', 'we', 'my', 'problem'],
  ...["can't", 'cant', 'cannot', 'worries'],
]);
/** After `ja`, which is Finnish for *and*, these words show that the Swedish or German word for YES is meant. */
const behindForeignJa: ReadonlySet<string> = new Set([
  ...['tack', 'gärna', 'garna', 'jag', 'kommer', 'kan', 'det', 'men', 'absolut', 'ok', 'visst', 'klart'],
  ...['takk', 'tak', 'gerne', 'danke', 'ich'],
]);
