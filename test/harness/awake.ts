/**
 * Time as this process had it: a machine that is slow, busy or stopped for seconds must fail no test. While the process
 * stands still, timers become due before anything that came meanwhile is read; so what waits here goes by turns of the
 * event loop, of which none counts for more than a few milliseconds.
 */

// As they are before a test puts others in their place.
const { setTimeout: later } = globalThis;
const clock = performance.now.bind(performance);

const stepMs = 5;
/** What a turn of the event loop counts for at most. */
const mostMs = 10;

let awake = 0;
let lookedAt = clock();

function look(): void {
  const now = clock();
  awake += Math.min(now - lookedAt, mostMs);
  lookedAt = now;
}
setInterval(look, stepMs).unref();

/**
 * Milliseconds in which this process ran or could have run: for times that may not be longer. Never ahead of the clock.
 * Work that keeps the event loop from turning hardly counts.
 */
export function awakeMs(): number {
  look();
  return awake;
}

/** Milliseconds that this process has computed, in all its threads: for work that may not be more. */
export function computedMs(): number {
  const { user, system } = process.cpuUsage();
  return (user + system) / 1_000;
}

/** At least so long, by any clock, and enough turns of the event loop for what was due meanwhile. */
export async function pause(ms: number): Promise<void> {
  const end = awakeMs() + ms;
  do await step(Math.min(ms, stepMs));
  while (awakeMs() < end);
}

/** A server that is asked without a pause has no time for what is waited for. */
const mostBetweenQuestionsMs = 40;

/** Looks until it is so; at most so long. What has to be asked for is asked the less often the longer it takes. */
export async function until(isSo: () => boolean | Promise<boolean>, timeoutMs = 100_000): Promise<void> {
  const began = awakeMs();
  for (;;) {
    const answer = isSo();
    if (await answer) return;
    const waitedMs = awakeMs() - began;
    if (waitedMs > timeoutMs) throw new Error(`it was not so after ${timeoutMs} ms: ${isSo}`);
    await step(typeof answer === 'boolean' ? 2 : Math.min(2 + waitedMs / 8, mostBetweenQuestionsMs));
  }
}

function step(ms: number): Promise<void> {
  return new Promise((resolve) => later(resolve, ms));
}
