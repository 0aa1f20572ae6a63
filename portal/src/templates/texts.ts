/** The texts of the template pages. */
import { wordsOf } from '../words/words.ts';

export const useTemplateWords = wordsOf({
  title: ['Templates', 'Mallar'],
  lead: [
    'Texts that everyone in the company can send, with fields to fill in.',
    'Texter som alla i företaget kan skicka, med fält att fylla i.',
  ],
  make: ['New template', 'Ny mall'],
  name: ['Name', 'Namn'],
  begins: ['Text', 'Text'],
  changed: ['Changed', 'Ändrad'],
  by: [(username: string) => `by ${username}`, (username: string) => `av ${username}`],
  version: [(version: string) => `version ${version}`, (version: string) => `version ${version}`],
  managed: ['Set by your operator', 'Bestäms av driften'],
  managedText: [
    'This template is managed by the operator. You can read and send it here; ask the operator to change it.',
    'Mallen hanteras av driften. Du kan läsa och skicka den här; be driften om ändringar.',
  ],
  onlyAdministrators: [
    'Only administrators of the company can change templates.',
    'Företagets administratörer ändrar mallar.',
  ],
  none: ['No templates yet', 'Inga mallar än'],
  noneText: [
    'Save texts that you often send, with fields such as {Text:name} for what varies.',
    'Spara texter som du ofta skickar, med fält som {Text:namn} för det som varierar.',
  ],
  text: ['Text', 'Text'],
  textHint: [
    'Put what varies in curly brackets: {Text:name}, {Text:name:what it is}, {DateTime:when}.',
    'Skriv det som varierar inom klammer: {Text:namn}, {Text:namn:vad det är}, {DateTime:när}.',
  ],
  fields: ['Try it', 'Prova den'],
  fieldsHint: [
    'Fill in what the template asks for, and see what is sent.',
    'Fyll i det mallen frågar efter och se vad som skickas.',
  ],
  person: ['Try it with a person', 'Prova med en person'],
  personHint: [
    'Fills in fields that are named after details in the address book: name, first name, phone, e-mail, or a tag.',
    'Fyller i fält som heter som uppgifter i adressboken: namn, förnamn, telefon, e-post eller en tagg.',
  ],
  forPerson: ['For', 'Till'],
  noFields: ['The text has no fields: it is sent as it is.', 'Texten har inga fält: den skickas som den är.'],
  save: ['Save', 'Spara'],
  saved: ['Saved', 'Sparad'],
  made: ['Created', 'Skapad'],
  remove: ['Remove', 'Ta bort'],
  removeTitle: [(name: string) => `Remove ${name}?`, (name: string) => `Ta bort ${name}?`],
  removed: [(name: string) => `${name} is removed`, (name: string) => `${name} är borttagen`],
  removeSure: [
    'All its versions are removed. Programs that send it by its id will be refused.',
    'Alla versioner tas bort. Program som skickar den med dess id nekas från och med nu.',
  ],
  versions: ['Versions', 'Versioner'],
  compare: ['Changes since this version', 'Ändringar sedan den här versionen'],
  same: ['The text is the same.', 'Texten är densamma.'],
  restore: ['Restore to the editor', 'Hämta tillbaka till redigeringen'],
  back: ['Templates', 'Mallar'],
});
