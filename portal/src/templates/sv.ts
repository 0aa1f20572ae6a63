/** The texts of the pages of templates, in Swedish. */
import type { en } from './en.ts';

export const sv = {
  title: 'Mallar',
  lead: 'Texter som alla i företaget kan skicka, med fält att fylla i.',
  make: 'Ny mall',
  name: 'Namn',
  begins: 'Text',
  changed: 'Ändrad',
  by: (username: string) => `av ${username}`,
  version: (version: string) => `version ${version}`,
  managed: 'Sköts av provisioneringsfilen',
  managedText: 'En provisioneringsfil sköter mallen: här kan den läsas och skickas, ändras gör den där.',
  onlyAdministrators: 'Företagets administratörer ändrar mallar.',
  none: 'Inga mallar än',
  noneText: 'Det som skrivs om och om igen sparas en gång, med fält som {Text:namn} för det som skiljer.',
  text: 'Text',
  textHint:
    'Det som skiljer varje gång står inom klammer: {Text:namn}, {Text:namn:vad det är}, {DateTime:när}.',
  fields: 'Prova den',
  fieldsHint: 'Fyll i det mallen frågar efter och se vad som skickas.',
  person: 'Prova med en person',
  personHint:
    'Fyller i de fält som heter som det adressboken vet: namn, förnamn, telefon, e-post eller en tagg.',
  forPerson: 'Till',
  noFields: 'Texten har inga fält: den skickas som den är.',
  save: 'Spara',
  saved: 'Sparad',
  made: 'Skapad',
  remove: 'Ta bort',
  removed: (name: string) => `${name} är borttagen`,
  removeSure:
    'Ta bort den med alla versioner? Program som skickar den med dess nummer avvisas från och med nu.',
  cancel: 'Behåll den',
  meanwhile: 'Någon annan har ändrat mallen under tiden. Din text är kvar: jämför och bestäm.',
  theirs: 'Ta deras',
  mine: 'Spara min över den',
  versions: 'Versioner',
  compare: 'Vad som har ändrats sedan dess',
  same: 'Texten är densamma.',
  restore: 'Hämta tillbaka till redigeringen',
  back: 'Mallar',
} satisfies typeof en;
