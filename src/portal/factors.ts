/** What users do with their own second factors: they set them up, remove them, and replace their recovery codes. */
import type { Caller } from '../accounts/caller.ts';
import { byUser, isOfPortal } from '../audit/audit-log.ts';
import { outgoingMailTopic } from '../email/outgoing/outgoing-mail.ts';
import { timeIn } from '../foundation/clock.ts';
import { errorOfFields, ServiceError } from '../foundation/errors.ts';
import { fault } from '../foundation/result.ts';
import { announceHint } from '../storage/hints.ts';
import { challengeMs, cleanCode, newRecoveryCodes } from './factor.ts';
import type { FactorsChanged } from './factor-records.ts';
import {
  addPasskey,
  addTotp,
  type ChangeRefusal,
  readFactors,
  removeFactor,
  replaceCodes,
} from './factor-store.ts';
import { loadPasskeys, loadTotp } from './second-step.ts';
import { hasEnded } from './sessions.ts';
import type { SignIn } from './sign-in.ts';

/** The topic of the page that lists sessions and factors. */
const topic = 'sessions';

interface TotpSetup {
  /** Sealed. */
  readonly secret: string;
  readonly userId: number;
}

interface PasskeySetup {
  readonly userId: number;
}

/** A new secret for an app. Nothing is stored until a code proves that the app has it. */
export async function beginTotp({ secrets, clock }: SignIn, { userId, username }: Caller) {
  const { newTotp } = await loadTotp();
  const { secret, picture } = await newTotp(username);
  const setup: TotpSetup = { userId, secret: secrets.sealTotp(userId, secret) };
  return { secret, picture, token: secrets.sign('set up codes', setup, timeIn(clock, challengeMs)) };
}

export async function finishTotp(
  services: SignIn,
  caller: Caller,
  { token, code }: { readonly token: string; readonly code: string },
) {
  const { secrets, clock, store } = services;
  const setup = secrets.open<TotpSetup>('set up codes', token, clock.now());
  if (setup === undefined || setup.userId !== caller.userId) throw setupOver();
  const { stepOf } = await loadTotp();
  const step = stepOf(secrets.openTotp(caller.userId, setup.secret), cleanCode(code), clock.now());
  if (step === undefined) throw errorOfFields(fault('invalid_value', { sentence: 'wrong_code' }), 'code');
  const recoveryCodes = newRecoveryCodes();
  const order = { ...withCodes(services, caller, recoveryCodes), challenge: setup.used };
  const added = done(services, caller, await store.write(addTotp, { ...order, secret: setup.secret, step }));
  await services.news.read();
  return { recoveryCodes: added.isFirst ? recoveryCodes : [] };
}

/** What the browser is asked for. Nothing is stored until its answer is verified. */
export async function beginPasskey({ secrets, clock, store, publicUrl }: SignIn, caller: Caller) {
  const [{ askForNew }, { passkeys }] = await Promise.all([
    loadPasskeys(),
    store.read(readFactors, caller.userId),
  ]);
  const setup: PasskeySetup = { userId: caller.userId };
  const challenge = secrets.sign('set up a passkey', setup, timeIn(clock, challengeMs));
  return askForNew(new URL(publicUrl()), caller, passkeys, challenge);
}

export async function finishPasskey(
  services: SignIn,
  caller: Caller,
  { name, answer }: { readonly name: string; readonly answer: string },
) {
  const { secrets, clock, store, publicUrl } = services;
  const { newPasskey } = await loadPasskeys();
  const made = await newPasskey(new URL(publicUrl()), answer, (signed) => {
    const setup = secrets.open<PasskeySetup>('set up a passkey', signed, clock.now());
    return setup?.userId === caller.userId ? setup.used : undefined;
  });
  if (made === undefined)
    throw errorOfFields(fault('invalid_value', { sentence: 'wrong_passkey' }), 'answer');
  const recoveryCodes = newRecoveryCodes();
  const order = { ...withCodes(services, caller, recoveryCodes), challenge: made.challenge };
  const passkey = { ...made.passkey, name };
  const added = done(services, caller, await store.write(addPasskey, { ...order, passkey }));
  await services.news.read();
  return { recoveryCodes: added.isFirst ? recoveryCodes : [] };
}

export async function newCodes(services: SignIn, caller: Caller) {
  const recoveryCodes = newRecoveryCodes();
  const order = withCodes(services, caller, recoveryCodes);
  done(services, caller, await services.store.write(replaceCodes, order));
  return { recoveryCodes };
}

export async function dropFactor(
  services: SignIn,
  caller: Caller,
  passkey: string | undefined,
): Promise<{ readonly removed: true }> {
  const order = { ...ownChange(services, caller), passkey };
  done(services, caller, await services.store.write(removeFactor, order));
  return { removed: true };
}

export const factorsOf = ({ store }: SignIn, { userId }: Caller) => store.read(readFactors, userId);

function ownChange({ clock, mailDomain }: SignIn, caller: Caller) {
  const { userId, session } = caller;
  if (!isOfPortal(session)) throw hasEnded('session');
  return { userId, asking: session.digest, by: byUser(caller), now: clock.now(), mailDomain };
}

function withCodes(services: SignIn, caller: Caller, recoveryCodes: readonly string[]) {
  const digestOf = (code: string) => services.secrets.recoveryDigest(caller.userId, code);
  return { ...ownChange(services, caller), recoveryDigests: recoveryCodes.map(digestOf) };
}

function done<Changed extends FactorsChanged>(
  { store }: SignIn,
  { companyId }: Caller,
  changed: Changed | ChangeRefusal,
): Changed {
  if ('refused' in changed) throw errorOf(changed);
  if (changed.isNotified) store.announce(outgoingMailTopic);
  announceHint(store, companyId, topic);
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
