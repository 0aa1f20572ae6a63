/** Passkeys (WebAuthn): what a browser is asked for, and whether its answer is right. Loaded when the first user needs it. */
import {
  type AuthenticationResponseJSON,
  generateAuthenticationOptions,
  generateRegistrationOptions,
  type RegistrationResponseJSON,
  verifyAuthenticationResponse,
  verifyRegistrationResponse,
} from '@simplewebauthn/server';
import { challengeMs, type FactorProof, type UsedChallenge } from './factor.ts';
import type { Passkey } from './factor-records.ts';

/** Undefined if the text in the challenge was not signed for its purpose and user, or is too old. */
type OpenChallenge = (signed: string) => UsedChallenge | undefined;

/** EdDSA, ES256 and RS256, one of which every authenticator has. */
const algorithms = [-8, -7, -257];
const knownTransports = new Set(['ble', 'cable', 'hybrid', 'internal', 'nfc', 'smart-card', 'usb']);

export function askForNew(
  { hostname }: URL,
  { handle, username }: { readonly handle: Uint8Array<ArrayBuffer>; readonly username: string },
  passkeys: readonly Passkey[],
  challenge: string,
) {
  return generateRegistrationOptions({
    rpName: 'Carillon',
    rpID: hostname,
    userID: handle,
    userName: username,
    challenge,
    timeout: challengeMs,
    excludeCredentials: passkeys.map(named),
    authenticatorSelection: { residentKey: 'preferred', userVerification: 'required' },
    supportedAlgorithmIDs: algorithms,
  });
}

export function askForOne({ hostname }: URL, passkeys: readonly Passkey[], challenge: string) {
  return generateAuthenticationOptions({
    rpID: hostname,
    challenge,
    timeout: challengeMs,
    allowCredentials: passkeys.map(named),
    userVerification: 'required',
  });
}

/** Undefined if anything in the answer is wrong. */
export async function newPasskey({ origin, hostname }: URL, answer: string, open: OpenChallenge) {
  const opening = openedOnce(open);
  const verified = await soundOnly(() =>
    verifyRegistrationResponse({
      response: JSON.parse(answer) as RegistrationResponseJSON,
      expectedChallenge: opening.isRight,
      expectedOrigin: origin,
      expectedRPID: hostname,
      supportedAlgorithmIDs: algorithms,
    }),
  );
  const { challenge } = opening;
  if (!verified?.verified || challenge === undefined) return undefined;
  const { id, publicKey, counter, transports = [] } = verified.registrationInfo.credential;
  return {
    challenge,
    passkey: {
      id,
      publicKey: Buffer.from(publicKey).toString('base64url'),
      counter,
      // The browser says these, and nothing signs them.
      transports: [...knownTransports].filter((known) => transports.includes(known)),
    },
  };
}

/** Undefined if anything in the answer is wrong. */
export async function passkeyProof(
  { origin, hostname }: URL,
  passkeys: readonly Passkey[],
  answer: string,
  open: OpenChallenge,
): Promise<FactorProof | undefined> {
  const opening = openedOnce(open);
  const verified = await soundOnly(async () => {
    const response = JSON.parse(answer) as AuthenticationResponseJSON;
    const passkey = passkeys.find(({ id }) => id === response.id);
    if (passkey === undefined) return undefined;
    const { id, counter, publicKey } = passkey;
    return verifyAuthenticationResponse({
      response,
      expectedChallenge: opening.isRight,
      expectedOrigin: origin,
      expectedRPID: hostname,
      credential: { id, counter, publicKey: new Uint8Array(Buffer.from(publicKey, 'base64url')) },
    });
  });
  const { challenge } = opening;
  if (!verified?.verified || challenge === undefined) return undefined;
  const { credentialID, newCounter } = verified.authenticationInfo;
  return { kind: 'passkey', id: credentialID, counter: newCounter, challenge };
}

const named = ({ id, transports }: Passkey) => ({ id, transports: [...transports] });

/** The library gives the challenge in Base64url. */
function openedOnce(open: OpenChallenge) {
  const opening = {
    challenge: undefined as UsedChallenge | undefined,
    isRight(given: string): boolean {
      opening.challenge = open(Buffer.from(given, 'base64url').toString());
      return opening.challenge !== undefined;
    },
  };
  return opening;
}

/** The library throws at whatever is wrong in an answer, which a stranger may have written: that is one wrong answer. */
async function soundOnly<Verified>(verify: () => Promise<Verified>): Promise<Verified | undefined> {
  try {
    return await verify();
  } catch {
    return undefined;
  }
}
