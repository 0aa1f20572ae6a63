/** Says which entry decides about e-mails from an address, as the gateway itself looks it up. */
import type { Caller } from '../../accounts/caller.ts';
import { errorOfFields, type ServiceError } from '../../foundation/errors.ts';
import type { Store } from '../../storage/store.ts';
import { parseEmailAddress } from '../../wire/email-address.ts';
import { queryDomains } from '../senders/administer-senders.ts';
import { type PayerProblem, payerProblem } from '../senders/paying-user.ts';
import { isAllowedDomain } from '../senders/sender-entry.ts';
import { findEntry, keyOf } from '../senders/store.ts';

export const decisions = ['allowed', 'blocked', 'notListed', 'otherCompany'] as const;

export interface Decision {
  readonly decision: (typeof decisions)[number];
  /** The key of the entry that decides, if it is the company's. */
  readonly entry?: string | undefined;
  readonly payingUser?: string | undefined;
  readonly payerProblem?: PayerProblem | undefined;
}

/**
 * An entry of another company is reported only for domains that the company may list itself, for which a new entry would be
 * refused with the same words; otherwise the lists of other companies could be found out.
 */
export async function decideFor(store: Store, caller: Caller, address: string): Promise<Decision> {
  const endings = await queryDomains(store, caller);
  const key = keyOf(address);
  if (key === undefined) throw noAddress(address);
  const found = await findEntry(store, address);
  if (found.kind === 'unknown') return { decision: 'notListed' };
  if (found.companyId !== caller.companyId)
    return { decision: isAllowedDomain(key.domain, endings) ? 'otherCompany' : 'notListed' };
  const { entry, payer } = found;
  return {
    decision: found.kind,
    entry: entry.email,
    payingUser: payer.username,
    payerProblem: payerProblem(payer),
  };
}

function noAddress(address: string): ServiceError {
  const parsed = parseEmailAddress(address);
  return errorOfFields(parsed.ok ? { code: 'invalid_email', error: '' } : parsed, 'email');
}
