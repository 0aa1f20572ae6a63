/** What people do with their own second factors: they set them up, remove them, and replace their recovery codes. */
import type { Actor } from '../audit/audit-log.ts';
import { timeIn } from '../foundation/clock.ts';
import { errorOfFields, ServiceError } from '../foundation/errors.ts';
import { fault } from '../foundation/result.ts';
import { challengeMs, cleanCode, newRecoveryCodes } from './factor.ts';
import type { FactorsChanged, Owner } from './factor-records.ts';
import type { ChangeRefusal, OwnChange } from './own-factors.ts';
import { loadPasskeys, loadTotp, type SecondSteps } from './second-step.ts';
import { hasEnded } from './sessions.ts';

/** Somebody who changes their own second factors. */
export interface Holder<Who extends Owner> {
  readonly owner: Who;
  readonly username: string;
  /** The digest of the session that makes the call. */
  readonly asking: string;
  readonly by: Actor;
  /** Whether a setting of the server requires a factor. */
  readonly isRequired?: boolean;
  /** Tells those who have to know of a change that is stored. */
  readonly announce: (changed: FactorsChanged) => void | Promise<void>;
}

export interface FactorServices<Who extends Owner> extends Omit<SecondSteps<Who>, 'attempts'> {
  /** The domain that mail is sent from; undefined when no mail is sent. */
  readonly mailDomain: string | undefined;
}

interface TotpSetup {
  /** Sealed. */
  readonly secret: string;
  readonly owner: Owner;
}

interface PasskeySetup {
  readonly owner: Owner;
}

/** A new secret for an app. Nothing is stored until a code proves that the app has it. */
export async function beginTotp<Who extends Owner>(
  { secrets, clock }: FactorServices<Who>,
  { owner, username }: Holder<Who>,
) {
  const { newTotp } = await loadTotp();
  const { secret, picture } = await newTotp(username);
  const setup: TotpSetup = { owner, secret: secrets.sealTotp(owner, secret) };
  return { secret, picture, token: secrets.sign('set up codes', setup, timeIn(clock, challengeMs)) };
}

export async function finishTotp<Who extends Owner>(
  services: FactorServices<Who>,
  holder: Holder<Who>,
  { token, code }: { readonly token: string; readonly code: string },
) {
  const { secrets, clock, store, factors } = services;
  const { owner } = holder;
  const setup = secrets.open<TotpSetup>('set up codes', token, clock.now());
  if (setup === undefined || setup.owner !== owner) throw setupOver();
  const { stepOf } = await loadTotp();
  const step = stepOf(secrets.openTotp(owner, setup.secret), cleanCode(code), clock.now());
  if (step === undefined) throw errorOfFields(fault('invalid_value', { sentence: 'wrong_code' }), 'code');
  const recoveryCodes = newRecoveryCodes();
  const order = { ...withCodes(services, holder, recoveryCodes), challenge: setup.used };
  const added = await store.write(factors.addTotp, { ...order, secret: setup.secret, step });
  return { recoveryCodes: (await done(holder, added)).isFirst ? recoveryCodes : [] };
}

/** What the browser is asked for. Nothing is stored until its answer is verified. */
export async function beginPasskey<Who extends Owner>(
  { secrets, clock, store, factors, publicUrl }: FactorServices<Who>,
  { owner, username }: Holder<Who>,
) {
  const [{ askForNew }, { passkeys }] = await Promise.all([loadPasskeys(), store.read(factors.read, owner)]);
  const setup: PasskeySetup = { owner };
  const challenge = secrets.sign('set up a passkey', setup, timeIn(clock, challengeMs));
  const named = { handle: secrets.handleOf(owner), username };
  return askForNew(new URL(publicUrl()), named, passkeys, challenge);
}

export async function finishPasskey<Who extends Owner>(
  services: FactorServices<Who>,
  holder: Holder<Who>,
  { name, answer }: { readonly name: string; readonly answer: string },
) {
  const { secrets, clock, store, factors, publicUrl } = services;
  const { newPasskey } = await loadPasskeys();
  const made = await newPasskey(new URL(publicUrl()), answer, (signed) => {
    const setup = secrets.open<PasskeySetup>('set up a passkey', signed, clock.now());
    return setup?.owner === holder.owner ? setup.used : undefined;
  });
  if (made === undefined)
    throw errorOfFields(fault('invalid_value', { sentence: 'wrong_passkey' }), 'answer');
  const recoveryCodes = newRecoveryCodes();
  const order = { ...withCodes(services, holder, recoveryCodes), challenge: made.challenge };
  const added = await store.write(factors.addPasskey, { ...order, passkey: { ...made.passkey, name } });
  return { recoveryCodes: (await done(holder, added)).isFirst ? recoveryCodes : [] };
}

export async function newCodes<Who extends Owner>(services: FactorServices<Who>, holder: Holder<Who>) {
  const recoveryCodes = newRecoveryCodes();
  const order = withCodes(services, holder, recoveryCodes);
  await done(holder, await services.store.write(services.factors.replaceCodes, order));
  return { recoveryCodes };
}

export async function dropFactor<Who extends Owner>(
  services: FactorServices<Who>,
  holder: Holder<Who>,
  passkey: string | undefined,
): Promise<{ readonly removed: true }> {
  const order = { ...ownChange(services, holder), passkey };
  await done(holder, await services.store.write(services.factors.remove, order));
  return { removed: true };
}

function ownChange<Who extends Owner>(
  { clock, mailDomain }: FactorServices<Who>,
  { announce: _, username: __, ...holder }: Holder<Who>,
): OwnChange<Who> {
  return { ...holder, now: clock.now(), mailDomain };
}

function withCodes<Who extends Owner>(
  services: FactorServices<Who>,
  holder: Holder<Who>,
  recoveryCodes: readonly string[],
) {
  const digestOf = (code: string) => services.secrets.recoveryDigest(holder.owner, code);
  return { ...ownChange(services, holder), recoveryDigests: recoveryCodes.map(digestOf) };
}

async function done<Who extends Owner, Changed extends FactorsChanged>(
  { announce }: Holder<Who>,
  changed: Changed | ChangeRefusal,
): Promise<Changed> {
  if ('refused' in changed) throw errorOf(changed);
  await announce(changed);
  return changed;
}

function errorOf(refusal: ChangeRefusal): ServiceError {
  if (refusal.refused === 'needed')
    return new ServiceError(refusal.needed === 'factor' ? 'factor_needed' : 'password_needed', {
      sentence: refusal.needed === 'factor' ? 'factor_recently' : 'password_recently',
    });
  switch (refusal.refused) {
    case 'ended':
      return hasEnded('session');
    case 'taken':
      return new ServiceError('taken', { sentence: 'factor_taken' });
    case 'full':
      return new ServiceError('taken', { sentence: 'passkeys_full' });
    case 'missing':
      return new ServiceError('not_found', { sentence: 'factor_gone' });
    case 'required':
      return new ServiceError('in_use', { sentence: 'factor_required' });
  }
}

function setupOver(): ServiceError {
  return errorOfFields(fault('invalid_value', { sentence: 'setup_over' }), 'code');
}
