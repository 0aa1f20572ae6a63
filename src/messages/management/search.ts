/** Searches messages for their user or for a company administrator, and defines the search parameters. */
import { type Caller, numberIn } from '../../accounts/caller.ts';
import { ofUser, visibilityOf } from '../../accounts/visibility.ts';
import { fault, quoted, type Result, success } from '../../foundation/result.ts';
import { defaultCountryCode } from '../../http/parameters/country-code.ts';
import { digits, text } from '../../http/parameters/kinds.ts';
import { numberList } from '../../http/parameters/lists.ts';
import { pageParameters } from '../../http/parameters/page.ts';
import { type Input, ruled } from '../../http/parameters/parameter.ts';
import type { Store } from '../../storage/store.ts';
import { parseTime } from '../../wire/schedule-time.ts';
import { parseMessageId, statusNames } from '../message.ts';
import { maxReferenceLength } from '../sending/parameters.ts';
import { type FoundPage, searchMessages } from './search-store.ts';

export async function search(
  store: Store,
  caller: Caller,
  input: Input<typeof searchParameters>,
  signal?: AbortSignal,
): Promise<FoundPage> {
  const visible = visibilityOf(caller);
  const { to, batchId, conversation, costCenter, from, status, username, after, limit } = input;
  const query = {
    ...(username === undefined ? visible : await ofUser(store, visible, username)),
    callerId: caller.userId,
    id: input.id,
    recipient: to === undefined ? undefined : numberIn(caller, 'to', to, input.defaultCountryCode),
    conversation,
    batchId,
    sender: from,
    costCenter,
    statuses: status,
    since: input.since ?? 0,
    until: input.until ?? Number.MAX_SAFE_INTEGER,
    after,
    limit,
  };
  return store.read(searchMessages, query, { signal });
}

function statusCodes(names: readonly string[]): Result<readonly number[]> {
  const codes: number[] = [];
  for (const name of names) {
    const code = (statusNames as readonly string[]).indexOf(name.toUpperCase());
    if (code < 0)
      return fault(
        'invalid_value',
        `${quoted(name)} is not a status. The statuses are: ${statusNames.join(', ')}.`,
      );
    codes.push(code);
  }
  return success(codes);
}

const idOf =
  (what: string) =>
  (given: string): Result<number> => {
    const id = parseMessageId(given);
    return id === undefined
      ? fault('invalid_value', `${quoted(given)} is not the id of ${what}.`)
      : success(id);
  };

const time = (get: string, description: string) =>
  ruled(text({ get, maxLength: 50, description: `${description} (ISO 8601 with zone)` }), parseTime);

/** Selects messages, without the position in their list. */
export const filterParameters = {
  id: ruled(digits({ get: 'id', description: 'The id of one SMS.' }), idOf('an SMS')),
  to: text({
    get: 'to',
    maxLength: 100,
    description: 'The phone number of the recipient, in any form: `+46 70-174 06 99`.',
  }),
  defaultCountryCode,
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
    idOf('a batch'),
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
