/** A verb that takes a set of acceptances in as one transaction, however the store would group single ones. */
import { type Acceptance, acceptMessages } from '../../src/messages/sending/accept-store.ts';
import { singleWriteVerb } from '../../src/storage/verb.ts';

export const acceptTogether = singleWriteVerb(
  'test.acceptTogether',
  (transaction, set: readonly Acceptance[]) => acceptMessages.run(transaction, set),
);
