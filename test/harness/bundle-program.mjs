/** `node bundle-program.mjs FOLDER`: puts the program and its packages into a few files there, for `program.ts`. */
import { copyFileSync, existsSync, readdirSync, readFileSync, renameSync, rmSync } from 'node:fs';
import { join, relative } from 'node:path';
import { fileURLToPath, pathToFileURL } from 'node:url';
import { build } from 'esbuild';

const project = fileURLToPath(new URL('../../', import.meta.url));
const [, , folder] = process.argv;
const draft = `${folder}.${process.pid}`;

/** Files that are found from where a module stands are found as if each still stood by itself. */
const standing = {
  name: 'standing',
  setup({ onLoad }) {
    onLoad({ filter: /\/src\/.*\.ts$/ }, ({ path }) => {
      const place = pathToFileURL(join(folder, relative(project, path).replace(/ts$/, 'js')));
      const contents = readFileSync(path, 'utf8').replaceAll('import.meta.url', `'${place}'`);
      return { contents, loader: 'ts' };
    });
  },
};

const options = {
  ...{
    absWorkingDir: project,
    outbase: '.',
    outdir: draft,
    bundle: true,
    splitting: true,
    plugins: [standing],
  },
  ...{ platform: 'node', format: 'esm', target: 'node20', keepNames: true, logLevel: 'error' },
  // Packages with files of their own beside their code, and one that `pg` asks for in vain.
  external: [
    ...['@node-rs/argon2', '@photostructure/sqlite', 'esbuild', 'mailauth', 'pino', 'pg-native'],
    'swagger-ui-dist',
  ],
  banner: {
    // What packages in CommonJS expect to be there.
    js: `const require = process.getBuiltinModule('node:module').createRequire(import.meta.url);
const { filename: __filename, dirname: __dirname } = import.meta;`,
  },
};

const threads = readdirSync(join(project, 'src'), { recursive: true, encoding: 'utf8' })
  .filter((path) => /(^|[/-])worker\.ts$/.test(path))
  .map((path) => join('src', path));
await Promise.all([
  build({ ...options, entryPoints: ['src/main.ts', 'test/harness/carrier-ledger-hook.ts'] }),
  // Each by itself: to load what they would share takes a thread longer than to load what it needs.
  ...threads.map((thread) => build({ ...options, entryPoints: [thread] })),
]);
copyFileSync(join(project, 'package.json'), join(draft, 'package.json'));
try {
  renameSync(draft, folder);
} catch (error) {
  // Another process was quicker.
  if (!existsSync(folder)) throw error;
  rmSync(draft, { recursive: true });
}
