/** The texts of the phone simulator. */
import { wordsOf } from '../words/words.ts';

export const useSimulatorWords = wordsOf({
  title: ['Phone simulator', 'Telefonsimulator'],
  lead: [
    'Messages that the simulator carrier delivers arrive on these phones, and you can answer from them. No real phone receives anything.',
    'Det som simulatoroperatören levererar kommer till de här telefonerna, och du kan svara från dem. Ingen riktig telefon får något.',
  ],
  phones: ['Phones', 'Telefoner'],
  phone: [(number: string) => `The phone ${number}`, (number: string) => `Telefonen ${number}`],
  none: ['No phone has received anything yet', 'Ingen telefon har fått något än'],
  noneText: [
    'Send an SMS to any number routed to a simulator carrier, and its phone appears here.',
    'Skicka ett sms till ett nummer som går genom en simulatoroperatör, så visas telefonen här.',
  ],
  other: ['Open another phone', 'Öppna en annan telefon'],
  otherHint: ['46701740699', '46701740699'],
  take: ['Open', 'Öppna'],
  all: ['All phones', 'Alla telefoner'],
  pick: ['Choose a phone', 'Välj en telefon'],
  pickText: [
    'Its messages appear here, and you can write from it.',
    'Telefonens meddelanden visas här, och du kan skriva från den.',
  ],
  nothing: ['No messages on this phone yet.', 'Inga meddelanden på telefonen än.'],
  received: ['Received', 'Mottaget'],
  written: ['Written on the phone', 'Skrivet på telefonen'],
  notArrived: ['Has not arrived:', 'Har inte kommit fram:'],
  quick: ['Quick answers', 'Snabbsvar'],
  answers: [
    ['Yes', 'No', 'I am late', 'STOP'],
    ['Ja', 'Nej', 'Jag är sen', 'STOPP'],
  ],
  text: ['Answer from the phone', 'Svara från telefonen'],
  to: ['To', 'Till'],
  toHint: ['One of your numbers, such as 46731230001', 'Ett av era nummer, till exempel 46731230001'],
  send: ['Send', 'Skicka'],
  noReply: [
    'A phone can’t answer a sender name. Send a two-way message, or send from a number.',
    'Det går inte att svara när avsändaren är ett namn. Skicka ett tvåvägsmeddelande, eller skicka från ett nummer.',
  ],
});
