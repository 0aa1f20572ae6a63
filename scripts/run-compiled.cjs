/** Copied beside the bundles of `bundle.mjs`: runs one as V8 has compiled it before, which halves its start. */
const { existsSync, readFileSync, renameSync, writeFileSync } = require('node:fs');
const { createRequire } = require('node:module');
const { dirname } = require('node:path');
const { constants, Script } = require('node:vm');
const { threadId } = require('node:worker_threads');

/** `place`: the file in whose stead the bundle stands. */
module.exports = function runCompiled(place) {
  const bundle = place.replace(/js$/, 'bundle.js');
  // V8 takes back only what the same version has compiled.
  const compiled = `${bundle}.${process.versions.v8}-${process.arch}`;
  const script = new Script(readFileSync(bundle, 'latin1'), {
    filename: bundle,
    cachedData: existsSync(compiled) ? readFileSync(compiled) : undefined,
    importModuleDynamically: constants.USE_MAIN_CONTEXT_DEFAULT_LOADER,
  });
  const module = { exports: {} };
  script.runInThisContext()(module.exports, createRequire(place), module, dirname(place), __dirname);
  // By then what a start needs has been compiled.
  if (process.env.CARILLON_COMPILES) process.once('exit', () => keep(script.createCachedData(), compiled));
};

/** The threads of a store, which run the same, end at the same time. */
function keep(data, file) {
  const draft = `${file}.${threadId}`;
  writeFileSync(draft, data);
  renameSync(draft, file);
}
