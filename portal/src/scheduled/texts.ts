/** The texts of the page of what waits for its time. */
import { plural, wordsOf } from '../words/words.ts';

export const useScheduledWords = wordsOf({
  title: ['Scheduled', 'Schemalagt'],
  lead: ['What waits for its time, the next first.', 'Vad som väntar på sin tid, det närmaste först.'],
  view: ['View', 'Vy'],
  views: {
    list: ['List', 'Lista'],
    month: ['Calendar', 'Kalender'],
  },
  when: ['When', 'När'],
  what: ['What', 'Vad'],
  by: ['By', 'Av'],
  act: ['Acts', 'Åtgärder'],
  message: ['Message', 'Meddelande'],
  batch: [(messages: string) => `Batch, ${messages}`, (messages: string) => `Utskick, ${messages}`],
  messages: plural(['# message', '# messages'], ['# meddelande', '# meddelanden']),
  run: [(name: string) => `Job: ${name}`, (name: string) => `Jobb: ${name}`],
  none: ['Nothing waits for its time', 'Inget väntar på sin tid'],
  noneText: [
    'Messages that are sent with a time show here until then.',
    'Meddelanden som skickas med en tid syns här till dess.',
  ],
  noneInMonth: ['Nothing in this month', 'Inget i den här månaden'],
  change: ['Change time', 'Ändra tid'],
  changeOf: [
    (to: string) => `Change time of the message to ${to}`,
    (to: string) => `Ändra tid för meddelandet till ${to}`,
  ],
  changeTitle: ['Another time', 'En annan tid'],
  sendAt: ['Send at', 'Skicka'],
  sendAtHint: ['In your own time zone.', 'I din egen tidszon.'],
  save: ['Save', 'Spara'],
  leave: ['Leave it', 'Låt vara'],
  changed: ['It is sent at the new time.', 'Det skickas på den nya tiden.'],
  cancel: ['Cancel', 'Avbryt'],
  cancelOf: [(to: string) => `Cancel the message to ${to}`, (to: string) => `Avbryt meddelandet till ${to}`],
  cancelled: [
    (to: string) => `The message to ${to} is cancelled.`,
    (to: string) => `Meddelandet till ${to} är avbrutet.`,
  ],
  restored: [
    'It waits for its time again, as a new message.',
    'Det väntar på sin tid igen, som ett nytt meddelande.',
  ],
  before: ['The month before', 'Månaden före'],
  after: ['The month after', 'Månaden efter'],
  more: plural(['# more', '# more'], ['# till', '# till']),
  cutOff: [
    'There is more in this month than is shown here: the list has all of it.',
    'Det finns mer i månaden än vad som visas här: listan har allt.',
  ],
});
