/** Verbs that write audit log entries, on their own or with an action that fails. */
import { type AuditEntry, recordAct } from '../../src/audit/audit-log.ts';
import { singleWriteVerb } from '../../src/storage/verb.ts';

export const putAct = singleWriteVerb('test.putAct', async (transaction, entry: AuditEntry) => {
  await recordAct(transaction, entry);
  return null;
});

export const failAfterAct = singleWriteVerb('test.failAfterAct', async (transaction, entry: AuditEntry) => {
  await recordAct(transaction, entry);
  throw new Error('the act failed');
});
