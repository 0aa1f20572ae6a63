/**
 * A conversation: what a phone and one of our numbers have to say to each other, as one user's.
 *
 *   (no row) ──the phone writes──▶ unread ──read──▶ read ──archive──▶ archived
 *                                    ▲               │                   │
 *                                    └───────────────┴──the phone writes─┘
 */
import { holder } from '../pool/lease-book.ts';

export interface Conversation {
  readonly id: number;
  readonly companyId: number;
  readonly userId: number;
  /** The id itself, of a user who is gone. */
  readonly username: string;
  /** Ours. */
  readonly number: string;
  /** Theirs; a name, where a service has written. */
  readonly phone: string;
  /** The run of a job that the latest answer was to. */
  readonly runId: number | null;
  readonly lastAt: number;
  /** Incoming SMS that nobody has looked at in the conversation. */
  readonly unread: number;
  readonly archived: number;
  /** Who looks after it: its user, or an administrator. Null: nobody in particular. */
  readonly assignee: string | null;
  readonly version: number;
}

/** Whose the number is now, and whose the phone's next answer to it would be. */
export interface NumberInUse {
  /** Undefined: the number is none of the service any more. */
  readonly number:
    | { readonly rentedBy: number | null; readonly pool: number; readonly companyId: number | null }
    | undefined;
  readonly lease:
    | {
        readonly companyId: number;
        readonly userId: number;
        readonly conversation: string;
        readonly holder: number;
        readonly endsAt: number;
      }
    | undefined;
}

/**
 * How an SMS goes back from the number. `asGiven`: it is the user's, or a run waits there for answers, which it goes on to
 * do. `fromPool`: it is leased again, so that the next answer comes back to the conversation.
 */
export type ReplyWay =
  | { readonly kind: 'asGiven' }
  /** `conversation`: the id that programs get with the next answer, as with those before; empty: none. */
  | { readonly kind: 'fromPool'; readonly conversation: string }
  | { readonly kind: 'none'; readonly why: string };

export function replyWay(
  { companyId, userId, number: named, phone }: Conversation,
  { number, lease }: NumberInUse,
  now: number,
): ReplyWay {
  if (!/^[0-9]+$/.test(phone)) return none(`${phone} is a name, which no SMS can be sent to.`);
  if (number?.rentedBy === userId) return { kind: 'asGiven' };
  if (number === undefined || number.pool === 0 || (number.companyId ?? companyId) !== companyId)
    return none(`The number ${named} is not the user's any more, nor one of the reply pool.`);
  if (lease === undefined) return { kind: 'fromPool', conversation: '' };
  if (lease.companyId !== companyId || lease.userId !== userId)
    return none(
      `The number ${named} has gone to another conversation with this phone since. A new two-way SMS gets a number of its own.`,
    );
  if (lease.holder === holder.job)
    return lease.endsAt > now ? { kind: 'asGiven' } : { kind: 'fromPool', conversation: '' };
  return { kind: 'fromPool', conversation: lease.conversation };
}

const none = (why: string): ReplyWay => ({ kind: 'none', why });
