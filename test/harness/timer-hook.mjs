/** Loaded into each thread of a server under test: timers that would come due after so many milliseconds never do. */
import { createRequire, syncBuiltinESMExports } from 'node:module';
import { promisify } from 'node:util';

const [least, most] = process.env.TEST_ENDLESS_TIMERS_MS.split('-').map(Number);
const set = globalThis.setTimeout;
/** The longest that there is. */
const endlessMs = 2 ** 31 - 1;

const lasting = (ms) => (ms >= least && ms <= most ? endlessMs : ms);

globalThis.setTimeout = Object.assign((work, ms = 1, ...values) => set(work, lasting(ms), ...values), {
  [promisify.custom]: set[promisify.custom],
});

const promises = createRequire(import.meta.url)('node:timers/promises');
const { setTimeout: delay } = promises;
promises.setTimeout = (ms = 1, ...more) => delay(lasting(ms), ...more);
syncBuiltinESMExports();
