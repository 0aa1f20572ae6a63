/**
 * Before npm packs: writes `npm-shrinkwrap.json`, by which an install of the package takes the very versions that the
 * lockfile names. npm packs no lockfile, and of what a package depends on it would take the newest that fits.
 * `--remove` after it has packed, since npm believes a shrinkwrap more than the lockfile.
 */
import { readFileSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';

const project = fileURLToPath(new URL('..', import.meta.url));
const shrinkwrap = join(project, 'npm-shrinkwrap.json');

if (process.argv.includes('--remove')) rmSync(shrinkwrap, { force: true });
else writeFileSync(shrinkwrap, `${JSON.stringify(ofProduction(), null, 2)}\n`);

function ofProduction() {
  const lock = JSON.parse(readFileSync(join(project, 'package-lock.json'), 'utf8'));
  const { '': root, ...locked } = lock.packages;
  const { devDependencies, ...own } = root;
  // What is needed in development and by something optional as well would be marked `devOptional`.
  const needed = Object.entries(locked).filter(([, { dev }]) => dev !== true);
  return { ...lock, packages: { '': own, ...Object.fromEntries(needed) } };
}
