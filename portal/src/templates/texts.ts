/** The texts of the pages of templates. */
import { wordsOf } from '../words/words.ts';

export const useTemplateWords = wordsOf({
  title: ['Templates', 'Mallar'],
  lead: [
    'Texts that everybody in the company can send, with fields to fill in.',
    'Texter som alla i företaget kan skicka, med fält att fylla i.',
  ],
  make: ['New template', 'Ny mall'],
  name: ['Name', 'Namn'],
  begins: ['Text', 'Text'],
  changed: ['Changed', 'Ändrad'],
  by: [(username: string) => `by ${username}`, (username: string) => `av ${username}`],
  version: [(version: string) => `version ${version}`, (version: string) => `version ${version}`],
  managed: ['Managed by the provisioning file', 'Sköts av provisioneringsfilen'],
  managedText: [
    'A provisioning file manages this template: it can be read and sent here, and is changed there.',
    'En provisioneringsfil sköter mallen: här kan den läsas och skickas, ändras gör den där.',
  ],
  onlyAdministrators: [
    'Administrators of the company change templates.',
    'Företagets administratörer ändrar mallar.',
  ],
  none: ['No templates yet', 'Inga mallar än'],
  noneText: [
    'What is written again and again is saved once, with fields such as {Text:name} for what differs.',
    'Det som skrivs om och om igen sparas en gång, med fält som {Text:namn} för det som skiljer.',
  ],
  text: ['Text', 'Text'],
  textHint: [
    'What differs each time stands in curly brackets: {Text:name}, {Text:name:what it is}, {DateTime:when}.',
    'Det som skiljer varje gång står inom klammer: {Text:namn}, {Text:namn:vad det är}, {DateTime:när}.',
  ],
  fields: ['Try it', 'Prova den'],
  fieldsHint: [
    'Fill in what the template asks for, and see what is sent.',
    'Fyll i det mallen frågar efter och se vad som skickas.',
  ],
  person: ['Try it with a person', 'Prova med en person'],
  personHint: [
    'Fills in the fields that are named like what the address book knows: name, first name, phone, e-mail, or a tag.',
    'Fyller i de fält som heter som det adressboken vet: namn, förnamn, telefon, e-post eller en tagg.',
  ],
  forPerson: ['For', 'Till'],
  noFields: ['The text has no fields: it is sent as it is.', 'Texten har inga fält: den skickas som den är.'],
  save: ['Save', 'Spara'],
  saved: ['Saved', 'Sparad'],
  made: ['Made', 'Skapad'],
  remove: ['Remove', 'Ta bort'],
  removed: [(name: string) => `${name} is removed`, (name: string) => `${name} är borttagen`],
  removeSure: [
    'Remove it with all its versions? Programs that send it by its number are refused from then on.',
    'Ta bort den med alla versioner? Program som skickar den med dess nummer avvisas från och med nu.',
  ],
  cancel: ['Keep it', 'Behåll den'],
  meanwhile: [
    'Somebody else has changed this template meanwhile. Yours is not lost: compare, and decide.',
    'Någon annan har ändrat mallen under tiden. Din text är kvar: jämför och bestäm.',
  ],
  theirs: ['Take theirs', 'Ta deras'],
  mine: ['Save mine over it', 'Spara min över den'],
  versions: ['Versions', 'Versioner'],
  compare: ['What changed until now', 'Vad som har ändrats sedan dess'],
  same: ['The text is the same.', 'Texten är densamma.'],
  restore: ['Bring it back into the editor', 'Hämta tillbaka till redigeringen'],
  back: ['Templates', 'Mallar'],
});
