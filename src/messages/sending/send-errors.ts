/**
 * Defines the errors of calls that send: the codes for the tables of their endpoints, and each error of a whole call.
 */

import type { Caller } from '../../accounts/caller.ts';
import { type ErrorCode, ServiceError } from '../../foundation/errors.ts';
import type { SecurityEvents } from '../../foundation/security-log.ts';
import type { CostRefused } from '../charging.ts';
import { rateHeaders, secondsUntil } from '../rate.ts';
import type { Prepared } from './prepare.ts';

export const sendErrors: readonly ErrorCode[] = [
  'nothing_queued',
  'invalid_number',
  'number_not_mobile',
  'number_machine_series',
  'no_route',
  'country_not_allowed',
  'no_pool_number',
  'opted_out',
  'no_recipients',
  'no_text',
  'unknown_template',
  'text_too_long',
  'invalid_flash_text',
  'invalid_sender',
  'sender_not_allowed',
  'sender_not_yours',
  'no_sender',
  'invalid_time',
  'quota_exceeded',
  'too_many_parts',
  'rate_exceeded',
  'idempotency_mismatch',
  'role_missing',
];

/** Errors that can occur when selecting from the address book. */
export const selectionErrors: readonly ErrorCode[] = [
  'conflicting_parameters',
  'invalid_tag_filter',
  'unknown_tag_filter',
  'unknown_group',
  'no_address_book',
];

export function nothingQueued({ rejected, errors }: Prepared): ServiceError {
  const [first] = errors;
  const why =
    rejected.length === 1 && first !== undefined
      ? first.error
      : 'See `errors` for the reason for each recipient.';
  return new ServiceError('nothing_queued', `No SMS was queued. ${why}`, { errors, body: { rejected } });
}

export function quotaExceeded(): ServiceError {
  return new ServiceError(
    'quota_exceeded',
    'The quota of the account or its company is not enough for this call. Nothing was sent.',
  );
}

/** For a call that would exceed a limit per minute or day; the operator is notified as well. */
export function overRateError(
  { holder, over, left }: Extract<CostRefused, { kind: 'rateExceeded' }>,
  { caller, parts, now }: { readonly caller: Caller; readonly parts: number; readonly now: number },
  security: SecurityEvents,
): ServiceError {
  const limit = { holder, most: over.limit, span: over.span, parts } as const;
  if (over.kind === 'never') return new ServiceError('too_many_parts', { sentence: 'parts_never', ...limit });
  const { username, companyId } = caller;
  security.record({ event: 'rate_exceeded', username, companyId, object: holder, reason: over.span });
  const seconds = secondsUntil(over.retryAt, now);
  return new ServiceError(
    'rate_exceeded',
    { sentence: 'parts_left', ...limit, left: over.left, seconds },
    { headers: { 'retry-after': String(seconds), ...rateHeaders([over], now) }, body: { left } },
  );
}
