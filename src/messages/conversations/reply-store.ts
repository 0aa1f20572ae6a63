/** Accepts a reply in a conversation, and records who replied. */
import { type Actor, type AuditEntry, recordActs } from '../../audit/audit-log.ts';
import { refusable, type Transaction, writeVerb } from '../../storage/verb.ts';
import { noteSent } from '../conversation-rows.ts';
import { lockPool } from '../pool/leases.ts';
import { type Acceptance, type Accepted, acceptWithin, messageIdsIn, sentIn } from '../sending/accept.ts';
import { type Conversation, withWay } from './conversation.ts';

interface Reply {
  readonly acceptance: Acceptance;
  readonly conversation: Conversation;
  /** The user who replied, or the administrator who replied for the user; undefined for a program of the user. */
  readonly by: Actor | undefined;
}

const weightOf = ({ acceptance }: Reply) => acceptance.rows.length;

export const acceptReply = refusable(
  writeVerb<Reply, Accepted>(
    'messages.acceptReply',
    async (transaction, inputs) => {
      const acceptances = inputs.map(({ acceptance }) => acceptance);
      const outcomes = await acceptWithin(transaction, acceptances, 'asGiven');
      await recordReplies(transaction, inputs, outcomes);
      const accepted = acceptances.filter((_, place) => outcomes[place]?.kind === 'accepted');
      await noteSent(transaction, accepted.flatMap(sentIn));
      return [...outcomes];
    },
    weightOf,
  ),
);

/** A separate verb, as for other two-way SMS, because the pool is locked before any account. */
export const acceptPoolReply = refusable(
  writeVerb<Reply, Accepted>(
    'messages.acceptPoolReply',
    async (transaction, inputs) => {
      await lockPool(transaction);
      // A number that has passed to someone else meanwhile is not taken back.
      const open: Reply[] = [];
      for (const input of inputs) if (await isOpen(transaction, input)) open.push(input);
      const accepted = await acceptWithin(
        transaction,
        open.map(({ acceptance, conversation: { number } }) => ({ ...acceptance, number })),
        'fromPool',
      );
      await recordReplies(transaction, open, accepted);
      const outcomes = new Map(open.map((input, place) => [input, accepted[place] as Accepted]));
      return inputs.map((input) => outcomes.get(input) ?? notOpen);
    },
    weightOf,
  ),
);

const notOpen: Accepted = { kind: 'noPoolNumber', recipients: new Set(), codes: new Map() };

async function isOpen(transaction: Transaction, { acceptance, conversation }: Reply): Promise<boolean> {
  const { way } = await withWay(transaction, conversation, acceptance.now);
  return way.kind === 'fromPool';
}

async function recordReplies(
  transaction: Transaction,
  replies: readonly Reply[],
  outcomes: readonly Accepted[],
): Promise<void> {
  const accepted = replies.filter((_, place) => outcomes[place]?.kind === 'accepted');
  await recordActs(transaction, accepted.flatMap(entryOf));
}

function entryOf({ acceptance, conversation, by }: Reply): readonly AuditEntry[] {
  if (by === undefined) return [];
  const { companyId, now: at } = acceptance;
  const { username: user } = conversation;
  const ids = messageIdsIn(acceptance).join(', ');
  const details =
    by.username === user
      ? ({ sentence: 'as_sent', ids } as const)
      : ({ sentence: 'reply_for', user, ids } as const);
  return [{ companyId, at, by, act: 'conversation.reply', object: String(conversation.id), details }];
}
