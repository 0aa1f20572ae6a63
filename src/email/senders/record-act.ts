/** Who changes e-mail senders or defaults, and the line of it in the audit log, by whichever endpoint. */
import type { Caller } from '../../accounts/caller.ts';
import { type ActingUser, byUser, recordAct } from '../../audit/audit-log.ts';
import type { Clock } from '../../foundation/clock.ts';
import type { Store } from '../../storage/store.ts';
import type { Transaction } from '../../storage/verb.ts';

export interface SenderAdministration {
  readonly store: Store;
  readonly clock: Clock;
}

export interface Acting extends ActingUser {
  readonly companyId: number;
  readonly now: number;
}

export function actingOf({ clock }: SenderAdministration, caller: Caller): Acting {
  const { companyId, username, session } = caller;
  return { companyId, username, session, now: clock.now() };
}

export function recordSenderAct(
  transaction: Transaction,
  by: Acting,
  act: `email.sender.${'make' | 'change' | 'remove'}` | 'email.defaults.change',
  object: string,
): Promise<void> {
  return recordAct(transaction, { companyId: by.companyId, at: by.now, by: byUser(by), act, object });
}
