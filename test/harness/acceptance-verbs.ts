/** Verbs that accept a set of calls in one transaction, however the store would group single calls. */
import { acceptResent, type Resent } from '../../src/messages/management/resend-store.ts';
import { type Cancellation, cancelMessage } from '../../src/messages/operator/cancel.ts';
import { type Acceptance, acceptMessages } from '../../src/messages/sending/accept.ts';
import { singleWriteVerb } from '../../src/storage/verb.ts';

export const acceptTogether = singleWriteVerb(
  'test.acceptTogether',
  (transaction, set: readonly Acceptance[]) => acceptMessages.run(transaction, set),
);

export const resendTogether = singleWriteVerb('test.resendTogether', (transaction, set: readonly Resent[]) =>
  acceptResent.run(transaction, set),
);

export const cancelTogether = singleWriteVerb(
  'test.cancelTogether',
  (transaction, set: readonly Cancellation[]) => cancelMessage.run(transaction, set),
);
