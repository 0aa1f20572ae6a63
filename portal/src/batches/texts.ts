/** The texts of the pages of batches. */
import type { BatchState } from '../../../src/batches/management/shown-batch.ts';
import { type Pair, plural, wordsOf } from '../words/words.ts';
import type { ReadFault } from './table/table.ts';

const [messages, messagesSv] = plural(['# message', '# messages'], ['# meddelande', '# meddelanden']);
const [texts, textsSv] = plural(['# text', '# texts'], ['# text', '# texter']);
const [parts, partsSv] = plural(['# SMS part', '# SMS parts'], ['# sms-del', '# sms-delar']);
const [fewer, fewerSv] = plural(['# part less', '# parts less'], ['# del mindre', '# delar mindre']);

export const useBatchWords = wordsOf({
  title: ['Batches', 'Utskick'],
  lead: [
    'Many messages at once, each with its own number and its own text.',
    'Många meddelanden på en gång, vart och ett med eget nummer och egen text.',
  ],
  all: ['All batches', 'Alla utskick'],
  newBatch: ['New batch', 'Nytt utskick'],
  none: ['No batches yet', 'Inga utskick än'],
  noneText: [
    'Paste two columns from a spreadsheet, or choose a CSV file: who gets it, and what to call them.',
    'Klistra in två kolumner från ett kalkylblad, eller välj en CSV-fil: vem som ska få det, och vad de heter.',
  ],
  name: ['Name', 'Namn'],
  nameless: [(id: string) => `Batch ${id}`, (id: string) => `Utskick ${id}`],
  progress: ['Progress', 'Läge'],
  state: ['State', 'Status'],
  by: ['By', 'Av'],
  accepted: ['Accepted', 'Inlämnat'],
  messages: [messages, messagesSv],
  parts: [parts, partsSv],
  states: {
    preparing: ['Being prepared', 'Förbereds'],
    scheduled: ['Scheduled', 'Schemalagt'],
    held: ['Waits for send hours', 'Väntar på sändningstid'],
    sending: ['Being sent', 'Skickas'],
    paused: ['Paused', 'Pausat'],
    sent: ['Waits for receipts', 'Väntar på kvitton'],
    done: ['Done', 'Klart'],
    aborted: ['Aborted', 'Avbrutet'],
    failed: ['Not sent', 'Inte skickat'],
  } satisfies Readonly<Record<BatchState, Pair>>,
  totals: {
    delivered: ['Delivered', 'Levererade'],
    sent: ['With the carrier', 'Hos operatören'],
    waiting: ['Waiting', 'Väntar'],
    failed: ['Failed', 'Misslyckade'],
    withdrawn: ['Taken back', 'Återkallade'],
  },
  toAll: ['All batches', 'Alla utskick'],
  itsMessages: ['Show messages', 'Visa meddelanden'],
  scheduledFor: ['Begins', 'Börjar'],
  heldTill: ['Send hours begin', 'Sändningstiden börjar'],
  sender: ['Sender', 'Avsändare'],
  costCentre: ['Cost centre', 'Kostnadsställe'],
  duplicates: ['Left out as duplicates', 'Utelämnade dubbletter'],
  size: ['Size', 'Storlek'],
  speed: [(perMinute: string) => `${perMinute} a minute`, (perMinute: string) => `${perMinute} i minuten`],
  left: [(time: string) => `${time} left`, (time: string) => `${time} kvar`],
  minutes: plural(['about # minute', 'about # minutes'], ['ungefär # minut', 'ungefär # minuter']),
  lessThanAMinute: ['less than a minute', 'mindre än en minut'],
  pause: ['Pause', 'Pausa'],
  resume: ['Resume', 'Fortsätt'],
  abort: ['Abort …', 'Avbryt …'],
  abortTitle: ['Abort this batch?', 'Avbryta utskicket?'],
  abortText: [
    (waiting: string) =>
      `${waiting} wait and will never be sent. What carriers have already is delivered all the same. It can't be undone; a pause can.`,
    (waiting: string) =>
      `${waiting} väntar och skickas aldrig. Det som operatörerna redan har levereras ändå. Det går inte att ångra; det gör en paus.`,
  ],
  abortNow: ['Abort the batch', 'Avbryt utskicket'],
  keep: ['Leave it as it is', 'Låt det vara'],
  reason: ['Reason:', 'Orsak:'],
  pausedText: [
    'Nothing more goes out until you resume it. What carriers have already is delivered.',
    'Inget mer skickas förrän du fortsätter. Det som operatörerna redan har levereras.',
  ],
  failed: ['What failed', 'Det som misslyckades'],
  to: ['To', 'Till'],
  status: ['Status', 'Status'],
  why: ['Why', 'Varför'],
  download: ['As CSV', 'Som CSV'],
  resend: ['Send failed again …', 'Skicka misslyckade igen …'],
  resendTitle: ['Send again what failed?', 'Skicka det som misslyckades igen?'],
  resendText: [
    'A new batch is made of the messages that failed for good, each with its own text. What was delivered, what may have arrived although no receipt came, and what was sent again before is left out.',
    'De meddelanden som slutgiltigt misslyckades blir ett nytt utskick, vart och ett med sin egen text. Det som levererades, det som kan ha kommit fram fast inget kvitto kom, och det som redan har skickats igen tas inte med.',
  ],
  resendNow: ['Send them again', 'Skicka dem igen'],
  resent: ['This is the batch of what had failed.', 'Här är utskicket av det som hade misslyckats.'],
  newLead: [
    'Nothing is sent before you have seen what is wrong and what it costs.',
    'Inget skickas innan du har sett vad som är fel och vad det kostar.',
  ],
  recipients: ['Recipients', 'Mottagare'],
  paste: ['Paste from a spreadsheet', 'Klistra in från ett kalkylblad'],
  pasteHint: [
    'Mark the columns there, copy, and paste here. The first row may have their names.',
    'Markera kolumnerna där, kopiera och klistra in här. Första raden får ha deras namn.',
  ],
  chooseFile: ['Choose a CSV file', 'Välj en CSV-fil'],
  orDrop: ['or drop it here', 'eller släpp den här'],
  reading: ['Reading …', 'Läser …'],
  rows: plural(['# row', '# rows'], ['# rad', '# rader']),
  readAs: [
    (encoding: string, delimiter: string) => `${encoding}, columns divided by ${delimiter}`,
    (encoding: string, delimiter: string) => `${encoding}, kolumner delade med ${delimiter}`,
  ],
  delimiters: {
    ';': ['semicolons', 'semikolon'],
    '\t': ['tabs', 'tabbar'],
    ',': ['commas', 'komma'],
    '|': ['bars', 'lodstreck'],
  },
  header: ['The first row has the names of the columns', 'Första raden har kolumnernas namn'],
  numberColumn: ['Phone numbers are in', 'Telefonnumren finns i'],
  countryCode: ['Country code of numbers that begin with 0', 'Landskod för nummer som börjar med 0'],
  other: ['Take another', 'Byt lista'],
  sample: ['The first rows', 'De första raderna'],
  faults: {
    tooLarge: [
      () => 'The file has more than 256 MB. Divide it, and send several batches.',
      () => 'Filen är större än 256 MB. Dela den och skicka flera utskick.',
    ],
    tooManyRows: [
      () => 'There are more than 500,000 rows, the most that one batch takes. Divide them over several.',
      () => 'Det är fler än 500 000 rader, det mesta som ett utskick tar. Dela upp dem på flera.',
    ],
    endlessRow: [
      ({ line }) =>
        `The row that begins in line ${line} does not end: a quotation mark in it is never closed, or it has more than 65,536 characters.`,
      ({ line }) =>
        `Raden som börjar på rad ${line} tar inte slut: ett citattecken i den avslutas aldrig, eller så har den fler än 65 536 tecken.`,
    ],
    tooManyColumns: [
      ({ line }) => `Line ${line} has more than 1,000 columns. Is it the right file?`,
      ({ line }) => `Rad ${line} har fler än 1 000 kolumner. Är det rätt fil?`,
    ],
    notText: [
      () => 'This is no text. Save the table as CSV first; a workbook (.xlsx) can not be read here.',
      () => 'Det här är ingen text. Spara tabellen som CSV först; en arbetsbok (.xlsx) kan inte läsas här.',
    ],
    empty: [() => 'There is nothing in it.', () => 'Det finns inget i den.'],
    unreadable: [
      () => 'The browser could not read the file. It may have been moved or changed: choose it again.',
      () => 'Webbläsaren kunde inte läsa filen. Den kan ha flyttats eller ändrats: välj den igen.',
    ],
  } satisfies Readonly<Record<ReadFault['kind'], Pair<(fault: ReadFault) => string>>>,
  text: ['Text', 'Text'],
  textFrom: ['Each gets', 'Var och en får'],
  oneText: ['the same text, with fields', 'samma text, med fält'],
  textOfColumn: [
    (column: string) => `the text of the column ${column}`,
    (column: string) => `texten i kolumnen ${column}`,
  ],
  message: ['Message', 'Meddelande'],
  messageHint: [
    'A field stands for what each row has in that column.',
    'Ett fält står för det som varje rad har i den kolumnen.',
  ],
  insert: ['Insert a field', 'Infoga ett fält'],
  replace: ['Replace characters that make SMS expensive', 'Ersätt tecken som gör sms dyra'],
  when: ['Name and time', 'Namn och tid'],
  nameHint: ['Only you and your colleagues see it.', 'Bara du och dina kollegor ser det.'],
  senderHint: ['Empty: the default of the account.', 'Tomt: kontots vanliga.'],
  beginsAt: ['Begins at', 'Börjar'],
  beginsHint: [
    'Empty: at once. Your company’s send hours hold in any case.',
    'Tomt: genast. Företagets sändningstider gäller i alla fall.',
  ],
  check: ['Check', 'Granska'],
  checking: ['Checking …', 'Granskar …'],
  checkAgain: ['Something has changed since: check again.', 'Något har ändrats sedan dess: granska igen.'],
  result: ['What would be sent', 'Det som skulle skickas'],
  faultCount: plural(['# thing is wrong', '# things are wrong'], ['# sak är fel', '# saker är fel']),
  faultsFirst: [
    'Nothing is sent as long as a row is wrong. Mend it in your table, and paste or choose it again.',
    'Inget skickas så länge någon rad är fel. Rätta den i din tabell, och klistra in eller välj den igen.',
  ],
  line: [(line: number) => `Line ${line}`, (line: number) => `Rad ${line}`],
  whole: ['All', 'Allt'],
  andMore: plural(['and # more', 'and # more'], ['och # till', 'och # till']),
  summary: [
    (count: number, cost: number) => `${messages(count)}, ${parts(cost)}`,
    (count: number, cost: number) => `${messagesSv(count)}, ${partsSv(cost)}`,
  ],
  leftOut: plural(
    ['# duplicate is left out', '# duplicates are left out'],
    ['# dubblett utelämnas', '# dubbletter utelämnas'],
  ),
  quotaLeft: [
    (left: number) => `${parts(left)} of your quota are left.`,
    (left: number) => `${partsSv(left)} finns kvar av kvoten.`,
  ],
  quotaShort: [
    (left: number) =>
      `Only ${parts(left)} of your quota are left: the batch would end without sending anything.`,
    (left: number) =>
      `Bara ${partsSv(left)} finns kvar av kvoten: utskicket skulle sluta utan att något skickas.`,
  ],
  histogram: ['Parts of each message', 'Delar per meddelande'],
  inParts: [parts, partsSv],
  savings: ['What would cost less', 'Det som skulle kosta mindre'],
  withoutCharacter: [
    (count: number, saved: number, character: string, similar: string) =>
      `${texts(count)} would have ${fewer(saved)} in all ${similar === '' ? `without “${character}”` : `with “${similar}” in place of “${character}”`}`,
    (count: number, saved: number, character: string, similar: string) =>
      `${textsSv(count)} skulle få sammanlagt ${fewerSv(saved)} ${similar === '' ? `utan ”${character}”` : `med ”${similar}” i stället för ”${character}”`}`,
  ],
  withReplacing: [
    (count: number, saved: number) =>
      `${texts(count)} would have ${fewer(saved)} in all if similar characters took the place of expensive ones`,
    (count: number, saved: number) =>
      `${textsSv(count)} skulle få sammanlagt ${fewerSv(saved)} om dyra tecken byttes mot liknande`,
  ],
  withShortening: [
    (count: number) => `${texts(count)} would have one part less if they were up to 10 characters shorter`,
    (count: number) => `${textsSv(count)} skulle få en del mindre om de var upp till 10 tecken kortare`,
  ],
  replaceNow: ['Replace them', 'Ersätt dem'],
  samples: ['The first messages', 'De första meddelandena'],
  send: [(count: number) => `Send ${messages(count)}`, (count: number) => `Skicka ${messagesSv(count)}`],
  sendLater: [
    (count: number) => `Schedule ${messages(count)}`,
    (count: number) => `Schemalägg ${messagesSv(count)}`,
  ],
  sendAgain: [
    (count: number) => `Send ${messages(count)} again`,
    (count: number) => `Skicka ${messagesSv(count)} igen`,
  ],
  blankTitle: ['Send with blanks?', 'Skicka med luckor?'],
  blankRows: plural(
    [
      '# row lacks a word that its text has a place for. Columns with empty cells:',
      '# rows lack a word that their text has a place for. Columns with empty cells:',
    ],
    [
      '# rad saknar ett ord som dess text har plats för. Kolumner med tomma celler:',
      '# rader saknar ett ord som deras text har plats för. Kolumner med tomma celler:',
    ],
  ),
  fillIn: ['Mend the table first', 'Rätta tabellen först'],
  sendBlank: ['Send all the same', 'Skicka ändå'],
  onItsWay: ['The batch is on its way.', 'Utskicket är på väg.'],
  unanswered: [
    (count: string) =>
      `A batch of ${count} was being sent, and no answer has come: it may have been sent, or not. Check the same table again, and send it: what has gone out already goes out no second time.`,
    (count: string) =>
      `Ett utskick på ${count} höll på att skickas, och inget svar har kommit: det kan ha skickats, eller inte. Granska samma tabell igen och skicka den: det som redan gått iväg går inte iväg en gång till.`,
  ],
  unansweredLong: [
    (count: string) =>
      `A batch of ${count} was being sent, and no answer has come. That is too long ago for it to be sent again safely: see among the batches what became of it.`,
    (count: string) =>
      `Ett utskick på ${count} höll på att skickas, och inget svar har kommit. Det är för länge sedan för att det säkert ska kunna skickas igen: se bland utskicken vad som blev av det.`,
  ],
  leaveIt: ['Leave it', 'Låt det vara'],
  settleFirst: [
    'First settle what became of the batch that had no answer: see above.',
    'Ta först reda på vad som blev av utskicket som inte fick något svar: se ovan.',
  ],
  sentBefore: ['You have sent exactly this batch already:', 'Du har redan skickat precis det här utskicket:'],
  showIt: ['Show that batch', 'Visa det utskicket'],
  onceMore: ['Send it once more', 'Skicka en gång till'],
});
