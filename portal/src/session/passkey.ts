/**
 * Asks the browser for a passkey, by the browser's own functions for JSON (Web Authentication Level 3, section 5.1): Chrome
 * 129, Firefox 119, Safari 18.4.
 */
import type * as server from '@simplewebauthn/server';

/** The types of the server's package and of browsers differ in their extensions only. */
type Asked =
  | { readonly create: Omit<server.PublicKeyCredentialCreationOptionsJSON, 'extensions'> }
  | { readonly get: Omit<server.PublicKeyCredentialRequestOptionsJSON, 'extensions'> };

/**
 * The answer in JSON. Undefined if there is none, for which browsers give no reason: the user has cancelled or took too long,
 * or the browser or the device can't do it.
 */
export async function askBrowser(asked: Asked): Promise<string | undefined> {
  if (window.PublicKeyCredential?.parseCreationOptionsFromJSON === undefined) return undefined;
  try {
    const answer =
      'create' in asked
        ? await navigator.credentials.create({
            publicKey: PublicKeyCredential.parseCreationOptionsFromJSON(asked.create),
          })
        : await navigator.credentials.get({
            publicKey: PublicKeyCredential.parseRequestOptionsFromJSON(asked.get),
          });
    return answer === null ? undefined : JSON.stringify(answer);
  } catch (error) {
    if (error instanceof DOMException) return undefined;
    throw error;
  }
}
