/** Reads one message with its timeline, for its user or an administrator of its company. */
import type { Caller } from '../../accounts/caller.ts';
import { visibilityOf } from '../../accounts/visibility.ts';
import type { Clock } from '../../foundation/clock.ts';
import { ServiceError } from '../../foundation/errors.ts';
import type { Store } from '../../storage/store.ts';
import { parseMessageId } from '../message.ts';
import type { InspectedMessage } from '../operator/inspect-store.ts';
import { lookAt, readVisible } from './message-store.ts';

/** Whoever looks at what somebody else has sent is in the audit log. */
export async function readMessage(
  { store, clock }: { readonly store: Store; readonly clock: Clock },
  caller: Caller,
  id: string,
): Promise<InspectedMessage> {
  const messageId = parseMessageId(id);
  const visible = visibilityOf(caller);
  const found = messageId === undefined ? null : await store.read(readVisible, { ...visible, id: messageId });
  if (found === null || messageId === undefined) throw noMessage(id);
  if (found.userId === caller.userId) return found;
  const { username } = caller;
  const message = await store.write(lookAt, { ...visible, id: messageId, username, now: clock.now() });
  // It was purged between the two.
  if (message === null) throw noMessage(id);
  return message;
}

function noMessage(id: string): ServiceError {
  return new ServiceError('not_found', `There is no message ${id}.`);
}
