/** Replies in a conversation as its user, from the number that the phone has written to. */
import { type Caller, findCaller } from '../../accounts/caller.ts';
import { requireRole } from '../../accounts/role.ts';
import { byUser } from '../../audit/audit-log.ts';
import { ServiceError } from '../../foundation/errors.ts';
import { inEnglish, type Sentence } from '../../foundation/sentences.ts';
import { answerAgain, findEarlier, repeatableOf } from '../idempotency.ts';
import { plainRequest, type SendRequest } from '../sending/parameters.ts';
import { type AcceptedMessage, type Sending, type Sent, send } from '../sending/send.ts';
import type { Conversation, ReplyWay } from './conversation.ts';
import { findOpen } from './read-conversations.ts';
import { acceptPoolReply, acceptReply } from './reply-store.ts';

interface ReplyRequest {
  readonly id: string;
  readonly message: string;
  readonly validMinutes: number;
}

/** An administrator replies for the user: the SMS and the next answer belong to the user, whose quota pays for the SMS. */
export async function reply(
  sending: Sending,
  caller: Caller,
  { id, message, validMinutes }: ReplyRequest,
  idempotencyKey: string | undefined,
): Promise<AcceptedMessage> {
  requireRole(caller, 'send');
  const { conversation, way } = await findOpen(sending, caller, id);
  const { companyId, userId } = conversation;
  const asked = { replyIn: conversation.id, message, validminutes: validMinutes };
  const repeatable =
    idempotencyKey === undefined ? undefined : repeatableOf(idempotencyKey, asked, sending.clock.now());
  if (repeatable !== undefined) {
    // The key is checked before the way of replying, since a reply that was allowed the first time may not be allowed
    // now, for example because the number has passed to others.
    const earlier = await sending.store.read(findEarlier, { companyId, userId, ...repeatable });
    if (earlier !== null) return firstOf(answerAgain(earlier) as Sent);
  }
  const owner = conversation.userId === caller.userId ? caller : await ownerOf(sending, conversation);
  if (way.kind === 'none') throw over(way.why);
  // A program that answers for its own user is not in the audit log, as with other sending.
  const by = owner.userId === caller.userId && caller.session === undefined ? undefined : byUser(caller);
  const verb = way.kind === 'fromPool' ? acceptPoolReply : acceptReply;
  // The number belongs to the user, even if the user is limited to other senders.
  const as = { ...owner, allowedSenders: undefined };
  return firstOf(
    await send(sending, as, requestOf(conversation, way, message, validMinutes), undefined, {
      repeatable,
      async accept(acceptance) {
        const outcome = await sending.store.write(verb, { acceptance, conversation, by });
        if (outcome.kind !== 'noPoolNumber') return outcome;
        const { phone, number } = conversation;
        throw over({ sentence: 'number_busy', phone, number });
      },
    }),
  );
}

const firstOf = ({ accepted }: Sent) => accepted[0] as AcceptedMessage;

async function ownerOf({ store }: Sending, { userId, username }: Conversation): Promise<Caller> {
  const owner = await findCaller(store, userId);
  if (owner?.roles.has('send')) return owner;
  throw over({ sentence: 'owner_cannot_send', user: username });
}

function over(why: Sentence): ServiceError {
  return new ServiceError('conversation_over', `${inEnglish(why)} Nothing was sent.`, { values: why });
}

function requestOf(
  { number, phone }: Conversation,
  way: Exclude<ReplyWay, { readonly kind: 'none' }>,
  message: string,
  validMinutes: number,
): SendRequest {
  const twoway = way.kind === 'fromPool';
  const named = twoway && way.conversation !== '' ? way.conversation : undefined;
  return {
    ...plainRequest,
    to: [phone],
    from: twoway ? undefined : number,
    message,
    twoway,
    validminutes: validMinutes,
    conversation: named,
  };
}
