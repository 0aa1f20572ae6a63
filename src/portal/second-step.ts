/** Asks for a second factor after a password or a link, and verifies what is given. */
import type { FactorAttempts } from '../accounts/factor-attempts.ts';
import { errorOfFields, type ServiceError } from '../foundation/errors.ts';
import { fault } from '../foundation/result.ts';
import type { Context } from '../storage/context.ts';
import { cleanCode, type FactorProof, type FactorSecrets } from './factor.ts';
import { readFactors } from './factor-store.ts';

export const loadTotp = () => import('./totp.ts');

export interface SecondSteps extends Context {
  readonly secrets: FactorSecrets;
  readonly attempts: FactorAttempts;
}

/** Who has to give a second factor, and from where. */
export interface Asked {
  readonly userId: number;
  readonly username: string;
  readonly address: string;
}

/** What the user can give. */
export async function askFor({ store }: Pick<SecondSteps, 'store'>, userId: number) {
  const { totp } = await store.read(readFactors, userId);
  return { codes: totp !== undefined };
}

export interface GivenFactor {
  /** A code of an app, or a recovery code. */
  readonly code?: string | undefined;
}

/** Throws an error of the field if what was given is wrong, which counts as a failed attempt. */
export async function prove(
  { store, clock, secrets, attempts }: SecondSteps,
  { userId, username, address }: Asked,
  { code = '' }: GivenFactor,
): Promise<FactorProof> {
  const attempt = { username, address, tried: 'factor' } as const;
  await attempts.recall(attempt);
  const { stepOf } = await loadTotp();
  const { totp, recoveryDigests } = await store.read(readFactors, userId);
  attempts.check(attempt);
  const typed = cleanCode(code);
  const step = totp && stepOf(secrets.openTotp(userId, totp.secret), typed, clock.now(), totp.usedStep);
  if (step !== undefined) return { kind: 'code', step };
  const digest = secrets.recoveryDigest(userId, typed);
  if (recoveryDigests.includes(digest)) return { kind: 'recoveryCode', digest };
  throw refusedProof(attempts, attempt, 'wrong_code');
}

/** A code that another node took at the same moment is as wrong as any other. */
export function refusedProof(
  attempts: FactorAttempts,
  asked: Pick<Asked, 'username' | 'address'>,
  reason: 'wrong_code' | 'code_used',
): ServiceError {
  const { username, address } = asked;
  attempts.fail({ username, address, tried: 'factor' }, reason);
  return errorOfFields(fault('invalid_value', { sentence: 'wrong_code' }), 'code');
}
