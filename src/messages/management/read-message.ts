/** Reads one message with its timeline, for its user or an administrator of its company. */
import type { Caller } from '../../accounts/caller.ts';
import { type Visibility, visibilityOf } from '../../accounts/visibility.ts';
import { byUser, noteLook } from '../../audit/audit-log.ts';
import type { Clock } from '../../foundation/clock.ts';
import { ServiceError } from '../../foundation/errors.ts';
import type { Store } from '../../storage/store.ts';
import { readVerb } from '../../storage/verb.ts';
import { parseMessageId } from '../message.ts';
import { type InspectedMessage, inspect } from '../operator/inspect-store.ts';

/** Whoever looks at what somebody else has sent is in the audit log. */
export async function readMessage(
  { store, clock }: { readonly store: Store; readonly clock: Clock },
  caller: Caller,
  id: string,
): Promise<InspectedMessage> {
  const messageId = parseMessageId(id);
  const visible = visibilityOf(caller);
  const found = messageId === undefined ? null : await store.read(readVisible, { ...visible, id: messageId });
  if (found === null) throw new ServiceError('not_found', `There is no message ${id}.`);
  const { companyId, userId, username } = found;
  if (userId !== caller.userId)
    await store.write(noteLook, {
      companyId,
      at: clock.now(),
      by: byUser(caller),
      act: 'message.read',
      object: String(messageId),
      details: `of ${username}`,
    });
  return found;
}

export interface VisibleMessage extends Visibility {
  readonly id: number;
}

/** Null also for what is another's. */
export const readVisible = readVerb('messages.readVisible', (reading, { id, ...of }: VisibleMessage) =>
  inspect(reading, id, of),
);
