/**
 * Looks up where callers want to have events posted, for few of them at a time: names whose servers never answer hold up
 * their own users, and nobody else.
 */
import { ServiceError } from '../../foundation/errors.ts';
import type { ReadOwner } from '../../storage/verb.ts';
import type { AddressGuard } from '../posting/address-guard.ts';

export const lookUpsOfUser = 2;
export const lookUpsOfCompany = 8;

export class LookUps {
  readonly #guard: Pick<AddressGuard, 'addressesOf'>;
  /** Under way, of whom there are any. */
  readonly #ofUsers = new Map<number, number>();
  readonly #ofCompanies = new Map<number, number>();

  constructor(guard: Pick<AddressGuard, 'addressesOf'>) {
    this.#guard = guard;
  }

  /** As the guard does; refused where the caller has as many under way as may be. */
  async addressesOf({ companyId, userId }: ReadOwner, host: string): Promise<readonly string[]> {
    const isFull =
      (this.#ofUsers.get(userId) ?? 0) >= lookUpsOfUser ||
      (this.#ofCompanies.get(companyId) ?? 0) >= lookUpsOfCompany;
    if (isFull) {
      const sentence = 'The addresses of other webhooks of yours are being looked up. Try again in a moment.';
      throw new ServiceError('overloaded', sentence, { headers: { 'retry-after': '2' } });
    }
    count(this.#ofUsers, userId, 1);
    count(this.#ofCompanies, companyId, 1);
    try {
      return await this.#guard.addressesOf(host);
    } finally {
      count(this.#ofUsers, userId, -1);
      count(this.#ofCompanies, companyId, -1);
    }
  }
}

function count(counts: Map<number, number>, id: number, change: 1 | -1): void {
  const next = (counts.get(id) ?? 0) + change;
  if (next === 0) counts.delete(id);
  else counts.set(id, next);
}
