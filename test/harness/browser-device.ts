/** A device with passkeys that the browser makes up, as if it were built into the computer. */
import type { Page } from 'playwright-core';

export async function deviceOf(page: Page) {
  const browser = await page.context().newCDPSession(page);
  await browser.send('WebAuthn.enable');
  const { authenticatorId } = await browser.send('WebAuthn.addVirtualAuthenticator', {
    options: {
      protocol: 'ctap2',
      transport: 'internal',
      hasResidentKey: true,
      hasUserVerification: true,
      isUserVerified: true,
    },
  });
  return {
    /** Whether the person shows who they are, by a finger or a PIN. */
    verifies: (isUserVerified: boolean) =>
      browser.send('WebAuthn.setUserVerified', { authenticatorId, isUserVerified }),
    passkeys: async () =>
      (await browser.send('WebAuthn.getCredentials', { authenticatorId })).credentials.length,
    leave: () => browser.detach(),
  };
}
