/** Loaded into each thread of a server under test: timers that would come due after so many milliseconds never do. */
import { promisify } from 'node:util';

const [least, most] = process.env.TEST_ENDLESS_TIMERS_MS.split('-').map(Number);
const set = globalThis.setTimeout;
/** The longest that there is. */
const endlessMs = 2 ** 31 - 1;

globalThis.setTimeout = Object.assign(
  (work, ms = 1, ...values) => set(work, ms >= least && ms <= most ? endlessMs : ms, ...values),
  { [promisify.custom]: set[promisify.custom] },
);
