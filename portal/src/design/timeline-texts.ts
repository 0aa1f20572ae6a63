/** The texts of what happened to a message. */
import { plural, wordsOf } from '../words/words.ts';

export const useTimelineWords = wordsOf({
  leftOut: plural(
    ['# entry in between was not kept.', '# entries in between were not kept.'],
    ['# händelse däremellan sparades inte.', '# händelser däremellan sparades inte.'],
  ),
  events: {
    accepted: ['Accepted', 'Inlämnat'],
    claimed: ['Handed to the carrier', 'Överlämnat till operatören'],
    taken: ['Accepted by the carrier', 'Mottaget av operatören'],
    cancelled: ['Cancelled', 'Stoppat'],
    due: ['Send time reached', 'Dags att skicka'],
    held: ['Held until the company’s send hours', 'Väntar på företagets sändningstid'],
    rescheduled: ['Rescheduled', 'Fick en ny tid'],
    retry: ['Not accepted: will be tried again', 'Inte mottaget: nytt försök görs'],
    'in doubt': ['No answer: it may have been accepted', 'Inget svar: det kan ha tagits emot'],
    refused: ['Refused by the carrier', 'Avvisat av operatören'],
    'passed on': ['Passed on to another carrier', 'Lämnat vidare till en annan operatör'],
    'given back': ['Taken back: the carrier was too slow', 'Taget tillbaka: operatören var för långsam'],
    'late answer': ['The carrier answered late', 'Operatören svarade sent'],
    moved: ['Moved to another carrier', 'Flyttat till en annan operatör'],
    receipt: ['Receipt from the carrier', 'Kvitto från operatören'],
    'receipt ignored': ['Receipt that changed nothing', 'Kvitto som inte ändrade något'],
    'given up': ['Given up', 'Försöken är slut'],
    expired: ['Validity expired', 'Giltighetstiden gick ut'],
  },
  part: [
    (part: number, parts: number) => `part ${part} of ${parts}`,
    (part: number, parts: number) => `del ${part} av ${parts}`,
  ],
  atCarrier: ['id at the carrier', 'id hos operatören'],
  errorCode: ['error code', 'felkod'],
  scheduledFor: ['to be sent', 'ska skickas'],
  againAt: ['next try', 'nytt försök'],
  attempt: [(attempt: number) => `attempt ${attempt}`, (attempt: number) => `försök ${attempt}`],
  receipt: ['The original receipt', 'Kvittot i original'],
  field: ['Field', 'Fält'],
  value: ['Value', 'Värde'],
  meaning: ['Meaning', 'Betydelse'],
});
