/**
 * The error sentences that contain variable values or share a code with others, and the reasons that the server itself
 * records, in English and Swedish. A response carries the name of its sentence and the values, and the answer is put into the
 * language of its reader (`src/http/answers/in-language.ts`).
 */
import { faultsInSwedish } from './faults-sv.ts';
import type { Language } from './language.ts';

/** Plain JSON values. A caller's own text is quoted and truncated, so that a response does not grow with it. */
type Values = Readonly<Record<string, string | number>>;

interface Entry<V extends Values> {
  /** Sample values: they give the types, and an example for the documentation. */
  readonly sample: V;
  readonly en: (values: V) => string;
  readonly sv: (values: V) => string;
}

function entry<V extends Values>(sample: V, en: (values: V) => string, sv: (values: V) => string): Entry<V> {
  return { sample, en, sv };
}

const holder = 'account' as 'account' | 'company';
const span = 'minute' as 'minute' | 'day';
const mayInSwedish = (one: typeof holder) => `${one === 'company' ? 'Företaget' : 'Du'} får`;
const spanInSwedish = (one: typeof span) => (one === 'day' ? 'om dagen' : 'i minuten');
const listed = (known: string) => (known === '' ? 'it has none' : `it has ${known}`);
const listedInSwedish = (known: string) => (known === '' ? 'Den har inga.' : `Den har ${known}.`);

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

const factorEventsInSwedish: Readonly<Record<string, string>> = {
  codes: 'koder från en app',
  codesRemoved: 'koder från en app',
  passkey: 'passkey',
  passkeyRemoved: 'passkey',
  recoveryCodes: 'återställningskoder',
  reset: 'alla',
};

const textsPostedInSwedish: Readonly<Record<string, string>> = { none: 'inga', full: 'hela' };

/** Names and codes stay as they are. */
function remarkInSwedish(stored: string): string {
  const { text, values } = readReason(stored);
  return (values && inSwedish(values)) ?? text;
}

/** A reason within a sentence, in its stored form. Words of others are quoted. */
const told = {
  en: (stored: string) => readReason(stored).text,
  sv: (stored: string) => reasonInSwedish(stored),
};

const meanings: Readonly<Record<string, string>> = faultsInSwedish;
/** A fault by its code, as part of a sentence. */
function meaningOfCode(code: string): string {
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
const typeInSwedish = (given: string | number) => typesInSwedish[given] ?? String(given);

/** What is expected where a text stops being JSON. */
const expectedInSwedish: Readonly<Record<string, string>> = {
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

const formOfNumber = {
  en: 'A phone number has 7 to 15 digits and begins with its country code.',
  sv: 'Ett telefonnummer har 7 till 15 siffror och börjar med landsnumret.',
};

const quotesOfCsv = {
  en: 'a cell that begins with a quote must end with one, and quotes inside it must be doubled',
  sv: 'en cell som börjar med ett citattecken ska sluta med ett, och de inuti den ska vara dubbla',
};

const partsOfTime: Readonly<Record<string, string>> = {
  month: 'månaden',
  day: 'dagen',
  hour: 'timmen',
  minute: 'minuten',
  second: 'sekunden',
};

const columnsInSwedish: Readonly<Record<string, string>> = {
  name: 'namn',
  phone: 'telefon',
  email: 'e-post',
  tags: 'taggar',
};

/** What two people have in common: `phone 46701740699`. */
function markInSwedish(mark: string): string {
  return mark.replace(/^phone /, 'telefonnumret ').replace(/^e-mail /, 'e-postadressen ');
}

const nounsInSwedish: Readonly<Record<string, { readonly none: string; readonly the: string }>> = {
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
  'saved job': { none: 'inget sparat jobb', the: 'jobbet' },
  sending: { none: 'ingen sändning', the: 'sändningen' },
  'stored attempt': { none: 'inget sparat försök', the: 'försöket' },
  'system user': { none: 'ingen systemanvändare', the: 'systemanvändaren' },
  template: { none: 'ingen mall', the: 'mallen' },
  user: { none: 'ingen användare', the: 'användaren' },
  webhook: { none: 'ingen webhook', the: 'webhooken' },
};

const placesInSwedish: Readonly<Record<string, string>> = {
  'in the address book': 'i adressboken',
  'in the company of the account': 'i företaget',
  'of this user': 'för användaren',
  'on the list of the company': 'på företagets lista',
  'that you see': 'som du ser',
};

/** What administrators can give others as far as they have it themselves. */
const rightsInSwedish: Readonly<Record<string, string>> = {
  'SMS parts in all': 'delar sammanlagt',
  'SMS parts per minute': 'delar i minuten',
  'SMS parts per day': 'delar om dagen',
  'recipients per batch': 'mottagare i ett utskick',
  'address books': 'adressböcker',
  countries: 'länder',
  senders: 'avsändare',
};

/** How a run has ended. */
const outcomesInSwedish: Readonly<Record<string, string>> = {
  GOAL_REACHED: 'målet nåddes',
  ALL_ANSWERED: 'alla har svarat',
  EXPIRED: 'tiden gick ut',
  CANCELED: 'avblåst',
};

const actsInSwedish: Readonly<Record<string, string>> = {
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

const dictionary = {
  // Length of texts and passwords. The English sentences continue after the name of what is too long or too short.
  length_at_most: entry(
    { most: 30, length: 31 },
    ({ most, length }) => `must have at most ${most} characters, but has ${length}.`,
    ({ most, length }) => `Högst ${most} tecken får plats, men det är ${length}.`,
  ),
  length_exactly: entry(
    { exactly: 6, length: 5 },
    ({ exactly, length }) => `must have exactly ${exactly} characters, but has ${length}.`,
    ({ exactly, length }) => `Det ska vara ${exactly} tecken, men är ${length}.`,
  ),
  length_between: entry(
    { fewest: 1, most: 30, length: 31 },
    ({ fewest, most, length }) => `must have ${fewest} to ${most} characters, but has ${length}.`,
    ({ fewest, most, length }) => `Det ska vara ${fewest} till ${most} tecken, men är ${length}.`,
  ),
  password_too_short: entry(
    { fewest: 12 },
    ({ fewest }) => `must have at least ${fewest} characters`,
    ({ fewest }) => `Minst ${fewest} tecken behövs.`,
  ),
  password_too_long: entry(
    { most: 1_024 },
    ({ most }) => `must have at most ${most} characters`,
    ({ most }) => `Högst ${most} tecken får plats.`,
  ),

  // Settings of webhooks.
  webhook_url: entry(
    { wrong: 'must be an https:// or http:// URL' },
    ({ wrong }) => `It ${wrong}.`,
    () =>
      'Adressen ska börja med https:// eller http:// och inte ha användarnamn, lösenord eller något efter #.',
  ),
  webhook_url_forbidden: entry(
    { why: 'its address 10.0.0.1 is not on the public internet' },
    ({ why }) =>
      `The address cannot be posted to: ${why}. The operator can allow it with CARILLON_CALLBACK_ALLOW.`,
    () => 'Dit får inget skickas: adressen ligger inte på det öppna internet. Driften kan tillåta den.',
  ),
  webhook_events: entry(
    { fewest: 1 },
    ({ fewest }) => `A webhook needs at least ${fewest} event.`,
    () => 'Välj minst en händelse.',
  ),
  webhook_filter: entry(
    { of: 'statuses', contradiction: 'has statuses, which apply only to message.status' },
    ({ contradiction }) => `The webhook ${contradiction}.`,
    ({ of }) =>
      of === 'statuses'
        ? 'Status på sms går bara att välja när webhooken rapporterar hur det gick för sms.'
        : 'Händelser från jobb går inte att begränsa så. Gör en egen webhook för jobb.',
  ),

  group_full: entry(
    { most: 10_000 },
    ({ most }) => `A group can have at most ${most} members. Nothing was changed.`,
    ({ most }) => `En grupp har högst ${most} medlemmar. Inget ändrades.`,
  ),

  wrong_password: entry(
    {},
    () => 'This is not your current password.',
    () => 'Det är inte ditt nuvarande lösenord.',
  ),
  password_missing: entry(
    {},
    () => 'Your current password is needed.',
    () => 'Ditt nuvarande lösenord behövs.',
  ),
  failed_logins: entry(
    { seconds: 30 },
    ({ seconds }) =>
      `Too many failed attempts to log in to this account or from this network. Try again in ${seconds} s; API keys keep working.`,
    ({ seconds }) => `För många misslyckade försök att logga in. Försök igen om ${seconds} s.`,
  ),
  wrong_code: entry(
    {},
    () => 'This code is wrong, or was used before. Wait for the next one.',
    () => 'Koden är fel eller redan använd. Vänta på nästa.',
  ),
  setup_over: entry(
    {},
    () => 'More than five minutes have passed. Start again.',
    () => 'Det har gått mer än fem minuter. Börja om.',
  ),
  password_recently: entry(
    {},
    () => 'For this, you must have given your password within the last ten minutes. Nothing was done.',
    () => 'Det här kräver ditt lösenord, angivet de senaste tio minuterna. Ingenting gjordes.',
  ),
  factor_recently: entry(
    {},
    () => 'For this, you must have given a second factor within the last ten minutes. Nothing was done.',
    () => 'Det här kräver ditt andra steg, angivet de senaste tio minuterna. Ingenting gjordes.',
  ),
  factor_missing: entry(
    {},
    () => 'A second factor is required. Set one up, or sign in with it. Nothing was done.',
    () => 'Ett andra steg krävs vid inloggning. Ställ in ett, eller logga in med det. Ingenting gjordes.',
  ),
  factor_taken: entry(
    {},
    () => 'This second factor is set up already. Nothing was changed.',
    () => 'Det är redan inställt. Ingenting ändrades.',
  ),
  wrong_passkey: entry(
    {},
    () => 'This passkey could not be verified. Try again.',
    () => 'Passkeyn kunde inte verifieras. Försök igen.',
  ),
  passkeys_full: entry(
    {},
    () => 'You have ten passkeys, the maximum. Remove one first.',
    () => 'Du har tio passkeys, fler går inte. Ta bort en först.',
  ),
  factor_gone: entry(
    {},
    () => 'You have no such second factor. It may have been removed already.',
    () => 'Den finns inte längre.',
  ),
  factor_required: entry(
    {},
    () => 'A second factor is required. Set up another one before you remove the last.',
    () => 'Ett andra steg krävs. Ställ in ett annat innan du tar bort det sista.',
  ),
  step_over: entry(
    {},
    () => 'More than five minutes have passed since you entered your password: sign in again.',
    () => 'Det har gått mer än fem minuter sedan du angav ditt lösenord: logga in igen.',
  ),
  session_ended: entry(
    {},
    () => 'The session has ended: sign in again.',
    () => 'Du är inte inloggad längre: logga in igen.',
  ),
  link_used: entry(
    {},
    () =>
      'The link has been used or is older than half an hour. An administrator of the company, or the operator (carillon user link), can create a new one.',
    () =>
      'Länken har redan använts, eller är äldre än en halvtimme. En administratör i företaget, eller driften (carillon user link), gör en ny.',
  ),

  // Contents of texts and calls.
  text_parts: entry(
    { parts: 256, most: 255 },
    ({ parts, most }) => `The text needs ${parts} SMS parts; the limit is ${most}.`,
    ({ parts, most }) => `Texten behöver ${parts} delar; ${most} är det mesta.`,
  ),
  text_length: entry(
    { most: 39_015, parts: 255 },
    ({ most, parts }) =>
      `The text has more than ${most} characters, which is more than ${parts} SMS parts hold.`,
    ({ most, parts }) => `Texten har mer än ${most} tecken, vilket är mer än ${parts} delar rymmer.`,
  ),
  call_parts: entry(
    { most: 30_000 },
    ({ most }) =>
      `The call has more than ${most} SMS parts in all. Nothing was sent; spread the recipients over several calls, or send them as a batch.`,
    ({ most }) =>
      `Det är mer än ${most} delar sammanlagt. Ingenting skickades; skicka till färre på en gång, eller skicka det som ett utskick.`,
  ),
  call_recipients: entry(
    { recipients: 10_001, most: 10_000 },
    ({ recipients, most }) =>
      `The call has ${recipients} recipients; the limit is ${most}. Spread them over several calls.`,
    ({ recipients, most }) =>
      `Det är ${recipients} mottagare; högst ${most} tas emot på en gång. Skicka till färre på en gång.`,
  ),
  call_recipients_at_least: entry(
    { recipients: 10_001, most: 10_000 },
    ({ recipients, most }) =>
      `The call has at least ${recipients} recipients; the limit is ${most}. Spread them over several calls.`,
    ({ recipients, most }) =>
      `Det är minst ${recipients} mottagare; högst ${most} tas emot på en gång. Skicka till färre på en gång.`,
  ),
  batch_recipients: entry(
    { recipients: 3_001, most: 3_000 },
    ({ recipients, most }) =>
      `The batch has ${recipients} recipients; the account may have at most ${most} in a batch.`,
    ({ recipients, most }) => `Utskicket har ${recipients} mottagare; du får ha högst ${most}.`,
  ),
  body_size: entry(
    { most: '256 MiB' },
    ({ most }) => `The body is larger than the ${most} that this endpoint takes.`,
    ({ most }) => `Det är större än ${most}, som är det mesta som tas emot på en gång.`,
  ),
  parts_never: entry(
    { holder, most: 100, span, parts: 120 },
    (of) =>
      `The ${of.holder} may send ${of.most} SMS parts a ${of.span}, and this call has ${of.parts}. Nothing was sent; spread the recipients over several calls.`,
    (of) =>
      `${mayInSwedish(of.holder)} skicka ${of.most} delar ${spanInSwedish(of.span)}, och det här är ${of.parts}. Ingenting skickades; skicka till färre på en gång.`,
  ),
  parts_left: entry(
    { holder, most: 100, span, left: 20, parts: 30, seconds: 42 },
    (of) =>
      `The ${of.holder} may send ${of.most} SMS parts a ${of.span}, of which ${of.left} are left; this call has ${of.parts}. Nothing was sent; try again in ${of.seconds} s.`,
    (of) =>
      `${mayInSwedish(of.holder)} skicka ${of.most} delar ${spanInSwedish(of.span)}. ${of.left} är kvar; det här är ${of.parts}. Ingenting skickades; försök igen om ${of.seconds} s.`,
  ),

  time_past: entry(
    { time: '“2026-01-31T09:30:00Z”', now: '2026-02-01T12:00:00.000Z' },
    ({ time, now }) => `The time ${time} is in the past. It is ${now} now.`,
    ({ time, now }) => `Tiden ${time} har redan varit. Nu är det ${now}.`,
  ),
  time_far_ahead: entry(
    { time: '“2030-01-31T09:30:00Z”', days: 366, latest: '2027-02-02T12:00:00.000Z' },
    ({ time, days, latest }) => `The time ${time} is more than ${days} days ahead. The latest is ${latest}.`,
    ({ time, days, latest }) => `Tiden ${time} är mer än ${days} dagar bort. Den senaste är ${latest}.`,
  ),

  // The form of a call. English sentences that begin with a verb continue after the name of the parameter.
  wrong_type: entry(
    { wanted: 'a string', given: 'a list' },
    ({ wanted, given }) => `must be ${wanted}, but is ${given}.`,
    ({ wanted, given }) => `Det ska vara ${typeInSwedish(wanted)}, men är ${typeInSwedish(given)}.`,
  ),
  digits_only: entry(
    { most: 19, given: '“7a”' },
    ({ most, given }) => `must be 1 to ${most} digits, but is ${given}.`,
    ({ most, given }) => `Det ska vara 1 till ${most} siffror, men är ${given}.`,
  ),
  whole_number_least: entry(
    { least: 1, given: '“7a”' as string | number },
    ({ least, given }) => `must be a whole number of at least ${least}, but is ${given}.`,
    ({ least, given }) => `Det ska vara ett heltal som är minst ${least}, men är ${typeInSwedish(given)}.`,
  ),
  whole_number_between: entry(
    { least: 1, most: 60, given: '“7a”' as string | number },
    ({ least, most, given }) => `must be a whole number from ${least} to ${most}, but is ${given}.`,
    ({ least, most, given }) =>
      `Det ska vara ett heltal från ${least} till ${most}, men är ${typeInSwedish(given)}.`,
  ),
  one_of_words: entry(
    { words: 'en, sv', given: '“de”' },
    ({ words, given }) => `must be one of ${words}, but is ${given}.`,
    ({ words, given }) => `Det ska vara något av ${words}, men är ${given}.`,
  ),
  items_at_most: entry(
    { most: 100, items: 101 },
    ({ most, items }) => `must have at most ${most} items, but has ${items}.`,
    ({ most, items }) => `Högst ${most} får vara med, men det är ${items}.`,
  ),
  item_of_list: entry(
    { item: 3, why: 'must have at most 30 characters, but has 31.' },
    ({ item, why }) => `Item ${item} ${told.en(why)}`,
    ({ item, why }) => `Nummer ${item} i listan: ${told.sv(why)}`,
  ),
  excludes_other: entry(
    { other: 'ts' },
    ({ other }) => `and \`${other}\` exclude each other. Give only one of them.`,
    ({ other }) => `Ange det här eller \`${other}\`, inte båda.`,
  ),
  one_of_two: entry(
    { one: 'filter', other: 'filterJson' },
    ({ one, other }) => `\`${one}\` and \`${other}\` cannot be given together. Give one of them.`,
    ({ one, other }) => `Ange antingen \`${one}\` eller \`${other}\`, inte båda.`,
  ),
  boolean_word: entry(
    { given: '“perhaps”' },
    ({ given }) => `This is neither true (T, TRUE, Y, YES) nor false (F, FALSE, N, NO): ${given}.`,
    ({ given }) => `Det ska vara sant (T, TRUE, Y, YES) eller falskt (F, FALSE, N, NO), men är ${given}.`,
  ),
  given_twice: entry(
    {},
    () => 'is given more than once in the URL. Give it once.',
    () => 'Det står mer än en gång i adressen. Ange det en gång.',
  ),
  given_twice_as: entry(
    { one: 'to', other: 'T' },
    ({ one, other }) =>
      `is given more than once in the URL, as \`${one}\` and as \`${other}\`. Give it once.`,
    ({ one, other }) =>
      `Det står mer än en gång i adressen, som \`${one}\` och som \`${other}\`. Ange det en gång.`,
  ),
  given_twice_in_body: entry(
    { name: 'batch' },
    ({ name }) => `The parameter \`${name}\` is given more than once in the body. Give it once.`,
    ({ name }) => `Parametern \`${name}\` står mer än en gång i anropet. Ange den en gång.`,
  ),
  unknown_name: entry(
    {},
    () => 'is not known here.',
    () => 'Namnet är okänt här. Ingenting gjordes.',
  ),
  unknown_name_near: entry(
    { near: 'message' },
    ({ near }) => `is not known here: did you mean \`${near}\`?`,
    ({ near }) => `Namnet är okänt här: menade du \`${near}\`? Ingenting gjordes.`,
  ),
  only_in_body: entry(
    {},
    () => 'can be given in a JSON body only.',
    () => 'Det kan bara anges i JSON, inte i adressen.',
  ),
  not_in_url: entry(
    { name: 'message' },
    ({ name }) => `is in the URL, but this call has its parameters in its JSON body. Give \`${name}\` there.`,
    ({ name }) => `Det står i adressen, men anropets parametrar anges i JSON. Ange \`${name}\` där.`,
  ),
  null_character: entry(
    {},
    () => 'must not contain the character U+0000.',
    () => 'Tecknet U+0000 kan inte vara med.',
  ),
  unknown_cursor: entry(
    {},
    () => 'Give the `next` of a previous page, or leave it out.',
    () => 'Ange `next` från en tidigare sida, eller utelämna det.',
  ),
  idempotency_key: entry(
    { most: 255 },
    ({ most }) => `must be 1 to ${most} printable ASCII characters.`,
    ({ most }) => `Det ska vara 1 till ${most} synliga tecken i ASCII.`,
  ),
  if_match: entry(
    {},
    () => 'must be `*`, or versions in quotation marks, separated by commas, such as `"3"`.',
    () => 'Det ska vara `*`, eller versioner inom citattecken med komma emellan, som `"3"`.',
  ),
  if_match_unwanted: entry(
    {},
    () => 'is not accepted by this call.',
    () => 'Det här anropet tar inte emot det.',
  ),
  not_one_of: entry(
    { given: '7', words: 'send, jobs' },
    ({ given, words }) => `${given} is not one of ${words}.`,
    ({ given, words }) => `${given} är inget av ${words}.`,
  ),
  not_an_act: entry(
    { given: '7' },
    ({ given }) => `${given} is not an act of the audit log.`,
    ({ given }) => `${given} är ingen händelse i loggen.`,
  ),
  not_a_month: entry(
    { given: '2027' },
    ({ given }) => `${given} is not a month. Write it as 2027-01.`,
    ({ given }) => `${given} är ingen månad. Skriv den som 2027-01.`,
  ),
  not_an_id: entry(
    { given: '7a', noun: 'batch' },
    ({ given, noun }) => `${given} is not the id of ${noun === 'SMS' ? 'an' : 'a'} ${noun}.`,
    ({ given, noun }) => `${given} är inte id för ${noun === 'SMS' ? 'ett sms' : 'ett utskick'}.`,
  ),

  // The body of a call, and what is escaped in its URL.
  json_broken: entry(
    { expected: 'a colon', line: 2, column: 7, character: 15 },
    ({ expected, line, column, character }) =>
      `The body is not valid JSON: ${expected} is expected at line ${line}, column ${column} (character ${character}).`,
    ({ expected, line, column, character }) =>
      `Det är inte giltig JSON: ${expectedInSwedish[expected] ?? expected} väntas på rad ${line}, kolumn ${column} (tecken ${character}).`,
  ),
  json_kind: entry(
    { kind: 'a list' },
    ({ kind }) => `The body must be one JSON object, but is ${kind} (line 1, column 1).`,
    ({ kind }) => `Det ska vara ett objekt i JSON, men är ${typeInSwedish(kind)} (rad 1, kolumn 1).`,
  ),
  json_not_utf8: entry(
    { byte: 17 },
    ({ byte }) =>
      `The body must be JSON in UTF-8, but byte ${byte} is not part of any UTF-8 character. Compressed bodies and other charsets are not accepted.`,
    ({ byte }) =>
      `Det ska vara JSON i UTF-8, men byte ${byte} är inte del av något tecken i UTF-8. Annat, eller komprimerat, tas inte emot.`,
  ),
  json_value_large: entry(
    { name: '`batch`', most: 1 },
    ({ name, most }) => `${name} is larger than ${most} MiB, more than any SMS needs.`,
    ({ name, most }) => `${name} är större än ${most} MiB, mer än något sms behöver.`,
  ),
  json_value_full: entry(
    { name: '`batch`', most: 10_000 },
    ({ name, most }) => `The body is not accepted: ${name} has more than ${most} values.`,
    ({ name, most }) => `Det tas inte emot: ${name} har fler än ${most} värden.`,
  ),
  json_values: entry(
    {},
    () => 'The body is not accepted: it has more values than any call needs. Spread it over several calls.',
    () => 'Det tas inte emot: det är fler värden än något anrop behöver. Dela upp det på flera anrop.',
  ),
  json_deep: entry(
    { name: '`batch`', most: 32 },
    ({ name, most }) => `The body is not accepted: ${name} is nested more than ${most} levels deep.`,
    ({ name, most }) => `Det tas inte emot: ${name} är mer än ${most} nivåer djupt.`,
  ),
  json_fields: entry(
    { most: 1_000 },
    ({ most }) => `The body is not accepted: it has more than ${most} fields.`,
    ({ most }) => `Det tas inte emot: det har fler än ${most} fält.`,
  ),
  escape_broken: entry(
    { written: '“%x”', character: 3 },
    ({ written, character }) =>
      `The escape ${written} at character ${character} is broken. A % must be followed by two hexadecimal digits; write a percent sign itself as %25.`,
    ({ written, character }) =>
      `Koden ${written} vid tecken ${character} är fel. Efter % ska det stå två hexadecimala siffror; själva procenttecknet skrivs %25.`,
  ),
  escape_not_utf8: entry(
    { bytes: '“%E4”', character: 3 },
    ({ bytes, character }) =>
      `The bytes ${bytes} at character ${character} are not UTF-8. Encode the text as UTF-8 first, then escape it.`,
    ({ bytes, character }) =>
      `Koderna ${bytes} vid tecken ${character} är inte UTF-8. Gör texten till UTF-8 innan den kodas.`,
  ),
  text_not_utf8: entry(
    {},
    () => 'The text is not UTF-8. Encode it as UTF-8 first, then escape it.',
    () => 'Texten är inte UTF-8. Gör den till UTF-8 innan den kodas.',
  ),
  in_item: entry(
    { item: 3, why: 'The text is not UTF-8.' },
    ({ item, why }) => `In item ${item} of the list: ${told.en(why)}`,
    ({ item, why }) => `Nummer ${item} i listan: ${told.sv(why)}`,
  ),
  method: entry(
    { method: 'PUT', allow: 'GET, POST' },
    ({ method, allow }) => `This path does not accept ${method}. It accepts ${allow}.`,
    ({ method, allow }) => `Adressen tar inte emot ${method}. Den tar emot ${allow}.`,
  ),
  cross_site: entry(
    { why: 'It came from afar.' },
    ({ why }) => `The call was refused: another site’s page could have made it. ${told.en(why)}`,
    ({ why }) => `Anropet gjordes inte: en annan webbplats kan ha skickat det. ${told.sv(why)}`,
  ),
  cross_site_login: entry(
    { why: 'It came from afar.' },
    ({ why }) => `The request carries a login, and was refused. ${told.en(why)}`,
    ({ why }) => `Anropet har en inloggning, och gjordes inte. ${told.sv(why)}`,
  ),
  site_other: entry(
    {},
    () => 'The browser sent the request on behalf of a page of another site.',
    () => 'Webbläsaren skickade det åt en sida på en annan webbplats.',
  ),
  site_origin: entry(
    {},
    () =>
      'The request’s `Origin` is not this server. Behind a proxy, the operator must set CARILLON_PUBLIC_URL to the address that users see.',
    () =>
      'Dess `Origin` är inte den här servern. Bakom en proxy behöver driften sätta CARILLON_PUBLIC_URL till adressen som användarna ser.',
  ),
  site_unproven: entry(
    {},
    () => 'The call’s `Sec-Fetch-Site` or `Origin` does not show that a page of this server made it.',
    () => 'Varken `Sec-Fetch-Site` eller `Origin` visar att en sida på den här servern gjorde det.',
  ),
  site_form: entry(
    {},
    () => 'The call’s `Content-Type` is one that forms use. Send application/json.',
    () => 'Dess `Content-Type` är ett som formulär har. Skicka application/json.',
  ),
  bodies_full: entry(
    {},
    () =>
      'The service already has as many large bodies as it can hold. Nothing was done; try again in a moment.',
    () =>
      'Servern har redan så mycket stort att läsa som den rymmer. Ingenting gjordes; försök igen om en stund.',
  ),
  passwords_waiting: entry(
    {},
    () =>
      'More passwords are waiting than this server can check in a second. Try again in a moment; API keys are checked at once.',
    () =>
      'Fler lösenord väntar än servern hinner kontrollera på en sekund. Försök igen om en stund; API-nycklar kontrolleras genast.',
  ),
  calls_unanswered: entry(
    {},
    () =>
      'Too many calls were sent on one connection without waiting for their answers. This call and those after it were not done. Send them again, fewer at a time.',
    () =>
      'För många anrop skickades på en anslutning utan att vänta på svaren. Det här anropet och de efter det gjordes inte. Skicka dem igen, färre åt gången.',
  ),
  pages_open: entry(
    {},
    () =>
      'Too many pages are open to keep all of them up to date. Close some. This page stays as it was when it was loaded.',
    () =>
      'För många sidor är öppna för att alla ska hållas uppdaterade. Stäng några. Den här sidan står kvar som den var när den laddades.',
  ),
  store_uncertain: entry(
    {},
    () =>
      'The store failed while storing this call, which may or may not have been done. If it had an `Idempotency-Key`, repeat it with the same key; otherwise check what was done before you repeat it.',
    () =>
      'Databasen slutade svara medan det här sparades, och det kan ha blivit gjort eller inte. Hade anropet en `Idempotency-Key`, så gör om det med samma nyckel; se annars efter vad som gjordes innan du gör om det.',
  ),
  reads_waiting: entry(
    { user: 4, company: 16, all: 64 },
    ({ user, company, all }) =>
      `Too many long reads are already waiting: the limits are ${user} for a user, ${company} for a company and ${all} in all. Nothing was done; wait until some of them have been answered.`,
    ({ user, company, all }) =>
      `För många långa läsningar väntar redan: gränserna är ${user} för en användare, ${company} för ett företag och ${all} för alla. Ingenting gjordes; vänta tills några har fått svar.`,
  ),
  files_read: entry(
    { user: 4, company: 16 },
    ({ user, company }) =>
      `Too many files are already being read: at most ${user} of a user and ${company} of a company at a time. Nothing was done; try again when one of them has been read.`,
    ({ user, company }) =>
      `För många filer läses redan: högst ${user} från en användare och ${company} från ett företag på en gång. Ingenting gjordes; försök igen när någon har lästs.`,
  ),

  // Numbers, senders, addresses, times and filters, as people and programs write them.
  number_long: entry(
    { number: '4670174069', most: 100 },
    ({ number, most }) => `${number} is longer than ${most} characters. ${formOfNumber.en}`,
    ({ number, most }) => `${number} är längre än ${most} tecken. ${formOfNumber.sv}`,
  ),
  number_national: entry(
    { number: '0701740699' },
    ({ number }) => `${number} begins with 0, but no default country code was given. ${formOfNumber.en}`,
    ({ number }) => `${number} börjar med 0, och inget landsnummer är valt. ${formOfNumber.sv}`,
  ),
  number_shortened: entry(
    { number: '4.67E+10' },
    ({ number }) =>
      `${number} is a number that a spreadsheet has shortened (E+…), which lost digits: format its column as text, and enter the number again. ${formOfNumber.en}`,
    ({ number }) =>
      `${number} har kortats av ett kalkylprogram (E+…), och siffror har försvunnit: gör kolumnen till text och skriv in numret igen. ${formOfNumber.sv}`,
  ),
  number_decimals: entry(
    { number: '46701740699.0', ending: '“.0”' },
    ({ number, ending }) =>
      `${number} ends in ${ending}, as if a program had taken it for an amount: give the number without decimals. ${formOfNumber.en}`,
    ({ number, ending }) =>
      `${number} slutar på ${ending}, som om ett program hade tagit det för ett belopp: skriv numret utan decimaler. ${formOfNumber.sv}`,
  ),
  number_character: entry(
    { number: '070x1740699', character: '“x”' },
    ({ number, character }) =>
      `${number} contains ${character}, which a phone number cannot have. ${formOfNumber.en}`,
    ({ number, character }) =>
      `${number} innehåller ${character}, som ett telefonnummer inte kan ha. ${formOfNumber.sv}`,
  ),
  number_empty: entry(
    { number: '46' },
    ({ number }) => `${number} has no digits. ${formOfNumber.en}`,
    ({ number }) => `${number} har inga siffror. ${formOfNumber.sv}`,
  ),
  number_zero: entry(
    { number: '00070174' },
    ({ number }) => `${number} still begins with 0 after the prefix was dropped. ${formOfNumber.en}`,
    ({ number }) => `${number} börjar med 0 även utan sitt prefix. ${formOfNumber.sv}`,
  ),
  number_digits: entry(
    { number: '46701', digits: 5 },
    ({ number, digits }) =>
      `${number} has ${digits} ${digits === 1 ? 'digit' : 'digits'}. ${formOfNumber.en}`,
    ({ number, digits }) =>
      `${number} har ${digits} ${digits === 1 ? 'siffra' : 'siffror'}. ${formOfNumber.sv}`,
  ),
  number_of_machines: entry(
    { number: '467190000000001', country: 'SE' },
    ({ number, country }) =>
      `${number} is in a series of ${country} issued to machines, which do not read SMS.`,
    ({ number, country }) => `${number} hör till en serie i ${country} för maskiner, som inte läser sms.`,
  ),
  number_of_no_country: entry(
    { number: '9991234567' },
    ({ number }) => `${number} is not a phone number of any country.`,
    ({ number }) => `${number} är inte ett telefonnummer i något land.`,
  ),
  number_meant: entry(
    { number: '460701740699', meant: '46701740699' },
    ({ number, meant }) => `${number} is not a valid number. It may be meant as ${meant}.`,
    ({ number, meant }) => `${number} är inget giltigt nummer. Kanske är det menat som ${meant}.`,
  ),
  number_not_mobile: entry(
    { number: '4681234567', country: 'SE' },
    ({ number, country }) =>
      `${number} is not in a mobile series of its country${country && ` (${country})`}.`,
    ({ number, country }) => `${number} är inte ett mobilnummer i sitt land${country && ` (${country})`}.`,
  ),
  email_wrong: entry(
    { email: 'Anna', why: 'is odd' },
    ({ email, why }) => `${email} ${told.en(why)}. An address has the form name@domain.`,
    ({ email, why }) => `${email} ${told.sv(why)}. En adress har formen namn@domän.`,
  ),
  domain_wrong: entry(
    { domain: 'care', why: 'is odd' },
    ({ domain, why }) => `The domain ${domain} ${told.en(why)}. A domain looks like care.example.`,
    ({ domain, why }) => `Domänen ${domain} ${told.sv(why)}. En domän ser ut som care.example.`,
  ),
  is_empty: entry(
    {},
    () => 'is empty',
    () => 'är tom',
  ),
  email_without_at: entry(
    {},
    () => 'has no @',
    () => 'har inget @',
  ),
  email_long: entry(
    { most: 254 },
    ({ most }) => `has more than ${most} characters`,
    ({ most }) => `har mer än ${most} tecken`,
  ),
  email_without_name: entry(
    {},
    () => 'has nothing before its @',
    () => 'har inget före sitt @',
  ),
  email_name_long: entry(
    { most: 64 },
    ({ most }) => `has more than ${most} characters before its @`,
    ({ most }) => `har mer än ${most} tecken före sitt @`,
  ),
  email_two_ats: entry(
    {},
    () => 'has more than one @',
    () => 'har mer än ett @',
  ),
  email_space: entry(
    {},
    () => 'contains a space (in a URL, write a plus sign as %2B)',
    () => 'innehåller ett mellanslag (i en adress till servern skrivs plustecken %2B)',
  ),
  email_name: entry(
    { name: '“a(b”' },
    ({ name }) => `has a name that no address can have: ${name}`,
    ({ name }) => `har ett namn som ingen adress kan ha: ${name}`,
  ),
  contains: entry(
    { character: '“!”' },
    ({ character }) => `contains ${character}`,
    ({ character }) => `innehåller ${character}`,
  ),
  domain_invalid: entry(
    {},
    () => 'is not a valid domain name (IDNA)',
    () => 'är inget giltigt domännamn (IDNA)',
  ),
  domain_dots: entry(
    {},
    () => 'begins or ends with a dot, or has two in a row',
    () => 'börjar eller slutar med en punkt, eller har två i rad',
  ),
  domain_labels: entry(
    {},
    () => 'has a part that is not 1 to 63 letters, digits and inner hyphens',
    () => 'har en del som inte är 1 till 63 bokstäver, siffror och bindestreck inuti',
  ),
  domain_number: entry(
    {},
    () => 'ends with a number',
    () => 'slutar med ett tal',
  ),
  sender_wrong: entry(
    { why: 'is odd' },
    ({ why }) =>
      `The sender id ${told.en(why)}. It is 1 to 11 letters, digits and simple signs, or a number of 3 to 15 digits.`,
    ({ why }) =>
      `Avsändaren ${told.sv(why)}. Den är 1 till 11 bokstäver, siffror och enkla tecken, eller ett nummer med 3 till 15 siffror.`,
  ),
  mail_sender_wrong: entry(
    { why: 'is odd', fewest: 3, most: 11 },
    ({ why, fewest, most }) =>
      `The sender id ${told.en(why)}. Here it must have ${fewest} to ${most} letters, digits and simple signs.`,
    ({ why, fewest, most }) =>
      `Avsändaren ${told.sv(why)}. Här ska den ha ${fewest} till ${most} bokstäver, siffror och enkla tecken.`,
  ),
  sender_long: entry(
    { sender: '46701740699467017406994670174069' },
    ({ sender }) => `${sender} is too long`,
    ({ sender }) => `${sender} är för lång`,
  ),
  sender_decimals: entry(
    { sender: '46701740699.0' },
    ({ sender }) => `${sender} has decimals, as if a program had taken it for an amount`,
    ({ sender }) => `${sender} har decimaler, som om ett program hade tagit den för ett belopp`,
  ),
  sender_digits: entry(
    { sender: '46', digits: 2 },
    ({ sender, digits }) => `${sender} has ${digits} ${digits === 1 ? 'digit' : 'digits'}`,
    ({ sender, digits }) => `${sender} har ${digits} ${digits === 1 ? 'siffra' : 'siffror'}`,
  ),
  sender_characters: entry(
    { sender: 'care', characters: 12 },
    ({ sender, characters }) =>
      `${sender} has ${characters} ${characters === 1 ? 'character' : 'characters'}`,
    ({ sender, characters }) => `${sender} har ${characters} tecken`,
  ),
  sender_character: entry(
    { sender: 'care', character: '“@”' },
    ({ sender, character }) => `${sender} contains ${character}, which networks do not carry`,
    ({ sender, character }) => `${sender} innehåller ${character}, som operatörerna inte tar`,
  ),
  sender_signs: entry(
    { sender: '4' },
    ({ sender }) => `${sender} has neither a letter nor a digit`,
    ({ sender }) => `${sender} har varken en bokstav eller en siffra`,
  ),
  time_part: entry(
    { time: '“2026-13-01T09:30Z”', part: 'month', value: 13, from: 1, to: 12 },
    ({ time, part, value, from, to }) =>
      `The time ${time} has the ${part} ${value}, but it must be ${from} to ${to}.`,
    ({ time, part, value, from, to }) =>
      `Tiden ${time} har ${partsOfTime[part] ?? part} ${value}, men det ska vara ${from} till ${to}.`,
  ),
  time_offset: entry(
    { time: '“2026-01-31T09:30+25:00”' },
    ({ time }) => `The time ${time} has an invalid offset from UTC.`,
    ({ time }) => `Tiden ${time} har en omöjlig skillnad mot UTC.`,
  ),
  time_space: entry(
    { time: '“2026-01-31T09:30 01:00”' },
    ({ time }) =>
      `The time ${time} has a space where its offset begins. In a URL, write the plus sign as %2B.`,
    ({ time }) =>
      `Tiden ${time} har ett mellanslag där skillnaden mot UTC börjar. I en adress skrivs plustecknet %2B.`,
  ),
  time_without_zone: entry(
    { time: '“2026-01-31T09:30”' },
    ({ time }) => `The time ${time} has no zone. End it with Z for UTC, or with an offset such as +02:00.`,
    ({ time }) => `Tiden ${time} har ingen tidszon. Sluta med Z för UTC, eller med en skillnad som +02:00.`,
  ),
  time_form: entry(
    { time: '“soon”' },
    ({ time }) =>
      `${time} is not a time. Write it as 2026-01-31T09:30:00Z, 2026-01-31T09:30Z or 2026-01-31T09:30:00+01:00.`,
    ({ time }) =>
      `${time} är ingen tid. Skriv den som 2026-01-31T09:30:00Z, 2026-01-31T09:30Z eller 2026-01-31T09:30:00+01:00.`,
  ),
  filter_wrong: entry(
    { why: 'The filter is odd.' },
    ({ why }) => `${told.en(why)} Write a filter as type:value|value;type:value.`,
    ({ why }) => `${told.sv(why)} Skriv ett filter som typ:värde|värde;typ:värde.`,
  ),
  filter_long: entry(
    { length: 70_000, most: 60_000 },
    ({ length, most }) => `The filter has ${length} characters; at most ${most} are allowed.`,
    ({ length, most }) => `Filtret har ${length} tecken; högst ${most} får plats.`,
  ),
  filter_empty: entry(
    {},
    () => 'The filter is empty.',
    () => 'Filtret är tomt.',
  ),
  filter_parts: entry(
    { most: 20, place: 'at character 90' },
    ({ most, place }) => `The filter has more than ${most} parts: the first surplus part is ${place}.`,
    ({ most, place }) =>
      `Filtret har fler än ${most} delar: den första för mycket är ${place.replace('at character', 'vid tecken')}.`,
  ),
  filter_values: entry(
    { most: 1_000 },
    ({ most }) => `The filter has more than ${most} tag values in all.`,
    ({ most }) => `Filtret har fler än ${most} taggvärden sammanlagt.`,
  ),
  filter_part_empty: entry(
    { part: 2, at: 12 },
    ({ part, at }) => `Part ${part} at character ${at} is empty: a “;” may appear only between two parts.`,
    ({ part, at }) => `Del ${part} vid tecken ${at} är tom: “;” får bara stå mellan två delar.`,
  ),
  filter_no_colon: entry(
    { part: 2, at: 12, written: '“nurse”' },
    ({ part, at, written }) =>
      `Part ${part} at character ${at}, ${written}, has no “:” between tag type and values.`,
    ({ part, at, written }) =>
      `Del ${part} vid tecken ${at}, ${written}, har inget “:” mellan taggens typ och värden.`,
  ),
  filter_two_colons: entry(
    { part: 2, at: 12 },
    ({ part, at }) => `Part ${part} has a second “:” at character ${at}.`,
    ({ part, at }) => `Del ${part} har ett andra “:” vid tecken ${at}.`,
  ),
  filter_type: entry(
    { at: 12, why: 'is odd' },
    ({ at, why }) => `The tag type at character ${at} ${told.en(why)}.`,
    ({ at, why }) => `Taggtypen vid tecken ${at} ${told.sv(why)}.`,
  ),
  filter_value: entry(
    { at: 12, why: 'is odd' },
    ({ at, why }) => `The tag value at character ${at} ${told.en(why)}.`,
    ({ at, why }) => `Taggvärdet vid tecken ${at} ${told.sv(why)}.`,
  ),
  filter_list: entry(
    {},
    () => 'The filter must be a list of objects.',
    () => 'Filtret ska vara en lista med objekt.',
  ),
  filter_object: entry(
    { place: '[0]' },
    ({ place }) => `The part at ${place} must be an object with “tagtype” and “tagvalues”.`,
    ({ place }) => `Delen vid ${place} ska vara ett objekt med “tagtype” och “tagvalues”.`,
  ),
  filter_field: entry(
    { place: '[0]', field: '“tag”' },
    ({ place, field }) =>
      `The part at ${place} has ${field}, which is not a known field: a part has only “tagtype” and “tagvalues”.`,
    ({ place, field }) =>
      `Delen vid ${place} har ${field}, som är okänt: en del har bara “tagtype” och “tagvalues”.`,
  ),
  filter_field_near: entry(
    { place: '[0]', field: '“tagtypes”', near: '“tagtype”' },
    ({ place, field, near }) =>
      `The part at ${place} has ${field}, which is not a known field: did you mean ${near}?`,
    ({ place, field, near }) => `Delen vid ${place} har ${field}, som är okänt: menade du ${near}?`,
  ),
  filter_list_of: entry(
    { place: '[0].tagvalues' },
    ({ place }) => `The value at ${place} must be a list of at least one string.`,
    ({ place }) => `Värdet vid ${place} ska vara en lista med minst en text.`,
  ),
  filter_string: entry(
    { place: '[0].tagtype' },
    ({ place }) => `The value at ${place} must be a string.`,
    ({ place }) => `Värdet vid ${place} ska vara en text.`,
  ),
  filter_tag: entry(
    { place: '[0].tagtype', why: 'is odd' },
    ({ place, why }) => `The value at ${place} ${told.en(why)}.`,
    ({ place, why }) => `Värdet vid ${place} ${told.sv(why)}.`,
  ),
  tag_alone: entry(
    { why: 'is odd' },
    ({ why }) => `The tag ${told.en(why)}.`,
    ({ why }) => `Taggen ${told.sv(why)}.`,
  ),
  tag_long: entry(
    { length: 101, most: 100 },
    ({ length, most }) => `has ${length} characters; at most ${most} are allowed`,
    ({ length, most }) => `har ${length} tecken; högst ${most} får plats`,
  ),
  tag_separator: entry(
    { sign: '“:”' },
    ({ sign }) => `contains ${sign}, which separates tags in filters`,
    ({ sign }) => `innehåller ${sign}, som skiljer taggar åt i filter`,
  ),
  tag_control: entry(
    {},
    () => 'contains a control character or an incomplete character',
    () => 'innehåller ett styrtecken eller ett ofullständigt tecken',
  ),
  tag_spaces: entry(
    {},
    () => 'begins or ends with a space',
    () => 'börjar eller slutar med ett mellanslag',
  ),

  // Rows of a file of people. English sentences that begin with a verb continue after the row.
  row_cell: entry(
    { column: 'phone', why: 'is odd' },
    ({ column, why }) => `${column}: ${told.en(why)}`,
    ({ column, why }) => `${columnsInSwedish[column] ?? column}: ${told.sv(why)}`,
  ),
  row_cells: entry(
    { cells: 7, columns: 5 },
    ({ cells, columns }) => `has ${cells} cells, but the first line has ${columns}`,
    ({ cells, columns }) => `har ${cells} celler, men första raden har ${columns}`,
  ),
  row_nameless: entry(
    { cell: '“x”', column: 7 },
    ({ cell, column }) => `holds ${cell} in column ${column}, which has no name`,
    ({ cell, column }) => `har ${cell} i kolumn ${column}, som inte har något namn`,
  ),
  row_without_key: entry(
    {},
    () => 'has no id, phone or email to recognise the contact by',
    () => 'har varken id, telefonnummer eller e-postadress att känna igen personen på',
  ),
  row_twice: entry(
    { what: 'phone 46701740699', line: 3 },
    ({ what, line }) => `the ${what} is already in line ${line}`,
    ({ what, line }) => `${markInSwedish(what)} finns redan på rad ${line}`,
  ),
  row_twice_shared: entry(
    { what: 'phone 46701740699', line: 3 },
    ({ what, line }) => `the ${what} is already in line ${line}; people who share it each need an id`,
    ({ what, line }) =>
      `${markInSwedish(what)} finns redan på rad ${line}; de som delar det behöver ett eget id var`,
  ),
  tag_wrong: entry(
    { what: 'tag type', tag: '“a;b”', why: 'is odd' },
    ({ what, tag, why }) => `the ${what} ${tag} ${told.en(why)}`,
    ({ what, tag, why }) => `${what === 'tag type' ? 'taggtypen' : 'taggvärdet'} ${tag} ${told.sv(why)}`,
  ),
  tag_without_type: entry(
    { tag: 'nurse' },
    ({ tag }) =>
      `${tag} is not a tag; a tag is a type and a value, such as role:nurse, and role:nurse;ward:7|8 are three tags`,
    ({ tag }) =>
      `${tag} är ingen tagg; en tagg är en typ och ett värde, som role:nurse, och role:nurse;ward:7|8 är tre taggar`,
  ),
  tags_at_most: entry(
    { most: 100 },
    ({ most }) => `a contact has at most ${most} tags`,
    ({ most }) => `en person har högst ${most} taggar`,
  ),
  columns_count: entry(
    { columns: 5, named: 4 },
    ({ columns, named }) => `The file has ${columns} columns, but ${named} were named.`,
    ({ columns, named }) => `Filen har ${columns} kolumner, men ${named} angavs.`,
  ),
  column_unknown: entry(
    { column: '“shoe”', known: 'id, name' },
    ({ column, known }) => `A column must be one of ${known}, not ${column}.`,
    ({ column, known }) => `En kolumn ska vara något av ${known}, inte ${column}.`,
  ),
  column_twice: entry(
    { column: 'phone' },
    ({ column }) => `Two columns are named ${column}.`,
    ({ column }) => `Två kolumner heter ${column}.`,
  ),
  column_missing: entry(
    { column: 9 },
    ({ column }) => `The file has no column ${column} to join.`,
    ({ column }) => `Filen har ingen kolumn ${column} att slå ihop.`,
  ),
  column_joined_twice: entry(
    {},
    () => 'A column can be joined only once.',
    () => 'En kolumn kan bara slås ihop en gång.',
  ),
  column_of_join: entry(
    {},
    () => 'The first of joined columns says what they mean together, so it must be imported.',
    () => 'Den första av hopslagna kolumner säger vad de betyder tillsammans, så den måste importeras.',
  ),
  column_joined: entry(
    { ignored: '-' },
    ({ ignored }) => `A column that is joined to another has no meaning of its own: give ${ignored} for it.`,
    ({ ignored }) =>
      `En kolumn som har slagits ihop med en annan betyder inget själv: ange ${ignored} för den.`,
  ),
  column_of_keys: entry(
    {},
    () => 'One column must be the id, the phone or the e-mail address, to recognise contacts by.',
    () => 'En kolumn måste vara id, telefonnummer eller e-postadress, att känna igen personer på.',
  ),
  title_above: entry(
    { title: 'staff' },
    ({ title }) =>
      `${title} seems to be a title above the names of the columns; remove everything above them, so that the first line names the columns`,
    ({ title }) =>
      `${title} verkar vara en rubrik ovanför kolumnernas namn; ta bort allt ovanför dem, så att första raden namnger kolumnerna`,
  ),
  title_above_names: entry(
    { title: 'staff', names: 3 },
    ({ title, names }) =>
      `${title} seems to be a title above the names of the columns, which are in line ${names}; remove everything above them, so that the first line names the columns`,
    ({ title, names }) =>
      `${title} verkar vara en rubrik ovanför kolumnernas namn, som står på rad ${names}; ta bort allt ovanför dem, så att första raden namnger kolumnerna`,
  ),
  title_in_line: entry(
    { line: 1, why: 'a title' },
    ({ line, why }) => `Line ${line}: ${told.en(why)}, or give \`headRow\`.`,
    ({ line, why }) => `Rad ${line}: ${told.sv(why)}, eller ange \`headRow\`.`,
  ),
  csv_long: entry(
    { most: 65_536 },
    ({ most }) => `the row is longer than ${most} characters; ${quotesOfCsv.en}`,
    ({ most }) => `raden är längre än ${most} tecken; ${quotesOfCsv.sv}`,
  ),
  csv_open: entry(
    {},
    () => `a cell begins with a quote that is never closed; ${quotesOfCsv.en}`,
    () => `en cell börjar med ett citattecken som aldrig får ett slut; ${quotesOfCsv.sv}`,
  ),
  opt_out_number: entry(
    {},
    () => 'The number is not a phone number.',
    () => 'Numret är inget telefonnummer.',
  ),
  opt_out_country: entry(
    {},
    () => 'The number begins with 0, and the country code is not known. Give `defaultCountryCode`.',
    () => 'Numret börjar med 0, och landsnumret är okänt. Välj ett.',
  ),
  opt_out_category: entry(
    { words: 'all, marketing' },
    ({ words }) => `The category is not one of ${words}.`,
    ({ words }) => `Kategorin är inget av ${words}.`,
  ),
  opt_out_since: entry(
    {},
    () => 'The time is not a date or ISO 8601 with zone, or is in the future.',
    () => 'Tiden är varken ett datum eller ISO 8601 med tidszon, eller har inte varit än.',
  ),
  opt_out_proof: entry(
    { most: 200 },
    ({ most }) => `The proof is longer than ${most} characters.`,
    ({ most }) => `Underlaget är längre än ${most} tecken.`,
  ),

  // What a call names.
  none_such: entry(
    { noun: 'message', id: '7' as string | number },
    ({ noun, id }) => `There is no ${noun} ${id}.`,
    ({ noun, id }) => `Det finns ${nounsInSwedish[noun]?.none ?? noun} ${id}.`,
  ),
  none_seen: entry(
    { noun: 'run', id: '7' as string | number },
    ({ noun, id }) => `There is no ${noun} ${id} that you may see.`,
    ({ noun, id }) => `Det finns ${nounsInSwedish[noun]?.none ?? noun} ${id} som du får se.`,
  ),
  none_in_place: entry(
    { noun: 'group', id: '“Ward 3”', place: 'in the address book' },
    ({ noun, id, place }) => `There is no ${noun} ${id} ${place}.`,
    ({ noun, id, place }) =>
      `Det finns ${nounsInSwedish[noun]?.none ?? noun} ${id} ${placesInSwedish[place] ?? place}.`,
  ),
  none_of_version: entry(
    { noun: 'template', id: '1001', version: 3 },
    ({ noun, id, version }) => `There is no version ${version} of the ${noun} ${id}.`,
    ({ noun, id, version }) =>
      `Det finns ingen version ${version} av ${nounsInSwedish[noun]?.the ?? noun} ${id}.`,
  ),
  no_import: entry(
    { id: '7' },
    ({ id }) => `The address book has no import ${id} from the last 24 hours.`,
    ({ id }) => `Adressboken har ingen import ${id} från det senaste dygnet.`,
  ),
  no_sender_entry: entry(
    { email: 'anna@care.example' },
    ({ email }) => `There is no entry for ${email}. Nothing was removed.`,
    ({ email }) => `Listan har inte ${email}. Ingenting togs bort.`,
  ),
  no_template: entry(
    { template: '1001' },
    ({ template }) => `The company has no template ${template}. Nothing was sent.`,
    ({ template }) => `Företaget har ingen mall ${template}. Ingenting skickades.`,
  ),
  no_startable_job: entry(
    { job: '71' },
    ({ job }) => `There is no saved job ${job} that the account may start.`,
    ({ job }) => `Det finns inget jobb ${job} som du får starta.`,
  ),
  changed_by_other: entry(
    { noun: 'group', id: '“Ward 3”' },
    ({ noun, id }) =>
      `The ${noun} ${id} was changed by someone else. Reload it and try again. Nothing was changed.`,
    ({ noun, id }) =>
      `Någon annan har ändrat ${nounsInSwedish[noun]?.the ?? noun} ${id}. Ladda om och försök igen. Ingenting ändrades.`,
  ),
  number_given_away: entry(
    { number: '46701740605', user: 'anna' },
    ({ number, user }) => `The number ${number} was given to ${user} by someone else. Nothing was changed.`,
    ({ number, user }) => `Någon annan har gett numret ${number} till ${user}. Ingenting ändrades.`,
  ),
  message_rescheduled: entry(
    { message: '7' },
    ({ message }) => `Message ${message} was rescheduled after it was shown. Reload it and try again.`,
    ({ message }) =>
      `Meddelande ${message} har fått en annan tid sedan det visades. Ladda om och försök igen.`,
  ),
  managed: entry(
    { what: 'the group “Ward 3”' },
    ({ what }) =>
      `A provisioning file manages ${told.en(what)}, which can only be changed there. Nothing was changed.`,
    ({ what }) =>
      `En fil hos driften bestämmer ${told.sv(what)}, och bara driften kan ändra det. Ingenting ändrades.`,
  ),
  managed_object: entry(
    { noun: 'group', id: '“Ward 3”' },
    ({ noun, id }) => `the ${noun} ${id}`,
    ({ noun, id }) => `${nounsInSwedish[noun]?.the ?? noun} ${id}`,
  ),
  managed_field: entry(
    { field: 'name', noun: 'group', id: '“Ward 3”' },
    ({ field, noun, id }) => `the field \`${field}\` of the ${noun} ${id}`,
    ({ field, noun, id }) => `fältet \`${field}\` för ${nounsInSwedish[noun]?.the ?? noun} ${id}`,
  ),
  managed_setting: entry(
    { field: 'language' },
    ({ field }) => `the setting \`${field}\` of the company`,
    ({ field }) => `företagets inställning \`${field}\``,
  ),
  managed_default: entry(
    { field: 'sender' },
    ({ field }) => `the default for \`${field}\``,
    ({ field }) => `vad som är förvalt för \`${field}\``,
  ),
  managed_password: entry(
    {},
    () => 'your password',
    () => 'ditt lösenord',
  ),
  managed_renter: entry(
    { number: '46701740605' },
    ({ number }) => `who rents the number ${number}`,
    ({ number }) => `vem som hyr numret ${number}`,
  ),
  managed_readers: entry(
    { users: 'anna, bo', book: '“Staff”' },
    ({ users, book }) => `that ${users} may read ${book}`,
    ({ users, book }) => `att ${users} får läsa ${book}`,
  ),
  managed_books: entry(
    { user: '“anna”' },
    ({ user }) => `which address books ${user} may read`,
    ({ user }) => `vilka adressböcker ${user} får läsa`,
  ),
  managed_default_book: entry(
    { user: '“anna”' },
    ({ user }) => `the default address book of ${user}`,
    ({ user }) => `förvald adressbok för ${user}`,
  ),
  name_elsewhere: entry(
    { name: '“anna”' },
    ({ name }) => `The name ${name} is already taken, in this company or another. Choose another name.`,
    ({ name }) => `Namnet ${name} är upptaget, i det här företaget eller ett annat. Välj ett annat namn.`,
  ),
  key_name_taken: entry(
    { name: '“crm”' },
    ({ name }) =>
      `You already have an API key named ${name}, or had one that was revoked. Choose another name.`,
    ({ name }) =>
      `Du har redan en API-nyckel som heter ${name}, eller har haft en som spärrades. Välj ett annat namn.`,
  ),
  keys_full: entry(
    { most: 100 },
    ({ most }) => `You have ${most} API keys, the limit for an account; revoked and expired keys count too.`,
    ({ most }) => `Du har ${most} API-nycklar, och fler får man inte ha; spärrade och utgångna räknas också.`,
  ),
  users_full: entry(
    { most: 10_000 },
    ({ most }) => `The company has ${most} users, the maximum that API calls can create. Remove some.`,
    ({ most }) => `Företaget har redan ${most} användare, och fler får inte plats. Ta bort någon först.`,
  ),
  paused_full: entry(
    { most: 100 },
    ({ most }) => `The company has ${most} paused batches. Resume or abort one of them first.`,
    ({ most }) => `Företaget har ${most} pausade utskick. Återuppta eller stoppa något av dem först.`,
  ),
  webhook_name: entry(
    { name: '“crm”' },
    ({ name }) => `The company already has a webhook ${name}.`,
    ({ name }) => `Företaget har redan en webhook ${name}.`,
  ),
  webhooks_full: entry(
    { most: 50, own: 10 },
    ({ most, own }) => `A company can have at most ${most} webhooks, and a user can create at most ${own}.`,
    ({ most, own }) => `Ett företag har högst ${most} webhookar, och en användare gör högst ${own}.`,
  ),
  webhook_disabled: entry(
    { webhook: 'crm' },
    ({ webhook }) => `Nothing is posted to the webhook ${webhook}: it is disabled. No test was sent.`,
    ({ webhook }) => `Inget skickas till webhooken ${webhook}: den är avstängd. Inget prov skickades.`,
  ),
  webhook_inactive: entry(
    { webhook: 'crm' },
    ({ webhook }) => `Nothing is posted to the webhook ${webhook}: it is not active. No test was sent.`,
    ({ webhook }) => `Inget skickas till webhooken ${webhook}: den är inte aktiv. Inget prov skickades.`,
  ),
  callback_of: entry(
    { owner: '“night-jobs”' },
    ({ owner }) => `It is the callback of ${owner}. Nothing was changed.`,
    ({ owner }) => `Det är återanropet för ${owner}. Ingenting ändrades.`,
  ),
  role_missing: entry(
    { roles: 'send', user: 'anna' },
    ({ roles, user }) =>
      `This call requires the role ${roles.replaceAll(', ', ' or ')}, which the account ${user} does not have. An administrator of the company, or the operator, can give it.`,
    ({ roles, user }) =>
      `Det här kräver rollen ${roles.replaceAll(', ', ' eller ')}, som ${user} saknar. En administratör i företaget, eller driften, kan ge den.`,
  ),
  last_administrator: entry(
    { user: 'anna' },
    ({ user }) =>
      `The user ${user} is the last active administrator of the company. Appoint another one first. Nothing was changed.`,
    ({ user }) =>
      `Användaren ${user} är företagets enda aktiva administratör. Utse en till först. Ingenting ändrades.`,
  ),
  user_needed: entry(
    { needs: 'it pays for senders' },
    ({ needs }) => `The user is still needed: ${needs}. Nothing was removed.`,
    ({ needs }) => `Användaren behövs än: ”${needs}”. Ingenting togs bort.`,
  ),
  beyond_own_rights: entry(
    { held: 'your roles are send' },
    ({ held }) =>
      `You cannot grant more rights than you have yourself: ${told.en(held)}. Nothing was changed.`,
    ({ held }) => `Du kan inte ge någon mer än du har själv: ${told.sv(held)}. Ingenting ändrades.`,
  ),
  own_roles: entry(
    { roles: 'send, jobs' },
    ({ roles }) => `your roles are ${roles}`,
    ({ roles }) => `dina roller är ${roles}`,
  ),
  own_limit: entry(
    { most: 100 as number | string, of: 'SMS parts per day' },
    ({ most, of }) => `your limit is ${most} ${of}`,
    ({ most, of }) => `din gräns är ${most} ${rightsInSwedish[of] ?? of}`,
  ),
  own_list: entry(
    { of: 'countries', list: 'SE, NO' },
    ({ of, list }) => `your ${of} are ${list || 'none'}`,
    ({ of, list }) => `dina ${rightsInSwedish[of] ?? of} är ${list || 'inga'}`,
  ),
  own_mail: entry(
    {},
    () => 'you do not get receipts and answers by mail',
    () => 'du får inte kvitton och svar som e-post',
  ),
  other_session: entry(
    { user: 'anna' },
    ({ user }) =>
      `This page was loaded for another user; this browser has since signed in as ${user}. Reload the page. Nothing was done.`,
    ({ user }) =>
      `Sidan laddades för någon annan; i webbläsaren är nu ${user} inloggad. Ladda om sidan. Ingenting gjordes.`,
  ),
  sender_listed_elsewhere: entry(
    { sender: 'anna@care.example' },
    ({ sender }) => `The sender ${sender} is on the list of another company. Nothing was changed.`,
    ({ sender }) => `Avsändaren ${sender} finns på ett annat företags lista. Ingenting ändrades.`,
  ),
  sender_entries_full: entry(
    { most: 10_000 },
    ({ most }) =>
      `The company has ${most} e-mail senders, the maximum that calls can create. Remove some, or replace the addresses of a domain by one entry for the whole domain (@domain).`,
    ({ most }) =>
      `Företaget har ${most} e-postavsändare, och fler får inte plats. Ta bort någon, eller ersätt adresserna i en domän med en post för hela domänen (@domän).`,
  ),
  payer_unfit: entry(
    { user: '“anna”', why: 'is odd' },
    ({ user, why }) => `The paying user ${user} ${told.en(why)}.`,
    ({ user, why }) => `Den som betalar, ${user}, ${told.sv(why)}.`,
  ),
  default_payer_unfit: entry(
    { user: '“anna”', why: 'is odd' },
    ({ user, why }) => `The default paying user ${user} ${told.en(why)}. Give another in \`payinguser\`.`,
    ({ user, why }) => `Den som är förvald att betala, ${user}, ${told.sv(why)}. Ange någon annan.`,
  ),
  payer_inactive: entry(
    {},
    () => 'is not active',
    () => 'är inte aktiv',
  ),
  payer_without_role: entry(
    {},
    () => 'may not send SMS: it lacks the role `send`',
    () => 'får inte skicka sms: rollen `send` saknas',
  ),
  payer_unknown: entry(
    {},
    () => 'is not a user of the company, neither by id nor by name',
    () => 'är inte en användare i företaget, varken som id eller namn',
  ),
  payer_without_split: entry(
    { user: 'anna' },
    ({ user }) =>
      `This needs the setting SMTPSPLIT, which the paying user ${user} does not have. Give another paying user, or set \`splitCallback\` to false.`,
    ({ user }) =>
      `Det här kräver SMTPSPLIT, som ${user} saknar, den som betalar. Ange någon annan, eller välj bort kvitton och svar som e-post.`,
  ),
  default_split: entry(
    { user: 'anna' },
    ({ user }) =>
      `The default of the company for \`splitCallback\` needs the setting SMTPSPLIT, which the paying user ${user} does not have. Give another paying user, or set \`splitCallback\` to false.`,
    ({ user }) =>
      `Företaget har förvalt att kvitton och svar går tillbaka som e-post, vilket kräver SMTPSPLIT. Det saknar ${user}, den som betalar. Ange någon annan, eller välj bort det.`,
  ),

  // Sending and starting.
  text_empty: entry(
    {},
    () => 'The message text is empty.',
    () => 'Texten är tom.',
  ),
  not_for_one_recipient: entry(
    {},
    () => 'cannot be given for a single recipient of a batch.',
    () => 'Det kan inte anges för en enda mottagare i ett utskick.',
  ),
  recipient_without_text: entry(
    {},
    () => 'is missing, and there is no common message.',
    () => 'Mottagaren har ingen text, och det finns ingen gemensam.',
  ),
  line_without_text: entry(
    {},
    () =>
      'has no text after its number, and the call has no common message. Write the text after the first semicolon, or give one for all in the URL (M8).',
    () =>
      'Raden har ingen text efter sitt nummer, och det finns ingen gemensam. Skriv den efter det första semikolonet, eller ange en för alla i adressen (M8).',
  ),
  line_large: entry(
    { most: 1 },
    ({ most }) => `has more than ${most} MiB, more than any SMS needs.`,
    ({ most }) => `Raden har mer än ${most} MiB, mer än något sms behöver.`,
  ),
  no_route: entry(
    { recipient: '46701740699' },
    ({ recipient }) => `No route leads to ${recipient}.`,
    ({ recipient }) => `Det finns ingen väg till ${recipient}. Driften lägger till vägar.`,
  ),
  country_not_allowed: entry(
    { recipient: '46701740699', countries: 'NO, DK' },
    ({ recipient, countries }) =>
      `${recipient} is not in a country that the account may send to (${countries || 'none'}).`,
    ({ recipient, countries }) =>
      `${recipient} är inte i ett land som du får skicka till (${countries || 'inget'}).`,
  ),
  nobody_selected: entry(
    {},
    () => 'No SMS was queued. The address book selects nobody.',
    () => 'Ingenting skickades. Urvalet ur adressboken har ingen.',
  ),
  nobody_with_phone: entry(
    { contacts: 3 },
    ({ contacts }) =>
      `No SMS was queued. The address book selects ${contacts} ${contacts === 1 ? 'contact, who has no phone number' : 'contacts, none of whom has a phone number'}.`,
    ({ contacts }) =>
      `Ingenting skickades. Urvalet ur adressboken är ${contacts} ${contacts === 1 ? 'person, som saknar' : 'personer, som alla saknar'} telefonnummer.`,
  ),
  only_placeholders: entry(
    { labels: '“name”', others: 2 },
    ({ labels, others }) =>
      `The message text is empty: the template has only placeholders, and no text was given for ${labels}${others === 0 ? '' : ` and ${others} more`}. Labels are case-sensitive.`,
    ({ labels, others }) =>
      `Texten är tom: mallen har bara fält, och ingen text angavs för ${labels}${others === 0 ? '' : ` och ${others} till`}. Stora och små bokstäver i namn räknas.`,
  ),
  flash_long: entry(
    { length: 161, most: 160 },
    ({ length, most }) =>
      `The text has ${length} characters. A flash SMS takes at most ${most}, all of the GSM 03.38 alphabet.`,
    ({ length, most }) =>
      `Texten har ${length} tecken. Ett sms som visas genast rymmer ${most}, och bara vanliga bokstäver (GSM-7).`,
  ),
  flash_characters: entry(
    { most: 160 },
    ({ most }) =>
      `The text has characters outside the GSM 03.38 alphabet. A flash SMS takes at most ${most} characters, all of that alphabet.`,
    ({ most }) =>
      `Texten har andra tecken än vanliga bokstäver (GSM-7). Ett sms som visas genast rymmer ${most} sådana.`,
  ),
  filters_given: entry(
    { filters: 2 },
    ({ filters }) =>
      `The call has ${filters} tag filters. Give at most one, whether custom, JSON or saved. Groups can be added.`,
    ({ filters }) =>
      `Det är ${filters} taggfilter. Ange högst ett, sparat eller skrivet. Grupper kan läggas till.`,
  ),
  not_for_jobs_of_type: entry(
    { parameter: 'responsegoal', type: 'Call', generic: 'GMA' },
    ({ parameter, type, generic }) =>
      `The parameter \`${parameter}\` does not apply to jobs of type ${type} (${generic}). Nothing was started.`,
    ({ parameter, type, generic }) =>
      `Parametern \`${parameter}\` gäller inte jobb av typen ${type} (${generic}). Ingenting startades.`,
  ),
  filter_with_goal: entry(
    { type: 'Call', generic: 'GMA', missing: 'responsegoal' },
    ({ type, generic, missing }) =>
      `Jobs of type ${type} (${generic}) take a new tag filter and a response goal only together. Give \`${missing}\` too. Nothing was started.`,
    ({ type, generic, missing }) =>
      `Jobb av typen ${type} (${generic}) tar ett nytt taggfilter och ett svarsmål bara tillsammans. Ange \`${missing}\` också. Ingenting startades.`,
  ),
  search_alone: entry(
    {},
    () => 'The parameter `q` stands for one of id, to, from, name and words, so it is given without them.',
    () => 'Parametern `q` står för något av id, to, from, name och words, och anges utan dem.',
  ),

  // Names and form contents. The first four English sentences continue after the field's name.
  name_blank: entry(
    {},
    () => 'must not be blank.',
    () => 'Ett namn behövs.',
  ),
  name_of_dots: entry(
    {},
    () => 'must not be `.` or `..`.',
    () => 'Bara en eller två punkter kan inte vara ett namn.',
  ),
  control_characters: entry(
    {},
    () => 'must not contain control characters.',
    () => 'Radbrytningar, tabbar och andra styrtecken kan inte vara med.',
  ),
  email_form: entry(
    {},
    () => 'must be an e-mail address such as anna@care.example.',
    () => 'Ange en e-postadress, som anna@care.example.',
  ),
  name_exists: entry(
    { noun: 'a group', name: '“Ward 3”', place: 'in the address book' },
    ({ noun, name, place }) => `There is already ${noun} ${name} ${place}. Nothing was changed.`,
    ({ name }) => `Upptaget: ${name} finns redan. Ingenting ändrades.`,
  ),
  username_form: entry(
    {},
    () => 'A user name must not contain colons or control characters, or begin or end with a space.',
    () => 'Ett användarnamn har inget kolon, inga styrtecken och inget mellanslag först eller sist.',
  ),
  unknown_country: entry(
    { country: '“SX1”' },
    ({ country }) =>
      `No country with phone numbers has the code ${country}. Give a code such as SE (ISO 3166).`,
    ({ country }) => `Det finns ingen landskod ${country}. En sådan har två bokstäver, som SE.`,
  ),
  no_countries: entry(
    {},
    () => 'Name at least one country, or clear the list.',
    () => 'Ange minst ett land, eller ta bort begränsningen.',
  ),
  default_sender_not_listed: entry(
    { sender: '“Clinic”' },
    ({ sender }) => `The sender ${sender} is not among those that the user may send from.`,
    ({ sender }) => `Avsändaren ${sender} är inte bland dem som användaren får skicka från.`,
  ),
  default_book_not_listed: entry(
    { book: '“Staff”' },
    ({ book }) => `The address book ${book} is not among those that the user may read.`,
    ({ book }) => `Adressboken ${book} är inte bland dem som användaren får läsa.`,
  ),
  company_sender_not_listed: entry(
    { sender: '“Clinic”' },
    ({ sender }) => `The sender ${sender} is not among those that the company may send from.`,
    ({ sender }) => `Avsändaren ${sender} är inte bland dem som företaget får skicka från.`,
  ),
  hours_incomplete: entry(
    {},
    () => 'Send hours need a beginning, an end and a time zone.',
    () => 'Sändningstiderna behöver en början, ett slut och en tidszon.',
  ),
  cost_center_code: entry(
    { code: '“4711”' },
    ({ code }) =>
      `The cost centre ${code} needs a code that is in the list only once, without a semicolon, and a name, each on one line.`,
    ({ code }) =>
      `Kostnadsstället ${code} behöver en kod som står i listan bara en gång, utan semikolon, och ett namn, båda på en rad.`,
  ),
  hours_empty: entry(
    {},
    () =>
      'Send hours must not end at the time at which they begin. Clear the beginning to send at all hours.',
    () => 'Slutet måste vara en annan tid än början. Välj dygnet runt om det inte ska finnas någon gräns.',
  ),
  time_of_day: entry(
    { time: '“7”' },
    ({ time }) => `A time from 00:00 to 23:59 is needed, such as 07:00, but this is ${time}.`,
    ({ time }) => `Det ska vara ett klockslag som 07:00, men är ${time}.`,
  ),
  unknown_zone: entry(
    { zone: '“Stockholm”' },
    ({ zone }) => `No time zone has the name ${zone}. Give one such as Europe/Stockholm.`,
    ({ zone }) => `Det finns ingen tidszon ${zone}. Ange en som Europe/Stockholm.`,
  ),
  no_rented_number: entry(
    { number: '“46701740605”' },
    ({ number }) => `No user of the company rents a number ${number}.`,
    ({ number }) => `Ingen användare i företaget hyr numret ${number}.`,
  ),
  no_carrier: entry(
    { name: '“op1”' },
    ({ name }) => `There is no carrier ${name}.`,
    ({ name }) => `Det finns ingen operatör ${name}.`,
  ),
  too_many_tests: entry(
    { minute: '5', day: '50' },
    ({ minute, day }) =>
      `At most ${minute} test SMS are sent in a minute, and ${day} in a day. Nothing was sent. Try again later.`,
    ({ minute, day }) =>
      `Högst ${minute} test-sms skickas på en minut och ${day} på ett dygn. Inget skickades. Försök igen senare.`,
  ),
  test_too_long: entry(
    {},
    () => 'A test is one SMS: at most 160 characters, or 70 if some are not in the GSM alphabet.',
    () => 'Ett test är ett enda sms: högst 160 tecken, eller 70 om något av dem inte finns i GSM-alfabetet.',
  ),
  no_account: entry(
    { user: '“anna”' },
    ({ user }) => `No company has a user ${user}.`,
    ({ user }) => `Inget företag har någon användare ${user}.`,
  ),
  user_inactive: entry(
    { user: 'anna' },
    ({ user }) => `The user ${user} is not active, and can't sign in.`,
    ({ user }) => `Användaren ${user} är inte aktiv, och kan inte logga in.`,
  ),
  domain_not_allowed: entry(
    { domain: 'care.example', endings: 'clinic.example' },
    ({ domain, endings }) =>
      `The domain ${domain} is not allowed. ${endings === '' ? 'The company has no allowed domain endings yet; its operator sets them.' : `Only domains that end with ${endings} are allowed.`}`,
    ({ domain, endings }) =>
      `Domänen ${domain} är inte öppen för företaget. ${endings === '' ? 'Driften har inte öppnat någon än.' : `Öppna är domäner som slutar på ${endings}.`}`,
  ),
  country_code_form: entry(
    { code: '046' },
    ({ code }) => `${code} is not a country code, which has 1 to 4 digits and does not begin with 0.`,
    ({ code }) => `${code} är inte ett landsnummer. Ett sådant har 1 till 4 siffror och börjar inte med 0.`,
  ),
  no_paying_user: entry(
    {},
    () => 'The parameter `payinguser` is missing, and the company has no default for it.',
    () => 'Ange vem som betalar: företaget har ingen förvald.',
  ),
  label_length: entry(
    { most: 100, label: '“first name…”' },
    ({ most, label }) => `A label can have at most ${most} characters, but ${label} has more.`,
    ({ most, label }) => `Namnet på ett fält har högst ${most} tecken, men ${label} har fler.`,
  ),

  // Contacts, groups and their files.
  contact_without_key: entry(
    {},
    () =>
      'A contact needs a phone number, an e-mail address or an id from your own lists, so that it can be recognised. Add at least one of them.',
    () => 'En person behöver ett telefonnummer, en e-postadress eller ett eget id. Fyll i minst ett av dem.',
  ),
  contact_exists: entry(
    { by: 'Anna Berg', what: 'phone 46701740699' },
    ({ by, what }) =>
      `${by} already has the ${what}. People may share a phone number if each of them has an id from your own lists. Nothing was changed.`,
    ({ by, what }) =>
      `${by} har redan ${markInSwedish(what)}. De som delar nummer behöver ett eget id var. Ingenting ändrades.`,
  ),
  member_without_key: entry(
    {},
    () =>
      'A member of a group needs a phone number or an id from your own lists. Add one to the contact first. Nothing was changed.',
    () =>
      'Den som är med i en grupp behöver ett telefonnummer eller ett eget id. Lägg till det först. Ingenting ändrades.',
  ),
  book_has_contacts: entry(
    { contacts: 40 },
    ({ contacts }) =>
      `The address book has ${contacts} ${contacts === 1 ? 'contact' : 'contacts'}. Give \`withContacts\` to remove them too. Nothing was removed.`,
    ({ contacts }) =>
      `Adressboken har ${contacts} ${contacts === 1 ? 'person' : 'personer'}. Ingenting togs bort.`,
  ),
  book_has_many_contacts: entry(
    { most: 10_000 },
    ({ most }) =>
      `The address book has more than ${most} contacts. Give \`withContacts\` to remove them too. Nothing was removed.`,
    ({ most }) => `Adressboken har fler än ${most} personer. Ingenting togs bort.`,
  ),
  book_is_default: entry(
    { users: 'anna, bo' },
    ({ users }) =>
      `It is the default address book of ${users}, in which their filters, groups and saved jobs are looked up. Give them another default first. Nothing was removed.`,
    ({ users }) =>
      `Den är förvald för ${users}, vars filter, grupper och sparade jobb söks där. Välj en annan åt dem först. Ingenting togs bort.`,
  ),
  book_in_file: entry(
    { users: 'anna, bo' },
    ({ users }) =>
      `The provisioning file lets ${users} read the address book: only the operator can end that, in the file. Nothing was removed.`,
    ({ users }) => `Driften har bestämt att ${users} ska läsa adressboken. Ingenting togs bort.`,
  ),
  default_of_reader: entry(
    { user: '“anna”' },
    ({ user }) =>
      `It can't be the default address book of ${user}, who may not read it. Nothing was changed.`,
    ({ user }) => `Den kan inte vara förvald för ${user}, som inte får läsa den. Ingenting ändrades.`,
  ),
  too_many_books: entry(
    { most: 200 },
    ({ most }) => `The company has ${most} address books, the maximum that calls can create. Remove some.`,
    ({ most }) => `Företaget har redan ${most} adressböcker, och fler får inte plats. Ta bort någon först.`,
  ),
  too_many_jobs: entry(
    { most: 500 },
    ({ most }) => `The company has ${most} saved jobs, the maximum that calls can create. Remove some.`,
    ({ most }) => `Företaget har redan ${most} sparade jobb, och fler får inte plats. Ta bort något först.`,
  ),
  too_many_job_types: entry(
    { most: 100 },
    ({ most }) => `The company has ${most} job types, the maximum that calls can create. Remove some.`,
    ({ most }) => `Företaget har redan ${most} jobbtyper, och fler får inte plats. Ta bort någon först.`,
  ),
  too_many_system_users: entry(
    { most: 100 },
    ({ most }) => `The company has ${most} system users, the maximum that calls can create. Remove some.`,
    ({ most }) =>
      `Företaget har redan ${most} systemanvändare, och fler får inte plats. Ta bort någon först.`,
  ),
  type_in_use: entry(
    { type: '“Call”', jobs: '71 Night alarm' },
    ({ type, jobs }) =>
      `Saved jobs of the type ${type} need it as it is: ${jobs}. Give them another type first. Nothing was changed.`,
    ({ type, jobs }) =>
      `Sparade jobb av typen ${type} behöver den som den är: ${jobs}. Ge dem en annan typ först. Ingenting ändrades.`,
  ),
  owner_has_jobs: entry(
    { jobs: '71 Night alarm' },
    ({ jobs }) =>
      `The system user owns saved jobs: ${jobs}. Give them another owner first. Nothing was removed.`,
    ({ jobs }) =>
      `Systemanvändaren äger sparade jobb: ${jobs}. Ge dem en annan ägare först. Ingenting togs bort.`,
  ),
  owner_has_users: entry(
    { users: 'anna, bo' },
    ({ users }) =>
      `Its jobs may be started by ${users}. Give them another system user first. Nothing was removed.`,
    ({ users }) =>
      `Dess jobb får startas av ${users}. Ge dem en annan systemanvändare först. Ingenting togs bort.`,
  ),
  callback_secret: entry(
    {},
    () => 'It must be whsec_ followed by 24 to 64 octets in base64.',
    () => 'Hemligheten ska vara whsec_ följt av 24 till 64 byte i base64.',
  ),
  callback_url: entry(
    {},
    () => 'A callback of the type POST needs a `url`.',
    () => 'Ange adressen som händelserna ska postas till.',
  ),
  rows_faulty: entry(
    { rows: 3 },
    ({ rows }) =>
      `${rows} ${rows === 1 ? 'row has a fault' : 'rows have faults'}, and nothing was imported. Correct the file, or give \`skipFaulty\` to import the other rows.`,
    ({ rows }) =>
      `${rows} ${rows === 1 ? 'rad' : 'rader'} har fel, och ingenting importerades. Rätta filen, eller importera bara de andra raderna.`,
  ),
  file_empty: entry(
    {},
    () => 'The file is empty.',
    () => 'Filen är tom.',
  ),
  column_joins: entry(
    {},
    () => 'Must be places of columns such as `1-2`, counted from 1.',
    () => 'Ska vara kolumnernas platser, som `1-2`, räknade från 1.',
  ),
  time_not_past: entry(
    {},
    () => 'Give a time that has passed.',
    () => 'Ange en tid som har varit.',
  ),
  file_no_number: entry(
    {},
    () => 'The file has no column `number`. Nothing was imported.',
    () => 'Filen har ingen kolumn med namnet number. Ingenting importerades.',
  ),
  file_head_row: entry(
    { line: 7 },
    ({ line }) => `The file has no line ${line} with column names. Nothing was imported.`,
    ({ line }) => `Filen har ingen rad ${line} med kolumnnamn. Ingenting importerades.`,
  ),
  file_not_text: entry(
    {},
    () =>
      'This is not a text file. Save the table as CSV; a workbook (.xlsx) can’t be read. Nothing was imported.',
    () =>
      'Det här är ingen textfil. Spara tabellen som CSV; en arbetsbok (.xlsx) kan inte läsas. Ingenting importerades.',
  ),
  file_rows: entry(
    { most: 100_000 },
    ({ most }) => `A file can have at most ${most} rows: split it. Nothing was imported.`,
    ({ most }) => `En fil har högst ${most} rader. Dela upp den. Ingenting importerades.`,
  ),
  file_columns: entry(
    { most: 100, columns: 120 },
    ({ most, columns }) => `A file can have at most ${most} columns; this one has ${columns}.`,
    ({ most, columns }) => `En fil har högst ${most} kolumner, och den här har ${columns}.`,
  ),
  file_broken: entry(
    { line: 7, wrong: 'a quotation mark is not closed' },
    ({ line, wrong }) =>
      `The file is not valid CSV from line ${line} on: ${told.en(wrong)}. Nothing was imported.`,
    ({ line, wrong }) =>
      `Filen går inte att läsa som CSV från rad ${line}: ${told.sv(wrong)}. Ingenting importerades.`,
  ),

  // Senders and address book queries.
  sender_not_listed: entry(
    { sender: 'Clinic', senders: 'Ward, 4670123' },
    ({ sender, senders }) => `The account may not send from ${sender}. Its senders are: ${senders}.`,
    ({ sender, senders }) => `Du får inte skicka från ${sender}. Dina avsändare är: ${senders}.`,
  ),
  sender_of_pool: entry(
    { sender: '46701000000' },
    ({ sender }) =>
      `${sender} is a number of the reply pool, which can’t be chosen as a sender. Use another sender, or "twoway".`,
    ({ sender }) => `${sender} är ett av numren för svar, som ingen väljer själv. Välj en annan avsändare.`,
  ),
  sender_of_another: entry(
    { sender: 'Clinic' },
    ({ sender }) => `${sender} belongs to another company. Send from a sender of your own.`,
    ({ sender }) => `${sender} tillhör ett annat företag. Välj en egen avsändare.`,
  ),
  no_pool_number: entry(
    { recipient: '46701740699' },
    ({ recipient }) => `The reply pool has no free number for a two-way SMS to ${recipient}.`,
    ({ recipient }) => `Det finns inget nummer ledigt som ${recipient} kan svara på.`,
  ),
  opted_out: entry(
    { recipient: '46701740699' },
    ({ recipient }) => `${recipient} has opted out of these messages.`,
    ({ recipient }) => `${recipient} vill inte ha sådana sms.`,
  ),
  unknown_filter: entry(
    { filter: '“Nurses”', known: '“Night”, “Day”' },
    ({ filter, known }) => `The default address book has no saved tag filter ${filter}: ${listed(known)}.`,
    ({ filter, known }) => `Adressboken har inget sparat filter ${filter}. ${listedInSwedish(known)}`,
  ),
  unknown_group: entry(
    { group: '“Ward 3”', known: '' },
    ({ group, known }) => `The default address book has no group ${group}: ${listed(known)}.`,
    ({ group, known }) => `Adressboken har ingen grupp ${group}. ${listedInSwedish(known)}`,
  ),

  // Messages, batches and runs.
  conversation_search: entry(
    {},
    () => 'Search for a name, a number, or at least the first three digits of one.',
    () => 'Sök efter ett namn, ett nummer, eller minst de tre första siffrorna i ett.',
  ),
  message_number_taken: entry(
    { message: '7' },
    ({ message }) =>
      `Message ${message} is sent from a pool number on which another company, or a job, will be waiting for the recipient’s answer at that time. Choose another time, or cancel the message and send it again.`,
    ({ message }) =>
      `Numret som meddelande ${message} ska komma från behövs då av någon annan för svar från samma mottagare. Välj en annan tid, eller stoppa det och skicka på nytt.`,
  ),
  texts_together: entry(
    {},
    () =>
      'The texts of all recipients in `tosubst` are too long together for one call. Nothing was sent; spread the recipients over several calls.',
    () => 'Mottagarnas texter är för långa tillsammans. Ingenting skickades; skicka till färre på en gång.',
  ),
  run_not_started: entry(
    { run: 3 },
    ({ run }) => `Run ${run} has not started yet: until it starts, it can only be cancelled.`,
    ({ run }) => `Larm ${run} har inte börjat än. Till dess går det bara att stoppa.`,
  ),
  message_with_carrier: entry(
    { message: '7' },
    ({ message }) => `Message ${message} can't be cancelled: it is being handed to the carrier right now.`,
    ({ message }) => `Det är för sent: meddelande ${message} lämnas just nu över till operatören.`,
  ),
  message_ended: entry(
    { message: '7', status: 'DELIVERED' },
    ({ message, status }) => `Message ${message} can't be cancelled: it is already ${status}.`,
    ({ message, status }) =>
      `Det är för sent: meddelande ${message} är redan skickat eller avslutat (${statusesInSwedish[status] ?? status}).`,
  ),
  message_has_changed: entry(
    { message: '7', status: 'DELIVERED' },
    ({ message, status }) => `Message ${message} is ${status} by now. Nothing was sent.`,
    ({ message, status }) =>
      `Meddelande ${message} har fått en annan status sedan dess: ${statusesInSwedish[status] ?? status}. Ingenting skickades.`,
  ),
  message_not_scheduled: entry(
    { message: '7', status: 'SENT' },
    ({ message, status }) => `Message ${message} is not waiting for a send time: it is ${status}.`,
    ({ message, status }) =>
      `Det är för sent: meddelande ${message} väntar inte längre på sin tid (${statusesInSwedish[status] ?? status}).`,
  ),
  sending_not_scheduled: entry(
    {},
    () => 'Nothing of this sending waits for a send time any more.',
    () => 'Det är för sent: inget av det här väntar längre på sin tid.',
  ),
  sending_number_taken: entry(
    {},
    () =>
      'One of the SMS is sent from a pool number on which another company, or a job, will be waiting for the recipient’s answer at that time. Nothing was changed. Choose another time, or cancel the sending and send it again.',
    () =>
      'Ett av numren som det ska komma från behövs då av någon annan för svar från samma mottagare. Inget är ändrat. Välj en annan tid, eller stoppa det och skicka på nytt.',
  ),
  message_of_run: entry(
    { message: 7, run: 3 },
    ({ message, run }) =>
      `Message ${message} belongs to run ${run} of a saved job, and only that run can send it again. Nothing was sent.`,
    ({ message, run }) =>
      `Meddelande ${message} hör till larm ${run}, och bara det kan skicka det igen. Ingenting skickades.`,
  ),
  nothing_failed: entry(
    { batch: 4 },
    ({ batch }) => `Batch ${batch} has no failed messages that can be sent again. Nothing was sent.`,
    ({ batch }) => `Inget som misslyckades i utskick ${batch} går att skicka igen. Ingenting skickades.`,
  ),
  nothing_failed_since: entry(
    { batch: 4 },
    ({ batch }) =>
      `All failed messages of batch ${batch} that can be sent again have already been sent again. Nothing was sent.`,
    ({ batch }) =>
      `Inget mer av det som misslyckades i utskick ${batch} går att skicka igen. Ingenting skickades.`,
  ),
  failed_just_resent: entry(
    { batch: 4 },
    ({ batch }) =>
      `Another call has just sent the failed messages of batch ${batch} again. This call sent nothing.`,
    ({ batch }) =>
      `Någon annan har just skickat igen det som misslyckades i utskick ${batch}. Ingenting skickades nu.`,
  ),
  run_ended: entry(
    { run: 3 },
    ({ run }) => `Run ${run} has ended.`,
    ({ run }) => `Larm ${run} är redan slut. Ingenting gjordes.`,
  ),
  run_ended_as: entry(
    { run: 3, outcome: 'filled' },
    ({ run, outcome }) => `Run ${run} has ended (${outcome}).`,
    ({ run, outcome }) =>
      `Larm ${run} är redan slut (${outcomesInSwedish[outcome] ?? outcome}). Ingenting gjordes.`,
  ),
  run_lacks_person: entry(
    { run: 3, person: '46701740620' },
    ({ run, person }) => `${person} is not one of the people of run ${run}.`,
    ({ run, person }) => `${person} är inte med i larm ${run}. Ingenting gjordes.`,
  ),
  run_lacks_comment: entry(
    { run: 3, person: '46701740620' },
    ({ run, person }) => `${person} has not commented on run ${run}.`,
    ({ run, person }) => `${person} har inte skrivit något oklart i larm ${run}. Ingenting gjordes.`,
  ),
  run_one_person: entry(
    {},
    () => 'Only one of `phone`, `contactId` and `to` can be given.',
    () => 'Välj antingen en person eller en grupp. Ingenting gjordes.',
  ),
  run_no_person: entry(
    {},
    () => 'Give the `phone` or the `contactId` of one of the people.',
    () => 'Välj en person. Ingenting gjordes.',
  ),

  // People and their numbers.
  unknown_user: entry(
    { user: '“anna”' },
    ({ user }) => `The company has no user ${user}.`,
    ({ user }) => `Företaget har ingen användare ${user}.`,
  ),
  unknown_owner: entry(
    { owner: '“night-jobs”' },
    ({ owner }) => `The company has no system user ${owner}.`,
    ({ owner }) => `Företaget har ingen systemanvändare ${owner}.`,
  ),
  unknown_job_type: entry(
    { type: '“Call”' },
    ({ type }) => `The company has no job type ${type}.`,
    ({ type }) => `Företaget har ingen jobbtyp ${type}.`,
  ),
  not_for_type: entry(
    { type: 'Call', generic: 'GMA' },
    ({ type, generic }) => `It does not apply to jobs of type ${type}, which derives from ${generic}.`,
    ({ type, generic }) => `Det gäller inte jobb av typen ${type}, som bygger på ${generic}.`,
  ),
  blind_user: entry(
    { user: '“anna”' },
    ({ user }) =>
      `The company has no user ${user} who can see this conversation: only its owner and administrators can.`,
    ({ user }) =>
      `Företaget har ingen användare ${user} som ser konversationen: det gör den som har den, och administratörer.`,
  ),
  hidden_user: entry(
    { user: '“anna”' },
    ({ user }) => `The company has no user ${user} whose messages you can see.`,
    ({ user }) => `Företaget har ingen användare ${user} vars meddelanden du ser.`,
  ),
  words_of_own: entry(
    {},
    () => 'Words are looked for only in the SMS that you have sent yourself.',
    () => 'Ord söks bara i sms som du själv har skickat.',
  ),
  erasure_managed: entry(
    { files: 'company.yaml' },
    ({ files }) =>
      `The provisioning file ${files} names somebody with this number, and would add this person again: remove the person from the file first.`,
    ({ files }) => `Provisioneringsfilen ${files} har någon med det här numret: ta bort den där först.`,
  ),
  no_unrouted: entry(
    { message: '“7”' },
    ({ message }) => `There is no incoming SMS ${message} that belongs to nobody.`,
    ({ message }) => `Inget sms ${message} är utan mottagare: någon kan ha hunnit före.`,
  ),
  no_simulator: entry(
    {},
    () => 'There is no simulator carrier, and therefore no simulated phone.',
    () => 'Det finns ingen simulerad operatör, och därför ingen simulerad telefon.',
  ),
  no_reader: entry(
    {},
    () =>
      'None of your users would get what the phone writes to that number: first send the phone a two-way SMS through a simulator carrier, or give a number that you rent.',
    () =>
      'Ingen får det som telefonen skriver till det numret. Skicka den först ett sms som går att svara på.',
  ),

  // Reasons why a conversation has ended.
  phone_is_name: entry(
    { phone: 'Clinic' },
    ({ phone }) => `${phone} is a name, and SMS can’t be sent to a name.`,
    ({ phone }) => `${phone} är ett namn, som det inte går att skicka sms till.`,
  ),
  number_gone: entry(
    { number: '46701000000' },
    ({ number }) => `The number ${number} no longer belongs to the user, and is not in the reply pool.`,
    ({ number }) => `Numret ${number} tillhör inte längre användaren, och är inte ett av numren för svar.`,
  ),
  number_moved: entry(
    { number: '46701000000' },
    ({ number }) =>
      `The number ${number} now belongs to another conversation with this phone. A new two-way SMS gets a number of its own.`,
    ({ number }) =>
      `Numret ${number} hör numera till en annan konversation med telefonen. Ett nytt sms som går att svara på får ett eget nummer.`,
  ),
  number_busy: entry(
    { phone: '46701740699', number: '46701000000' },
    ({ phone, number }) => `Others are now waiting for answers from ${phone} on the number ${number}.`,
    ({ phone, number }) => `Andra väntar nu på svar från ${phone} på numret ${number}.`,
  ),
  owner_cannot_send: entry(
    { user: 'anna' },
    ({ user }) => `The conversation belongs to ${user}, who can no longer send.`,
    ({ user }) => `Konversationen hör till ${user}, som inte längre får skicka.`,
  ),

  // Reasons, shown in brackets or after what happened.
  cancelled_by: entry(
    { user: 'anna' },
    ({ user }) => `cancelled by ${user}`,
    ({ user }) => `stoppat av ${user}`,
  ),
  cancelled_by_operator: entry(
    {},
    () => 'cancelled by the operator',
    () => 'stoppat av driften',
  ),
  rescheduled_by: entry(
    { user: 'anna' },
    ({ user }) => `by ${user}`,
    ({ user }) => `av ${user}`,
  ),
  taken_back_with_batch: entry(
    { batch: 4 },
    ({ batch }) => `batch ${batch} was taken back`,
    ({ batch }) => `utskick ${batch} stoppades`,
  ),
  has_opted_out: entry(
    {},
    () => 'the recipient has opted out',
    () => 'mottagaren vill inte ha sådana sms',
  ),
  run_needs_nobody: entry(
    { run: 3 },
    ({ run }) => `run ${run} needs nobody else`,
    ({ run }) => `larm ${run} behöver ingen mer`,
  ),
  recipient_erased: entry(
    {},
    () => 'the recipient was erased',
    () => 'mottagaren har raderats',
  ),
  validity_over: entry(
    {},
    () => 'no carrier took it within its validity',
    () => 'ingen operatör tog emot det inom giltighetstiden',
  ),
  no_receipt: entry(
    {},
    () => 'no receipt came',
    () => 'inget kvitto kom',
  ),
  no_further_receipt: entry(
    {},
    () => 'no further receipt is expected',
    () => 'inget mer kvitto väntas',
  ),
  carrier_was_down: entry(
    {},
    () => 'the carrier that it waited for was down',
    () => 'operatören som det väntade på var nere',
  ),
  carrier_was_removed: entry(
    {},
    () => 'the carrier that it waited for was removed',
    () => 'operatören som det väntade på har tagits bort',
  ),
  late_answer: entry(
    {},
    () => 'by then the message had been given to others: it may have been sent twice',
    () => 'det kan ha skickats två gånger',
  ),
  not_handed_over: entry(
    {},
    () => 'no part of it had been handed over',
    () => 'inget av det hade lämnats över',
  ),
  node_ended: entry(
    { node: 7 },
    ({ node }) => `node ${node} ended before the carrier's answer was stored: it may have been sent`,
    ({ node }) => `nod ${node} stannade innan operatörens svar hade sparats: det kan ha skickats`,
  ),
  node_ended_holding: entry(
    {},
    () => 'a node ended while the carrier was handling it',
    () => 'en server stannade när det lämnades över till operatören',
  ),
  smsc_refused: entry(
    { status: 'ESME_RTHROTTLED (0x58)' },
    ({ status }) => `the SMSC refused it: ${status}`,
    ({ status }) => `operatören tog inte emot det: ${status}`,
  ),
  outside_hours: entry(
    { from: '08:00', to: '20:00', zone: 'Europe/Stockholm' },
    ({ from, to, zone }) => `the company sends only from ${from} to ${to} (${zone})`,
    ({ from, to, zone }) => `företaget skickar bara mellan ${from} och ${to} (${zone})`,
  ),
  hours_changed: entry(
    {},
    () => 'the company’s send hours were changed',
    () => 'de timmar då företaget skickar ändrades',
  ),
  aborted_by: entry(
    { user: 'anna' },
    ({ user }) => `aborted by ${user}`,
    ({ user }) => `stoppat av ${user}`,
  ),
  aborted_by_operator: entry(
    {},
    () => 'aborted by the operator',
    () => 'stoppat av driften',
  ),
  resent_recipients: entry(
    { most: 3_000 },
    ({ most }) => `The account may have at most ${most} recipients in a batch.`,
    ({ most }) => `Du får ha högst ${most} mottagare på en gång.`,
  ),
  batch_characters: entry(
    { most: 100_000_000 },
    ({ most }) =>
      `the texts of all recipients together have more than ${most} characters: spread them over several batches`,
    ({ most }) => `mottagarnas texter har sammanlagt mer än ${most} tecken: dela upp dem på flera utskick`,
  ),
  batch_text: entry(
    { field: 'batch[17].m', wrong: 'The text needs 256 SMS parts; the limit is 255.' },
    ({ field, wrong }) => `${field}: ${told.en(wrong)}`,
    ({ field, wrong }) => `${field}: ${told.sv(wrong)}`,
  ),
  batch_step_failed: entry(
    { failures: 12, wrong: 'disk full' },
    ({ failures, wrong }) => `a step failed ${failures} times: ${wrong}`,
    ({ failures, wrong }) => `ett steg misslyckades ${failures} gånger: ”${wrong}”`,
  ),
  batch_quota: entry(
    { parts: 20 },
    ({ parts }) => `the quota of the account or its company does not cover ${parts} SMS parts`,
    ({ parts }) => `det som är kvar av kvoten räcker inte till ${parts} delar`,
  ),
  batch_parts_never: entry(
    { holder, most: 15, parts: 20 },
    (of) => `the ${of.holder} may send ${of.most} SMS parts a day (UTC), and the batch has ${of.parts}`,
    (of) =>
      `${mayInSwedish(of.holder).toLowerCase()} skicka ${of.most} delar om dagen (UTC), och utskicket har ${of.parts}`,
  ),
  batch_parts_left: entry(
    { holder, most: 15, left: 5, parts: 10 },
    (of) =>
      `the ${of.holder} may send ${of.most} SMS parts a day (UTC), of which ${of.left} are left today, and the batch has ${of.parts}`,
    (of) =>
      `${mayInSwedish(of.holder).toLowerCase()} skicka ${of.most} delar om dagen (UTC), varav ${of.left} är kvar i dag, och utskicket har ${of.parts}`,
  ),

  // Why a saved job does not start, and the reasons in the record of a run.
  job_type_gone: entry(
    { type: 'NIGHT' },
    ({ type }) => `The job has the type ${type}, which no longer exists.`,
    ({ type }) => `Jobbet har typen ${type}, som inte längre finns.`,
  ),
  job_no_text: entry(
    {},
    () => 'The job has no message text.',
    () => 'Jobbet har ingen text.',
  ),
  job_not_sent: entry(
    { why: 'quota_exceeded' },
    ({ why }) => `The messages of the job can't be sent: ${told.en(why)}. Nothing was sent.`,
    ({ why }) => `Jobbets meddelanden går inte att skicka: ${told.sv(why)}. Ingenting skickades.`,
  ),
  job_pool_short: entry(
    { people: 3, code: 'no_pool_number' },
    ({ people, code }) =>
      `The reply pool has no free number for ${people} of the people (${code}). Nothing was sent.`,
    ({ people }) => `Det finns inget nummer ledigt som ${people} av dem kan svara på. Ingenting skickades.`,
  ),
  job_nobody_reached: entry(
    { why: 'no_route' },
    ({ why }) => `None of the people in the job can be reached: ${told.en(why)}.`,
    ({ why }) => `Ingen av dem som jobbet frågar går att nå: ${told.sv(why)}.`,
  ),
  job_nobody: entry(
    {},
    () => 'The job has nobody to ask.',
    () => 'Jobbet har ingen att fråga.',
  ),
  job_all_left_out: entry(
    { because: 'excluded, twice' },
    ({ because }) => `The job has nobody to ask: all who were found are left out (${because}).`,
    ({ because }) =>
      `Jobbet har ingen att fråga: alla som hittades utelämnas (${because
        .replace('excluded', 'undantagna')
        .replace('twice', 'redan med')
        .replace('no phone number', 'saknar telefonnummer')}).`,
  ),
  job_too_many: entry(
    { most: 10_000 },
    ({ most }) => `The job would ask more than ${most} people, the limit of one run.`,
    ({ most }) => `Jobbet skulle fråga fler än ${most}, som är det mesta på en gång.`,
  ),
  job_filter_too_wide: entry(
    { most: 10_000 },
    ({ most }) =>
      `The filter or the groups of the job, or those that exclude people from it, have more than ${most} people, the limit of one run.`,
    ({ most }) =>
      `Jobbets filter eller grupper, eller de som undantas, har fler än ${most} personer, som är det mesta på en gång.`,
  ),
  job_people_wrong: entry(
    { wrong: 'The filter has no colon.' },
    ({ wrong }) => wrong,
    ({ wrong }) => `Det som anger vilka jobbet frågar är fel: ”${wrong}”.`,
  ),
  job_no_book: entry(
    {},
    () =>
      'The account has no default address book to find people in. Ask the operator to set one in the provisioning file.',
    () => 'Kontot har ingen förvald adressbok att hitta personer i. Driften bestämmer vilken det får.',
  ),
  for_codes: entry(
    { codes: 'no_route, invalid_number' },
    ({ codes }) => codes,
    ({ codes }) => codes.split(', ').map(meaningOfCode).join('; '),
  ),
  several_reasons: entry(
    { one: 'no_route', more: 'no phone number' },
    ({ one, more }) => `${told.en(one)}; ${told.en(more)}`,
    ({ one, more }) => `dels ${told.sv(one)}; dels ${told.sv(more)}`,
  ),
  sms_status: entry(
    { status: 'REJECTED' },
    ({ status }) => status,
    ({ status }) => statusesInSwedish[status] ?? 'okänt utfall',
  ),
  no_phone: entry(
    {},
    () => 'no phone number',
    () => 'saknar telefonnummer',
  ),
  only_app_address: entry(
    {},
    () => 'only an app address',
    () => 'har bara en app-adress',
  ),
  no_mail_relay: entry(
    {},
    () => 'no phone number, and no mail relay is set',
    () => 'saknar telefonnummer, och servern skickar ingen e-post',
  ),
  starter_gone: entry(
    {},
    () => 'the account that started it no longer exists',
    () => 'kontot som startade det finns inte längre',
  ),
  mail_failed: entry(
    { why: '550 No such user' },
    ({ why }) => `the e-mail failed: ${told.en(why)}`,
    ({ why }) => `e-brevet gick inte fram: ${told.sv(why)}`,
  ),
  mails_of_day: entry(
    { limit: 500 },
    ({ limit }) => `the company has reached its limit of e-mails for today (${limit} a day)`,
    ({ limit }) => `företaget har nått sin gräns för e-brev i dag (${limit} om dagen)`,
  ),
  mail_given_up: entry(
    { hours: 48, why: 'connect ECONNREFUSED' },
    ({ hours, why }) => `given up after ${hours} hours; ${told.en(why)}`,
    ({ hours, why }) => `inga fler försök efter ${hours} timmar; ${told.sv(why)}`,
  ),
  mail_too_late: entry(
    {},
    () => 'not sent: the run of the job ended before the relay could be reached',
    () => 'inte skickat: larmet var slut innan e-postservern gick att nå',
  ),
  mail_too_late_as: entry(
    { why: 'connect ECONNREFUSED' },
    ({ why }) => `not sent: the run of the job ended before the relay could be reached; ${told.en(why)}`,
    ({ why }) => `inte skickat: larmet var slut innan e-postservern gick att nå; ${told.sv(why)}`,
  ),
  goal_short: entry(
    { task: 'nurse', needed: 9, may: 2 },
    ({ task, needed, may }) => `${task || 'everybody'}: ${needed} needed, ${may} to ask`,
    ({ task, needed, may }) => `${task || 'alla'}: ${needed} behövs, ${may} att fråga`,
  ),
  minutes_passed: entry(
    { minutes: 10 },
    ({ minutes }) => `${minutes} minutes have passed`,
    ({ minutes }) => `${minutes} minuter har gått`,
  ),
  heard_by_all: entry(
    {},
    () => 'sent to everyone who uses the number',
    () => 'skickat till alla som använder numret',
  ),
  by_mail_link: entry(
    {},
    () => 'through the link in an e-mail',
    () => 'via länken i ett e-brev',
  ),
  called_off: entry(
    {},
    () => 'it is called off',
    () => 'det är avblåst',
  ),
  nobody_else_needed: entry(
    {},
    () => 'no one else is needed',
    () => 'ingen mer behövs',
  ),
  run_act: entry(
    { act: 'accept' },
    ({ act }) => act,
    ({ act }) => actsInSwedish[act] ?? act,
  ),
  run_extended: entry(
    { minutes: 15 },
    ({ minutes }) => `extend by ${minutes} minutes`,
    ({ minutes }) => `förläng ${minutes} minuter`,
  ),
  run_act_not_done: entry(
    { act: 'accept', phase: 'ended' },
    ({ act, phase }) => `${told.en(act)}: not done, since the run is ${phase}`,
    ({ act, phase }) =>
      `inte gjort, eftersom larmet ${phase === 'scheduled' ? 'inte har börjat' : 'är slut'}: ${told.sv(act)}`,
  ),
  asked_level: entry(
    { level: 1, of: 2 },
    ({ level, of }) => `level ${level} of ${of}`,
    ({ level, of }) => `nivå ${level} av ${of}`,
  ),
  asked_wave: entry(
    { level: 1, of: 2, people: 3, waiting: 6 },
    ({ level, of, people, waiting }) => `level ${level} of ${of}, ${people} of ${waiting}`,
    ({ level, of, people, waiting }) => `nivå ${level} av ${of}, ${people} av ${waiting}`,
  ),
  level_pushed: entry(
    { level: 'everybody' },
    ({ level }) => `${level}: escalated by the owner`,
    ({ level }) => `${levelIn('sv', level)}: öppnades av den som leder larmet`,
  ),
  level_due: entry(
    { level: 'everybody' },
    ({ level }) => `${level}: its time has come`,
    ({ level }) => `${levelIn('sv', level)}: tiden för den är inne`,
  ),
  level_early: entry(
    { level: 'everybody' },
    ({ level }) => `${level}: too few people can still answer`,
    ({ level }) => `${levelIn('sv', level)}: för få kan ännu svara`,
  ),
  not_within_a_day: entry(
    {},
    () => 'it could not be sent within a day',
    () => 'det gick inte att skicka inom ett dygn',
  ),
  tried_again: entry(
    { why: 'quota_exceeded' },
    ({ why }) => `${told.en(why)}: it is tried again`,
    ({ why }) => `nytt försök görs: ${told.sv(why)}`,
  ),

  // Why a post to a webhook got no answer.
  post_forbidden: entry(
    {},
    () => 'the address is not allowed',
    () => 'adressen är inte tillåten',
  ),
  post_refused: entry(
    {},
    () => 'the connection was refused',
    () => 'anslutningen nekades',
  ),
  post_no_address: entry(
    {},
    () => 'the host has no address',
    () => 'värden har ingen adress',
  ),
  post_unreachable: entry(
    {},
    () => 'the host cannot be reached',
    () => 'värden går inte att nå',
  ),
  post_certificate: entry(
    {},
    () => 'the certificate is not trusted',
    () => 'certifikatet är inte betrott',
  ),
  post_tls: entry(
    {},
    () => 'TLS failed',
    () => 'den krypterade anslutningen (TLS) gick inte att upprätta',
  ),
  post_not_http: entry(
    {},
    () => 'the answer is not HTTP',
    () => 'svaret är inte HTTP',
  ),
  post_timeout: entry(
    {},
    () => 'no answer in time',
    () => 'inget svar i tid',
  ),
  post_broke: entry(
    {},
    () => 'the connection broke',
    () => 'anslutningen bröts',
  ),

  // Why a carrier is down, and what became of parts with it.
  carrier_unreachable: entry(
    {},
    () => "it can't be reached",
    () => 'operatören går inte att nå',
  ),
  carrier_set_down: entry(
    {},
    () => 'it is set to be down',
    () => 'operatören är inställd på att vara nere',
  ),
  carrier_stopped: entry(
    {},
    () => 'it was stopped',
    () => 'operatören stoppades',
  ),
  carrier_stopped_early: entry(
    {},
    () => 'the carrier was stopped before it answered',
    () => 'operatören stoppades innan den svarade',
  ),
  carrier_passes_on: entry(
    {},
    () => 'it is set to pass this on',
    () => 'operatören är inställd på att lämna det vidare',
  ),
  smsc_unclear: entry(
    {},
    () => 'the SMSC answered with a generic_nack without an error',
    () => 'operatören svarade med ett fel utan att säga vilket (generic_nack)',
  ),
  smsc_lost: entry(
    { why: 'the SMSC closed the connection' },
    ({ why }) => `the connection was lost before the SMSC answered: ${told.en(why)}`,
    ({ why }) => `anslutningen bröts innan operatören svarade: ${told.sv(why)}`,
  ),

  // Details in the audit log.
  remarks: entry(
    { parts: 'to nobody' },
    ({ parts }) => parts.split('\n').map(told.en).join(', '),
    ({ parts }) => parts.split('\n').map(remarkInSwedish).join(', '),
  ),
  of_user: entry(
    { user: 'anna' },
    ({ user }) => `of ${user}`,
    ({ user }) => `hör till ${user}`,
  ),
  of_user_textless: entry(
    { user: 'anna' },
    ({ user }) => `of ${user}, without its text`,
    ({ user }) => `hör till ${user}, utan text`,
  ),
  to_user: entry(
    { user: 'anna' },
    ({ user }) => `to ${user}`,
    ({ user }) => `till ${user}`,
  ),
  to_nobody: entry(
    {},
    () => 'to nobody',
    () => 'till ingen',
  ),
  to_nobody_unseen: entry(
    { user: 'anna' },
    ({ user }) => `to nobody: ${user} no longer sees it`,
    ({ user }) => `till ingen: ${user} ser den inte längre`,
  ),
  from_to: entry(
    { from: 'anna', to: 'bo' },
    ({ from, to }) => `from ${from} to ${to}`,
    ({ from, to }) => `från ${from} till ${to}`,
  ),
  to_time: entry(
    { time: '2027-02-02T12:00:00.000Z' },
    ({ time }) => `to ${time}`,
    ({ time }) => `till ${time}`,
  ),
  sms_count: entry(
    { sms: 12 },
    ({ sms }) => `${sms} SMS`,
    ({ sms }) => `${sms} sms`,
  ),
  people_count: entry(
    { people: 12 },
    ({ people }) => `${people} ${people === 1 ? 'person' : 'people'}`,
    ({ people }) => `${people} ${people === 1 ? 'person' : 'personer'}`,
  ),
  scheduled_for: entry(
    { time: '2027-02-02T12:00:00.000Z' },
    ({ time }) => `scheduled for ${time}`,
    ({ time }) => `schemalagt till ${time}`,
  ),
  as_sent: entry(
    { ids: '1000000007' },
    ({ ids }) => `as ${ids}`,
    ({ ids }) => `som ${ids}`,
  ),
  reply_for: entry(
    { user: 'anna', ids: '1000000007' },
    ({ user, ids }) => `for ${user}, as ${ids}`,
    ({ user, ids }) => `åt ${user}, som ${ids}`,
  ),
  in_book: entry(
    { book: 11 },
    ({ book }) => `address book ${book}`,
    ({ book }) => `adressbok ${book}`,
  ),
  in_import: entry(
    { book: 11, id: 4 },
    ({ book, id }) => `address book ${book}, import ${id}`,
    ({ book, id }) => `adressbok ${book}, import ${id}`,
  ),
  renamed_to: entry(
    { name: '“Ward 3”' },
    ({ name }) => `now ${name}`,
    ({ name }) => `nu ${name}`,
  ),
  roles_given: entry(
    { roles: 'send,jobs' },
    ({ roles }) => `roles ${roles}`,
    ({ roles }) => `roller ${roles}`,
  ),
  roles_by_provider: entry(
    { before: 'send', after: 'send, jobs' },
    ({ before, after }) => `roles ${before || 'none'} -> ${after}, by the identity provider`,
    ({ before, after }) => `roller ${before || 'inga'} -> ${after}, genom inloggningstjänsten`,
  ),
  by_provider: entry(
    { provider: 'Hospital' },
    ({ provider }) => `by the identity provider ${provider}`,
    ({ provider }) => `genom inloggningstjänsten ${provider}`,
  ),
  by_link: entry(
    {},
    () => 'by a link',
    () => 'med en länk',
  ),
  with_code: entry(
    {},
    () => 'with a code',
    () => 'med en kod',
  ),
  with_recovery_code: entry(
    {},
    () => 'with a recovery code',
    () => 'med en återställningskod',
  ),
  with_passkey: entry(
    {},
    () => 'with a passkey',
    () => 'med en passkey',
  ),
  factor_event: entry(
    { event: 'codes' },
    ({ event }) => event,
    ({ event }) => factorEventsInSwedish[event] ?? event,
  ),
  book_read_by: entry(
    { users: 'anna, bo' },
    ({ users }) => `read by ${users}`,
    ({ users }) => `läses av ${users}`,
  ),
  book_left_by: entry(
    { users: 'anna, bo' },
    ({ users }) => `no longer read by ${users}`,
    ({ users }) => `läses inte längre av ${users}`,
  ),
  book_default_of: entry(
    { users: 'anna, bo' },
    ({ users }) => `default of ${users}`,
    ({ users }) => `förvald för ${users}`,
  ),
  book_no_default_of: entry(
    { users: 'anna, bo' },
    ({ users }) => `no longer default of ${users}`,
    ({ users }) => `inte längre förvald för ${users}`,
  ),
  contacts_removed: entry(
    { contacts: 40 },
    ({ contacts }) => `${contacts} contacts`,
    ({ contacts }) => `${contacts} personer`,
  ),
  contacts_removed_many: entry(
    { most: 10_000 },
    ({ most }) => `more than ${most} contacts`,
    ({ most }) => `mer än ${most} personer`,
  ),
  events_posted: entry(
    { first: 7, last: 12 },
    ({ first, last }) => `events ${first} to ${last}`,
    ({ first, last }) => `händelse ${first} till ${last}`,
  ),
  events_of_attempt: entry(
    { attempt: 3 },
    ({ attempt }) => `the events of attempt ${attempt}`,
    ({ attempt }) => `händelserna i försök ${attempt}`,
  ),
  of_company: entry(
    {},
    () => 'of the company',
    () => 'hör till företaget',
  ),
  webhook_text: entry(
    { text: 'none' },
    ({ text }) => `text: ${text}`,
    ({ text }) => `texter: ${textsPostedInSwedish[text] ?? text}`,
  ),
  secret_added: entry(
    {},
    () => 'a new secret',
    () => 'en ny hemlighet',
  ),
  secret_newest: entry(
    {},
    () => 'only the newest secret',
    () => 'bara den nyaste hemligheten',
  ),
  does_opt_out: entry(
    {},
    () => 'opts out',
    () => 'är en avanmälan',
  ),
  does_not_opt_out: entry(
    {},
    () => 'no opt-out',
    () => 'är ingen avanmälan',
  ),
  opt_out_added: entry(
    { category: 'marketing', source: 'file' },
    ({ category, source }) => `${category}, ${source}`,
    ({ category, source }) =>
      `${categoriesInSwedish[category] ?? category}, ${sourcesInSwedish[source] ?? source}`,
  ),
  opt_out_removed: entry(
    { category: 'marketing', reason: 'Signed up again' },
    ({ category, reason }) => `${category}: ${reason}`,
    ({ category, reason }) => `${categoriesInSwedish[category] ?? category}: ${reason}`,
  ),
} as const;

export type SentenceName = keyof typeof dictionary;

/** A sentence by name, with its values. */
export type Sentence = {
  [Name in SentenceName]: { readonly sentence: Name } & (typeof dictionary)[Name]['sample'];
}[SentenceName];

/** One sample of each sentence. */
export const sampleSentences = Object.entries(dictionary).map(
  ([sentence, { sample }]) => ({ sentence, ...sample }) as Sentence,
);

const entryOf = (sentence: SentenceName): Entry<Values> => dictionary[sentence] as Entry<Values>;

export function inEnglish(values: Sentence): string {
  return entryOf(values.sentence).en(values);
}

/**
 * Undefined if the values come from another server version that lacks this sentence or fills it in differently. Values are
 * quoted as in English, and Swedish has one quotation mark for both ends.
 */
export function inSwedish(values: Sentence): string | undefined {
  return isKnown(values) ? entryOf(values.sentence).sv(values).replaceAll('“', '”') : undefined;
}

function isKnown(values: Sentence): boolean {
  if (!Object.hasOwn(dictionary, values.sentence)) return false;
  return Object.keys(entryOf(values.sentence).sample).every((key) => Object.hasOwn(values, key));
}

export interface Reason {
  /** English, or a carrier's own text. */
  readonly text: string;
  /** The components of the text if it is one of our sentences. */
  readonly values?: Sentence;
}

/** The stored form of a reason that is a sentence. */
export function storedReason(values: Sentence): string {
  return JSON.stringify(values);
}

/** Reads a stored reason: a sentence, or a text from a carrier or an earlier version. */
export function readReason(stored: string): Reason {
  if (!isSentence(stored)) {
    const values = constant.get(stored);
    return values === undefined ? { text: stored } : { text: stored, values };
  }
  try {
    const values = JSON.parse(stored) as Sentence;
    return isKnown(values) ? { text: inEnglish(values), values } : { text: inPlainWords(values) };
  } catch {
    return { text: stored };
  }
}

/** Reasons without values that earlier versions stored in English. */
const constant = new Map(
  sampleSentences.flatMap((values): readonly [string, Sentence][] =>
    Object.keys(values).length === 1 ? [[inEnglish(values), values]] : [],
  ),
);

function reasonInSwedish(stored: string): string {
  const { text, values } = readReason(stored);
  return (values && inSwedish(values)) ?? `”${text}”`;
}

/** A stored reason in a language; words of others are quoted in every language but English. */
export function reasonIn(language: Language, stored: string): string {
  return told[language](stored);
}

export function isSentence(stored: string): boolean {
  return stored.startsWith('{"sentence":');
}

/** Renders a sentence known only to another server version: `aborted by (anna)`. */
function inPlainWords({ sentence, ...values }: Values): string {
  const varying = Object.values(values).join(', ');
  return `${String(sentence).replaceAll('_', ' ')}${varying === '' ? '' : ` (${varying})`}`;
}

/** A stored reason in the form used by responses. */
export function shownReason(stored: string | null): { reason?: string; reasonValues?: Sentence | undefined } {
  if (stored === null) return {};
  const { text, values } = readReason(stored);
  return { reason: text, reasonValues: values };
}

/** The same of what is called `error`. */
export function shownError(stored: string | null): { error?: string; errorValues?: Sentence | undefined } {
  if (stored === null) return {};
  const { text, values } = readReason(stored);
  return { error: text, errorValues: values };
}

/** The same of what is called `why`. */
export function shownWhy(stored: string): { why: string; whyValues?: Sentence | undefined } {
  const { text, values } = readReason(stored);
  return { why: text, whyValues: values };
}
