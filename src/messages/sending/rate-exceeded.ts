/** Reports a call that would exceed a limit per minute or day, to the caller and to the operator. */
import type { Caller } from '../../accounts/caller.ts';
import { ServiceError } from '../../foundation/errors.ts';
import type { SecurityEvents } from '../../foundation/security-log.ts';
import type { CostRefused } from '../charging.ts';

export function overRateError(
  { holder, over, left }: Extract<CostRefused, { kind: 'rateExceeded' }>,
  { caller, parts, now }: { readonly caller: Caller; readonly parts: number; readonly now: number },
  security: SecurityEvents,
): ServiceError {
  const limit = `The ${holder} may send ${over.limit} SMS parts a ${over.span}`;
  if (over.kind === 'never') {
    return new ServiceError(
      'too_many_parts',
      `${limit}, and this call has ${parts}. Nothing was sent; spread the recipients over several calls.`,
    );
  }
  const { username, companyId } = caller;
  security.record({ event: 'rate_exceeded', username, companyId, object: holder, reason: over.span });
  const seconds = Math.max(1, Math.ceil((over.retryAt - now) / 1_000));
  return new ServiceError(
    'rate_exceeded',
    `${limit}, of which ${over.left} are left; this call has ${parts}. Nothing was sent; try again in ${seconds} s.`,
    { headers: { 'retry-after': String(seconds) }, body: { left } },
  );
}
