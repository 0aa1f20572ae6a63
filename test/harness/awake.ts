/**
 * Time as this process experienced it, so that a slow, busy or stalled machine fails no test. While the process stalls,
 * timers become due before anything that arrived meanwhile is read; waits here are therefore counted in turns of the event
 * loop, none of which counts for more than a few milliseconds.
 */

// The originals, before a test replaces them.
const { setTimeout: later } = globalThis;
const clock = performance.now.bind(performance);

const stepMs = 5;
/** Maximum number of milliseconds that one turn of the event loop counts for. */
const maxMs = 10;

let awake = 0;
let lookedAt = clock();

function look(): void {
  const now = clock();
  awake += Math.min(now - lookedAt, maxMs);
  lookedAt = now;
}
setInterval(look, stepMs).unref();

/**
 * Milliseconds during which this process ran or could have run, for asserting upper limits on durations. Never more
 * than the clock shows. Work that blocks the event loop hardly counts.
 */
export function awakeMs(): number {
  look();
  return awake;
}

/** Processor milliseconds this process has used in all its threads, for asserting upper limits on work. */
export function computedMs(): number {
  const { user, system } = process.cpuUsage();
  return (user + system) / 1_000;
}

/** Waits at least this long by any clock, and for enough turns of the event loop to process whatever was due meanwhile. */
export async function pause(ms: number): Promise<void> {
  const end = awakeMs() + ms;
  do await step(Math.min(ms, stepMs));
  while (awakeMs() < end);
}

/** Polling without a pause would leave the server no time for what is being waited for. */
const maxBetweenQuestionsMs = 40;

/**
 * Polls until the condition holds, up to the timeout. The longer the wait, the less often an asynchronous condition is
 * polled.
 */
export async function until(isSo: () => boolean | Promise<boolean>, timeoutMs = 100_000): Promise<void> {
  const began = awakeMs();
  for (;;) {
    const answer = isSo();
    if (await answer) return;
    const waitedMs = awakeMs() - began;
    if (waitedMs > timeoutMs) throw new Error(`it was not so after ${timeoutMs} ms: ${isSo}`);
    await step(typeof answer === 'boolean' ? 2 : Math.min(2 + waitedMs / 8, maxBetweenQuestionsMs));
  }
}

function step(ms: number): Promise<void> {
  return new Promise((resolve) => later(resolve, ms));
}
