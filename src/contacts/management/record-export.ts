/** Notes who took all contacts of a book out of the service (PORT-7). */
import { type AuditEntry, recordAct } from '../../audit/audit-log.ts';
import { singleWriteVerb } from '../../storage/verb.ts';

export const recordExport = singleWriteVerb(
  'contacts.recordExport',
  (
    transaction,
    { bookId, ...entry }: Pick<AuditEntry, 'companyId' | 'at' | 'by'> & { readonly bookId: number },
  ) => recordAct(transaction, { ...entry, act: 'contacts.export', object: `address book ${bookId}` }),
);
