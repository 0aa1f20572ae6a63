/** Logs users in over SMTP (RFC 4954), and words the refusals: it takes an account that may send SMS. */
import type { Logger } from 'pino';
import type { SMTPServerAuthentication } from 'smtp-server';
import type { Caller } from '../../accounts/caller.ts';
import { ServiceError } from '../../foundation/errors.ts';
import type { Authenticate } from '../../http/credentials/credentials.ts';
import { replyText } from '../gateway/mail-answer.ts';
import { unfitness } from '../senders/paying-user.ts';

/** Throws what `loginFault` puts into words. */
export async function logIn(
  authenticate: Authenticate<Caller>,
  { username = '', password }: Pick<SMTPServerAuthentication, 'username' | 'password'>,
  address: string,
): Promise<Caller> {
  const credentials = { kind: 'password', username, password: password ?? '' } as const;
  const caller = await authenticate(credentials, { address, channel: 'smtp' });
  const unfit = unfitness({ active: true, roles: [...caller.roles] });
  if (unfit === undefined) return caller;
  throw new ServiceError(
    'role_missing',
    `The account ${caller.username} ${unfit}. The operator gives roles in the provisioning file.`,
  );
}

export interface LoginFault {
  readonly code: 454 | 535;
  readonly text: string;
}

export function loginFault(error: unknown, log: Pick<Logger, 'error'>): LoginFault {
  if (error instanceof ServiceError && (error.status < 500 || error.code === 'overloaded'))
    return { code: error.status >= 429 ? 454 : 535, text: replyText(error.message) };
  log.error({ err: error }, 'SMTP credentials could not be checked');
  return { code: 454, text: 'The credentials cannot be checked just now; try again later.' };
}
