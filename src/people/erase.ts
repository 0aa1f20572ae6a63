/** Asks for the erasure of a phone number, which a node then does in steps. */
import type { Caller } from '../accounts/caller.ts';
import { ServiceError } from '../foundation/errors.ts';
import { digestOf, type Erasure } from './erasure.ts';
import { requestErasure } from './erasure-store.ts';
import { type PeopleServices, requireAdministrator } from './read-person.ts';

export async function erase(
  { store, clock, secret }: PeopleServices,
  caller: Caller,
  number: string,
): Promise<Erasure> {
  requireAdministrator(caller);
  const { companyId, username, session } = caller;
  const digest = digestOf(secret, companyId, number);
  const requested = await store.write(requestErasure, {
    companyId,
    username,
    session,
    digest,
    number,
    now: clock.now(),
  });
  if (requested.kind === 'requested') return requested.erasure;
  throw new ServiceError(
    'managed',
    `The provisioning file ${requested.files.join(', ')} names somebody with this number, and would bring him back: take him out of it first.`,
  );
}
