/**
 * Decides who may send from which sender id: an SMS sent in someone else's name deceives its readers, and their answers
 * go astray. A rented number belongs to its renter's company, a number of the reply pool to nobody, and senders listed
 * by companies (`senders`) to the companies that list them.
 */
import type { ListedSenders } from '../accounts/company-records.ts';
import { errorOfFields } from '../foundation/errors.ts';
import { fault, type Result, success } from '../foundation/result.ts';
import { formsOf, nationalForm } from '../wire/phone-number.ts';

export interface OwnedNumber {
  readonly number: string;
  readonly pool: number;
  /** The company of the renter, or the company whose pool contains the number; null when it belongs to nobody. */
  readonly companyId: number | null;
}

export interface OwnedSenders {
  readonly numbers: readonly OwnedNumber[];
  readonly listed: readonly ListedSenders[];
}

const pool = Symbol('pool');

/**
 * The same key for senders that readers cannot distinguish: `BANK` and `Bank`, or a number with and without its international
 * prefix.
 */
export function senderKey(sender: string): string {
  return sender.replace(/^(?:00)+/, '').toLowerCase();
}

/**
 * Shorter numbers are short codes, which have only one spelling. Phones also show longer numbers without their country code.
 */
const shortestNumber = 8;

/** The keys under which a number is known. */
export function writtenForms(number: string): readonly string[] {
  if (number.length < shortestNumber) return [number];
  return formsOf(number).flatMap((form) => [form, nationalForm(form)]);
}

export class SenderOwners {
  readonly #owners = new Map<string, typeof pool | ReadonlySet<number>>();

  constructor({ numbers, listed }: OwnedSenders = { numbers: [], listed: [] }) {
    const lists = new Map<string, Set<number>>();
    for (const { companyId, senders } of listed)
      for (const sender of senders) {
        const key = senderKey(sender);
        lists.set(key, (lists.get(key) ?? new Set()).add(companyId));
      }
    for (const [key, companies] of lists) this.#owners.set(key, companies);
    for (const one of numbers) {
      const owner = one.pool === 1 ? pool : one.companyId === null ? undefined : new Set([one.companyId]);
      if (owner !== undefined) for (const form of writtenForms(one.number)) this.#owners.set(form, owner);
    }
  }

  /** Takes a sender as returned by `parseSender`; returns a fault if the company may not send from it. */
  judge(companyId: number, sender: string): Result<string> {
    const owner = this.#owners.get(senderKey(sender));
    if (owner === undefined) return success(sender);
    if (owner === pool) return fault('sender_not_yours', { sentence: 'sender_of_pool', sender });
    if (owner.has(companyId)) return success(sender);
    return fault('sender_not_yours', { sentence: 'sender_of_another', sender });
  }

  /** Throws if the company may not send from the sender. `field` is the parameter that contained it. */
  refuseForeign(companyId: number, sender: string, field: string): void {
    const judged = this.judge(companyId, sender);
    if (!judged.ok) throw errorOfFields(judged, field);
  }
}
