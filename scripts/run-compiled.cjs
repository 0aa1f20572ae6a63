/**
 * Copied beside the bundles of `bundle.mjs`: runs one of them from V8's code cache, which halves the time of its start, and
 * later returns the memory that only the start needed.
 */
const {
  closeSync,
  existsSync,
  fstatSync,
  openSync,
  readSync,
  renameSync,
  writeFileSync,
} = require('node:fs');
const { createRequire } = require('node:module');
const { dirname } = require('node:path');
const { setFlagsFromString } = require('node:v8');
const { constants, runInNewContext, Script } = require('node:vm');
const { threadId } = require('node:worker_threads');

/** `place` is the file that the bundle replaces. */
module.exports = function runCompiled(place) {
  const bundle = place.replace(/js$/, 'bundle.js');
  // V8 accepts only a cache that the same version has made.
  const compiled = `${bundle}.${process.versions.v8}-${process.arch}`;
  const script = withContent(bundle, (source) => {
    const importModuleDynamically = constants.USE_MAIN_CONTEXT_DEFAULT_LOADER;
    const scriptOf = (cachedData) =>
      new Script(source.latin1Slice(), { filename: bundle, cachedData, importModuleDynamically });
    return existsSync(compiled) ? withContent(compiled, scriptOf) : scriptOf();
  });
  const module = { exports: {} };
  // Files that are read when needed have paths from here.
  script.runInThisContext()(module.exports, createRequire(__filename), module, dirname(place), __dirname);
  // By then everything that a start needs has been compiled.
  if (process.env.CARILLON_COMPILES) process.once('exit', () => keep(script.createCachedData(), compiled));
  collectOnceIdle();
};

/**
 * Passes the content of a file. Only a resizable buffer has pages of its own, which are given back at once; what others leave
 * stays in the free lists of the thread's allocator.
 */
function withContent(file, use) {
  const opened = openSync(file);
  try {
    const { size } = fstatSync(opened);
    const buffer = new ArrayBuffer(size, { maxByteLength: size });
    const content = Buffer.from(buffer);
    readSync(opened, content);
    const used = use(content);
    buffer.resize(0);
    return used;
  } finally {
    closeSync(opened);
  }
}

/** The threads of a store run the same file and end at the same time, so each writes a draft of its own. */
function keep(data, file) {
  const draft = `${file}.${threadId}`;
  writeFileSync(draft, data);
  renameSync(draft, file);
}

/** A thread is idle if it has less to do than this share of the time: nobody calls. A larger heap would be collected for too long. */
const idle = { seconds: 5, share: 0.01, heapBytes: 100 * 1024 * 1024 };

/**
 * A start leaves behind as much garbage as it keeps, and an idle thread allocates too little to ever collect it. So each thread
 * collects it once, after its first idle seconds: that takes some 70 ms, for which nobody should wait.
 */
function collectOnceIdle() {
  const marks = [];
  const timer = setInterval(() => {
    const now = performance.eventLoopUtilization();
    if (marks.push(now) <= idle.seconds) return;
    const { utilization } = performance.eventLoopUtilization(now, marks.shift());
    if (utilization > idle.share || process.memoryUsage().heapUsed > idle.heapBytes || !collectAll()) return;
    clearInterval(timer);
  }, 1_000).unref();
}

/**
 * Node offers this only by a flag of V8, which is taken back at once: with other flags, V8 would refuse the code cache. The flag
 * is one for all threads, so another thread may take it back too early. Returns whether anything was collected.
 */
function collectAll() {
  setFlagsFromString('--expose-gc');
  const collect = runInNewContext('globalThis.gc');
  setFlagsFromString('--no-expose-gc');
  if (collect === undefined) return false;
  // Before version 12, V8 does not know the flavor, and its second full collection gives the pages back.
  if (Number.parseInt(process.versions.v8, 10) < 12) for (let time = 0; time < 2; time++) collect();
  else collect({ type: 'major', execution: 'sync', flavor: 'last-resort' });
  return true;
}
