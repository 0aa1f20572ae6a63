/** Gives a user the API key of a name, made when there is none; the same name gives the same key (API: API key). */
import type { KeyObject } from 'node:crypto';
import type { Clock } from '../foundation/clock.ts';
import { ServiceError } from '../foundation/errors.ts';
import { quoted } from '../foundation/result.ts';
import type { Ids } from '../storage/ids.ts';
import type { Store } from '../storage/store.ts';
import { apiKeyState, maxKeysOfUser, writeApiKey } from './api-key.ts';
import type { Caller } from './caller.ts';
import { findKeyByName, getOrCreateKey } from './store.ts';
import { unauthorised } from './unauthorised.ts';

export interface ApiKeyIssuer {
  readonly store: Store;
  /** Of the kind `apiKey`. */
  readonly ids: Ids;
  readonly clock: Clock;
  /** Of `apiKeySecret`. */
  readonly secret: KeyObject;
}

export async function issueApiKey(
  { store, ids, clock, secret }: ApiKeyIssuer,
  { userId, username }: Pick<Caller, 'userId' | 'username'>,
  name: string,
): Promise<string> {
  const now = clock.now();
  const key =
    (await store.read(findKeyByName, { userId, name })) ??
    (await store.write(getOrCreateKey, { id: await ids.draw(1), userId, name, createdAt: now }));
  // The account was removed between the check of its password and now.
  if (key === 'unknownUser') throw unauthorised();
  if (key === 'tooManyKeys') {
    throw new ServiceError(
      'too_many_keys',
      `The account has ${maxKeysOfUser} API keys, the most that it may have; revoked and expired ones count. Ask for the key of a name that is there: the operator lists them (carillon keys list).`,
    );
  }
  const state = apiKeyState(key, now);
  if (state !== 'enabled') {
    throw new ServiceError(
      'key_revoked',
      `The API key ${quoted(name)} ${state === 'revoked' ? 'was revoked' : 'has expired'}. Ask for a key of another name, or let the operator enable this one again (carillon keys enable).`,
    );
  }
  return writeApiKey(secret, { username, keyId: key.id, generation: key.generation });
}
