/** What an operator does with the API keys of a user; a running server sees it within a second. */
import type { Clock } from '../foundation/clock.ts';
import { ServiceError } from '../foundation/errors.ts';
import type { Store } from '../storage/store.ts';
import type { ApiKey } from './api-key.ts';
import {
  enableKeyByName,
  expireKeyByName,
  type KeyChange,
  listKeysOfUser,
  type NamedKey,
  revokeKeyByName,
} from './store.ts';

/** Oldest first. */
export async function listKeys(store: Store, username: string): Promise<readonly ApiKey[]> {
  const keys = await store.read(listKeysOfUser, username);
  if (keys === 'unknownUser') throw unknownUser(username);
  return keys;
}

/** From now on the key lets nobody in, and its name is refused to its user. */
export async function revokeKey(store: Store, named: NamedKey): Promise<ApiKey> {
  return changed(store, named, await store.write(revokeKeyByName, named));
}

/** The name works again: its user asks for the key again and gets another text, while the old one stays worthless. */
export async function enableKey(store: Store, clock: Clock, named: NamedKey): Promise<ApiKey> {
  return changed(store, named, await store.write(enableKeyByName, { ...named, now: clock.now() }));
}

/** Lets the key end at a time, which may be past or be moved; undefined when it no longer ends by itself. */
export async function expireKey(
  store: Store,
  named: NamedKey,
  expiresAt: number | undefined,
): Promise<ApiKey> {
  return changed(store, named, await store.write(expireKeyByName, { ...named, expiresAt }));
}

async function changed(store: Store, { username, name }: NamedKey, change: KeyChange): Promise<ApiKey> {
  if (change === 'unknownUser') throw unknownUser(username);
  if (change !== 'unknownKey') return change;
  const names = (await listKeys(store, username)).map((key) => `"${key.name}"`);
  const known = names.length === 0 ? 'it has none' : `it has ${names.join(', ')}`;
  throw new ServiceError('not_found', `The user ${username} has no API key named "${name}": ${known}.`);
}

function unknownUser(username: string): ServiceError {
  return new ServiceError(
    'not_found',
    `There is no user ${username}. Users are made by a provisioning file (carillon apply).`,
  );
}
