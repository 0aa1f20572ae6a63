/** The hours of the day in which a company lets batches be sent (API: Batch status, code 15), by the clock on the wall. */

/**
 * Open from `from` until just before `to`, at whatever the clocks of the zone show: a window such as 21:00 to 06:00
 * goes over midnight. When clocks are put forward, the hours left out are no part of the day: a window that would open
 * in them opens as they are passed over, and one that lies within them does not open that day. When clocks are put
 * back, what they show twice counts both times.
 */
export interface SendHours {
  /** As `07:00`. */
  readonly from: string;
  /** Another time than `from`. */
  readonly to: string;
  /** A name of the IANA time zone database. */
  readonly zone: string;
  /** What becomes of a batch that comes at another time. */
  readonly batch: OutsideHours;
}

type OutsideHours = (typeof outsideHours)[number];

export const outsideHours = ['drop', 'delay'] as const;

export function parseSendHours(stored: string | null): SendHours | undefined {
  return stored === null ? undefined : (JSON.parse(stored) as SendHours);
}

const timePattern = /^([01][0-9]|2[0-3]):[0-5][0-9]$/;

export function isTimeOfDay(text: string): boolean {
  return timePattern.test(text);
}
