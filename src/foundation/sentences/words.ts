/** The Swedish words of what sentences name by an English word or a code. */
import { faultsInSwedish } from '../faults-sv.ts';
import type { Language } from '../language.ts';

export const holder = 'account' as 'account' | 'company';

export const span = 'minute' as 'minute' | 'day';

export const mayInSwedish = (one: typeof holder) => `${one === 'company' ? 'Företaget' : 'Du'} får`;

export const spanInSwedish = (one: typeof span) => (one === 'day' ? 'om dagen' : 'i minuten');

export const listed = (known: string) => (known === '' ? 'it has none' : `it has ${known}`);

export const listedInSwedish = (known: string) => (known === '' ? 'Den har inga.' : `Den har ${known}.`);

/** What an opt-out is of. */
export const categoriesInSwedish: Readonly<Record<string, string>> = {
  all: 'alla sms',
  essential: 'viktiga sms',
  notification: 'aviseringar',
  marketing: 'reklam',
};

/** Where an opt-out comes from. */
export const sourcesInSwedish: Readonly<Record<string, string>> = {
  sms: 'sms',
  api: 'ett program',
  portal: 'portalen',
  command: 'ett kommando',
  file: 'en fil',
};

export const factorEventsInSwedish: Readonly<Record<string, string>> = {
  codes: 'koder från en app',
  codesRemoved: 'koder från en app',
  passkey: 'passkey',
  passkeyRemoved: 'passkey',
  recoveryCodes: 'återställningskoder',
  reset: 'alla',
};

export const textsPostedInSwedish: Readonly<Record<string, string>> = { none: 'inga', full: 'hela' };

const meanings: Readonly<Record<string, string>> = faultsInSwedish;

/** A fault by its code, as part of a sentence. */
export function meaningOfCode(code: string): string {
  const meaning = meanings[code] ?? code;
  return meaning.charAt(0).toLowerCase() + meaning.slice(1).replace(/\.$/, '');
}

/** What can become of an SMS, by the name of its status. */
export const statusesInSwedish: Readonly<Record<string, string>> = {
  QUEUED: 'väntar',
  SENT: 'på väg',
  DELIVERED: 'levererat',
  DELETED: 'stoppat',
  EXPIRED: 'tiden gick ut',
  REJECTED: 'avvisat',
  UNDELIVERABLE: 'gick inte fram',
  ACCEPTED: 'på väg',
  ABSENTSUBSCRIBER: 'telefonen nås inte',
  UNKNOWNSUBSCRIBER: 'okänt nummer',
  INVALIDDESTINATION: 'ogiltigt nummer',
  SUBSCRIBERERROR: 'avvisat av telefonen',
  UNKNOWN: 'okänt utfall',
  ERROR: 'misslyckat',
  SCHEDULED: 'schemalagt',
  CANCELED: 'stoppat',
};

/** Types of JSON, and what else a parameter may have to be. */
const typesInSwedish: Readonly<Record<string, string>> = {
  'a string': 'en text',
  'a number': 'ett tal',
  'a list': 'en lista',
  'an object': 'ett objekt',
  'a boolean': 'sant eller falskt',
  'true or false': 'sant eller falskt',
  'a string of digits': 'en text av siffror',
  'a string (or a whole number)': 'en text (eller ett heltal)',
  'a list of strings': 'en lista med texter',
  'a list of objects': 'en lista med objekt',
  'an object that maps labels to texts': 'ett objekt med namn och texter',
};

export const typeInSwedish = (given: string | number) => typesInSwedish[given] ?? String(given);

/** What is expected where a text stops being JSON. */
export const expectedInSwedish: Readonly<Record<string, string>> = {
  'the end of the text': 'slutet på texten',
  'a comma or "}"': 'ett komma eller "}"',
  'a comma or "]"': 'ett komma eller "]"',
  'a field name in double quotes': 'ett namn inom citattecken',
  'a colon': 'ett kolon',
  'a value': 'ett värde',
  'a closing quote': 'ett citattecken som slut',
  'an escape such as \\n': 'en kod som \\n',
  'one of the escapes of JSON': 'en av koderna i JSON',
};

export const partsOfTime: Readonly<Record<string, string>> = {
  month: 'månaden',
  day: 'dagen',
  hour: 'timmen',
  minute: 'minuten',
  second: 'sekunden',
};

export const columnsInSwedish: Readonly<Record<string, string>> = {
  name: 'namn',
  phone: 'telefon',
  email: 'e-post',
  tags: 'taggar',
};

/** What two people have in common: `phone 46701740699`. */
export function markInSwedish(mark: string): string {
  return mark.replace(/^phone /, 'telefonnumret ').replace(/^e-mail /, 'e-postadressen ');
}

export const nounsInSwedish: Readonly<Record<string, { readonly none: string; readonly the: string }>> = {
  'API key': { none: 'ingen API-nyckel', the: 'API-nyckeln' },
  'address book': { none: 'ingen adressbok', the: 'adressboken' },
  batch: { none: 'inget utskick', the: 'utskicket' },
  company: { none: 'inget företag', the: 'företaget' },
  contact: { none: 'ingen person', the: 'personen' },
  conversation: { none: 'ingen konversation', the: 'konversationen' },
  'e-mail sender': { none: 'ingen e-postavsändare', the: 'e-postavsändaren' },
  filter: { none: 'inget filter', the: 'filtret' },
  group: { none: 'ingen grupp', the: 'gruppen' },
  'job type': { none: 'ingen jobbtyp', the: 'jobbtypen' },
  message: { none: 'inget meddelande', the: 'meddelandet' },
  'near miss': { none: 'inget sms att avgöra', the: 'sms:et' },
  'opt-out': { none: 'ingen avanmälan', the: 'avanmälan' },
  run: { none: 'inget larm', the: 'larmet' },
  'alert receiver': { none: 'ingen larmmottagare', the: 'larmmottagaren' },
  incident: { none: 'inget larm', the: 'larmet' },
  'saved job': { none: 'inget sparat jobb', the: 'jobbet' },
  sending: { none: 'ingen sändning', the: 'sändningen' },
  'stored attempt': { none: 'inget sparat försök', the: 'försöket' },
  'system user': { none: 'ingen systemanvändare', the: 'systemanvändaren' },
  template: { none: 'ingen mall', the: 'mallen' },
  user: { none: 'ingen användare', the: 'användaren' },
  webhook: { none: 'ingen webhook', the: 'webhooken' },
};

export const placesInSwedish: Readonly<Record<string, string>> = {
  'in the address book': 'i adressboken',
  'in the company of the account': 'i företaget',
  'of this user': 'för användaren',
  'on the list of the company': 'på företagets lista',
  'that you see': 'som du ser',
};

/** What administrators can give others as far as they have it themselves. */
export const rightsInSwedish: Readonly<Record<string, string>> = {
  'SMS parts in all': 'delar sammanlagt',
  'SMS parts per minute': 'delar i minuten',
  'SMS parts per day': 'delar om dagen',
  'recipients per batch': 'mottagare i ett utskick',
  'SMPP binds': 'SMPP-anslutningar',
  'unanswered SMPP requests': 'obesvarade SMPP-anrop',
  'address books': 'adressböcker',
  countries: 'länder',
  senders: 'avsändare',
};

/** How a run has ended. */
export const outcomesInSwedish: Readonly<Record<string, string>> = {
  GOAL_REACHED: 'målet nåddes',
  ALL_ANSWERED: 'alla har svarat',
  EXPIRED: 'tiden gick ut',
  CANCELED: 'avblåst',
};

export const actsInSwedish: Readonly<Record<string, string>> = {
  accept: 'räknas som ja',
  decline: 'räknas som nej',
  escalate: 'nästa nivå',
  tell: 'meddela',
  cancel: 'avblås',
};

/** The level of a job without levels has this name. */
export function levelIn(language: Language, level: string): string {
  return language === 'sv' && level === 'everybody' ? 'alla' : level;
}
