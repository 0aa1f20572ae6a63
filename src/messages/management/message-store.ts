/** Reads a message for whoever it is visible to, and keeps who took a file of messages. */
import type { Visibility } from '../../accounts/visibility.ts';
import { type ActingUser, byUser, recordAct } from '../../audit/audit-log.ts';
import { readVerb, refusable, singleWriteVerb } from '../../storage/verb.ts';
import { inspect } from '../operator/inspect-store.ts';

export interface VisibleMessage extends Visibility {
  readonly id: number;
}

/** Null also for what is another's. */
export const readVisible = readVerb('messages.readVisible', (reading, { id, ...of }: VisibleMessage) =>
  inspect(reading, id, of),
);

export interface Export extends ActingUser {
  readonly companyId: number;
  readonly now: number;
  /** Which messages. */
  readonly filter: string;
}

export const noteExport = refusable(
  singleWriteVerb('messages.noteExport', async (transaction, { companyId, now, filter, ...user }: Export) => {
    await recordAct(transaction, {
      companyId,
      at: now,
      by: byUser(user),
      act: 'message.export',
      object: 'messages',
      details: filter,
    });
    return null;
  }),
);
