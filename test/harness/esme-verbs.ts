/** Puts what waits for SMPP clients into a store. */
import { sql } from '../../src/storage/sql.ts';
import { singleWriteVerb } from '../../src/storage/verb.ts';

/** An incoming SMS of company 1 that is queued for its user. */
export const keepIncoming = singleWriteVerb(
  'test.keepIncoming',
  async (
    transaction,
    { id, userId, text }: { readonly id: number; readonly userId: number; readonly text: string },
  ) => {
    await transaction.run(
      sql`INSERT INTO incoming_messages
            (id, company_id, user_id, sender, recipient, text, conversation, received_at, unread)
          VALUES (${id}, 1, ${userId}, '46701740600', '46731230001', ${text}, '', 5000, 1)`,
    );
    await transaction.run(
      sql`INSERT INTO esme_deliveries (user_id, place, shown_id, company_id, kind, subject_id, at, queued_at)
          VALUES (${userId}, ${id}, ${id}, 1, 1, ${id}, 5000, 5000)`,
    );
    return null;
  },
);

export const eraseIncoming = singleWriteVerb('test.eraseIncoming', async (transaction, id: number) => {
  await transaction.run(sql`DELETE FROM incoming_messages WHERE id = ${id}`);
  return null;
});
