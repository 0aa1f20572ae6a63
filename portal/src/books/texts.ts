/** The texts of the page of address books. */
import { plural, wordsOf } from '../words/words.ts';

export const useBookWords = wordsOf({
  title: ['Address books', 'Adressböcker'],
  lead: [
    'Who may read which address book. Administrators may read all of them.',
    'Vilka som får läsa vilken adressbok. Administratörer får läsa alla.',
  ],
  book: ['Address book', 'Adressbok'],
  readBy: ['Read by', 'Läses av'],
  onlyAdministrators: ['Administrators only', 'Bara administratörer'],
  users: plural(['# user', '# users'], ['# användare', '# användare']),
  acts: ['Actions', 'Åtgärder'],
  make: ['New address book', 'Ny adressbok'],
  change: ['Change', 'Ändra'],
  changeBook: [(name: string) => `Change ${name}`, (name: string) => `Ändra ${name}`],
  remove: ['Remove', 'Ta bort'],
  removeBook: [(name: string) => `Remove ${name}`, (name: string) => `Ta bort ${name}`],
  none: ['No address books', 'Inga adressböcker'],
  noneText: [
    'Make one, add people to it, and choose who may read it.',
    'Lägg upp en, fyll den med personer och välj vilka som får läsa den.',
  ],
  name: ['Name', 'Namn'],
  readers: ['Users who may read it', 'Användare som får läsa den'],
  readersHint: [
    'A user’s groups, filters and saved jobs are looked for in the user’s default book.',
    'Grupper, filter och sparade jobb söks i användarens förvalda bok.',
  ],
  find: ['Find a user', 'Hitta en användare'],
  nobodyFound: ['No user is called that.', 'Ingen användare heter så.'],
  isDefault: ['Default', 'Förvald'],
  defaultOf: [(user: string) => `Default book of ${user}`, (user: string) => `Förvald för ${user}`],
  save: ['Save', 'Spara'],
  made: [(name: string) => `${name} is ready to be filled.`, (name: string) => `${name} är klar att fyllas.`],
  saved: [(name: string) => `${name} has been saved.`, (name: string) => `${name} har sparats.`],
  somebodyFirst: [
    'Somebody else has changed the address book meanwhile.',
    'Någon annan har ändrat adressboken under tiden.',
  ],
  takeTheirs: ['Take theirs', 'Ta deras'],
  keepMine: ['Save mine', 'Spara mitt'],
  removeSure: [
    'Its groups and filters go with it. This can’t be undone.',
    'Grupperna och filtren i den försvinner också. Det går inte att ångra.',
  ],
  withPeople: plural(
    ['Also remove its one person', 'Also remove its # people'],
    ['Ta även bort den enda personen i den', 'Ta även bort de # personerna i den'],
  ),
  withMany: [
    (most: string) => `Also remove its people, more than ${most}`,
    (most: string) => `Ta även bort personerna i den: fler än ${most}`,
  ],
  removed: [(name: string) => `${name} has been removed.`, (name: string) => `${name} har tagits bort.`],
});
