/** What time it is by the server's clock: the browser's may be wrong by days, and be set right while a page is open. */

let known: { readonly server: number; readonly browser: number; readonly sinceStart: number } | undefined;

/** Of the header `Date` of an answer that has just come. */
export function setClock(date: string | null): void {
  const server = Date.parse(date ?? '');
  if (!Number.isNaN(server)) known = { server, browser: Date.now(), sinceStart: performance.now() };
}

/** Milliseconds since the epoch. One of the browser's two clocks may be set back, the other stand still while it sleeps. */
export function serverTime(): number {
  if (known === undefined) return Date.now();
  const { server, browser, sinceStart } = known;
  return server + Math.max(Date.now() - browser, performance.now() - sinceStart);
}
