/**
 * Puts the program and its packages into a few files, compiled ahead of time: a start that reads every module from its own
 * file takes about twice the processor time. Users and tests start the same few files.
 */
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { copyFileSync, readdirSync, readFileSync, renameSync, rmSync, writeFileSync } from 'node:fs';
import { join, relative, resolve } from 'node:path';
import { text } from 'node:stream/consumers';
import { fileURLToPath } from 'node:url';
import { build } from 'esbuild';

const project = fileURLToPath(new URL('..', import.meta.url));
const source = join(project, 'src');

/** The worker threads, each with an entry point of its own. */
const threads = readdirSync(source, { recursive: true, encoding: 'utf8' }).filter((path) =>
  /(^|[/-])worker\.ts$/.test(path),
);

/** What `run-compiled.cjs` runs is CommonJS, which has no `import.meta`. */
const asCommonJs = {
  name: 'asCommonJs',
  setup({ onLoad }) {
    onLoad({ filter: /\/src\/.*\.ts$/ }, ({ path }) => {
      // Modules find files relative to their own path, so each gets the path that it would have without bundling.
      const place = relative(source, path).replace(/ts$/, 'js');
      const url = `require('node:url').pathToFileURL(__distribution + '/${place}').href`;
      return { contents: readFileSync(path, 'utf8').replaceAll('import.meta.url', url), loader: 'ts' };
    });
  },
};

/** Packages that a start does not need. Each has a file of its own, which is read when the package is first used. */
const apart = [
  '@modelcontextprotocol/sdk',
  '@simplewebauthn/server',
  'jose',
  'mailauth',
  'nodemailer',
  'otplib/functional',
  'qrcode',
  're2js',
  'undici',
];
/** A package without a module of its own name, and those of its modules that its file holds. */
const modulesOf = { '@modelcontextprotocol/sdk': ['server/index.js', 'server/stdio.js', 'types.js'] };
const packageOf = (path) => Object.keys(modulesOf).find((name) => path.startsWith(`${name}/`)) ?? path;
const fileOf = (name) => `packages/${name.replace('@', '').replaceAll('/', '-')}`;

const setApart = {
  name: 'setApart',
  setup({ onResolve, onLoad }) {
    onResolve({ filter: /^[a-z@]/ }, ({ path, importer }) =>
      apart.includes(packageOf(path)) && importer.startsWith(source)
        ? { path: `./${fileOf(packageOf(path))}.bundle.js`, external: true }
        : undefined,
    );
    onResolve({ filter: /^together:/ }, ({ path }) => ({ path: path.slice(9), namespace: 'together' }));
    onLoad({ filter: /^/, namespace: 'together' }, ({ path: name }) => ({
      contents: modulesOf[name].map((path) => `export * from '${name}/${path}';`).join('\n'),
      resolveDir: project,
    }));
    // Rare character sets: the package itself reads their tables when needed.
    onLoad({ filter: /iconv-lite\/encodings\/tables\/.*\.json$/ }, ({ path }) => ({
      contents: readFileSync(path),
      loader: 'copy',
    }));
  },
};

const options = {
  absWorkingDir: project,
  bundle: true,
  plugins: [asCommonJs, setApart],
  platform: 'node',
  format: 'cjs',
  target: 'node20',
  // To keep function names costs a call each time a function is created: a tenth of the processor time of a message.
  keepNames: false,
  logLevel: 'error',
  // Each start reads the whole bundle, which is a third shorter without comments and white space.
  minifyWhitespace: true,
  lineLimit: 500,
  legalComments: 'none',
  outExtension: { '.js': '.bundle.js' },
  // Code from V8's code cache cannot use `import()`.
  supported: { 'dynamic-import': false },
  // Packages with native code for each platform, and two that are loaded only where they are installed.
  external: ['@node-rs/argon2', '@photostructure/sqlite', 'esbuild', 'pg-native'],
  metafile: true,
};

/**
 * `contents` is the code that runs first, in the project's folder: the program itself, unless a test adds to it. Returns the
 * paths of all bundled files.
 */
export async function bundle(folder, contents = "require('./src/main.ts');") {
  const built = await Promise.all([
    build({ ...options, outdir: folder, stdin: { contents, resolveDir: project, sourcefile: 'main.js' } }),
    build({
      ...options,
      outdir: folder,
      outbase: source,
      entryPoints: threads.map((path) => join(source, path)),
    }),
    build({
      ...options,
      outdir: folder,
      entryPoints: Object.fromEntries(
        apart.map((name) => [fileOf(name), name in modulesOf ? `together:${name}` : name]),
      ),
    }),
  ]);
  renameSync(join(folder, 'stdin.bundle.js'), join(folder, 'main.bundle.js'));
  copyFileSync(join(project, 'scripts', 'run-compiled.cjs'), join(folder, 'run-compiled.cjs'));
  const names = ['main.js', ...threads.map((path) => path.replace(/ts$/, 'js'))];
  for (const name of names) {
    asFunction(join(folder, name.replace(/js$/, 'bundle.js')));
    const run = relative(join(name, '..'), 'run-compiled.cjs');
    writeFileSync(join(folder, name), `require('./${run}')(__filename);\n`);
  }
  writeFileSync(join(folder, 'package.json'), JSON.stringify({ type: 'commonjs' }));
  return modulesIn(built);
}

function modulesIn(built) {
  const outputs = built.flatMap(({ metafile }) => Object.values(metafile.outputs));
  const inputs = outputs.flatMap((output) => Object.entries(output.inputs));
  return inputs.filter(([, { bytesInOutput }]) => bytesInOutput > 0).map(([path]) => resolve(project, path));
}

/** Writes the form that `run-compiled.cjs` reads: a function in ASCII, which needs no decoding. */
function asFunction(file) {
  const body = readFileSync(file, 'utf8').replaceAll(
    /[\u0080-\uffff]/g,
    (character) => `\\u${character.charCodeAt(0).toString(16).padStart(4, '0')}`,
  );
  writeFileSync(file, `(function (exports, require, module, __dirname, __distribution) {${body}\n})`);
}

const startTimeoutMs = 120_000;

/** Starts a server with `node` and stops it, which stores the code that it and its threads compiled. Returns why if it fails. */
export async function compile(folder, node = process.execPath) {
  const data = join(folder, 'data');
  const env = {
    PATH: process.env.PATH,
    CARILLON_COMPILES: '1',
    CARILLON_DATA: data,
    CARILLON_HTTP: '127.0.0.1:0',
    CARILLON_SMTP: 'off',
  };
  const server = spawn(node, [join(folder, 'main.js'), 'serve'], {
    env,
    timeout: startTimeoutMs,
    killSignal: 'SIGKILL',
  });
  const killWithUs = () => server.kill('SIGKILL');
  process.once('exit', killWithUs);
  const ended = once(server, 'close');
  const errors = text(server.stderr);
  let shown = '';
  for await (const chunk of server.stdout) {
    shown += chunk;
    if (shown.includes('Carillon is ready')) server.kill();
  }
  const [exitCode] = await ended;
  process.off('exit', killWithUs);
  rmSync(data, { recursive: true, force: true });
  return exitCode === 0 ? undefined : await errors;
}
