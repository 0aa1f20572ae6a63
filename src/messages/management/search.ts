/** Searches messages for their user, or for an administrator of the company. */
import type { Caller } from '../../accounts/caller.ts';
import { ofUser, visibilityOf } from '../../accounts/visibility.ts';
import { ServiceError } from '../../foundation/errors.ts';
import type { Input } from '../../http/parameters/parameter.ts';
import type { Store } from '../../storage/store.ts';
import { cleanNumber } from '../../wire/phone-number.ts';
import type { searchParameters } from './search-parameters.ts';
import { type FoundPage, searchMessages } from './search-store.ts';

export async function search(
  store: Store,
  caller: Caller,
  input: Input<typeof searchParameters>,
): Promise<FoundPage> {
  const visible = visibilityOf(caller);
  const { batchid, conversation, costcenter, from, status, username, after, limit } = input;
  return store.read(searchMessages, {
    ...(username === undefined ? visible : await ofUser(store, visible, username)),
    callerId: caller.userId,
    id: input.id,
    recipient: recipientOf(input),
    conversation,
    batchId: batchid,
    sender: from,
    costCenter: costcenter,
    statuses: status,
    since: input.since ?? 0,
    until: input.until ?? Number.MAX_SAFE_INTEGER,
    after,
    limit,
  });
}

function recipientOf({ to, defaultcountrycode }: Input<typeof searchParameters>): string | undefined {
  if (to === undefined) return undefined;
  const number = cleanNumber(to, defaultcountrycode);
  if (number.ok) return number.value;
  throw new ServiceError(number.code, number.error, {
    errors: [{ field: 'to', code: number.code, error: number.error }],
  });
}
