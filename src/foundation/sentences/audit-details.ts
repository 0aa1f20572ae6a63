/** The details of entries of the audit log. */
import { constant, entry } from './entry.ts';
import {
  categoriesInSwedish,
  factorEventsInSwedish,
  sourcesInSwedish,
  textsPostedInSwedish,
} from './words.ts';

export const auditSentences = {
  // Details in the audit log.
  remarks: entry(
    { parts: 'to nobody' },
    ({ parts }, told) =>
      parts
        .split('\n')
        .map((part) => told(part))
        .join(', '),
    ({ parts }, told) =>
      parts
        .split('\n')
        .map((part) => told(part, 'as it is'))
        .join(', '),
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
  to_nobody: constant('to nobody', 'till ingen'),
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
  by_link: constant('by a link', 'med en länk'),
  with_code: constant('with a code', 'med en kod'),
  with_recovery_code: constant('with a recovery code', 'med en återställningskod'),
  with_passkey: constant('with a passkey', 'med en passkey'),
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
  of_company: constant('of the company', 'hör till företaget'),
  webhook_text: entry(
    { text: 'none' },
    ({ text }) => `text: ${text}`,
    ({ text }) => `texter: ${textsPostedInSwedish[text] ?? text}`,
  ),
  secret_added: constant('a new secret', 'en ny hemlighet'),
  secret_newest: constant('only the newest secret', 'bara den nyaste hemligheten'),
  does_opt_out: constant('opts out', 'är en avanmälan'),
  does_not_opt_out: constant('no opt-out', 'är ingen avanmälan'),
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
