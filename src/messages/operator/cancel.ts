/** Cancels a message, for the operator or whoever it is visible to: a scheduled one becomes CANCELED, a queued one DELETED. Its quota comes back unless a carrier may have it. */
import type { Caller } from '../../accounts/caller.ts';
import { visibilityOf } from '../../accounts/visibility.ts';
import type { Clock } from '../../foundation/clock.ts';
import { ServiceError } from '../../foundation/errors.ts';
import type { Store } from '../../storage/store.ts';
import { parseMessageId, type StatusName, statusNames } from '../message.ts';
import { cancelMessage } from './cancel-store.ts';

/** Returns the message's new status. Without a caller it is the operator who cancels. */
export async function cancel(store: Store, clock: Clock, id: string, caller?: Caller): Promise<StatusName> {
  const messageId = parseMessageId(id);
  const user = caller && { ...visibilityOf(caller), username: caller.username, session: caller.session };
  const outcome =
    messageId === undefined
      ? ({ kind: 'notFound' } as const)
      : await store.write(cancelMessage, { id: messageId, now: clock.now(), ...(user && { user }) });
  if (outcome.kind === 'notFound') throw new ServiceError('not_found', `There is no message ${id}.`);
  const name = statusNames[outcome.status] as StatusName;
  if (outcome.kind === 'cancelled') return name;
  const why = name === 'QUEUED' ? 'is with the carrier just now' : `is ${name} already`;
  throw new ServiceError('too_late', `Message ${id} can't be cancelled: it ${why}.`);
}
