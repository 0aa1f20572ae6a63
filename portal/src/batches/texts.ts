/** The texts of the batch pages. */
import type { BatchState } from '../../../src/batches/management/shown-batch.ts';
import { type Pair, plural, wordsOf } from '../words/words.ts';
import type { ReadFault } from './table/table.ts';

const [messages, messagesSv] = plural(['# message', '# messages'], ['# meddelande', '# meddelanden']);
const [texts, textsSv] = plural(['# text', '# texts'], ['# text', '# texter']);
const [parts, partsSv] = plural(['# SMS part', '# SMS parts'], ['# sms-del', '# sms-delar']);
const [fewer, fewerSv] = plural(['# fewer part', '# fewer parts'], ['# del mindre', '# delar mindre']);

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
    'Paste two columns from a spreadsheet, or choose a CSV file: phone numbers and names.',
    'Klistra in två kolumner från ett kalkylblad, eller välj en CSV-fil: telefonnummer och namn.',
  ],
  name: ['Name', 'Namn'],
  nameless: [(id: string) => `Batch ${id}`, (id: string) => `Utskick ${id}`],
  progress: ['Progress', 'Förlopp'],
  state: ['Status', 'Status'],
  by: ['By', 'Av'],
  accepted: ['Accepted', 'Inlämnat'],
  messages: [messages, messagesSv],
  parts: [parts, partsSv],
  states: {
    preparing: ['Being prepared', 'Förbereds'],
    scheduled: ['Scheduled', 'Schemalagt'],
    held: ['Waiting for send hours', 'Väntar på sändningstid'],
    sending: ['Being sent', 'Skickas'],
    paused: ['Paused', 'Pausat'],
    sent: ['Waiting for receipts', 'Väntar på kvitton'],
    done: ['Done', 'Klart'],
    aborted: ['Aborted', 'Stoppat'],
    failed: ['Not sent', 'Inte skickat'],
  } satisfies Readonly<Record<BatchState, Pair>>,
  totals: {
    delivered: ['Delivered', 'Levererade'],
    sent: ['With the carrier', 'Hos operatören'],
    waiting: ['Waiting', 'Väntar'],
    failed: ['Failed', 'Misslyckade'],
    withdrawn: ['Cancelled', 'Stoppade'],
  },
  toAll: ['All batches', 'Alla utskick'],
  itsMessages: ['Show messages', 'Visa meddelanden'],
  scheduledFor: ['Starts', 'Börjar'],
  heldTill: ['Send hours begin', 'Sändningstiden börjar'],
  sender: ['Sender', 'Avsändare'],
  costCentre: ['Cost centre', 'Kostnadsställe'],
  duplicates: ['Left out as duplicates', 'Utelämnade dubbletter'],
  size: ['Size', 'Storlek'],
  speed: [(perMinute: string) => `${perMinute} per minute`, (perMinute: string) => `${perMinute} per minut`],
  left: [(time: string) => `${time} left`, (time: string) => `${time} kvar`],
  minutes: plural(['about # minute', 'about # minutes'], ['ungefär # minut', 'ungefär # minuter']),
  lessThanAMinute: ['less than a minute', 'mindre än en minut'],
  pause: ['Pause', 'Pausa'],
  resume: ['Resume', 'Återuppta'],
  abort: ['Abort …', 'Stoppa …'],
  abortTitle: ['Abort this batch?', 'Stoppa utskicket?'],
  abortText: [
    (waiting: string) =>
      `${waiting} will never be sent. Messages already with a carrier are still delivered. This can’t be undone; a pause can.`,
    (waiting: string) =>
      `${waiting} kommer aldrig att skickas. Det som redan finns hos operatörerna levereras ändå. Till skillnad från en paus går det inte att ångra.`,
  ],
  abortNow: ['Abort the batch', 'Stoppa utskicket'],
  keep: ['Leave it as it is', 'Låt det vara'],
  reason: ['Reason:', 'Orsak:'],
  pausedText: [
    'Nothing more is sent until you resume it. Messages already with a carrier are still delivered.',
    'Inget mer skickas förrän du återupptar utskicket. Det som redan finns hos operatörerna levereras ändå.',
  ],
  failed: ['Failed messages', 'Misslyckade meddelanden'],
  byReason: ['How many failed, and why', 'Hur många som misslyckades, och varför'],
  resentFrom: ['Failed messages of', 'Misslyckade meddelanden ur'],
  resentAs: ['Failed messages sent again as', 'Misslyckade meddelanden skickades igen som'],
  to: ['To', 'Till'],
  status: ['Status', 'Status'],
  why: ['Why', 'Varför'],
  download: ['As CSV', 'Som CSV'],
  resend: ['Send failed again …', 'Skicka misslyckade igen …'],
  resendTitle: ['Send failed messages again?', 'Skicka misslyckade meddelanden igen?'],
  resendText: [
    'The messages that failed for good become a new batch, each with its own text. Messages that were delivered, may have arrived without a receipt, or were already sent again are left out.',
    'De meddelanden som slutgiltigt misslyckades blir ett nytt utskick, vart och ett med sin egen text. Det som levererades, det som kan ha kommit fram fast inget kvitto kom, och det som redan har skickats igen tas inte med.',
  ],
  resendNow: ['Send them again', 'Skicka dem igen'],
  resent: [
    'This is the new batch with the failed messages.',
    'Det här är det nya utskicket med de misslyckade meddelandena.',
  ],
  newLead: [
    'Nothing is sent until you have seen what is wrong and what it costs.',
    'Inget skickas innan du har sett vad som är fel och vad det kostar.',
  ],
  recipients: ['Recipients', 'Mottagare'],
  paste: ['Paste from a spreadsheet', 'Klistra in från ett kalkylblad'],
  pasteHint: [
    'Select the columns there, copy, and paste them here. The first row may have column names.',
    'Markera kolumnerna där, kopiera och klistra in dem här. Första raden får ha kolumnnamn.',
  ],
  chooseFile: ['Choose a CSV file', 'Välj en CSV-fil'],
  orDrop: ['or drop it here', 'eller släpp den här'],
  reading: ['Reading …', 'Läser …'],
  rows: plural(['# row', '# rows'], ['# rad', '# rader']),
  readAs: [
    (encoding: string, delimiter: string) => `${encoding}, columns separated by ${delimiter}`,
    (encoding: string, delimiter: string) => `${encoding}, kolumner åtskilda med ${delimiter}`,
  ],
  delimiters: {
    ';': ['semicolons', 'semikolon'],
    '\t': ['tabs', 'tabbar'],
    ',': ['commas', 'komma'],
    '|': ['vertical bars', 'lodstreck'],
  },
  header: ['The first row has column names', 'Första raden har kolumnnamn'],
  numberColumn: ['Phone numbers are in', 'Telefonnumren finns i'],
  other: ['Choose another', 'Byt lista'],
  sample: ['The first rows', 'De första raderna'],
  faults: {
    tooLarge: [
      () => 'The file is larger than 256 MB. Split it, and send several batches.',
      () => 'Filen är större än 256 MB. Dela upp den och skicka flera utskick.',
    ],
    tooManyRows: [
      () => 'There are more than 500,000 rows, the limit for one batch. Split them over several batches.',
      () => 'Det är fler än 500 000 rader, gränsen för ett utskick. Dela upp dem på flera.',
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
      () => 'This is not a text file. Save the table as CSV first; a workbook (.xlsx) can’t be read here.',
      () =>
        'Det här är ingen textfil. Spara tabellen som CSV först; en arbetsbok (.xlsx) kan inte läsas här.',
    ],
    empty: [() => 'The table is empty.', () => 'Den är tom.'],
    unreadable: [
      () => 'The browser could not read the file. It may have been moved or changed: choose it again.',
      () => 'Webbläsaren kunde inte läsa filen. Den kan ha flyttats eller ändrats: välj den igen.',
    ],
  } satisfies Readonly<Record<ReadFault['kind'], Pair<(fault: ReadFault) => string>>>,
  text: ['Text', 'Text'],
  textFrom: ['Each recipient gets', 'Varje mottagare får'],
  oneText: ['the same text, with fields', 'samma text, med fält'],
  textOfColumn: [
    (column: string) => `the text in the column ${column}`,
    (column: string) => `texten i kolumnen ${column}`,
  ],
  message: ['Message', 'Meddelande'],
  messageHint: [
    'A field is replaced with what each row has in that column.',
    'Ett fält ersätts med det som varje rad har i den kolumnen.',
  ],
  insert: ['Insert a field', 'Infoga ett fält'],
  replace: ['Replace characters that make SMS expensive', 'Ersätt tecken som gör sms dyra'],
  when: ['Name and time', 'Namn och tid'],
  nameHint: ['Only you and your colleagues see it.', 'Bara du och dina kollegor ser det.'],
  senderHint: ['Empty: the account’s default sender.', 'Tomt: kontots förvalda avsändare.'],
  beginsAt: ['Start at', 'Börjar'],
  beginsHint: [
    'Empty: at once. Your company’s send hours always apply.',
    'Tomt: genast. Företagets sändningstider gäller alltid.',
  ],
  check: ['Check', 'Granska'],
  checking: ['Checking …', 'Granskar …'],
  checkAgain: [
    'Something has changed since the check. Check again.',
    'Något har ändrats sedan granskningen. Granska igen.',
  ],
  result: ['What would be sent', 'Det som skulle skickas'],
  faultCount: plural(['# problem', '# problems'], ['# fel', '# fel']),
  faultsFirst: [
    'Nothing is sent as long as rows have problems: fix them here or in your table, or leave them out.',
    'Inget skickas så länge någon rad har fel: rätta felen här eller i din tabell, eller utelämna raderna.',
  ],
  skip: plural(
    [
      'Leave out the row with problems, and send the others',
      'Leave out the # rows with problems, and send the others',
    ],
    ['Utelämna raden med fel och skicka de andra', 'Utelämna de # raderna med fel och skicka de andra'],
  ),
  skipped: plural(['# row is left out.', '# rows are left out.'], ['# rad utelämnas.', '# rader utelämnas.']),
  saveFaulty: plural(
    ['Download the row with problems', 'Download the # rows with problems'],
    ['Ladda ner raden med fel', 'Ladda ner de # raderna med fel'],
  ),
  faultyFile: ['rows-with-problems.csv', 'rader-med-fel.csv'],
  checkEdited: ['Check again', 'Granska igen'],
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
  optedOut: plural(
    ['# person has opted out and gets no SMS', '# people have opted out and get no SMS'],
    ['# person har avanmält sig och får inget sms', '# personer har avanmält sig och får inga sms'],
  ),
  quotaLeft: [
    (left: number) => `${parts(left)} of your quota are left.`,
    (left: number) => `${partsSv(left)} finns kvar av kvoten.`,
  ],
  quotaShort: [
    (left: number) =>
      `Only ${parts(left)} of your quota are left: the batch would fail, and nothing would be sent.`,
    (left: number) =>
      `Bara ${partsSv(left)} finns kvar av kvoten: utskicket skulle misslyckas utan att något skickas.`,
  ],
  histogram: ['Parts per message', 'Delar per meddelande'],
  inParts: [parts, partsSv],
  savings: ['Ways to save', 'Så blir det billigare'],
  withoutCharacter: [
    (count: number, saved: number, character: string, similar: string) =>
      `${texts(count)} would have ${fewer(saved)} in all ${similar === '' ? `without “${character}”` : `with “${similar}” in place of “${character}”`}`,
    (count: number, saved: number, character: string, similar: string) =>
      `${textsSv(count)} skulle få sammanlagt ${fewerSv(saved)} ${similar === '' ? `utan ”${character}”` : `med ”${similar}” i stället för ”${character}”`}`,
  ],
  withReplacing: [
    (count: number, saved: number) =>
      `${texts(count)} would have ${fewer(saved)} in all if similar characters replaced expensive ones`,
    (count: number, saved: number) =>
      `${textsSv(count)} skulle få sammanlagt ${fewerSv(saved)} om dyra tecken byttes mot liknande`,
  ],
  withShortening: [
    (count: number) => `${texts(count)} would have one part fewer if they were up to 10 characters shorter`,
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
  blankTitle: ['Send with empty fields?', 'Skicka med tomma fält?'],
  blankRows: plural(
    [
      '# row has no value for a field of its text. Columns with empty cells:',
      '# rows have no value for a field of their text. Columns with empty cells:',
    ],
    [
      '# rad saknar värde för ett fält i texten. Kolumner med tomma celler:',
      '# rader saknar värde för ett fält i texten. Kolumner med tomma celler:',
    ],
  ),
  fillIn: ['Fix the table first', 'Rätta tabellen först'],
  sendBlank: ['Send anyway', 'Skicka ändå'],
  onItsWay: ['The batch is on its way.', 'Utskicket är på väg.'],
  unanswered: [
    (count: string) =>
      `A batch of ${count} was being sent, and no answer has come: it is not known whether it was sent. Check the same table again, and send it: what was already sent is not sent twice.`,
    (count: string) =>
      `Ett utskick på ${count} höll på att skickas, och inget svar har kommit: det är oklart om det skickades. Granska samma tabell igen och skicka den: det som redan har skickats skickas inte två gånger.`,
  ],
  unansweredLong: [
    (count: string) =>
      `A batch of ${count} was being sent, and no answer has come. Too much time has passed to send it again safely: check in the list of batches whether it was sent.`,
    (count: string) =>
      `Ett utskick på ${count} höll på att skickas, och inget svar har kommit. Det är för länge sedan för att säkert kunna skicka det igen: se i listan över utskick om det skickades.`,
  ],
  leaveIt: ['Leave it', 'Låt det vara'],
  settleFirst: [
    'First find out what happened to the batch without an answer: see above.',
    'Ta först reda på vad som hände med utskicket som inte fick något svar: se ovan.',
  ],
  sentBefore: ['You have already sent exactly this batch:', 'Du har redan skickat precis det här utskicket:'],
  showIt: ['Show that batch', 'Visa det utskicket'],
  onceMore: ['Send it once more', 'Skicka en gång till'],
});
