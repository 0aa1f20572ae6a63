/** Reads a message for whoever it is visible to, and keeps who looked at the text of somebody else. */
import type { Visibility } from '../../accounts/visibility.ts';
import { byUser, recordAct } from '../../audit/audit-log.ts';
import { readVerb, refusable, singleWriteVerb } from '../../storage/verb.ts';
import { type InspectedMessage, inspect } from '../operator/inspect-store.ts';

export interface VisibleMessage extends Visibility {
  readonly id: number;
}

/** Null also for what is another's. */
export const readVisible = readVerb('messages.readVisible', (reading, { id, ...of }: VisibleMessage) =>
  inspect(reading, id, of),
);

export interface Look extends VisibleMessage {
  readonly username: string;
  readonly now: number;
}

export const lookAt = refusable(
  singleWriteVerb(
    'messages.lookAt',
    async (transaction, { id, username, now, ...of }: Look): Promise<InspectedMessage | null> => {
      const message = await inspect(transaction, id, of);
      if (message === null) return null;
      const { companyId } = message;
      await recordAct(transaction, {
        ...{ companyId, at: now, by: byUser({ username }), act: 'message.read', object: String(id) },
        details: `of ${message.username}`,
      });
      return message;
    },
  ),
);
