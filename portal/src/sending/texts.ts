/** The texts of what pages that send have in common. */
import { plural, wordsOf } from '../words/words.ts';

export const useSendingWords = wordsOf({
  to: ['To', 'Till'],
  toHint: [
    'Type a name, group, tag or number, or paste a whole spreadsheet column. Enter adds one, Backspace removes the last.',
    'Skriv ett namn, en grupp, en tagg eller ett nummer, eller klistra in en hel kolumn ur ett kalkylblad. Enter lägger till, Backsteg tar bort det sista.',
  ],
  toPlaceholder: ['+46 70 174 06 99', '+46 70 174 06 99'],
  countryCode: ['Country code', 'Landsnummer'],
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
      `That would make ${all} recipients, and one message can go to at most ${most}. None of them was added. Use a batch for more.`,
    (all: number, most: number) =>
      `Det skulle bli ${all} mottagare, och ett meddelande går till högst ${most}. Ingen av dem lades till. Använd ett utskick för fler.`,
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
  undo: ['Undo', 'Ångra'],
  giveUp: ['Leave it', 'Låt det vara'],
});
