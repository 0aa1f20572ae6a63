/** One answer for whoever is not let in, so that it tells nobody which users exist (API: authentication). */
import { ServiceError } from '../foundation/errors.ts';

export function unauthorised(): ServiceError {
  return new ServiceError(
    'unauthorised',
    'The credentials are wrong or no longer valid, or the account or its company is not active.',
  );
}
