/**
 * Reactions to a text, which a phone writes out for those who can't see them as such: `Liked “Can you come tonight?”`. They
 * are in the language of the phone, whatever that of the job is.
 */
import { plainWord } from './words.ts';

/** What stands in front of the words that they are about. Of all other reactions it says neither YES nor NO. */
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

/** In all languages known; apostrophes stand within words as well. */
const quotationMark = /["“”„‟«»‹›「『]/;
const maxOpening = 60;

/** `Reacted ❤️ to`, as newer phones write it, and `❤️ to`, each in these languages. */
const withSign =
  /^(?:(?:reacted|reagerade|reagerte|reagerede|reagoi|reagierte)(?: (?:with|med|mit))? )?(\p{Extended_Pictographic})\p{Emoji_Modifier}?\uFE0F?(?: (?:to|till|til|på|pa|viestiin|auf|zu))?$/u;

/** Undefined: it is none, or one that says neither. */
export function readReaction(text: string): 'yes' | 'no' | undefined {
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
