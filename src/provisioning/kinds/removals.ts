/** Who leaves with a file, and with which of its words: for the kinds that refer to users. */
import { removedAmong, type View } from '../objects/kind.ts';
import type { Planned } from '../objects/planned.ts';
import { companies } from './companies.ts';
import { users } from './users.ts';

/** By the name of each user who is to go, what in the file says so: itself, or its company. */
export function userRemovers(view: View): ReadonlyMap<string, Planned> {
  const removers = new Map<string, Planned>();
  for (const user of removedAmong(view.asked(users))) removers.set(user.username, user);
  const leaving = view.asked(companies);
  for (const { username, company } of view.before(users).values()) {
    const remover = leaving.get(company);
    if (remover?.remove) removers.set(username, remover);
  }
  return removers;
}
