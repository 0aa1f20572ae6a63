/**
 * Slows down password guessing: after a number of failed attempts on an account or from a network, the next attempt is
 * refused until the oldest failures expire (API: 429 `too_many_attempts`). In a network from which a user has logged in
 * before, that user has a separate allowance, which strangers cannot use up.
 */
import { ServiceError } from '../foundation/errors.ts';
import { networkOf, wideNetworkOf } from '../http/origin.ts';
import type { FailureCounts, Limit } from './failure-counts.ts';

/** A login attempt: the user name and where the attempt comes from. */
export interface Attempt {
  readonly username: string;
  readonly address: string;
}

/** A key by which failures are counted. */
export interface Allowance {
  readonly kind: 'account' | 'account in its network' | 'address' | 'network' | 'second factor';
  readonly key: string;
  readonly limits: readonly Limit[];
  /** A count is stored once the slots that are kept hold this many failures. */
  readonly storedFrom: number;
}

const minuteMs = 60_000;

function within(inFiveMinutes: number, inAnHour: number): readonly Limit[] {
  return [
    { failures: inFiveMinutes, windowMs: 5 * minuteMs },
    { failures: inAnHour, windowMs: 60 * minuteMs },
  ];
}

/** Allows 2,400 guesses a day; a person who mistypes waits about five minutes. */
const ofAccount = within(8, 100);
/**
 * Six digits are guessed sooner than a password. Who tries them has the password, perhaps from a thousand networks, so no
 * network has an allowance of its own.
 */
const ofFactor = within(8, 30);
/** Higher than for an account, since many people may share an address, and many subscribers have neighbouring addresses. */
const ofAddress = within(50, 300);
const ofNetwork = within(200, 1_200);

type Allowances = Readonly<Record<'account' | 'known' | 'address' | 'network' | 'factor', Allowance>>;

/**
 * Failures are counted by name whether or not the account exists, so that a refusal does not reveal which accounts
 * exist.
 */
export function allowancesOf({ username, address }: Attempt): Allowances {
  const [near, wide] = [networkOf(address), wideNetworkOf(address)];
  return {
    account: { kind: 'account', key: `account ${username}`, limits: ofAccount, storedFrom: 1 },
    known: {
      kind: 'account in its network',
      key: `known ${near} ${username}`,
      limits: ofAccount,
      storedFrom: 1,
    },
    address: { kind: 'address', key: `address ${near}`, limits: ofAddress, storedFrom: 5 },
    network: { kind: 'network', key: `network ${wide}`, limits: ofNetwork, storedFrom: 5 },
    factor: { kind: 'second factor', key: `factor ${username}`, limits: ofFactor, storedFrom: 1 },
  };
}

/**
 * What was tried: a password, in a network that the user is known in or in another; a second factor after the password; or a
 * sign-in at an identity provider, which names no user before it has succeeded.
 */
export type Tried = 'known' | 'account' | 'factor' | 'provider';

export interface CountedFailure {
  readonly counted: readonly Allowance[];
  /** Those of them that are now used up. */
  readonly usedUp: readonly Allowance[];
}

export class AttemptLimits {
  readonly #counts: FailureCounts;

  constructor(counts: FailureCounts) {
    this.#counts = counts;
  }

  /** Throws `too_many_attempts` when the attempt has to wait. */
  check(attempt: Attempt, tried: Tried): void {
    const { address, network, ...own } = allowancesOf(attempt);
    const held = {
      known: [own.known],
      factor: [own.factor],
      account: [own.account, address, network],
      provider: [address, network],
    }[tried];
    const lockedMs = Math.max(...held.map(({ key }) => this.#counts.lockedMs(key)));
    if (lockedMs === 0) return;
    const seconds = Math.ceil(lockedMs / 1_000);
    throw new ServiceError(
      'too_many_attempts',
      { sentence: 'failed_logins', seconds },
      { headers: { 'retry-after': String(seconds) } },
    );
  }

  /** Returns the allowances that the failure counted against. */
  fail(attempt: Attempt, tried: Tried): CountedFailure {
    const { address, network, ...own } = allowancesOf(attempt);
    const counted = [...(tried === 'provider' ? [] : [own[tried]]), address, network];
    return { counted, usedUp: counted.filter(({ key, limits }) => this.#counts.add(key, limits)) };
  }
}
