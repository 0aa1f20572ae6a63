/** Leases on which jobs wait for answers, for as long as their runs go on. */
import { fromEach, literal, rowSet, sql } from '../../storage/sql.ts';
import type { Reading, Transaction } from '../../storage/verb.ts';
import { holder } from './lease-book.ts';

/** A job waits for answers until then: all its leases to these people end, or last, accordingly. */
export async function endJobLeases(
  transaction: Transaction,
  conversation: string,
  recipients: readonly string[],
  endsAt: number,
): Promise<void> {
  await transaction.each(
    { recipient: 'text', conversation: 'text', ends_at: 'bigint' },
    recipients.map((recipient) => [recipient, conversation, endsAt]),
    sql`UPDATE number_leases SET ends_at = each.ends_at ${fromEach}
        WHERE number_leases.recipient = each.recipient AND number_leases.conversation = each.conversation
          AND number_leases.holder = ${literal(holder.job)}`,
  );
}

/** A phone, and the number of the pool that it answers to. */
interface Pair {
  readonly sender: string;
  readonly recipient: string;
}

export interface UnclearAnswer extends Pair {
  readonly conversation: string;
  readonly text: string;
}

/** Answers whose senders were asked which of the jobs on the number they mean: the lease of the one that asked keeps them. */
export async function keepUnclear(
  transaction: Transaction,
  answers: readonly UnclearAnswer[],
): Promise<void> {
  await transaction.each(
    { recipient: 'text', number: 'text', conversation: 'text', unclear_answer: 'text' },
    answers.map(({ sender, recipient, conversation, text }) => [sender, recipient, conversation, text]),
    sql`UPDATE number_leases SET unclear_answer = each.unclear_answer ${fromEach}
        WHERE number_leases.recipient = each.recipient AND number_leases.number = each.number
          AND number_leases.conversation = each.conversation AND number_leases.holder = ${literal(holder.job)}`,
  );
}

export async function clearUnclear(transaction: Transaction, { sender, recipient }: Pair): Promise<void> {
  await transaction.run(
    sql`UPDATE number_leases SET unclear_answer = NULL
        WHERE recipient = ${sender} AND number = ${recipient} AND unclear_answer IS NOT NULL`,
  );
}

export interface SharingJob extends Pair {
  readonly companyId: number;
  readonly conversation: string;
  readonly startsAt: number;
  readonly endsAt: number;
  readonly code: number;
}

/** Jobs that share a number for a phone, as they are told apart there, and for how long each of their texts is answered. */
export async function readSharingJobs(
  reading: Reading,
  pairs: readonly Pair[],
  since: number,
): Promise<readonly SharingJob[]> {
  if (pairs.length === 0) return [];
  return reading.all<SharingJob>(
    sql`SELECT DISTINCT number_leases.recipient AS sender, number_leases.number AS recipient,
          company_id AS "companyId", conversation, code, starts_at AS "startsAt", ends_at AS "endsAt"
        FROM ${rowSet(
          'answered',
          { recipient: 'text', number: 'text' },
          pairs.map(({ sender, recipient }) => [sender, recipient]),
        )} JOIN number_leases ON number_leases.recipient = answered.recipient AND number_leases.number = answered.number
        WHERE holder = ${literal(holder.job)} AND ends_at > ${since} AND code IS NOT NULL ORDER BY code`,
  );
}
