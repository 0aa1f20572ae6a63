/**
 * Loaded into every thread of a server: samples what the thread allocates from the moment when the file `begin` appears in the
 * folder until `end` does, and leaves the profile there.
 */
const { existsSync, writeFileSync } = require('node:fs');
const { Session } = require('node:inspector');
const { join } = require('node:path');
const { isMainThread, threadId, threadName } = require('node:worker_threads');

const folder = process.env.CARILLON_BENCH_ALLOCATIONS;
const everything = {
  samplingInterval: 16 * 1024,
  includeObjectsCollectedByMajorGC: true,
  includeObjectsCollectedByMinorGC: true,
};

const session = new Session();
session.connect();
when('begin', () => session.post('HeapProfiler.startSampling', everything));
when('end', () =>
  session.post('HeapProfiler.stopSampling', (error, { profile } = {}) => {
    const thread = isMainThread ? 'event loop' : threadName;
    const told = error ? { thread, fault: error.message } : { thread, profile };
    writeFileSync(join(folder, `${threadId}.json`), JSON.stringify(told));
  }),
);

function when(file, act) {
  const look = setInterval(() => {
    if (!existsSync(join(folder, file))) return;
    clearInterval(look);
    act();
  }, 50);
  look.unref();
}
