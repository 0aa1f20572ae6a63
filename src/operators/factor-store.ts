/** The verbs of the store for second factors of operators, who change their own, and lose all by a command. */
import { passwordMarkOf } from '../accounts/caller.ts';
import { type OperatorRecord, readOperator } from '../accounts/logins.ts';
import { noCompany, operator, recordAct } from '../audit/audit-log.ts';
import { ownFactors } from '../portal/own-factors.ts';
import { sql } from '../storage/sql.ts';
import { singleWriteVerb } from '../storage/verb.ts';
import { tablesOfOperators } from './operator.ts';
import { aliveSession, noteOwnAct } from './session-store.ts';

export const operatorFactors = ownFactors<string, OperatorRecord>('operators', {
  tables: tablesOfOperators,
  async find(transaction, { owner, asking, now }) {
    const holder = await readOperator(transaction, owner, { isKept: true });
    const session = await aliveSession(transaction, asking, now);
    if (holder === undefined || session?.username !== owner) return undefined;
    if (session.passwordMark !== passwordMarkOf(holder.passwordHash)) return undefined;
    return { holder, session: { ...session, byLink: false } };
  },
  mustHave: (_, { isRequired = false }) => isRequired,
  async given(transaction, { owner, asking, now }, isFirst) {
    if (isFirst)
      await transaction.run(
        sql`DELETE FROM operator_sessions WHERE username = ${owner} AND digest <> ${asking}`,
      );
    await transaction.run(sql`UPDATE operator_sessions SET factor_at = ${now} WHERE digest = ${asking}`);
  },
  async record(transaction, { username }, { now: at }, act, details) {
    await noteOwnAct(transaction, { username, act, at, object: `operator ${username}`, details });
    return { isNotified: false };
  },
});

/** For an operator who has lost a factor. False if there was none. All sessions of the operator end. */
export const resetOperatorFactors = singleWriteVerb(
  'operators.resetFactors',
  async (transaction, { username, now: at }: { readonly username: string; readonly now: number }) => {
    await readOperator(transaction, username, { isKept: true });
    if (!(await tablesOfOperators.removeAll(transaction, username))) return false;
    await transaction.run(sql`DELETE FROM operator_sessions WHERE username = ${username}`);
    const entry = { act: 'factor.reset', object: `operator ${username}`, details: 'reset' } as const;
    await recordAct(transaction, { companyId: noCompany, by: operator, at, ...entry });
    return true;
  },
);
