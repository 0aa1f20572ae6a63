/** Answers in a conversation, from the number that the phone has written to, as the user whose conversation it is. */
import { type Caller, findCaller } from '../../accounts/caller.ts';
import { requireRole } from '../../accounts/role.ts';
import { type Actor, byUser, recordAct } from '../../audit/audit-log.ts';
import { ServiceError } from '../../foundation/errors.ts';
import { refusable, type Transaction, writeVerb } from '../../storage/verb.ts';
import { noteSent } from '../conversation-rows.ts';
import { answerAgain, findEarlier, repeatableOf } from '../idempotency.ts';
import { lockPool } from '../pool/leases.ts';
import { type Acceptance, type Accepted, acceptWithin, messageIdsIn, sentIn } from '../sending/accept.ts';
import type { SendRequest } from '../sending/prepare.ts';
import { type AcceptedMessage, type Sending, type Sent, send } from '../sending/send.ts';
import { type Conversation, type ReplyWay, withWay } from './conversation.ts';
import { findOpen } from './read-conversations.ts';

interface ReplyRequest {
  readonly id: string;
  readonly message: string;
  readonly validminutes: number;
}

/** An administrator answers for the user: it is the user's SMS, which the user's quota pays, and so is the next answer. */
export async function reply(
  sending: Sending,
  caller: Caller,
  { id, message, validminutes }: ReplyRequest,
  idempotencyKey: string | undefined,
): Promise<AcceptedMessage> {
  requireRole(caller, 'send');
  const { conversation, way } = await findOpen(sending, caller, id);
  const { companyId, userId } = conversation;
  const asked = { replyIn: conversation.id, message, validminutes };
  const repeatable =
    idempotencyKey === undefined ? undefined : repeatableOf(idempotencyKey, asked, sending.clock.now());
  if (repeatable !== undefined) {
    // Before the way is judged: what was right the first time may be wrong now, such as a number that others have.
    const earlier = await sending.store.read(findEarlier, { companyId, userId, ...repeatable });
    if (earlier !== null) return firstOf(answerAgain(earlier) as Sent);
  }
  const owner = conversation.userId === caller.userId ? caller : await ownerOf(sending, conversation);
  if (way.kind === 'none') throw over(way.why);
  const isOwn = owner.userId === caller.userId;
  const verb = way.kind === 'fromPool' ? acceptPoolReply : acceptReply;
  // The number is theirs, whatever other senders the user is limited to.
  const as = { ...owner, allowedSenders: undefined };
  return firstOf(
    await send(sending, as, requestOf(conversation, way, message, validminutes), undefined, {
      repeatable,
      async accept(acceptance) {
        const by = isOwn ? undefined : byUser(caller);
        const outcome = await sending.store.write(verb, { acceptance, conversation, by });
        if (outcome.kind !== 'noPoolNumber') return outcome;
        throw over(
          `Others wait for answers of ${conversation.phone} on the number ${conversation.number} now.`,
        );
      },
    }),
  );
}

const firstOf = ({ accepted }: Sent) => accepted[0] as AcceptedMessage;

async function ownerOf({ store }: Sending, { userId, username }: Conversation): Promise<Caller> {
  const owner = await findCaller(store, userId);
  if (owner?.roles.has('send')) return owner;
  throw over(`The conversation is that of ${username}, who can't send any more.`);
}

function over(why: string): ServiceError {
  return new ServiceError('conversation_over', `${why} Nothing was sent.`);
}

function requestOf(
  { number, phone }: Conversation,
  way: Exclude<ReplyWay, { readonly kind: 'none' }>,
  message: string,
  validminutes: number,
): SendRequest {
  const twoway = way.kind === 'fromPool';
  const named = twoway && way.conversation !== '' ? way.conversation : undefined;
  return {
    to: [phone],
    tosubst: [],
    from: twoway ? undefined : number,
    message,
    twoway,
    validminutes,
    templateid: undefined,
    onlytemplateplaceholders: false,
    replacecharacters: false,
    checknumber: false,
    conversation: named,
    costcenter: undefined,
    flash: false,
    defaultcountrycode: undefined,
    scheduletime: undefined,
  };
}

interface Reply {
  readonly acceptance: Acceptance;
  readonly conversation: Conversation;
  /** The administrator who has answered for the user; undefined: the user has. */
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

/** A verb of its own, as with SMS in general: the pool is locked before any account is. */
export const acceptPoolReply = refusable(
  writeVerb<Reply, Accepted>(
    'messages.acceptPoolReply',
    async (transaction, inputs) => {
      await lockPool(transaction);
      // Where the number has gone to somebody else meanwhile, it is not taken back.
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
  for (const [place, { acceptance, conversation, by }] of replies.entries()) {
    if (outcomes[place]?.kind !== 'accepted' || by === undefined) continue;
    const { companyId, now: at } = acceptance;
    await recordAct(transaction, {
      companyId,
      at,
      by,
      act: 'conversation.reply',
      object: String(conversation.id),
      details: `for ${conversation.username}, as ${messageIdsIn(acceptance).join(', ')}`,
    });
  }
}
