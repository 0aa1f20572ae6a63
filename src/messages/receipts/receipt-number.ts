/** The number that a receipt names, and that of a message: the same, however carriers write it. */

export const minNumberLength = 7;

/**
 * Does the receipt speak of the number that the message went to? Some carriers write it without its country code, some
 * leave sender and recipient as they were in the submission.
 */
export function agrees(
  { recipient }: { readonly recipient?: string | undefined },
  message: { readonly recipient: string; readonly sender: string },
): boolean {
  if (recipient === undefined || recipient === message.recipient || recipient === message.sender) return true;
  const national = recipient.replace(/^0+/, '');
  return national.length >= minNumberLength && message.recipient.endsWith(national);
}
