/** Asks the browser for a passkey. */
import type {
  PublicKeyCredentialCreationOptionsJSON,
  PublicKeyCredentialRequestOptionsJSON,
} from '@simplewebauthn/browser';

type Asked =
  | { readonly create: PublicKeyCredentialCreationOptionsJSON }
  | { readonly get: PublicKeyCredentialRequestOptionsJSON };

/**
 * The answer in JSON. Undefined if there is none, which browsers explain to nobody: the user has cancelled, took too long, or
 * has no device that can do it.
 */
export async function askBrowser(asked: Asked): Promise<string | undefined> {
  const { startAuthentication, startRegistration, WebAuthnError } = await import('@simplewebauthn/browser');
  try {
    const answer =
      'create' in asked
        ? await startRegistration({ optionsJSON: asked.create })
        : await startAuthentication({ optionsJSON: asked.get });
    return JSON.stringify(answer);
  } catch (error) {
    if (error instanceof WebAuthnError || error instanceof DOMException) return undefined;
    throw error;
  }
}
