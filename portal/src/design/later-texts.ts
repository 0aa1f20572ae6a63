/** The texts of components that no first screen shows. They are loaded with the page that shows them. */
import { plural, wordsOf } from '../words/words.ts';

export const useLaterWords = wordsOf({
  cancel: ['Cancel', 'Avbryt'],
  yes: ['Yes', 'Ja'],
  no: ['No', 'Nej'],
  countryCode: ['Country code', 'Landsnummer'],
  countryCodeHint: [
    'Replaces the 0 that some numbers begin with: 46 for Sweden.',
    'Ersätter nollan som vissa nummer börjar med: 46 för Sverige.',
  ],
  companyCodeHint: [
    (code: string) =>
      `Replaces the 0 that some numbers begin with. Left empty, it is ${code}, the code of your company.`,
    (code: string) =>
      `Ersätter nollan som vissa nummer börjar med. Lämnas fältet tomt gäller ${code}, företagets landsnummer.`,
  ],
  asCurl: ['As curl', 'Som curl'],
  copy: ['Copy', 'Kopiera'],
  copied: ['Copied', 'Kopierat'],
  copyFailed: [
    'This browser doesn’t let the page copy. Select the text and copy it yourself.',
    'Webbläsaren låter inte sidan kopiera. Markera texten och kopiera den själv.',
  ],
  curlNote: [
    'The same call through the API. curl asks for your password; programs use an API key.',
    'Samma sak genom API:et. curl frågar efter lösenordet; program använder en API-nyckel.',
  ],
  roleNames: {
    send: ['Send', 'Skicka'],
    jobs: ['Jobs', 'Jobb'],
    emailAdmin: ['E-mail senders', 'E-postavsändare'],
    companyAdmin: ['Administrator', 'Administratör'],
  },
  select: ['Select', 'Markera'],
  selectOne: [(name: string) => `Select ${name}`, (name: string) => `Markera ${name}`],
  selection: ['Selected', 'Markerade'],
  selected: plural(['# selected', '# selected'], ['# markerad', '# markerade']),
  selectAll: plural(['Select # shown', 'Select all # shown'], ['Markera # visad', 'Markera alla # visade']),
  selectNone: ['Clear selection', 'Avmarkera'],
  leftAlone: plural(
    ['# other is left as it is.', '# others are left as they are.'],
    ['# annan lämnas som den är.', '# andra lämnas som de är.'],
  ),
  bulkAt: [
    (at: number, count: number) => `Number ${at} of ${count} …`,
    (at: number, count: number) => `Nummer ${at} av ${count} …`,
  ],
  bulkStopped: plural(
    ['It stopped; # is left.', 'It stopped; # are left.'],
    ['Det stannade; # är kvar.', 'Det stannade; # är kvar.'],
  ),
  bulkRefused: plural(['# was refused:', '# were refused:'], ['# gick inte:', '# gick inte:']),
  bulkGoOn: ['Go on', 'Fortsätt'],
  closeIt: ['Close', 'Stäng'],
  changeTime: ['Change time', 'Ändra tid'],
  sendAt: ['Send at', 'Skicka kl.'],
  sendAtHint: ['In your own time zone.', 'I din egen tidszon.'],
  save: ['Save', 'Spara'],
  leave: ['Leave it', 'Låt vara'],
  loadMore: ['Show more', 'Visa fler'],
  searchOn: ['Nothing found so far. Search further back', 'Inget hittat hittills. Sök längre bakåt'],
  newer: ['There are new items', 'Det finns något nytt'],
  showNewer: ['Show them', 'Visa'],
  from: ['From', 'Från'],
  to: ['To', 'Till'],
  setByOperator: ['Set by your operator', 'Bestäms av driften'],
  shownOnce: ['Copy it now: it is shown only this once.', 'Kopiera den nu: den visas bara den här gången.'],
  savedIt: ['I have saved it', 'Jag har sparat den'],
  add: ['Add', 'Lägg till'],
  removeItem: [(item: string) => `Remove ${item}`, (item: string) => `Ta bort ${item}`],
  yours: ['Yours', 'Ditt'],
  theirs: ['Theirs', 'Deras'],
  saved: ['Saved.', 'Sparat.'],
  discard: ['Discard changes', 'Släng ändringarna'],
  changedMeanwhile: [
    'Somebody else has changed this meanwhile. Choose which version to keep.',
    'Någon annan har ändrat det här under tiden. Välj vilken version som ska gälla.',
  ],
  takeTheirs: ['Take theirs', 'Ta deras'],
  saveMine: ['Save mine', 'Spara mina'],
  parts: plural(['# part', '# parts'], ['# del', '# delar']),
  charactersOf: [
    (used: number, room: number) => `${used} of ${room} characters`,
    (used: number, room: number) => `${used} av ${room} tecken`,
  ],
  encodings: {
    gsm7: ['Ordinary letters (GSM-7)', 'Vanliga bokstäver (GSM-7)'],
    ucs2: ['All characters (UCS-2): 70 per part, not 160', 'Alla tecken (UCS-2): 70 per del, inte 160'],
  },
  dearCharacters: [
    'These characters switch the whole text to UCS-2, which takes more than twice as many parts:',
    'De här tecknen gör att hela texten skickas som UCS-2, vilket tar mer än dubbelt så många delar:',
  ],
  replaceOne: [
    (character: string, by: string) =>
      by === '' ? `Remove each ${character}` : `Replace each ${character} with ${by}`,
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
