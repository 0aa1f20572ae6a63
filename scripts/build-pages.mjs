/** Makes the pages of the portal and of the API, with compressed copies beside them, so that no request needs compression. */
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { cpSync, mkdirSync, readdirSync, readFileSync, renameSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';
import { brotliCompress, gzip } from 'node:zlib';

const project = fileURLToPath(new URL('..', import.meta.url));

/** The pages are built once for each of these (decision 93). */
const languages = ['en', 'sv'];

/**
 * Makes `index.en.html`, `index.sv.html` and the files of both. A file without texts has the same name in all languages, and
 * the same content. Returns the exit code.
 */
export async function buildPages(folder) {
  const vite = join(project, 'node_modules', 'vite', 'bin', 'vite.js');
  const config = join(project, 'portal', 'vite.config.ts');
  const build = (language) => {
    const to = ['--outDir', join(folder, language), '--mode', language];
    return run([vite, 'build', '--config', config, ...to, '--logLevel', 'warn'], { NODE_ENV: 'production' });
  };
  const exitCodes = await Promise.all(languages.map(build));
  const failed = exitCodes.find((code) => code !== 0);
  if (failed !== undefined) return failed;
  const assets = join(folder, 'assets');
  mkdirSync(assets);
  for (const language of languages) {
    const built = join(folder, language);
    cpSync(join(built, 'assets'), assets, { recursive: true });
    renameSync(join(built, 'index.html'), join(folder, `index.${language}.html`));
    renameSync(join(built, 'modules.json'), join(folder, `modules.${language}.json`));
    rmSync(built, { recursive: true });
  }
  await Promise.all(readdirSync(assets).map((name) => compress(join(assets, name))));
  return 0;
}

async function compress(file) {
  const content = readFileSync(file);
  const [byBrotli, byGzip] = await Promise.all([
    promisify(brotliCompress)(content),
    promisify(gzip)(content, { level: 9 }),
  ]);
  writeFileSync(`${file}.br`, byBrotli);
  writeFileSync(`${file}.gz`, byGzip);
}

/** Returns the exit code of the script. */
async function run(parameters, environment = {}) {
  const options = { cwd: project, stdio: 'inherit', env: { ...process.env, ...environment } };
  const [status] = await once(spawn(process.execPath, parameters, options), 'close');
  return status ?? 1;
}

/** Makes the pages at `/docs` from the endpoint tables and `docs/`. Returns the exit code. */
export async function buildDocs(folder) {
  const tsx = join(project, 'node_modules', 'tsx', 'dist', 'cli.mjs');
  const script = join(project, 'scripts', 'build-docs.ts');
  return run([tsx, script, folder]);
}

/** The paths of all bundled files, as listed by `portal/vite.config.ts`. Removes the lists, which are not pages. */
export function takeModulesOfPages(folder) {
  const lists = languages.map((language) => join(folder, `modules.${language}.json`));
  const modules = lists.flatMap((list) => JSON.parse(readFileSync(list, 'utf8')));
  for (const list of lists) rmSync(list);
  return [...new Set(modules)];
}
