/** The texts of the phone simulator. */
import { wordsOf } from '../words/words.ts';

export const useSimulatorWords = wordsOf({
  title: ['Phone simulator', 'Telefonsimulator'],
  lead: [
    'What the simulator carrier delivers arrives on these phones, and you can answer from them. No real phone gets anything.',
    'Det som simulatoroperatören levererar kommer till de här telefonerna, och du kan svara från dem. Ingen riktig telefon får något.',
  ],
  phones: ['Phones', 'Telefoner'],
  phone: [(number: string) => `The phone ${number}`, (number: string) => `Telefonen ${number}`],
  none: ['No phone has got anything yet', 'Ingen telefon har fått något än'],
  noneText: [
    'Send an SMS to any number that goes by a simulator carrier, and its phone stands here.',
    'Skicka ett SMS till ett nummer som går genom en simulatoroperatör, så står telefonen här.',
  ],
  other: ['Take another phone', 'Öppna en annan telefon'],
  otherHint: ['Any number: 46701740699', 'Vilket nummer som helst: 46701740699'],
  take: ['Take it', 'Öppna'],
  all: ['All phones', 'Alla telefoner'],
  pick: ['Take a phone', 'Välj en telefon'],
  pickText: [
    'Its messages show here, and you can write from it.',
    'Dess meddelanden syns här, och du kan skriva från den.',
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
    'No phone can answer a name: send with two-way, or from a number.',
    'Ingen telefon kan svara ett namn: skicka tvåvägs, eller från ett nummer.',
  ],
});
