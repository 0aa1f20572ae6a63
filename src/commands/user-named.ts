/** A user of the caller's company, as its administrator sees it. */
import { StartError } from '../foundation/errors.ts';
import type { Api } from './api.ts';

export async function userNamed(api: Api, username: string) {
  for await (const user of api.each('/api/v1/users', 'users')) if (user.username === username) return user;
  throw new StartError(`The company has no user ${username}.`);
}
