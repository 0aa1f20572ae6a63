/**
 * Replies to STOP, START and HELP, from the number that they came to: one confirmation and one answer to HELP in 24 hours
 * for each phone and company. A reply is wanted in the transaction that stores the SMS, and marked as sent in the one that
 * accepts it, so that a crash neither loses nor repeats it, whichever node sends it.
 *
 *   STOP ──▶ wanted ──▶ accepted ──24 hours──▶ wanted again by the next STOP
 *              │  ▲
 *              └──┘ the quota or a limit does not cover it: tried again for an hour, then given up
 */
import { type CompanyLanguage, findCompanies } from '../../accounts/company-records.ts';
import type { AgedRows } from '../../storage/retention.ts';
import { forUpdate, oneOf, sql } from '../../storage/sql.ts';
import { bigint, enumerated, type Kept, nullable, StoredRecord, text } from '../../storage/stored-record.ts';
import { readVerb, singleWriteVerb, type Transaction } from '../../storage/verb.ts';
import type { OptOutWord } from '../../wire/answers/opt-out-words.ts';
import type { OptOutPolicy } from '../../wire/category.ts';
import { formsOf } from '../../wire/phone-number.ts';
import { noteSent } from '../conversation-rows.ts';
import { lockPool } from '../pool/leases.ts';
import { type Acceptance, type Accepted, acceptWithin, sentIn } from '../sending/accept.ts';

/** The user rents the number, or it was leased from the pool for a message or for a job. */
export const replyWays = ['rented', 'leased', 'job'] as const;
const replyKinds = ['confirmation', 'help'] as const;
const replyWords: readonly [OptOutWord, ...OptOutWord[]] = ['stop', 'start', 'help'];

const storedReply = new StoredRecord({
  companyId: bigint,
  phone: text,
  kind: enumerated(replyKinds),
  /** The word that is replied to. */
  word: enumerated(replyWords),
  /** Our number, which the word came to. */
  number: text,
  /** The user who had the number then, and pays for the reply. */
  userId: bigint,
  /** How the user came by the number, and the conversation that it was leased for, if any. */
  way: enumerated(replyWays),
  conversation: text,
  askedAt: bigint,
  /** When it is to be sent; null if it was sent or given up. */
  dueAt: nullable(bigint),
});

export type OptOutReply = Kept<typeof storedReply>;

/** At most one confirmation, and one answer to HELP, in this time. */
export const replyEveryMs = 24 * 60 * 60 * 1_000;
/** How long a reply is tried that quota or limits do not cover. */
export const replyPatienceMs = 60 * 60 * 1_000;

export const agedReplies: AgedRows = {
  table: 'opt_out_replies',
  key: 'company_id, phone, kind',
  time: 'asked_at',
  keptMs: 2 * replyEveryMs,
};

/**
 * Nothing is wanted if there was a reply within the last 24 hours. One that is still to be sent is about the latest word
 * instead.
 */
export async function wantReply(
  transaction: Transaction,
  reply: Omit<OptOutReply, 'kind' | 'dueAt'>,
): Promise<void> {
  const kind = reply.word === 'help' ? 'help' : 'confirmation';
  const row = storedReply.row({ ...reply, kind, dueAt: reply.askedAt });
  await transaction.insert(
    'opt_out_replies',
    storedReply.columns,
    [row],
    `ON CONFLICT (company_id, phone, kind) DO UPDATE SET word = excluded.word, number = excluded.number,
       user_id = excluded.user_id, way = excluded.way, conversation = excluded.conversation,
       asked_at = excluded.asked_at, due_at = excluded.due_at
     WHERE opt_out_replies.due_at IS NOT NULL OR opt_out_replies.asked_at <= excluded.asked_at - ${replyEveryMs}
       OR opt_out_replies.asked_at > excluded.asked_at + ${replyEveryMs}`,
  );
}

/** A reply with what its text says of the company. */
export interface DueReply extends OptOutReply {
  readonly company: string;
  readonly language: CompanyLanguage;
  readonly policy: OptOutPolicy;
}

export const listDueReplies = readVerb(
  'messages.listDueOptOutReplies',
  async (
    reading,
    { now, limit }: { readonly now: number; readonly limit: number },
  ): Promise<readonly DueReply[]> => {
    const replies = await storedReply.all(reading)`
      FROM opt_out_replies WHERE due_at <= ${now} ORDER BY due_at LIMIT ${limit}`;
    const companies = await findCompanies(
      reading,
      replies.map(({ companyId }) => companyId),
    );
    return replies.map((reply) => {
      const { name = '', language = 'en', optOuts: policy = 'off' } = companies.get(reply.companyId) ?? {};
      return { ...reply, company: name, language, policy };
    });
  },
);

const keyIs = ({ companyId, phone, kind }: OptOutReply) =>
  sql`company_id = ${companyId} AND phone = ${phone} AND kind = ${replyKinds.indexOf(kind)}`;

interface AcceptedReply {
  readonly reply: OptOutReply;
  readonly acceptance: Acceptance;
  /** The same from the number as it is, without a lease. */
  readonly plain: Acceptance;
}

/** `moved`: another node was first, or a later word has come. */
export type ReplyAccepted = Accepted | { readonly kind: 'moved' };

export const acceptOptOutReply = singleWriteVerb(
  'messages.acceptOptOutReply',
  async (transaction, { reply, acceptance, plain }: AcceptedReply): Promise<ReplyAccepted> => {
    const isLeased = reply.way === 'leased';
    if (isLeased) await lockPool(transaction);
    const found = await transaction.first<{ asked_at: number }>(
      sql`SELECT asked_at FROM opt_out_replies WHERE ${keyIs(reply)} AND due_at IS NOT NULL ${forUpdate}`,
    );
    if (found?.asked_at !== reply.askedAt) return { kind: 'moved' };
    const leasing = { ...acceptance, number: reply.number };
    const [leased] = isLeased ? await acceptWithin(transaction, [leasing], 'fromPool') : [];
    // A number that waits for an answer to somebody else gets no further lease.
    const isPlain = leased === undefined || leased.kind === 'noPoolNumber';
    const [accepted = leased] = isPlain ? await acceptWithin(transaction, [plain], 'asGiven') : [];
    if (accepted?.kind !== 'accepted') return accepted as Accepted;
    if (isPlain) await noteSent(transaction, sentIn(plain));
    await transaction.run(sql`UPDATE opt_out_replies SET due_at = NULL WHERE ${keyIs(reply)}`);
    return accepted;
  },
);

interface Postponed {
  readonly reply: OptOutReply;
  /** Null if it is given up. */
  readonly dueAt: number | null;
}

export const postponeOptOutReply = singleWriteVerb(
  'messages.postponeOptOutReply',
  async (transaction, { reply, dueAt }: Postponed): Promise<null> => {
    await transaction.run(
      sql`UPDATE opt_out_replies SET due_at = ${dueAt}
          WHERE ${keyIs(reply)} AND asked_at = ${reply.askedAt} AND due_at IS NOT NULL`,
    );
    return null;
  },
);

/** Forgets the replies to an erased person. Returns how many they were. */
export async function eraseReplies(
  transaction: Transaction,
  {
    companyId,
    number,
    until,
  }: { readonly companyId: number; readonly number: string; readonly until: number },
): Promise<number> {
  return transaction.run(
    sql`DELETE FROM opt_out_replies
        WHERE company_id = ${companyId} AND phone ${oneOf('text', formsOf(number))} AND asked_at <= ${until}`,
  );
}
