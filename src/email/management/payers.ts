/** The users of a company who can pay for its e-mail senders: whoever writes an entry chooses one of them. */
import { readVerb } from '../../storage/verb.ts';
import { type PayersPage, payersOf } from '../senders/paying-user.ts';

export const listPayers = readVerb('email.listPayers', (reading, page: PayersPage) =>
  payersOf(reading, page),
);
