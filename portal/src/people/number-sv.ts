/** The texts of the page about one phone number, in Swedish. */
import { plural } from '../words/words.ts';
import type { en } from './number-en.ts';

const messages = plural('sv', '# meddelande', '# meddelanden');
const runs = plural('sv', '# plats i en förfrågan', '# platser i förfrågningar');
const batches = plural('sv', '# del av ett utskick', '# delar av utskick');
const contacts = plural('sv', '# person i en konfigurationsfil', '# personer i konfigurationsfiler');
const imports = plural('sv', '# rad i en import', '# rader i importer');
const jobs = plural('sv', '# sparat jobb', '# sparade jobb');
const templates = plural('sv', '# version av en mall', '# versioner av mallar');
const mails = plural('sv', '# mejl', '# mejl');
const webhooks = plural('sv', '# händelse för en webhook', '# händelser för webhookar');
const answers = plural('sv', '# svar som sparas för omförsök', '# svar som sparas för omförsök');
const settings = plural('sv', '# inställning', '# inställningar');
const rows = plural('sv', '# uppgift', '# uppgifter');

export const sv = {
  lead: 'Allt som finns om det här numret.',
  toAll: 'Allt om det här numret',
  contacts: 'I adressböckerna',
  noContacts: 'Ingen i dina adressböcker har det här numret.',
  conversations: 'Konversationer',
  with: (number: string, user: string) => `med ${number}, ${user}`,
  unread: plural('sv', '# oläst', '# olästa'),
  sent: 'Skickat till numret',
  noSent: 'Inget har skickats hit',
  noSentText: 'Eller så är det äldre än meddelanden sparas.',
  received: 'Kom från numret',
  noReceived: 'Inget har kommit härifrån',
  noReceivedText: 'Svar från telefonen syns här.',
  time: 'När',
  status: 'Status',
  what: 'Som del av',
  batch: 'Ett utskick',
  message: 'Meddelande',
  others: (user: string) => `Till ${user}`,
  answers: {
    waiting: 'inte tillfrågad',
    asked: 'tillfrågad',
    unreachable: 'inte nådd',
    yes: 'JA',
    no: 'NEJ',
  },
  export: 'Exportera',
  erase: 'Radera',
  eraseTitle: 'Radera allt om det här numret?',
  eraseText:
    'För någon som vill bli bortglömd. Kontakter, meddelanden åt båda hållen, konversationer och svar försvinner, för alla användare i företaget; det som väntar tas tillbaka. Summor och kostnader finns kvar. Det går inte att ångra.',
  confirm: 'Skriv numret för att bekräfta',
  cancel: 'Avbryt',
  begun: 'Raderingen har börjat.',
  underWay: (erased: number) => `Numret raderas: ${rows(erased)} hittills.`,
  waits: (things: string) =>
    `Finns ännu kvar: ${things}. Det som behövs en tid försvinner av sig självt; en text som nämner numret försvinner när du ändrar den. Begär raderingen igen, så söks allt igenom genast.`,
  kept: { messages, runs, batches, contacts, imports, jobs, templates, mails, webhooks, answers, settings },
  done: (at: string) => `Allt om det här numret har raderats: ${at}.`,
} satisfies typeof en;
