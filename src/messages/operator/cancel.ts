/** Cancels a message for the operator: a scheduled one becomes CANCELED, a queued one DELETED. Its quota comes back unless a carrier may have it. */
import type { Clock } from '../../foundation/clock.ts';
import { ServiceError } from '../../foundation/errors.ts';
import type { Store } from '../../storage/store.ts';
import { parseMessageId, type StatusName, statusNames } from '../message.ts';
import { cancelMessage } from './cancel-store.ts';

/** Returns the message's new status. */
export async function cancel(store: Store, clock: Clock, id: string): Promise<StatusName> {
  const messageId = parseMessageId(id);
  const outcome =
    messageId === undefined
      ? ({ kind: 'notFound' } as const)
      : await store.write(cancelMessage, { id: messageId, now: clock.now() });
  if (outcome.kind === 'notFound') throw new ServiceError('not_found', `There is no message ${id}.`);
  const name = statusNames[outcome.status] as StatusName;
  if (outcome.kind === 'cancelled') return name;
  const why = name === 'QUEUED' ? 'is with the carrier just now' : `is ${name} already`;
  throw new ServiceError('not_found', `Message ${id} can't be cancelled: it ${why}.`);
}
