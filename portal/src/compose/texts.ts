/** The texts of the compose page. */
import { plural, wordsOf } from '../words/words.ts';

const [toPeople, toPeopleSv] = plural(['# recipient', '# recipients'], ['# mottagare', '# mottagare']);

export const useComposeWords = wordsOf({
  title: ['Send', 'Skicka'],
  lead: [
    'To one person or many. Nothing is sent for the first ten seconds.',
    'Till en eller många. Inget skickas de första tio sekunderna.',
  ],
  to: ['To', 'Till'],
  template: ['Template', 'Mall'],
  ownText: ['None: my own text', 'Ingen: en egen text'],
  dateTimeHint: [
    'Date and time, as recipients will read it',
    'Datum och tid, så som mottagarna ska läsa det',
  ],
  blankTitle: ['Send with empty fields?', 'Skicka med tomma fält?'],
  blankText: plural(
    [
      'This field of the template is empty, and will be blank in the text:',
      '# fields of the template are empty, and will be blank in the text:',
    ],
    [
      'Det här fältet i mallen är inte ifyllt, och blir tomt i texten:',
      '# fält i mallen är inte ifyllda, och blir tomma i texten:',
    ],
  ),
  fillIn: ['Fill in', 'Fyll i'],
  sendBlank: ['Send anyway', 'Skicka ändå'],
  message: ['Message', 'Meddelande'],
  filledText: ['The message, filled in', 'Meddelandet, ifyllt'],
  options: ['Sender, time and answers', 'Avsändare, tid och svar'],
  at: ['Send at', 'Skicka kl.'],
  atHint: [
    (zone: string) => `Empty: at once. Times are in ${zone}.`,
    (zone: string) => `Tomt: genast. Tiderna gäller ${zone}.`,
  ],
  atShown: [
    (zone: string, utc: string) => `In ${zone}; ${utc}`,
    (zone: string, utc: string) => `I ${zone}; ${utc}`,
  ],
  from: ['Sender', 'Avsändare'],
  fromHint: ['Up to 11 letters and digits, or a number', 'Högst 11 bokstäver och siffror, eller ett nummer'],
  fromPool: ['From a number that people can answer', 'Från ett nummer som går att svara på'],
  fromSender: [(sender: string) => `From ${sender}`, (sender: string) => `Från ${sender}`],
  costCenter: ['Cost centre', 'Kostnadsställe'],
  twoWay: ['People can answer', 'Mottagarna kan svara'],
  twoWayHint: [
    'The message is sent from a number of the reply pool, and answers appear under Conversations.',
    'Det skickas från ett av svarsnumren, och svaren visas under Konversationer.',
  ],
  flash: ['Show at once (flash)', 'Visa genast (flash)'],
  flashHint: [
    'The message appears on the screen without being opened. At most 160 ordinary characters.',
    'Syns på skärmen utan att öppnas. Högst 160 vanliga tecken.',
  ],
  send: ['Send', 'Skicka'],
  schedule: ['Schedule', 'Schemalägg'],
  toMyself: ['Send to myself', 'Skicka till mig själv'],
  ownNumber: ['Your number', 'Ditt nummer'],
  ownNumberHint: [
    'Saved in this browser. The message costs the same as any other.',
    'Sparas i webbläsaren. Meddelandet kostar som alla andra.',
  ],
  sentToMyself: ['Sent to you', 'Skickat till dig'],
  preview: ['What will happen', 'Det här händer'],
  previewEmpty: [
    'Add recipients and a text to see who gets what, and what it costs.',
    'Lägg till mottagare och text för att se vem som får vad, och vad det kostar.',
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
    (from: string, carrier: string) => `from ${from} via ${carrier}`,
    (from: string, carrier: string) => `från ${from} via ${carrier}`,
  ],
  showMore: ['Show more', 'Visa fler'],
  heldElsewhere: plural(
    [
      'Your message will be sent in # second. Nothing has been sent yet.',
      'Your message will be sent in # seconds. Nothing has been sent yet.',
    ],
    [
      'Ditt meddelande skickas om # sekund. Inget har skickats än.',
      'Ditt meddelande skickas om # sekunder. Inget har skickats än.',
    ],
  ),
  heldScheduleElsewhere: plural(
    [
      'Your message will be scheduled in # second. Nothing is scheduled yet.',
      'Your message will be scheduled in # seconds. Nothing is scheduled yet.',
    ],
    [
      'Ditt meddelande schemaläggs om # sekund. Inget är schemalagt än.',
      'Ditt meddelande schemaläggs om # sekunder. Inget är schemalagt än.',
    ],
  ),
  refusedElsewhere: [
    'Your message was not sent. It is still on the page Send.',
    'Ditt meddelande skickades inte. Det finns kvar på sidan Skicka.',
  ],
  doubtfulElsewhere: [
    'It is not known whether your message was sent. Continue on the page Send.',
    'Det är oklart om ditt meddelande skickades. Fortsätt på sidan Skicka.',
  ],
  held: [
    'You have ten seconds to undo. Nothing has been sent yet.',
    'Du har tio sekunder på dig att ångra. Inget har skickats än.',
  ],
  heldSchedule: [
    'You have ten seconds to undo. Nothing is scheduled yet.',
    'Du har tio sekunder på dig att ångra. Inget är schemalagt än.',
  ],
  scheduleNow: ['Schedule now', 'Schemalägg nu'],
  scheduling: ['Scheduling …', 'Schemalägger …'],
  scheduled: [
    (time: string, count: number) => `Scheduled for ${time} to ${toPeople(count)}.`,
    (time: string, count: number) => `Schemalagt till ${time}, till ${toPeopleSv(count)}.`,
  ],
  scheduledFor: ['Scheduled for', 'Skickas'],
  sendNow: ['Send now', 'Skicka nu'],
  sending: ['Sending …', 'Skickar …'],
  edit: ['Keep editing', 'Fortsätt skriva'],
  interrupted: [
    'The page was closed before the ten seconds were over, so nothing was sent. What you wrote is still here.',
    'Sidan stängdes innan de tio sekunderna hade gått, så inget skickades. Det du skrev finns kvar.',
  ],
  doubtfulSaid: [
    'What you wrote is kept. Send again in a moment: what was already sent is not sent twice.',
    'Det du har skrivit finns kvar. Skicka igen om en stund: det som redan har skickats skickas inte två gånger.',
  ],
  doubtful: [
    'The connection broke before the answer came, so it is not known whether it was sent. Send again: what was already sent is not sent twice.',
    'Anslutningen bröts innan svaret kom, så det är oklart om det skickades. Skicka igen: det som redan har skickats skickas inte två gånger.',
  ],
  outdated: [
    'The connection broke before the answer came, too long ago to send again safely. Check under Messages whether it was sent.',
    'Anslutningen bröts innan svaret kom, och det är för länge sedan för att säkert kunna skicka igen. Se under Meddelanden om det skickades.',
  ],
  elsewhere: [
    'A message is being sent in another tab of this browser. This tab waits until that is done.',
    'Ett meddelande skickas i en annan flik i webbläsaren. Den här fliken väntar tills det är klart.',
  ],
  inLog: ['Show in Messages', 'Visa i Meddelanden'],
  sendAgain: ['Send again', 'Skicka igen'],
  sent: plural(
    ['# message accepted.', '# messages accepted.'],
    ['# meddelande inlämnat.', '# meddelanden inlämnade.'],
  ),
  whoAnswered: ['Who got it, and who answered', 'Vilka som fått det och svarat'],
  silentLoading: ['Fetching those who have not answered …', 'Hämtar dem som inte har svarat …'],
  silentNone: ['Everybody has answered by now.', 'Alla har svarat nu.'],
  silentTaken: plural(
    [
      '# person who has not answered is now the recipient.',
      '# people who have not answered are now the recipients.',
    ],
    ['# person som inte har svarat är nu mottagare.', '# personer som inte har svarat är nu mottagare.'],
  ),
  another: ['Write another', 'Skriv ett till'],
  whatBecame: ['Delivery status', 'Leveransstatus'],
  status: ['Status', 'Status'],
  changed: ['Changed', 'Ändrad'],
});
export const composeWordsNow = useComposeWords.now;
