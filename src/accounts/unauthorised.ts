/** The single response to failed authentication, so that it does not reveal which users exist (API: authentication). */
import { ServiceError } from '../foundation/errors.ts';

export function unauthorised(): ServiceError {
  return new ServiceError(
    'unauthorised',
    'The credentials are wrong or no longer valid, or the account or its company is not active.',
  );
}
