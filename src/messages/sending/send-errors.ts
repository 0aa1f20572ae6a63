/** The error codes of sending, for the tables of the endpoints that send, and the error of a call that sends nothing. */
import { type ErrorCode, ServiceError } from '../../foundation/errors.ts';
import type { Prepared } from './prepare.ts';

export const sendErrors: readonly ErrorCode[] = [
  'nothing_queued',
  'invalid_number',
  'number_not_mobile',
  'number_machine_series',
  'no_route',
  'country_not_allowed',
  'no_pool_number',
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

/** Of whom a call selects from the address book. */
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
      : 'See `errors` for the reason of each recipient.';
  return new ServiceError('nothing_queued', `No SMS was queued. ${why}`, { errors, body: { rejected } });
}

export function quotaExceeded(): ServiceError {
  return new ServiceError(
    'quota_exceeded',
    'The quota of the account or its company does not cover all of this call. Nothing was sent.',
  );
}
