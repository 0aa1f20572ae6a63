/** The time by the server's clock. The browser's clock may be wrong by days, and may be corrected while a page is open. */

let known: { readonly server: number; readonly browser: number; readonly sinceStart: number } | undefined;

/** Sets the clock from the `Date` header of an answer that has just arrived. */
export function setClock(date: string | null): void {
  const server = Date.parse(date ?? '');
  if (!Number.isNaN(server)) known = { server, browser: Date.now(), sinceStart: performance.now() };
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
