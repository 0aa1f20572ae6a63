/** What of a user provisioning files have set, and alone change (PORT-6). */
import { type Reading, readVerb } from '../storage/verb.ts';
import { readSetKeys } from './set-keys.ts';

/** Keys of a file by user name; of users that no file names, nothing. */
export async function managedKeys(
  reading: Reading,
  usernames: readonly string[],
): Promise<ReadonlyMap<string, ReadonlySet<string>>> {
  const managed = new Map<string, Set<string>>();
  for (const { object, keys } of await readSetKeys(reading, 'users', usernames))
    managed.set(object, new Set([...(managed.get(object) ?? []), ...keys]));
  return managed;
}

export async function passwordIsManaged(reading: Reading, username: string): Promise<boolean> {
  const keys = (await managedKeys(reading, [username])).get(username);
  return keys?.has('password') === true || keys?.has('passwordHash') === true;
}

export const readPasswordIsManaged = readVerb('accounts.passwordIsManaged', passwordIsManaged);
