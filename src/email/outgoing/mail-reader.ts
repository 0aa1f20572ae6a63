/** The reader of the journal by which receipts and answers become mail; the node that holds it sends all mail. */
import { keepReader } from '../../changes/held-reader.ts';
import { singleWriteVerb } from '../../storage/verb.ts';

export const mailReader = 'mail';

/** All nodes may be down for so long. After that what happened meanwhile is not told. */
const patienceMs = 7 * 86_400_000;

/** From now on the journal is kept for it; true: it was not before. */
export const keepMailReader = singleWriteVerb('email.keepReader', (transaction, _: null) =>
  keepReader(transaction, { name: mailReader, patienceMs }),
);
