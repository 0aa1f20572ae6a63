/**
 * The words by which people opt out, opt in again, or ask who sends: STOP, START, HELP, and what they are in other
 * languages. Only a text that is nothing but such a word counts. A text that says about the same in other words is a near
 * miss, which is for a person to judge. NO and YES in any language are answers, and never among these words.
 */
import { plainWord } from './words.ts';

export type OptOutWord = 'stop' | 'start' | 'help';

/** As people write them; they are compared without case and diacritics, and with spaces in place of hyphens. */
const words: Readonly<Record<OptOutWord, readonly string[]>> = {
  stop: [
    ...['STOP', 'STOPALL', 'STOP ALL', 'UNSUBSCRIBE', 'CANCEL', 'END', 'QUIT', 'REVOKE', 'OPTOUT', 'OPT OUT'],
    // Swedish
    ...['STOPP', 'STOPPA', 'SLUTA', 'AVSLUTA', 'AVREGISTRERA', 'AVPRENUMERERA', 'AVANMÄL'],
    // Norwegian and Danish
    ...['AVSLUTT', 'AVMELD', 'MELD AV', 'AVREGISTRER', 'AFMELD', 'FRAMELD', 'AFSLUT', 'AFREGISTRER'],
    // Finnish
    ...['LOPETA', 'SEIS', 'PERU TILAUS'],
    // German and Dutch
    ...['ABMELDEN', 'ABBESTELLEN', 'AUSTRAGEN', 'BEENDEN', 'STOPPEN', 'AFMELDEN', 'UITSCHRIJVEN'],
    // French
    ...['ARRET', 'ARRÊTER', 'ARRÊTEZ', 'DÉSABONNER', 'DÉSINSCRIRE', 'DÉSINSCRIPTION'],
    // Spanish, Portuguese and Italian
    ...['ALTO', 'BAJA', 'CANCELAR', 'PARAR', 'SAIR', 'BASTA', 'FERMA'],
    // Polish and Russian
    ...['REZYGNUJĘ', 'WYPISZ', 'СТОП'],
  ],
  start: ['START', 'UNSTOP', 'STARTA', 'ALOITA', 'STARTEN', 'DÉMARRER', 'INICIAR'],
  help: [
    ...['HELP', 'INFO', 'AIDE', 'HJÄLP', 'HJELP', 'HJÆLP', 'APUA', 'HILFE', 'AYUDA', 'AJUDA', 'AIUTO'],
    'POMOC',
  ],
};

const known: ReadonlyMap<string, OptOutWord> = new Map(
  (Object.keys(words) as OptOutWord[]).flatMap((meaning) =>
    words[meaning].map((word) => [plainText(word), meaning] as const),
  ),
);

/** No word is longer, however it is written. */
const maxLength = 60;

/** What the text as a whole means; undefined if it is anything but one of the words. */
export function optOutWord(text: string): OptOutWord | undefined {
  const given = text.trim();
  if (given.length > maxLength) return undefined;
  const said = wordsIn(given);
  if (!said.every(({ gap }, place) => place === 0 || onlySpaces.test(gap))) return undefined;
  const meaning = known.get(said.map(({ word }) => word).join(' '));
  // `STOP?` may ask what the word does; `HELP?` is a question anyway.
  return meaning !== 'help' && given.includes('?') ? undefined : meaning;
}

const onlySpaces = /^[\s\p{Pd}]+$/u;

/** Words that say the same on their own or beside a few others. Others of the words are common in other meanings. */
const plainStops = new Set(
  [
    ...['STOP', 'STOPALL', 'UNSUBSCRIBE', 'OPTOUT', 'STOPP', 'STOPPA', 'SLUTA', 'AVREGISTRERA'],
    ...['AVPRENUMERERA', 'AVANMÄL', 'AVMELD', 'AVREGISTRER', 'AFMELD', 'FRAMELD', 'LOPETA', 'LOPETTAKAA'],
    ...[
      'ABMELDEN',
      'ABBESTELLEN',
      'AFMELDEN',
      'UITSCHRIJVEN',
      'ARRET',
      'ARRÊTEZ',
      'DÉSABONNER',
      'BAJA',
      'СТОП',
    ],
  ].map(plainText),
);

const phrases: readonly string[] = [
  ...[
    'stop sending',
    'stop texting',
    'stop messaging',
    'do not send',
    "don't send",
    'dont send',
    'do not text',
  ],
  ...[
    "don't text",
    'remove me',
    'take me off',
    'no more sms',
    'no more texts',
    'no more messages',
    'opt me out',
  ],
  ...['leave me alone', 'sluta skicka', 'sluta sms', 'sluta messa', 'skicka inte fler', 'inga fler sms'],
  ...[
    'inga fler meddelanden',
    'ta bort mig',
    'stryk mig',
    'vill inte ha fler',
    'avregistrera mig',
    'slutt å sende',
  ],
  ...[
    'ikke send flere',
    'ingen flere sms',
    'fjern meg',
    'hold op med at sende',
    'ikke sende flere',
    'fjern mig',
  ],
  ...[
    'älkää lähettäkö',
    'älä lähetä',
    'poistakaa minut',
    'poista minut',
    'keine sms mehr',
    'keine nachrichten mehr',
  ],
  ...[
    'nicht mehr schicken',
    'nicht mehr senden',
    "n'envoyez plus",
    'plus de sms',
    'ne plus recevoir',
    'no más sms',
  ],
  ...['no me envíen', 'deje de enviar'],
].map((phrase) => ` ${plainText(phrase)} `);

/** A person who wants to be left alone says so at the beginning. */
const maxRead = 300;
const fewWords = 6;

/** Whether the text, which is none of the words, seems to ask for an end all the same. */
export function isNearMiss(text: string): boolean {
  const said = plainText(text.trim().slice(0, maxRead));
  const parts = said.split(' ');
  const ends = [parts[0], parts.at(-1)];
  if (parts.length <= fewWords && ends.some((word) => plainStops.has(word ?? ''))) return true;
  const spaced = ` ${said} `;
  return phrases.some((phrase) => spaced.includes(phrase));
}

/** Lower case without diacritics; everything between words, such as spaces and punctuation, is one space. */
function plainText(text: string): string {
  return wordsIn(text)
    .map(({ word }) => word)
    .join(' ');
}

/** Each word in its plain form, with what stands between it and the word before. */
function wordsIn(text: string): readonly { readonly word: string; readonly gap: string }[] {
  const plain = plainWord(text);
  let end = 0;
  return [...plain.matchAll(/[\p{L}\p{N}]+(?:'[\p{L}\p{N}]+)*/gu)].map(({ 0: word, index }) => {
    const gap = plain.slice(end, index);
    end = index + word.length;
    return { word, gap };
  });
}
