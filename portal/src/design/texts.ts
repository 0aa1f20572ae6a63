/** The texts of components that all pages use. */
import type { StatusName } from '../../../src/messages/message.ts';
import { type Pair, plural, wordsOf } from '../words/words.ts';

export const useDesignWords = wordsOf({
  statuses: {
    QUEUED: ['Waiting', 'Väntar'],
    SENT: ['On its way', 'På väg'],
    DELIVERED: ['Delivered', 'Framme'],
    DELETED: ['Withdrawn', 'Återkallat'],
    EXPIRED: ['Expired', 'För gammalt'],
    REJECTED: ['Rejected', 'Avvisat'],
    UNDELIVERABLE: ['Undeliverable', 'Går inte fram'],
    ACCEPTED: ['On its way', 'På väg'],
    ABSENTSUBSCRIBER: ['Phone unreachable', 'Telefonen nås inte'],
    UNKNOWNSUBSCRIBER: ['Unknown number', 'Okänt nummer'],
    INVALIDDESTINATION: ['Invalid number', 'Ogiltigt nummer'],
    SUBSCRIBERERROR: ['Refused by the phone', 'Avvisat av telefonen'],
    UNKNOWN: ['Fate unknown', 'Okänt öde'],
    ERROR: ['Failed', 'Misslyckat'],
    SCHEDULED: ['Scheduled', 'Schemalagt'],
    CANCELED: ['Cancelled', 'Avbrutet'],
  } satisfies Readonly<Record<StatusName, Pair>>,
  simulated: ['simulated', 'simulerat'],
  undo: ['Undo', 'Ångra'],
  dismiss: ['Dismiss', 'Stäng'],
  notifications: ['Notifications', 'Meddelanden från sidan'],
  close: ['Close', 'Stäng'],
  cancel: ['Cancel', 'Avbryt'],
  asCurl: ['As curl', 'Som curl'],
  copy: ['Copy', 'Kopiera'],
  copied: ['Copied', 'Kopierat'],
  copyFailed: [
    'This browser does not let the page copy. Select the text and copy it.',
    'Webbläsaren låter inte sidan kopiera. Markera texten och kopiera den.',
  ],
  curlNote: [
    'The same by the API. curl asks for the password; programs use an API key.',
    'Samma sak genom API:et. curl frågar efter lösenordet; program använder en API-nyckel.',
  ],
  loadMore: ['Show more', 'Visa fler'],
  searchOn: ['Nothing found so far. Search further back', 'Inget hittat hittills. Sök längre bakåt'],
  loading: ['Loading', 'Laddar'],
  newer: ['There is something new', 'Det finns något nytt'],
  showNewer: ['Show it', 'Visa'],
  tryAgain: ['Try again', 'Försök igen'],
  unreachable: [
    'The server can’t be reached. Check the connection; nothing that you typed is lost.',
    'Servern går inte att nå. Kontrollera anslutningen; inget du har skrivit går förlorat.',
  ],
  nocookies: [
    'You were let in, but this browser has not kept the cookie that says so. Allow cookies for this site, then sign in.',
    'Du släpptes in, men webbläsaren sparade inte kakan som visar det. Tillåt kakor för den här webbplatsen och logga sedan in.',
  ],
  outdated: [
    'This was tried about a day ago or more, and may have been done then. See whether it was before you begin anew.',
    'Det här gjordes för omkring ett dygn sedan eller mer, och kan ha gått igenom då. Se efter om det gjorde det innan du börjar om.',
  ],
  yours: ['Yours', 'Ditt'],
  theirs: ['As it is now', 'Som det är nu'],
  optional: ['optional', 'frivilligt'],
  showPassword: ['Show', 'Visa'],
  hidePassword: ['Hide', 'Dölj'],
  parts: plural(['# part', '# parts'], ['# del', '# delar']),
  charactersOf: [
    (used: number, room: number) => `${used} of ${room} characters`,
    (used: number, room: number) => `${used} av ${room} tecken`,
  ],
  encodings: {
    gsm7: ['Ordinary letters (GSM-7)', 'Vanliga bokstäver (GSM-7)'],
    ucs2: ['All characters (UCS-2): 70 a part, not 160', 'Alla tecken (UCS-2): 70 per del, inte 160'],
  },
  dearCharacters: [
    'These characters put the whole text into UCS-2, which takes more than twice the parts:',
    'De här tecknen gör hela texten till UCS-2, som tar mer än dubbelt så många delar:',
  ],
  replaceOne: [
    (character: string, by: string) =>
      by === '' ? `Remove each ${character}` : `Replace each ${character} by ${by}`,
    (character: string, by: string) =>
      by === '' ? `Ta bort alla ${character}` : `Ersätt alla ${character} med ${by}`,
  ],
  removeIt: ['remove', 'ta bort'],
  replaceAll: ['Replace all', 'Ersätt alla'],
  replaceAllSaves: [
    (after: number, before: number) => `Replace all: ${after} instead of ${before} parts`,
    (after: number, before: number) => `Ersätt alla: ${after} i stället för ${before} delar`,
  ],
});
