/** Searches messages for their user or for a company administrator, and defines the search parameters. */
import { type Caller, numberIn } from '../../accounts/caller.ts';
import { ofUser, type Visibility, visibilityOf } from '../../accounts/visibility.ts';
import { type PeopleNamed, peopleNamed } from '../../contacts/names-of-numbers.ts';
import { errorOfFields } from '../../foundation/errors.ts';
import { fault, quoted, type Result, success } from '../../foundation/result.ts';
import { defaultCountryCode } from '../../http/parameters/country-code.ts';
import { digits, text } from '../../http/parameters/kinds.ts';
import { numberList } from '../../http/parameters/lists.ts';
import { pageParameters } from '../../http/parameters/page.ts';
import { type Input, ruled } from '../../http/parameters/parameter.ts';
import type { Store } from '../../storage/store.ts';
import { parseTime } from '../../wire/schedule-time.ts';
import { hasWords } from '../../wire/word-match.ts';
import { parseMessageId, statusNames } from '../message.ts';
import { maxReferenceLength } from '../sending/parameters.ts';
import { type FoundPage, findLatestSender, type MessageSearch, searchMessages } from './search-store.ts';

type Filter = Input<typeof filterParameters>;

/** What is searched for by `q`, or by one of the parameters that it may stand for. */
export interface Searched {
  readonly as: 'number' | 'id' | 'from' | 'name' | 'words';
  /** The number, sender or other value in the form in which messages have it. */
  readonly value: string;
  /** For a name: how many numbers have it, of those that are searched for. */
  readonly numbers?: number;
  /** For a name: whether further people have it. */
  readonly more?: true;
}

export interface Search {
  readonly searched: Searched | undefined;
  page(position: Pick<MessageSearch, 'after' | 'limit'>, signal?: AbortSignal): Promise<FoundPage>;
}

export async function search(store: Store, caller: Caller, filter: Filter): Promise<Search> {
  const { batchId, conversation, costCenter, status, username } = filter;
  const all = visibilityOf(caller);
  const visible = username === undefined ? all : await ofUser(store, all, username);
  const terms = await termsOf(store, caller, visible, filter);
  const { words, recipients } = terms;
  const isForeign = visible.userId !== null && visible.userId !== caller.userId;
  if (words !== undefined && isForeign)
    throw errorOfFields(fault('invalid_value', { sentence: 'words_of_own' }), 'username');
  const query = {
    ...visible,
    // Administrators look at others' texts one at a time, which the audit log records.
    userId: words === undefined ? visible.userId : caller.userId,
    callerId: caller.userId,
    id: terms.id,
    recipient: terms.recipient,
    recipients,
    words,
    conversation,
    batchId,
    sender: terms.sender,
    costCenter,
    statuses: status,
    since: filter.since ?? 0,
    until: filter.until ?? Number.MAX_SAFE_INTEGER,
  };
  return {
    searched: terms.searched,
    page: async (position, signal) =>
      words !== undefined && !hasWords(words)
        ? nothing
        : store.read(searchMessages, { ...query, ...position }, { signal }),
  };
}

const nothing: FoundPage = { messages: [], next: null };

interface Terms {
  readonly id?: number | undefined;
  readonly recipient?: string | undefined;
  readonly recipients?: readonly string[] | undefined;
  readonly sender?: string | undefined;
  readonly words?: string | undefined;
  readonly searched: Searched | undefined;
}

async function termsOf(store: Store, caller: Caller, visible: Visibility, filter: Filter): Promise<Terms> {
  const { q, id, to, from, name, words, defaultCountryCode } = filter;
  if (q !== undefined) {
    if ([id, to, from, name, words].some((one) => one !== undefined))
      throw errorOfFields(fault('invalid_value', { sentence: 'search_alone' }), 'q');
    return understood(store, caller, visible, q, defaultCountryCode);
  }
  const recipient = to === undefined ? undefined : numberIn(caller, 'to', to, defaultCountryCode);
  const people = name === undefined ? undefined : await peopleNamed(store, caller, name);
  const searched =
    (recipient !== undefined && ({ as: 'number', value: recipient } as const)) ||
    (id !== undefined && ({ as: 'id', value: String(id) } as const)) ||
    (people !== undefined && byName(name ?? '', people)) ||
    (words !== undefined && ({ as: 'words', value: words } as const)) ||
    (from !== undefined && ({ as: 'from', value: from } as const)) ||
    undefined;
  return {
    id,
    recipient,
    recipients: people?.numbers,
    sender: from,
    words,
    searched,
  };
}

/** Ids have ten digits and begin with a 1; no phone number with a country code looks like that. */
const idForm = /^1\d{9}$/;
const numberForm = /^[+(]?[\d\s().\-/]{5,}$/;

/** What was typed is an id or a number if it looks like one, else a sender or a name if there is such, else words. */
async function understood(
  store: Store,
  caller: Caller,
  visible: Visibility,
  typed: string,
  defaultCountryCode: string | undefined,
): Promise<Terms> {
  const value = typed.trim();
  if (idForm.test(value)) return { id: Number(value), searched: { as: 'id', value } };
  if (numberForm.test(value)) {
    const recipient = numberIn(caller, 'q', value, defaultCountryCode);
    return { recipient, searched: { as: 'number', value: recipient } };
  }
  const { userId: callerId } = caller;
  const sender = await store.read(findLatestSender, { ...visible, callerId, sender: value });
  if (sender !== undefined) return { sender, searched: { as: 'from', value: sender } };
  const people = await peopleNamed(store, caller, value);
  if (people.numbers.length > 0) return { recipients: people.numbers, searched: byName(value, people) };
  return { words: value, searched: { as: 'words', value } };
}

function byName(value: string, { numbers, more }: PeopleNamed): Searched {
  const searched = { as: 'name', value, numbers: numbers.length } as const;
  return more ? { ...searched, more } : searched;
}

export function statusCode(name: string): Result<number> {
  const code = (statusNames as readonly string[]).indexOf(name.toUpperCase());
  if (code >= 0) return success(code);
  return fault('invalid_value', {
    sentence: 'not_one_of',
    given: quoted(name),
    words: statusNames.join(', '),
  });
}

function statusCodes(names: readonly string[]): Result<readonly number[]> {
  const codes: number[] = [];
  for (const name of names) {
    const code = statusCode(name);
    if (!code.ok) return code;
    codes.push(code.value);
  }
  return success(codes);
}

const idOf =
  (noun: string) =>
  (given: string): Result<number> => {
    const id = parseMessageId(given);
    return id === undefined
      ? fault('invalid_value', { sentence: 'not_an_id', given: quoted(given), noun })
      : success(id);
  };

const time = (get: string, description: string) =>
  ruled(text({ get, maxLength: 50, description: `${description} (ISO 8601 with zone)` }), parseTime);

/** Selects messages, without the position in their list. */
export const filterParameters = {
  q: text({
    get: 'q',
    maxLength: 100,
    description:
      'What a person would type: an id, a number in any form, a sender of the latest SMS, the name of a person in an address book, or else words. `searched` in the answer says how it was understood. Not together with `id`, `to`, `from`, `name` or `words`.',
  }),
  id: ruled(digits({ get: 'id', description: 'The id of one SMS.' }), idOf('SMS')),
  to: text({
    get: 'to',
    maxLength: 100,
    description: 'The phone number of the recipient, in any form: `+46 70-174 06 99`.',
  }),
  defaultCountryCode,
  name: text({
    get: 'name',
    maxLength: 100,
    description:
      'The beginning of a name, or of a word of it: SMS to the first 50 people with such a name in the address books that the caller may read.',
  }),
  words: text({
    get: 'words',
    maxLength: 100,
    description:
      'Beginnings of words of the text, in any order, with or without capitals and accents. Only the SMS that the caller has sent are searched, and of a text its first 2,000 characters.',
  }),
  from: text({ get: 'from', maxLength: 100, description: 'The sender id, as it was sent.' }),
  status: ruled(
    numberList({
      get: 'status',
      maxItems: statusNames.length,
      maxLength: 30,
      description: 'One or more statuses: `EXPIRED,UNDELIVERABLE`.',
    }),
    statusCodes,
  ),
  since: time('since', 'Accepted at that time or later'),
  until: time('until', 'Accepted before that time'),
  batchId: ruled(
    digits({ get: 'batchId', description: 'Id of the batch that the SMS belongs to.' }),
    idOf('batch'),
  ),
  conversation: text({
    get: 'conversation',
    maxLength: maxReferenceLength,
    description: 'The conversation id.',
  }),
  costCenter: text({ get: 'costCenter', maxLength: maxReferenceLength, description: 'The cost centre.' }),
  username: text({
    get: 'username',
    maxLength: 200,
    description: 'User who sent the SMS; administrators can name any user of the company.',
  }),
} as const;

export const searchParameters = { ...filterParameters, ...pageParameters } as const;
