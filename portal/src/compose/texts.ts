/** The texts of the page that sends. */
import { plural, wordsOf } from '../words/words.ts';

export const useComposeWords = wordsOf({
  title: ['Send', 'Skicka'],
  lead: [
    'To one person or to many. Nothing leaves before ten seconds are over.',
    'Till en eller många. Inget går iväg förrän tio sekunder har gått.',
  ],
  to: ['To', 'Till'],
  toHint: [
    'Type a name, a group or a tag, or numbers; paste a whole column of a spreadsheet. Enter adds one, Backspace removes the last.',
    'Skriv ett namn, en grupp eller en tagg, eller nummer; klistra in en hel kolumn ur ett kalkylblad. Enter lägger till, Backsteg tar bort det sista.',
  ],
  toPlaceholder: ['+46 70 174 06 99', '+46 70 174 06 99'],
  countryCode: ['Country code', 'Landsnummer'],
  countryCodeHint: [
    'Takes the place of the 0 that some numbers begin with: 46 for Sweden.',
    'Ersätter nollan som vissa nummer börjar med: 46 för Sverige.',
  ],
  added: [
    (numbers: number, others: number) =>
      others === 0 ? `${numbers} numbers added` : `${numbers} numbers added, ${others} other cells left out`,
    (numbers: number, others: number) =>
      others === 0
        ? `${numbers} nummer tillagda`
        : `${numbers} nummer tillagda, ${others} andra celler utelämnade`,
  ],
  tooMany: [
    (all: number, most: number) =>
      `With these it would be ${all} recipients, and one message goes to ${most} at most. None of them was added. A batch goes to any number.`,
    (all: number, most: number) =>
      `Med dessa skulle det bli ${all} mottagare, och ett meddelande går till högst ${most}. Ingen av dem lades till. Ett utskick går till hur många som helst.`,
  ],
  asBatch: ['Send as a batch', 'Skicka som utskick'],
  remove: [(what: string) => `Remove ${what}`, (what: string) => `Ta bort ${what}`],
  removeAll: ['Remove all', 'Ta bort alla'],
  moreRecipients: plural(['and # more', 'and # more'], ['och # till', 'och # till']),
  suggestions: ['From the address book', 'Ur adressboken'],
  tag: ['Tag', 'Tagg'],
  peopleCount: plural(['# person', '# people'], ['# person', '# personer']),
  moreThan: [(count: number) => `more than ${count} people`, (count: number) => `fler än ${count} personer`],
  selections: {
    filter: ['Tag filter', 'Taggfilter'],
    saved: ['Saved filter', 'Sparat filter'],
    group: ['Group', 'Grupp'],
  },
  template: ['Template', 'Mall'],
  ownText: ['None: a text of my own', 'Ingen: en egen text'],
  dateTimeHint: ['A date and a time, as it is to be read', 'Datum och tid, så som det ska läsas'],
  blankTitle: ['Send with blanks?', 'Skicka med luckor?'],
  blankText: plural(
    [
      'This field of the template is empty, and its place in the text stays empty too:',
      '# fields of the template are empty, and their places in the text stay empty too:',
    ],
    [
      'Det här fältet i mallen är tomt, och dess plats i texten blir också tom:',
      '# fält i mallen är tomma, och deras platser i texten blir också tomma:',
    ],
  ),
  fillIn: ['Fill in', 'Fyll i'],
  sendBlank: ['Send all the same', 'Skicka ändå'],
  message: ['Message', 'Meddelande'],
  filledText: ['The message, filled in', 'Meddelandet, ifyllt'],
  options: ['Sender, time and answers', 'Avsändare, tid och svar'],
  at: ['Send at', 'Skicka kl.'],
  atHint: [
    (zone: string) => `Left empty: at once. Times are those of ${zone}.`,
    (zone: string) => `Tomt: genast. Tiderna gäller ${zone}.`,
  ],
  atShown: [
    (zone: string, utc: string) => `In ${zone}; ${utc}`,
    (zone: string, utc: string) => `I ${zone}; ${utc}`,
  ],
  from: ['Sender', 'Avsändare'],
  fromHint: ['Up to 11 letters and digits, or a number', 'Högst 11 bokstäver och siffror, eller ett nummer'],
  fromPool: ['From a number that can be answered', 'Från ett nummer som går att svara'],
  fromSender: [(sender: string) => `From ${sender}`, (sender: string) => `Från ${sender}`],
  costCenter: ['Cost centre', 'Kostnadsställe'],
  twoWay: ['People can answer', 'Mottagarna kan svara'],
  twoWayHint: [
    'It comes from a number of the reply pool, and answers show in the conversations.',
    'Det kommer från ett av svarsnumren, och svaren syns bland konversationerna.',
  ],
  flash: ['Show at once (flash)', 'Visa genast (flash)'],
  flashHint: [
    'Appears on the screen without being opened. At most 160 ordinary letters.',
    'Syns på skärmen utan att öppnas. Högst 160 vanliga bokstäver.',
  ],
  send: ['Send', 'Skicka'],
  schedule: ['Schedule', 'Schemalägg'],
  toMyself: ['Send to myself', 'Skicka till mig själv'],
  ownNumber: ['Your number', 'Ditt nummer'],
  ownNumberHint: [
    'Kept in this browser. The message costs as any other.',
    'Sparas i webbläsaren. Meddelandet kostar som alla andra.',
  ],
  sentToMyself: ['Sent to you', 'Skickat till dig'],
  preview: ['What will happen', 'Det här händer'],
  previewEmpty: [
    'Recipients and a text first: then this shows who gets what, and what it costs.',
    'Mottagare och text först: sedan syns här vem som får vad, och vad det kostar.',
  ],
  recipients: ['Recipients', 'Mottagare'],
  people: plural(['# recipient', '# recipients'], ['# mottagare', '# mottagare']),
  partsInAll: plural(['# part', '# parts'], ['# del', '# delar']),
  quotaLeft: plural(
    ['# part left in the quota', '# parts left in the quota'],
    ['# del kvar av kvoten', '# delar kvar av kvoten'],
  ),
  rejected: plural(
    ['# recipient gets nothing:', '# recipients get nothing:'],
    ['# mottagare får inget:', '# mottagare får inget:'],
  ),
  rejectedSent: plural(
    ['# recipient got nothing.', '# recipients got nothing.'],
    ['# mottagare fick inget.', '# mottagare fick inget.'],
  ),
  way: [
    (from: string, carrier: string) => `from ${from} by ${carrier}`,
    (from: string, carrier: string) => `från ${from} via ${carrier}`,
  ],
  showMore: ['Show more', 'Visa fler'],
  heldElsewhere: plural(
    [
      'Your message goes out in # second. Nothing has been sent yet.',
      'Your message goes out in # seconds. Nothing has been sent yet.',
    ],
    [
      'Ditt meddelande går iväg om # sekund. Inget har skickats än.',
      'Ditt meddelande går iväg om # sekunder. Inget har skickats än.',
    ],
  ),
  refusedElsewhere: [
    'Your message was not sent, and waits on the page Send.',
    'Ditt meddelande skickades inte, och väntar på sidan Skicka.',
  ],
  doubtfulElsewhere: [
    'Your message may have been sent, or not. Go on from the page Send.',
    'Ditt meddelande kan ha skickats, eller inte. Fortsätt på sidan Skicka.',
  ],
  held: [
    'It goes out in ten seconds. Nothing has been sent yet.',
    'Det går iväg om tio sekunder. Inget har skickats än.',
  ],
  undo: ['Undo', 'Ångra'],
  sendNow: ['Send now', 'Skicka nu'],
  sending: ['Sending …', 'Skickar …'],
  edit: ['Go on writing', 'Skriv vidare'],
  interrupted: [
    'The page was closed before the ten seconds were over, and nothing was sent. What you wrote is here.',
    'Sidan stängdes innan de tio sekunderna hade gått, och inget skickades. Det du skrev finns här.',
  ],
  doubtfulSaid: [
    'What you wrote is kept. Send again in a moment: what has gone out already goes out no second time.',
    'Det du har skrivit finns kvar. Skicka igen om en stund: det som redan gått iväg går inte iväg en gång till.',
  ],
  doubtful: [
    'The connection broke before the answer came: it may have been sent, or not. Send again: what has gone out already goes out no second time.',
    'Anslutningen bröts innan svaret kom: det kan ha skickats, eller inte. Skicka igen: det som redan gått iväg går inte iväg en gång till.',
  ],
  outdated: [
    'The connection broke before the answer came, and too long ago for it to be sent again safely. Look in the log for what became of it.',
    'Anslutningen bröts innan svaret kom, och för länge sedan för att det säkert ska kunna skickas igen. Se i loggen vad som blev av det.',
  ],
  elsewhere: [
    'A message is being sent in another tab of this browser. This one waits until that is done.',
    'Ett meddelande skickas i en annan flik i webbläsaren. Den här väntar tills det är klart.',
  ],
  inLog: ['Show in the log', 'Visa i loggen'],
  sendAgain: ['Send again', 'Skicka igen'],
  giveUp: ['Leave it', 'Låt det vara'],
  sent: plural(
    ['# message accepted.', '# messages accepted.'],
    ['# meddelande inlämnat.', '# meddelanden inlämnade.'],
  ),
  another: ['Write another', 'Skriv ett till'],
  whatBecame: ['What became of it', 'Vad som blev av det'],
  status: ['Status', 'Status'],
  changed: ['Since', 'Sedan'],
});
export const composeWordsNow = useComposeWords.now;
