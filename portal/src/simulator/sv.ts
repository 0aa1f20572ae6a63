/** The texts of the phone simulator, in Swedish. */
import type { en } from './en.ts';

export const sv = {
  title: 'Telefonsimulator',
  lead: 'Det som simulatoroperatören levererar kommer till de här telefonerna, och du kan svara från dem. Ingen riktig telefon får något.',
  phones: 'Telefoner',
  phone: (number: string) => `Telefonen ${number}`,
  none: 'Ingen telefon har fått något än',
  noneText: 'Skicka ett SMS till ett nummer som går genom en simulatoroperatör, så står telefonen här.',
  other: 'Öppna en annan telefon',
  otherHint: 'Vilket nummer som helst: 46701740699',
  take: 'Öppna',
  all: '← Alla telefoner',
  pick: 'Välj en telefon',
  pickText: 'Dess meddelanden syns här, och du kan skriva från den.',
  nothing: 'Inga meddelanden på telefonen än.',
  received: 'Mottaget',
  written: 'Skrivet på telefonen',
  notArrived: 'Har inte kommit fram:',
  quick: 'Snabbsvar',
  answers: ['Ja', 'Nej', 'Jag är sen', 'STOPP'],
  text: 'Svara från telefonen',
  to: 'Till',
  toHint: 'Ett av era nummer, till exempel 46731230001',
  send: 'Skicka',
  noReply: 'Ingen telefon kan svara ett namn: skicka tvåvägs, eller från ett nummer.',
} satisfies typeof en;
