/** The texts of the page of scheduled messages. */
import { plural, wordsOf } from '../words/words.ts';

export const useScheduledWords = wordsOf({
  title: ['Scheduled', 'Schemalagt'],
  lead: ['What will be sent later, soonest first.', 'Det som ska skickas senare, det närmaste först.'],
  view: ['View', 'Vy'],
  views: {
    list: ['List', 'Lista'],
    month: ['Calendar', 'Kalender'],
  },
  when: ['When', 'När'],
  what: ['What', 'Vad'],
  whom: ['To', 'Till'],
  count: ['SMS', 'Antal'],
  by: ['By', 'Av'],
  act: ['Actions', 'Åtgärder'],
  batch: [(messages: string) => `Batch, ${messages}`, (messages: string) => `Utskick, ${messages}`],
  messages: plural(['# message', '# messages'], ['# meddelande', '# meddelanden']),
  run: [(name: string) => `Job: ${name}`, (name: string) => `Jobb: ${name}`],
  none: ['Nothing is scheduled', 'Inget är schemalagt'],
  noneText: [
    'Messages with a send time appear here until they are sent.',
    'Meddelanden som ska skickas vid en viss tid syns här till dess.',
  ],
  noneInMonth: ['Nothing in this month', 'Inget i den här månaden'],
  change: ['Change time', 'Ändra tid'],
  changeOf: [(to: string) => `Change time: ${to}`, (to: string) => `Ändra tid: ${to}`],
  changed: ['It will be sent at the new time.', 'Det skickas vid den nya tiden.'],
  cancel: ['Cancel', 'Stoppa'],
  cancelOf: [(to: string) => `Cancel the message to ${to}`, (to: string) => `Stoppa meddelandet till ${to}`],
  cancelled: [
    (to: string) => `The message to ${to} is cancelled.`,
    (to: string) => `Meddelandet till ${to} är stoppat.`,
  ],
  cancelAllOf: [(title: string) => `Cancel: ${title}`, (title: string) => `Stoppa: ${title}`],
  cancelAllTitle: [(messages: string) => `Cancel ${messages}?`, (messages: string) => `Stoppa ${messages}?`],
  cancelAllText: ['They will not be sent, and are not charged.', 'De skickas inte, och kostar inget.'],
  cancelledAll: plural(
    ['# message is cancelled.', '# messages are cancelled.'],
    ['# meddelande är stoppat.', '# meddelanden är stoppade.'],
  ),
  keep: ['Leave it', 'Låt vara'],
  restored: ['It is scheduled again, as a new message.', 'Det är schemalagt igen, som ett nytt meddelande.'],
  before: ['Previous month', 'Föregående månad'],
  after: ['Next month', 'Nästa månad'],
  more: plural(['# more', '# more'], ['# till', '# till']),
  cutOff: [
    'This month has more items than are shown here. The list shows everything.',
    'Månaden har mer än vad som visas här. Listan visar allt.',
  ],
});
