/** Stores a message that is sent again, together with its audit log entry. */
import { type ActingUser, byUser, recordAct } from '../../audit/audit-log.ts';
import { refusable, type Transaction, writeVerb } from '../../storage/verb.ts';
import { type Acceptance, type Accepted, acceptWithin, messageIdsIn } from '../sending/accept.ts';

export interface Resent extends ActingUser {
  readonly acceptance: Acceptance;
  /** The id of the message that is sent again. */
  readonly id: string;
}

const weightOf = ({ acceptance }: Resent) => acceptance.rows.length;

export const acceptResent = refusable(
  writeVerb<Resent, Accepted>(
    'messages.acceptResent',
    (transaction, inputs) => acceptAll(transaction, inputs, 'asGiven'),
    weightOf,
  ),
);

/** A separate verb, as for other two-way SMS, because the pool is locked before any account. */
export const acceptTwoWayResent = refusable(
  writeVerb<Resent, Accepted>(
    'messages.acceptTwoWayResent',
    (transaction, inputs) => acceptAll(transaction, inputs, 'fromPool'),
    weightOf,
  ),
);

/** Accepts all at once, since accounts are locked in one order. */
async function acceptAll(
  transaction: Transaction,
  inputs: readonly Resent[],
  senders: 'asGiven' | 'fromPool',
): Promise<Accepted[]> {
  const acceptances = inputs.map(({ acceptance }) => acceptance);
  const outcomes = await acceptWithin(transaction, acceptances, senders);
  for (const [place, { acceptance, username, session, id }] of inputs.entries()) {
    if (outcomes[place]?.kind !== 'accepted') continue;
    const { companyId, now: at } = acceptance;
    await recordAct(transaction, {
      companyId,
      at,
      by: byUser({ username, session }),
      act: 'message.resend',
      object: id,
      details: { sentence: 'as_sent', ids: messageIdsIn(acceptance).join(', ') },
    });
  }
  return [...outcomes];
}
