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

/** What is wrong with a row of a file of contacts, by its cause. */
const rowsInSwedish: Readonly<Record<string, string>> = {
  countryCode: 'Numret börjar med 0, och inget landsnummer är valt.',
  number: 'Telefonnumret är fel.',
  email: 'E-postadressen är fel.',
  text: 'En text är för lång, eller har tecken som inte kan sparas.',
  tags: 'Taggarna är felskrivna. En tagg är en typ och ett värde, som role:nurse.',
  twice: 'Personen finns redan på en tidigare rad. De som delar nummer behöver ett eget id var.',
  noKey: 'Raden har varken id, telefonnummer eller e-postadress.',
  shifted: 'Raden har fler celler än det finns kolumner.',
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
      `${by} har redan ${what.replace(/^phone /, 'telefonnumret ').replace(/^e-mail /, 'e-postadressen ')}. De som delar nummer behöver ett eget id var. Ingenting ändrades.`,
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
    ({ line, wrong }) => `The file is not valid CSV from line ${line} on: ${wrong}. Nothing was imported.`,
    ({ line }) => `Filen går inte att läsa från rad ${line}. Spara den som CSV igen. Ingenting importerades.`,
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
    ({ field, wrong }) => `${field}: ${wrong}`,
    ({ field }) => `${field}: texten går inte att skicka`,
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

  row_fault: entry(
    { cause: 'text', wrong: 'name: the text has more than 200 characters' },
    ({ wrong }) => `${wrong}.`,
    ({ cause }) => rowsInSwedish[cause] ?? 'Raden går inte att läsa.',
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
