/**
 * Heeds STOP, START and HELP in an incoming SMS of a company that honours opt-outs, in the transaction that stores the SMS.
 * The SMS is stored and reported like any other.
 */
import { findCompany } from '../../accounts/company-records.ts';
import { keepNearMiss } from '../../opt-outs/near-miss.ts';
import { keepOptOuts, removeOptOutsOf } from '../../opt-outs/opt-out.ts';
import type { PersonSecret } from '../../opt-outs/person-digest.ts';
import { byDialect, sql } from '../../storage/sql.ts';
import type { Transaction } from '../../storage/verb.ts';
import { isNearMiss, type OptOutWord, optOutWord } from '../../wire/answers/opt-out-words.ts';
import { type OptOutReply, wantReply } from './opt-out-replies.ts';

interface ReadSms {
  readonly id: number;
  readonly sender: string;
  /** Our number, as it is known here. */
  readonly recipient: string;
  readonly text: string;
  readonly receivedAt: number;
  readonly personSecret?: PersonSecret | undefined;
}

/** What is to be heeded in an SMS to a company. */
export type Heeded = OptOutWord | 'nearMiss';

/** Undefined for nearly all SMS, of which nothing is read but their text. */
export async function heedable(
  transaction: Transaction,
  { text, personSecret }: Pick<ReadSms, 'text' | 'personSecret'>,
  companyId: number,
): Promise<Heeded | undefined> {
  if (personSecret === undefined) return undefined;
  const heeded = optOutWord(text) ?? (isNearMiss(text) ? 'nearMiss' : undefined);
  if (heeded === undefined) return undefined;
  const policy = (await findCompany(transaction, companyId))?.optOuts;
  return policy === undefined ? undefined : heeded;
}

interface Heeding {
  readonly companyId: number;
  /**
   * The user who pays for a reply; absent if there is none. `conversation` is that of the message that the number is leased
   * for, and empty otherwise.
   */
  readonly reply?: Pick<OptOutReply, 'userId' | 'way' | 'conversation'>;
  /** Whether a job waits for an answer, which HELP then goes to. */
  readonly isOfLiveJob?: boolean;
}

export async function heed(
  transaction: Transaction,
  heeded: Heeded,
  sms: ReadSms,
  { companyId, reply, isOfLiveJob = false }: Heeding,
): Promise<void> {
  const {
    id: incomingId,
    sender: phone,
    recipient: number,
    text,
    receivedAt: at,
    personSecret: secret = '',
  } = sms;
  if (heeded === 'nearMiss') {
    await keepNearMiss(transaction, { companyId, incomingId, phone, number, text, at });
    return;
  }
  if (heeded === 'help' && isOfLiveJob) return;
  if (heeded === 'stop') {
    const word = text.trim();
    const optOut = { phone, category: 'all', since: at, source: 'sms', word, proof: text } as const;
    await keepOptOuts(transaction, companyId, [{ ...optOut, incomingId, number }], secret);
  }
  if (heeded === 'start') {
    const removed = await removeOptOutsOf(transaction, companyId, { phone }, secret);
    // The word may mean something else to people who get SMS anyway.
    if (removed.length === 0) return;
    await tellOptedIn(transaction, companyId, incomingId, at);
  }
  if (reply === undefined) return;
  await wantReply(transaction, {
    ...reply,
    companyId,
    phone,
    word: heeded,
    number,
    askedAt: at,
  });
}

/** The kind is that of `changes/journal.ts`, and the subject is the SMS. A new opt-out is told of by a trigger. */
async function tellOptedIn(
  transaction: Transaction,
  companyId: number,
  incomingId: number,
  at: number,
): Promise<void> {
  await transaction.run(
    sql`INSERT INTO changes (${byDialect({ sqlite: 'place, ', postgres: '' })}company_id, kind, subject_id, changed_at)
        SELECT ${byDialect({ sqlite: '(SELECT COALESCE(MAX(place), 0) + 1 FROM changes), ', postgres: '' })}
          CAST(${companyId} AS BIGINT), 6, CAST(${incomingId} AS BIGINT), CAST(${at} AS BIGINT)
        WHERE EXISTS (SELECT 1 FROM change_listeners WHERE company_id = ${companyId})`,
  );
}
