/** What users do with their own API keys by the management API; a running server sees it within a second. */
import { ServiceError } from '../foundation/errors.ts';
import { quoted } from '../foundation/result.ts';
import { announceHint } from '../storage/hints.ts';
import { type ApiKey, maxKeysOfUser, writeApiKey } from './api-key.ts';
import type { Caller } from './caller.ts';
import type { ApiKeyIssuer } from './issue-api-key.ts';
import { endKey, type KeyEnding, makeKey } from './key-store.ts';
import { unauthorised } from './unauthorised.ts';

export interface MadeKey {
  readonly key: ApiKey;
  /** What programs give. */
  readonly text: string;
}

export async function makeOwnKey(
  { store, ids, clock, secret }: ApiKeyIssuer,
  caller: Caller,
  { name, expiresAt }: { readonly name: string; readonly expiresAt: number | undefined },
): Promise<MadeKey> {
  const id = await ids.draw(1);
  const key = await store.write(makeKey, { owner: ownerOf(caller), id, name, now: clock.now(), expiresAt });
  // The account was removed since it was let in.
  if (key === 'unknownUser') throw unauthorised();
  if (key === 'nameTaken')
    throw new ServiceError(
      'name_taken',
      `You have an API key named ${quoted(name)} already, or had one that was revoked. Choose another name.`,
    );
  if (key === 'tooManyKeys')
    throw new ServiceError(
      'too_many_keys',
      `You have ${maxKeysOfUser} API keys, the most that an account may have; revoked and expired ones count.`,
    );
  announceHint(store, caller.companyId, 'apikeys');
  const { username } = caller;
  return { key, text: writeApiKey(secret, { username, keyId: key.id, generation: key.generation }) };
}

export async function endOwnKey(
  { store, clock }: Pick<ApiKeyIssuer, 'store' | 'clock'>,
  caller: Caller,
  id: number,
  ends: KeyEnding['ends'],
): Promise<ApiKey> {
  const { userId, username } = caller;
  const user = { id: userId, username };
  const key = await store.write(endKey, { user, by: ownerOf(caller), id, now: clock.now(), ends });
  if (key === undefined) throw new ServiceError('not_found', 'You have no API key with this id.');
  announceHint(store, caller.companyId, 'apikeys');
  return key;
}

function ownerOf({ userId, companyId, username, session }: Caller) {
  return { userId, companyId, username, session };
}
