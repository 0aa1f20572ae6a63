/**
 * Says who may send from which sender id: an SMS in somebody else's name deceives its readers, and their answers go astray.
 * A rented number belongs to the company of its renter, a number of the reply pool to nobody, and what companies list
 * (`senders`) to the companies that list it.
 */
import type { ListedSenders } from '../accounts/company-records.ts';
import { errorOfFields } from '../foundation/errors.ts';
import { fault, type Result, success } from '../foundation/result.ts';
import { formsOf, nationalForm } from '../wire/phone-number.ts';

export interface OwnedNumber {
  readonly number: string;
  readonly pool: number;
  /** The company of the renter, or the one whose pool it is in; null: it belongs to nobody. */
  readonly companyId: number | null;
}

export interface OwnedSenders {
  readonly numbers: readonly OwnedNumber[];
  readonly listed: readonly ListedSenders[];
}

const pool = Symbol('pool');

/** What is equal for senders that readers don't tell apart: `BANK` and `Bank`, and a number with its international prefix. */
export function senderKey(sender: string): string {
  return sender.replace(/^(?:00)+/, '').toLowerCase();
}

/** Shorter numbers are short codes, which are written in one way only. Phones show longer ones without their country code, too. */
const shortestNumber = 8;

/** The keys by which a number is known. */
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

  /** A sender as `parseSender` gives it; its fault where it is not the company's to send from. */
  judge(companyId: number, sender: string): Result<string> {
    const owner = this.#owners.get(senderKey(sender));
    if (owner === undefined) return success(sender);
    if (owner === pool) return fault('sender_not_yours', { sentence: 'sender_of_pool', sender });
    if (owner.has(companyId)) return success(sender);
    return fault('sender_not_yours', { sentence: 'sender_of_another', sender });
  }

  /** Throws where the sender is not the company's. `field`: the parameter it came in. */
  refuseForeign(companyId: number, sender: string, field: string): void {
    const judged = this.judge(companyId, sender);
    if (!judged.ok) throw errorOfFields(judged, field);
  }
}
