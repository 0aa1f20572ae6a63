/** Says that a carrier can't be reached: where, to its operator alone. */

const what = "can't be reached";

/** `why` often names the address once more. */
export function unreachable(address: string, why: string): string {
  return `${address} ${what}: ${why}`;
}

/** The reason for a carrier's state, for people who are not to know where the carrier is. */
export function withoutAddress(reason: string): string {
  const at = reason.indexOf(` ${what}: `);
  if (at === -1) return reason;
  return `${reason.slice(0, reason.lastIndexOf(' ', at - 1) + 1)}it ${what}`;
}
