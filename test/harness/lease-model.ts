/**
 * A model of which number a two-way message is sent from and who an answer belongs to, restated as plainly as possible from
 * the API contract without any of the product's code.
 */

export const pool = ['46731239001', '46731239002', '46731239003'];

/** Hours that a lease outlives its message's validity. */
const hoursAfter = 72;

interface ModelLease {
  readonly number: string;
  readonly to: string;
  readonly userId: number;
  readonly conversation: string;
  readonly id: string;
  readonly from: number;
  readonly until: number;
}

export interface LeaseWish extends Omit<ModelLease, 'number' | 'until'> {
  readonly expiresAt: number;
}

export class LeaseModel {
  /** In order of creation. */
  #leases: ModelLease[] = [];
  /** The least recently used number comes first. */
  #byUse = [...pool];

  /** Returns the leased number. */
  take({ expiresAt, ...wish }: LeaseWish, now: number): string {
    const number = this.#choose(wish, now);
    const before = wish.from > now ? [] : this.#begun(wish.to, number, now);
    const ends = before.filter((one) => isSame(one, wish)).map(({ until }) => until);
    this.#leases = this.#leases
      .filter((one) => one === before[0] || !before.includes(one))
      .map((one) => (one === before[0] ? { ...one, until: Math.min(one.until, now) } : one));
    const until = Math.max(expiresAt + hoursAfter * 3_600_000, ...ends);
    this.#leases.push({ ...wish, number, until });
    this.#byUse = [...this.#byUse.filter((one) => one !== number), number];
    return number;
  }

  #choose(wish: Pick<ModelLease, 'to' | 'userId' | 'conversation'>, now: number): string {
    const live = this.#leases.filter(({ to, until }) => to === wish.to && until > now);
    const unauthenticatedOn = (number: string) =>
      live.filter((one) => one.number === number && !isSame(one, wish));
    const current = pool.map(
      (number) => this.#begun(wish.to, number, now)[0] ?? this.#on(wish.to, number).at(-1),
    );
    const own = this.#leases.findLast((one) => current.includes(one) && isSame(one, wish))?.number;
    if (own !== undefined && unauthenticatedOn(own).length === 0) return own;
    const free = this.#byUse.find((number) => live.every((one) => one.number !== number));
    if (free !== undefined) return free;
    const lastOn = (number: string) => this.#leases.indexOf(this.#on(wish.to, number).at(-1) as ModelLease);
    return own ?? ([...pool].sort((a, b) => lastOn(a) - lastOn(b))[0] as string);
  }

  #on(to: string, number: string): readonly ModelLease[] {
    return this.#leases.filter((one) => one.to === to && one.number === number);
  }

  /** The number's leases that have begun, the latest first; an answer belongs to the first of them. */
  #begun(to: string, number: string, now: number): readonly ModelLease[] {
    return this.#on(to, number)
      .filter(({ from }) => from <= now)
      .reverse()
      .sort((a, b) => b.from - a.from);
  }

  /** Finds who an answer belongs to; messages never handed to a carrier do not count. */
  answered(
    { phone, number, now }: { readonly phone: string; readonly number: string; readonly now: number },
    neverOut: ReadonlySet<string>,
  ): ModelLease | undefined {
    const counts = ({ id }: ModelLease) => !neverOut.has(id);
    const coming = this.#on(phone, number)
      .filter(({ from }) => from > now)
      .reverse()
      .sort((a, b) => a.from - b.from);
    return [...this.#begun(phone, number, now), ...coming].find(counts);
  }
}

function isSame(a: Pick<ModelLease, 'userId' | 'conversation'>, b: typeof a): boolean {
  return a.conversation !== '' && a.conversation === b.conversation && a.userId === b.userId;
}
