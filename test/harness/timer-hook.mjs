/** Loaded into each thread of a server under test: timers whose delay is in the given range of milliseconds never fire. */
import { createRequire, syncBuiltinESMExports } from 'node:module';
import { promisify } from 'node:util';

const [least, most] = process.env.TEST_ENDLESS_TIMERS_MS.split('-').map(Number);
const set = globalThis.setTimeout;
/** The longest delay that a timer may have. */
const endlessMs = 2 ** 31 - 1;

const lasting = (ms) => (ms >= least && ms <= most ? endlessMs : ms);

globalThis.setTimeout = Object.assign((work, ms = 1, ...values) => set(work, lasting(ms), ...values), {
  [promisify.custom]: set[promisify.custom],
});

const promises = createRequire(import.meta.url)('node:timers/promises');
const { setTimeout: delay } = promises;
promises.setTimeout = (ms = 1, ...more) => delay(lasting(ms), ...more);
syncBuiltinESMExports();
