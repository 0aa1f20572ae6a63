/** The verbs of the store for second factors of users: how they add and remove their own, and how an operator removes all. */
import { type Account, findAccount, isActive, mustHaveFactor } from '../accounts/account.ts';
import { callerOf } from '../accounts/caller.ts';
import { raiseNews } from '../storage/news.ts';
import { sql } from '../storage/sql.ts';
import { singleWriteVerb } from '../storage/verb.ts';
import { changed, resetFactors, tablesOfUsers } from './factor-records.ts';
import { type OwnChange, ownFactors } from './own-factors.ts';
import { stillStands } from './session.ts';
import { storedSession } from './session-store.ts';

export const userFactors = ownFactors<number, Account>('portal', {
  tables: tablesOfUsers,
  async find(transaction, { owner, asking }) {
    const account = await findAccount(transaction, { id: owner }, { isLocked: true });
    const session = await storedSession.first(transaction)`
      FROM sessions WHERE digest = ${asking} AND user_id = ${owner}`;
    if (account === undefined || !isActive(account) || session === undefined) return undefined;
    return stillStands(session.standing, callerOf(account)) ? { holder: account, session } : undefined;
  },
  mustHave: mustHaveFactor,
  async given(transaction, { owner, asking, now }, isFirst) {
    if (isFirst)
      await transaction.run(sql`DELETE FROM sessions WHERE user_id = ${owner} AND digest <> ${asking}`);
    await transaction.run(sql`UPDATE sessions SET factor_at = ${now} WHERE digest = ${asking}`);
    await raiseNews(transaction, 'sessions');
  },
  record: changed,
});

/** An operator's command. Null when there is no such user, and false when the user has no second factor. */
export const resetFactorsOfUser = singleWriteVerb(
  'portal.resetFactors',
  async (
    transaction,
    {
      username,
      ...change
    }: Pick<OwnChange<number>, 'by' | 'now' | 'mailDomain'> & { readonly username: string },
  ) => {
    const account = await findAccount(transaction, { username }, { isLocked: true });
    return account === undefined ? null : (await resetFactors(transaction, account, change)) !== undefined;
  },
);
