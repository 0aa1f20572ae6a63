/** Stores messages that can't be sent, so that those who were promised them learn of their end as of any other. */
import type { Transaction } from '../../storage/verb.ts';
import { changeOfLog } from '../message-log.ts';
import { insertsOfTracked, loggedOf } from './accept.ts';
import type { AcceptedRow } from './accepted-row.ts';

/** The rows have ended. Nothing is charged for them. */
export async function keepRejected(transaction: Transaction, rows: readonly AcceptedRow[]): Promise<void> {
  await transaction.together([...insertsOfTracked(rows), changeOfLog(rows.map(loggedOf))]);
}
