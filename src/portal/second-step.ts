/** Asks for a second factor after a password or a link, and verifies what is given. */
import type { FactorAttempts } from '../accounts/factor-attempts.ts';
import { timeIn } from '../foundation/clock.ts';
import { errorOfFields, type ServiceError } from '../foundation/errors.ts';
import { fault } from '../foundation/result.ts';
import type { Context } from '../storage/context.ts';
import { challengeMs, cleanCode, type FactorProof, type FactorSecrets } from './factor.ts';
import type { FactorRefusal, Owner } from './factor-records.ts';
import type { FactorVerbs } from './own-factors.ts';

export const loadTotp = () => import('./totp.ts');
export const loadPasskeys = () => import('./passkey.ts');

/** Second factors of users, or of operators. */
export interface SecondSteps<Who extends Owner> extends Context {
  readonly factors: FactorVerbs<Who>;
  readonly secrets: FactorSecrets;
  readonly attempts: FactorAttempts;
  /** The server's address as its users know it. Passkeys are valid there and nowhere else. */
  readonly publicUrl: () => string;
}

/** Who has to give a second factor, and from where. */
export interface Asked<Who extends Owner> {
  readonly owner: Who;
  /** The name by which failures are counted. */
  readonly username: string;
  readonly address: string;
}

/** What can be given. */
export async function askFor<Who extends Owner>(
  { store, factors, secrets, clock, publicUrl }: Omit<SecondSteps<Who>, 'attempts'>,
  owner: Who,
) {
  const { totp, passkeys } = await store.read(factors.read, owner);
  const codes = totp !== undefined;
  if (passkeys.length === 0) return { codes };
  const { askForOne } = await loadPasskeys();
  const challenge = secrets.sign('use a passkey', { owner }, timeIn(clock, challengeMs));
  return { codes, passkey: await askForOne(new URL(publicUrl()), passkeys, challenge) };
}

export interface GivenFactor {
  /** A code of an app, or a recovery code. */
  readonly code?: string | undefined;
  /** What the browser answered, in JSON. */
  readonly passkey?: string | undefined;
}

/** Throws an error of the field if what was given is wrong, which counts as a failed attempt. */
export async function prove<Who extends Owner>(
  services: SecondSteps<Who>,
  { owner, username, address }: Asked<Who>,
  { code = '', passkey }: GivenFactor,
): Promise<FactorProof> {
  const { store, factors, clock, secrets, attempts } = services;
  const attempt = { username, address };
  await attempts.recall(attempt);
  if (passkey !== undefined) {
    // Nobody guesses a signature. Failures are counted for what they cost.
    const proof = await proofOf(services, owner, passkey);
    if (proof !== undefined) return proof;
    throw refusedProof(attempts, attempt, 'wrong_passkey');
  }
  const { stepOf } = await loadTotp();
  const { totp, recoveryDigests } = await store.read(factors.read, owner);
  attempts.check(attempt);
  const typed = cleanCode(code);
  const step = totp && stepOf(secrets.openTotp(owner, totp.secret), typed, clock.now(), totp.usedStep);
  if (step !== undefined) return { kind: 'code', step };
  const digest = secrets.recoveryDigest(owner, typed);
  if (recoveryDigests.includes(digest)) return { kind: 'recoveryCode', digest };
  throw refusedProof(attempts, attempt, 'wrong_code');
}

async function proofOf<Who extends Owner>(
  { store, factors, clock, secrets, publicUrl }: SecondSteps<Who>,
  owner: Who,
  answer: string,
) {
  const [{ passkeyProof }, { passkeys }] = await Promise.all([
    loadPasskeys(),
    store.read(factors.read, owner),
  ]);
  return passkeyProof(new URL(publicUrl()), passkeys, answer, (signed) => {
    const challenge = secrets.open<{ owner: Who }>('use a passkey', signed, clock.now());
    return challenge?.owner === owner ? challenge.used : undefined;
  });
}

/** What has begun with the proof. A code that another node took at the same moment is as wrong as any other. */
export function proven<Begun extends object>(
  attempts: FactorAttempts,
  asked: Asked<Owner>,
  { passkey }: GivenFactor,
  begun: Begun | FactorRefusal,
): Begun {
  if (typeof begun !== 'string') return begun;
  throw refusedProof(attempts, asked, passkey === undefined ? 'code_used' : 'passkey_used');
}

function refusedProof(
  attempts: FactorAttempts,
  { username, address }: Pick<Asked<Owner>, 'username' | 'address'>,
  reason: 'wrong_code' | 'code_used' | 'wrong_passkey' | 'passkey_used',
): ServiceError {
  attempts.fail({ username, address }, reason);
  const isCode = reason === 'wrong_code' || reason === 'code_used';
  const sentence = isCode ? 'wrong_code' : 'wrong_passkey';
  return errorOfFields(fault('invalid_value', { sentence }), isCode ? 'code' : 'passkey');
}
