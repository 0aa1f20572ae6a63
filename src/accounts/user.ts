/** The name of a login account. */

export const maxUsernameLength = 200;

/**
 * A colon would end the user name in Basic credentials (RFC 7617, section 2); control characters and lone surrogates
 * can't be stored on both engines.
 */
const usernamePattern = new RegExp(`^[^:\\p{Cc}\\p{Cs}]{1,${maxUsernameLength}}$`, 'u');

export function isUsername(text: string): boolean {
  return usernamePattern.test(text);
}
