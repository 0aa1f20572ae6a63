/** Stores a message that is sent again, together with its audit log entry. */
import { type ActingUser, byUser, recordAct } from '../../audit/audit-log.ts';
import { refusable, type Transaction, writeVerb } from '../../storage/verb.ts';
import { claimKey, forgetKey } from '../idempotency.ts';
import { type Acceptance, type Accepted, acceptWithin, messageIdsIn } from '../sending/accept.ts';

export interface Resent extends ActingUser {
  readonly acceptance: Acceptance;
  /** The id of the message that is sent again. */
  readonly id: string;
  /**
   * Whether a second call for the message gets the answer of the first, no matter who makes it. The acceptance then has an
   * answer to repeat.
   */
  readonly onlyOnce: boolean;
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
  const earlier = await sentBefore(transaction, inputs);
  const fresh = inputs.filter((input) => !earlier.has(input));
  const acceptances = fresh.map(({ acceptance }) => acceptance);
  const outcomes = await acceptWithin(transaction, acceptances, senders);
  const freed = new Set<string>();
  for (const [place, resent] of fresh.entries()) {
    const { acceptance, username, session, id } = resent;
    if (outcomes[place]?.kind !== 'accepted') {
      if (!resent.onlyOnce) continue;
      await forgetKey(transaction, ofMessage(resent));
      freed.add(resent.id);
      continue;
    }
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
  const answers = new Map(earlier);
  for (const [place, input] of fresh.entries()) answers.set(input, outcomes[place] as Accepted);
  if (freed.size > 0) {
    // Other calls of this set must not get the answer of a call that was refused, so they are tried now.
    const again = inputs.filter((input) => earlier.has(input) && freed.has(input.id));
    const retried = await acceptAll(transaction, again, senders);
    for (const [place, input] of again.entries()) answers.set(input, retried[place] as Accepted);
  }
  return inputs.map((input) => answers.get(input) as Accepted);
}

/**
 * The answers that earlier calls for the same messages got. Keys are claimed in the order of the messages, so that concurrent
 * transactions wait for each other rather than deadlock.
 */
async function sentBefore(
  transaction: Transaction,
  inputs: readonly Resent[],
): Promise<ReadonlyMap<Resent, Accepted>> {
  const found = new Map<Resent, Accepted>();
  const claiming = inputs.filter(({ onlyOnce }) => onlyOnce);
  for (const input of claiming.sort((one, other) => (one.id < other.id ? -1 : 1))) {
    const { idempotency, ...owner } = ofMessage(input);
    const earlier = idempotency && (await claimKey(transaction, owner, idempotency));
    if (earlier !== null) found.set(input, earlier);
  }
  return found;
}

/** A key that belongs to the message rather than to a user: no user has the id 0. */
function ofMessage({ acceptance: { companyId, idempotency }, id }: Resent) {
  const own = idempotency && { ...idempotency, key: `resend ${id}`, requestHash: '' };
  return { companyId, userId: 0, idempotency: own };
}
