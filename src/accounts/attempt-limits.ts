/**
 * Slows down password guessing: after a number of failed attempts on an account or from a network, the next is refused
 * until the oldest of them have expired (API: 429 `too_many_attempts`). A user in a network from which that user has
 * logged in before has a separate allowance, which strangers cannot use up.
 */
import { ServiceError } from '../foundation/errors.ts';
import { networkOf, wideNetworkOf } from '../http/origin.ts';
import type { FailureCounts, Limit } from './failure-counts.ts';

/** A login attempt: the user name, and where it comes from. */
export interface Attempt {
  readonly username: string;
  readonly address: string;
}

/** What failures are counted by. */
export interface Allowance {
  readonly kind: 'account' | 'account in its network' | 'address' | 'network';
  readonly key: string;
  readonly limits: readonly Limit[];
  /** With fewer in the slots that are kept, it is not worth a row of the store. */
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
/** Higher, since many people may share an address, and many subscribers have neighbouring ones. */
const ofAddress = within(50, 300);
const ofNetwork = within(200, 1_200);

type Allowances = Readonly<Record<'account' | 'known' | 'address' | 'network', Allowance>>;

/** The account counts by name, whether it exists or not, so that a refusal does not reveal which accounts exist. */
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
  };
}

export class AttemptLimits {
  readonly #counts: FailureCounts;

  constructor(counts: FailureCounts) {
    this.#counts = counts;
  }

  /** Throws `too_many_attempts` when the attempt has to wait. */
  check(attempt: Attempt, isKnown: boolean): void {
    const { known, ...others } = allowancesOf(attempt);
    const lockedMs = Math.max(
      ...(isKnown ? [known] : Object.values(others)).map(({ key }) => this.#counts.lockedMs(key)),
    );
    if (lockedMs === 0) return;
    const seconds = Math.ceil(lockedMs / 1_000);
    throw new ServiceError(
      'too_many_attempts',
      { sentence: 'failed_logins', seconds },
      { headers: { 'retry-after': String(seconds) } },
    );
  }

  /** Returns what it was counted by, and which of these have no room for another now. */
  fail(
    attempt: Attempt,
    isKnown: boolean,
  ): { readonly counted: readonly Allowance[]; readonly usedUp: readonly Allowance[] } {
    const { account, known, ...networks } = allowancesOf(attempt);
    const counted = [isKnown ? known : account, ...Object.values(networks)];
    return { counted, usedUp: counted.filter(({ key, limits }) => this.#counts.add(key, limits)) };
  }
}
