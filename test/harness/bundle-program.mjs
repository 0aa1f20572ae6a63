/** `node bundle-program.mjs FOLDER`: puts the program and its packages into a few files there, for `program.ts`. */
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import {
  copyFileSync,
  existsSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  renameSync,
  rmSync,
  writeFileSync,
} from 'node:fs';
import { dirname, join, relative } from 'node:path';
import { text } from 'node:stream/consumers';
import { setTimeout as delay } from 'node:timers/promises';
import { fileURLToPath } from 'node:url';
import { build } from 'esbuild';
import { buildPages } from '../../scripts/build-pages.mjs';

const project = fileURLToPath(new URL('../../', import.meta.url));
const [, , folder] = process.argv;
const draft = `${folder}.draft`;

/** What `run-compiled.cjs` runs is CommonJS, which has neither `import.meta` nor an `await` outside of functions. */
const asCommonJs = {
  name: 'asCommonJs',
  setup({ onLoad }) {
    onLoad({ filter: /\/src\/.*\.ts$/ }, ({ path }) => {
      // Files that are found from where a module stands are found as if each still stood by itself.
      const place = relative(project, path).replace(/ts$/, 'js');
      const url = `require('node:url').pathToFileURL(folder + '/${place}').href`;
      const contents = readFileSync(path, 'utf8')
        .replaceAll('import.meta.url', url)
        .replace(/^try \{.*/ms, '(async () => {$&})();');
      return { contents, loader: 'ts' };
    });
  },
};

const options = {
  ...{ absWorkingDir: project, outbase: '.', outdir: draft, bundle: true, plugins: [asCommonJs] },
  ...{ platform: 'node', format: 'cjs', target: 'node20', keepNames: true, logLevel: 'error' },
  // Each start reads all of it: without comments and blanks it is a third shorter.
  ...{ minifyWhitespace: true, lineLimit: 500, legalComments: 'none' },
  outExtension: { '.js': '.bundle.js' },
  // An import of what V8 has compiled before finds nobody who would load it.
  supported: { 'dynamic-import': false },
  // Packages with files of their own beside their code, and one that `pg` asks for in vain.
  external: [
    ...['@node-rs/argon2', '@photostructure/sqlite', 'esbuild', 'mailauth', 'pino', 'pg-native'],
    'swagger-ui-dist',
  ],
};

/** The ledger of carriers is one program with the server: it changes the classes that the server uses. */
const contents = `if (process.env.CARRIER_LEDGER) require('./test/harness/carrier-ledger-hook.ts');
require('./src/main.ts');`;

const threads = readdirSync(join(project, 'src'), { recursive: true, encoding: 'utf8' })
  .filter((path) => /(^|[/-])worker\.ts$/.test(path))
  .map((path) => join('src', path));

if (isOurs()) await make();
else await madeByAnother();

/** One process makes it for all: a draft that another has just turned into the folder leaves its name free again. */
function isOurs() {
  mkdirSync(dirname(draft), { recursive: true });
  try {
    mkdirSync(draft);
  } catch (error) {
    if (error.code !== 'EEXIST') throw error;
    return false;
  }
  if (!existsSync(folder)) return true;
  rmSync(draft, { recursive: true, force: true });
  return false;
}

async function madeByAnother() {
  while (!existsSync(folder)) {
    await delay(50);
    if (!existsSync(draft) && !existsSync(folder)) throw new Error('another process could not make it');
  }
}

async function make() {
  try {
    await Promise.all([
      build({ ...options, stdin: { contents, resolveDir: project, sourcefile: 'main.js' } }),
      build({ ...options, entryPoints: threads }),
    ]);
    renameSync(join(draft, 'stdin.bundle.js'), join(draft, 'main.bundle.js'));
    copyFileSync(join(project, 'test', 'harness', 'run-compiled.cjs'), join(draft, 'run-compiled.cjs'));
    makeFunctions();
    for (const name of ['main.js', ...threads.map((path) => path.replace(/ts$/, 'js'))]) {
      const run = relative(join(name, '..'), 'run-compiled.cjs');
      writeFileSync(join(draft, name), `require('./${run}')(__filename);\n`);
    }
    const { name, version } = JSON.parse(readFileSync(join(project, 'package.json'), 'utf8'));
    writeFileSync(join(draft, 'package.json'), JSON.stringify({ name, version }));
    if (buildPages(join(draft, 'dist', 'pages')) !== 0)
      throw new Error('the pages of the portal can’t be built');
    await compile();
    renameSync(draft, folder);
  } finally {
    rmSync(draft, { recursive: true, force: true });
  }
}

/** As `run-compiled.cjs` reads them: each a function, and in ASCII, which needs no decoding. */
function makeFunctions() {
  for (const name of readdirSync(draft, { recursive: true })) {
    if (!name.endsWith('.bundle.js')) continue;
    const bundle = join(draft, name);
    const body = readFileSync(bundle, 'utf8').replaceAll(
      /[\u0080-\uffff]/g,
      (character) => `\\u${character.charCodeAt(0).toString(16).padStart(4, '0')}`,
    );
    writeFileSync(bundle, `(function (exports, require, module, __dirname, folder) {${body}\n})`);
  }
}

/** A server starts and stops: what it and its threads have compiled by then is kept. */
async function compile() {
  const data = join(draft, 'data');
  const env = {
    ...{ PATH: process.env.PATH, CARILLON_COMPILES: '1', CARILLON_DATA: data },
    ...{ CARILLON_HTTP: '127.0.0.1:0', CARILLON_SMTP: 'off' },
  };
  const server = spawn(process.execPath, [join(draft, 'main.js'), 'serve'], { env });
  const ended = once(server, 'close');
  const told = text(server.stderr);
  let shown = '';
  for await (const chunk of server.stdout) {
    shown += chunk;
    if (shown.includes('Carillon is ready')) server.kill();
  }
  const [exitCode] = await ended;
  if (exitCode !== 0) throw new Error(`the program does not start: ${await told}`);
  rmSync(data, { recursive: true });
}
