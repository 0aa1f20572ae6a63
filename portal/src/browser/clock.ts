/** The time by the server's clock. The browser's clock may be wrong by days, and may be corrected while a page is open. */

let known: (Moment & { readonly server: number }) | undefined;

/** The browser's clocks at one moment. */
export interface Moment {
  /** Milliseconds since the epoch. */
  readonly browser: number;
  /** Milliseconds since the page began to load. */
  readonly sinceStart: number;
}

export const thisMoment = (): Moment => ({ browser: Date.now(), sinceStart: performance.now() });

/**
 * Sets the clock from the `Date` header of an answer. It counts from the moment of the request, not of the answer, which
 * may arrive long after it was written if the device slept meanwhile. So the clock is never behind the server's, and
 * ahead by no more than the call took.
 */
export function setClock(date: string | null, requested: Moment): void {
  const server = Date.parse(date ?? '');
  if (!Number.isNaN(server)) known = { server, ...requested };
}

/**
 * Milliseconds since the epoch. `Date.now` may be set back, and `performance.now` may stop while the device sleeps, so the
 * larger advance of the two counts.
 */
export function serverTime(): number {
  if (known === undefined) return Date.now();
  const { server, browser, sinceStart } = known;
  return server + Math.max(Date.now() - browser, performance.now() - sinceStart);
}
