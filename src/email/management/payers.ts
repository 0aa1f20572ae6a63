/** The users of a company who can pay for its e-mail senders; each entry names one of them. */
import { type AccountsPage, accountsOf } from '../../accounts/account.ts';
import { readVerb } from '../../storage/verb.ts';
import { payerOf } from '../senders/paying-user.ts';

/** In the order of their names, whether or not they can pay now. */
export const listPayers = readVerb('email.listPayers', async (reading, page: AccountsPage) =>
  (await accountsOf(reading, page)).map(payerOf),
);
