/** Authenticates callers by API key; keys in use are cached in memory. */
import type { KeyObject } from 'node:crypto';
import { ServiceError } from '../foundation/errors.ts';
import { lruCache } from '../foundation/lru-cache.ts';
import type { SecurityEvent, SecurityEvents } from '../foundation/security-log.ts';
import type { LoginOrigin } from '../http/credentials/credentials.ts';
import { type AddressTest, addressTestOf } from '../http/origin.ts';
import type { Context } from '../storage/context.ts';
import { isActive } from './account.ts';
import { type ApiKeyClaim, findKeyById, type KeyWithAccount, readApiKey } from './api-keys.ts';
import { type Caller, callerOf } from './caller.ts';
import { type Freshness, FreshReads } from './fresh-reads.ts';
import { type KeyUses, useEveryMs } from './key-uses.ts';
import { unauthorised } from './unauthorised.ts';

/**
 * The maximum number of cached keys: about 15 MB, and up to 50 MB more if all have as many networks as a key can have. Each key
 * beyond that is read from the store at every use.
 */
const maxRemembered = 20_000;
/** The maximum number of cached lists of networks, up to 35 MB; each list beyond that is read from its text at every use. */
const maxLists = 1_000;

interface RememberedKey {
  /** Undefined when the store rejects a key that this server has issued, such as a revoked key that is still being used. */
  readonly caller: Caller | undefined;
  readonly username: string;
  /** Why no caller was found. */
  readonly reason: string;
  readonly expiresAt: number;
  /** Undefined for a key that is accepted from any address. */
  readonly networks: string | undefined;
  readonly edition: number;
  readonly keyId: number;
  /** The time, by the clock, from which the next use is recorded. */
  noteFrom: number;
}

export interface ApiKeyAuthenticationParts extends Context {
  readonly freshness: Freshness;
  readonly secret: KeyObject;
  readonly security: SecurityEvents;
  readonly uses: Pick<KeyUses, 'note'>;
}

export class ApiKeyAuthentication {
  readonly #parts: ApiKeyAuthenticationParts;
  readonly #reads: FreshReads<number, KeyWithAccount | undefined>;
  readonly #remembered = lruCache<string, RememberedKey>(maxRemembered);
  readonly #lists = lruCache<string, AddressTest>(maxLists);

  constructor(parts: ApiKeyAuthenticationParts) {
    this.#parts = parts;
    this.#reads = new FreshReads(parts.freshness, (keyId) => parts.store.read(findKeyById, keyId));
  }

  /**
   * Invalid keys are not counted as failed attempts: 256 bits cannot be guessed, a refusal takes microseconds, and a limit
   * could be turned against holders of valid keys behind the same address.
   */
  authenticate(text: string, from: LoginOrigin): Caller | Promise<Caller> {
    const remembered = this.#remembered.get(text);
    if (remembered !== undefined && this.#parts.freshness.holds(remembered.edition)) {
      return this.#letIn(remembered, from);
    }
    const claim = readApiKey(this.#parts.secret, text);
    if (claim === undefined) throw this.#refuse(from, { reason: 'unknown_key' });
    return this.#askStore(text, claim, from);
  }

  async #askStore(text: string, claim: ApiKeyClaim, from: LoginOrigin): Promise<Caller> {
    const { result: found, edition } = await this.#reads.read(claim.keyId);
    // Unknown keys are not cached, because change notices don't report a key that comes into being later (in a restored
    // database).
    if (found === undefined) throw this.#refuse(from, { reason: 'unknown_key' });
    const remembered = { ...judge(claim, found), edition };
    this.#remembered.set(text, remembered);
    return this.#letIn(remembered, from);
  }

  #letIn(remembered: RememberedKey, from: LoginOrigin): Caller {
    const { caller, username, reason, expiresAt, networks } = remembered;
    if (caller === undefined) throw this.#refuse(from, { username, reason });
    const now = this.#parts.clock.now();
    if (expiresAt <= now) {
      this.#note(from, { username, reason: 'expired_key' });
      throw new ServiceError('unauthorised', { sentence: 'key_expired' });
    }
    if (networks !== undefined && !this.#listOf(networks)(from.address)) {
      this.#note(from, { username, reason: 'network_not_allowed' });
      throw new ServiceError('network_not_allowed', { sentence: 'key_network', address: from.address });
    }
    if (remembered.noteFrom <= now) {
      remembered.noteFrom = now + useEveryMs;
      this.#parts.uses.note(remembered.keyId, now);
    }
    return caller;
  }

  #listOf(networks: string): AddressTest {
    const known = this.#lists.get(networks);
    if (known !== undefined) return known;
    // A list from a later version may not be readable.
    const isListed = addressTestOf(networks.split(','));
    this.#lists.set(networks, isListed);
    return isListed;
  }

  #refuse(from: LoginOrigin, why: Pick<SecurityEvent, 'username' | 'reason'>): ServiceError {
    this.#note(from, why);
    return unauthorised();
  }

  #note({ address, channel = 'http' }: LoginOrigin, why: Pick<SecurityEvent, 'username' | 'reason'>): void {
    this.#parts.security.record({ event: 'login_failed', method: 'key', channel, address, ...why });
  }
}

function judge(claim: ApiKeyClaim, { key, account }: KeyWithAccount): Omit<RememberedKey, 'edition'> {
  const { username } = account.user;
  const isPresent = !key.revoked && key.generation === claim.generation && username === claim.username;
  return {
    caller:
      isPresent && isActive(account)
        ? { ...callerOf(account), scopes: key.scopes && new Set(key.scopes) }
        : undefined,
    username,
    reason: isPresent ? 'inactive' : 'revoked_key',
    expiresAt: key.expiresAt ?? Number.POSITIVE_INFINITY,
    networks: key.networks?.join(),
    keyId: key.id,
    noteFrom: key.usedAt === undefined ? 0 : key.usedAt + useEveryMs,
  };
}
