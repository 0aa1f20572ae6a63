/** Lets callers in by their API key; a key that is in use costs a look into memory. */
import type { KeyObject } from 'node:crypto';
import { LRUCache } from 'lru-cache';
import type { Clock } from '../foundation/clock.ts';
import type { Store } from '../storage/store.ts';
import { type ApiKeyClaim, readApiKey } from './api-key.ts';
import { type Caller, callerOf } from './caller.ts';
import { type Freshness, FreshReads } from './fresh-reads.ts';
import { findKeyById, type KeyWithAccount } from './store.ts';
import { unauthorised } from './unauthorised.ts';
import { isActive } from './user.ts';

/** Keys in use at the same time on a node; those beyond cost a read each. About 15 MB. */
const maxRemembered = 20_000;

interface Remembered {
  /** Undefined when the store says no to a key that this server has written: a revoked one that goes on being used. */
  readonly caller: Caller | undefined;
  readonly expiresAt: number;
  readonly edition: number;
}

export interface ApiKeyAuthenticationParts {
  readonly store: Store;
  readonly freshness: Freshness;
  readonly clock: Clock;
  readonly secret: KeyObject;
}

export class ApiKeyAuthentication {
  readonly #parts: ApiKeyAuthenticationParts;
  readonly #reads: FreshReads<number, KeyWithAccount | undefined>;
  readonly #remembered = new LRUCache<string, Remembered>({ max: maxRemembered });

  constructor(parts: ApiKeyAuthenticationParts) {
    this.#parts = parts;
    this.#reads = new FreshReads(parts.freshness, (keyId) => parts.store.read(findKeyById, keyId));
  }

  /**
   * False keys are not counted as failed attempts: there is nothing to be guessed in 256 bits, refusing them costs
   * microseconds, and a limit could be turned against those who hold true keys behind the same address.
   */
  authenticate(text: string): Caller | Promise<Caller> {
    const remembered = this.#remembered.get(text);
    if (remembered !== undefined && this.#parts.freshness.holds(remembered.edition)) {
      return this.#letIn(remembered);
    }
    const claim = readApiKey(this.#parts.secret, text);
    if (claim === undefined) throw unauthorised();
    return this.#askStore(text, claim);
  }

  async #askStore(text: string, claim: ApiKeyClaim): Promise<Caller> {
    const { result: found, edition } = await this.#reads.read(claim.keyId);
    // Not remembered: news tell of changes, but not of a key that is made after all (in a restored database).
    if (found === undefined) throw unauthorised();
    const remembered = { ...judge(claim, found), edition };
    this.#remembered.set(text, remembered);
    return this.#letIn(remembered);
  }

  #letIn({ caller, expiresAt }: Remembered): Caller {
    if (caller === undefined || expiresAt <= this.#parts.clock.now()) throw unauthorised();
    return caller;
  }
}

function judge(claim: ApiKeyClaim, { key, account }: KeyWithAccount): Omit<Remembered, 'edition'> {
  const isGood =
    !key.revoked &&
    key.generation === claim.generation &&
    account.user.username === claim.username &&
    isActive(account);
  return {
    caller: isGood ? callerOf(account) : undefined,
    expiresAt: key.expiresAt ?? Number.POSITIVE_INFINITY,
  };
}
