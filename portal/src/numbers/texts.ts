/** The texts of the page of numbers. */
import { wordsOf } from '../words/words.ts';

export const useNumbersWords = wordsOf({
  title: ['Numbers', 'Nummer'],
  lead: [
    'The numbers that phones can write to, and who gets what they write.',
    'Numren som telefoner kan skriva till, och vem som får det de skriver.',
  ],
  unclaimed: ['Unclaimed SMS', 'Sms utan mottagare'],
  number: ['Number', 'Nummer'],
  goesTo: ['SMS go to', 'Sms går till'],
  pool: ['The user who asked', 'Den som frågade'],
  shared: ['The user who asked; shared with other companies', 'Den som frågade; delas med andra företag'],
  nobody: ['Nobody', 'Ingen'],
  lastUsed: ['Last used', 'Senast använt'],
  notLately: ['Not lately', 'Inte på länge'],
  acts: ['Actions', 'Åtgärder'],
  give: ['Give to …', 'Ge till …'],
  giveTo: [(number: string) => `Give to …: ${number}`, (number: string) => `Ge till …: ${number}`],
  giveTitle: [
    (number: string) => `Who gets the SMS to ${number}?`,
    (number: string) => `Vem ska få sms till ${number}?`,
  ],
  user: ['User', 'Användare'],
  givesHint: [
    (now: string) => `New SMS go there from now on. Earlier conversations stay with ${now}.`,
    (now: string) => `Nya sms går dit från och med nu. Tidigare konversationer stannar hos ${now}.`,
  ],
  giveNow: ['Give', 'Ge'],
  given: [
    (number: string, user: string) => `SMS to ${number} now go to ${user}.`,
    (number: string, user: string) => `Sms till ${number} går nu till ${user}.`,
  ],
  none: ['No numbers', 'Inga nummer'],
  noneText: [
    'Your operator can add numbers that phones can write to.',
    'Driften kan lägga till nummer som telefoner kan skriva till.',
  ],
});
