/** The local hours of the day in which a company allows batches to be sent (API: Batch status, code 15). */

/**
 * Open from `from` until just before `to`, in the zone's local time; a window such as 21:00 to 06:00 spans midnight. When
 * clocks go forward, the skipped hours don't exist that day: a window that would open in them opens at the change, and a
 * window that lies entirely within them does not open that day. When clocks go back, the repeated times count twice.
 */
export interface SendHours {
  /** In the form `07:00`. */
  readonly from: string;
  /** Must differ from `from`. */
  readonly to: string;
  /** A name from the IANA time zone database. */
  readonly zone: string;
  /** How a batch outside these hours is handled. */
  readonly batch: OutsideHours;
}

type OutsideHours = (typeof outsideHours)[number];

export const outsideHours = ['drop', 'delay'] as const;

/** Hours as a company has set them; without a zone of their own, they are those of the company's time zone. */
export type OwnHours = Omit<SendHours, 'zone'> & { readonly zone?: string | undefined };

export function parseOwnHours(stored: string | null): OwnHours | undefined {
  return stored === null ? undefined : (JSON.parse(stored) as OwnHours);
}

/** Reads hours with a zone: see `zonedHours` of companies. */
export function parseSendHours(stored: string | null): SendHours | undefined {
  return stored === null ? undefined : (JSON.parse(stored) as SendHours);
}

const timePattern = /^([01][0-9]|2[0-3]):[0-5][0-9]$/;

export function isTimeOfDay(text: string): boolean {
  return timePattern.test(text);
}
