/** Gives an SMS that belongs to nobody to a user, for an administrator of a company or for an operator. */
import type { Actor } from '../../audit/audit-log.ts';
import { ServiceError } from '../../foundation/errors.ts';
import { quoted } from '../../foundation/result.ts';
import type { PersonSecret } from '../../opt-outs/person-digest.ts';
import type { Context } from '../../storage/context.ts';
import { announceToOperators } from '../../storage/hints.ts';
import { parseMessageId } from '../message.ts';
import { assignUnrouted } from './numbers.ts';

interface Giving extends Context {
  /** Called after an SMS was given to a user, so that every node reads the change at once. */
  readonly changed: () => void;
  /** Finds the opt-outs of erased people. */
  readonly personSecret: PersonSecret;
}

interface Gift {
  /** The company that the SMS and the user belong to; null for an operator, who may give any SMS to any user. */
  readonly companyId: number | null;
  /** The id of the SMS, as the caller wrote it. */
  readonly id: string;
  /** The user who is to receive the SMS. */
  readonly username: string;
  readonly by: Actor;
}

export async function giveUnrouted(
  { store, clock, changed, personSecret }: Giving,
  { companyId, id, username, by }: Gift,
): Promise<{ readonly id: string; readonly username: string }> {
  const outcome = await store.write(assignUnrouted, {
    companyId,
    id: parseMessageId(id) ?? Number.MAX_SAFE_INTEGER,
    username,
    by,
    now: clock.now(),
    personSecret,
  });
  if (outcome === 'notFound')
    throw new ServiceError('not_found', { sentence: 'no_unrouted', message: quoted(id) });
  if (outcome === 'noUser') {
    const sentence = companyId === null ? 'no_account' : 'unknown_user';
    throw new ServiceError('not_found', { sentence, user: quoted(username) });
  }
  changed();
  announceToOperators(store, 'unrouted');
  return { id, username };
}
