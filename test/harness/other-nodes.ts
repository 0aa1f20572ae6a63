/** Finds other versions of Node on this machine than the one that runs the tests. */
import { spawnSync } from 'node:child_process';
import { existsSync, readdirSync } from 'node:fs';
import { delimiter, join } from 'node:path';
import { fileURLToPath } from 'node:url';

const packages = fileURLToPath(new URL('../../node_modules', import.meta.url));

/** Like `PATH`, `CARILLON_OLDER_NODES` lists folders that each contain a `node` program. */
const folders = [
  ...[process.env.CARILLON_OLDER_NODES, process.env.PATH].flatMap((path) => path?.split(delimiter) ?? []),
  ...readdirSync(packages)
    .filter((name) => name.startsWith('node-'))
    .map((name) => join(packages, name, 'bin')),
];

/** The versions of Node that the package is tried with. */
export const triedNodes: readonly number[] = [20, 22, 24];

/** The path of the program, or undefined if there is none. */
export function nodeOf(major: number): string | undefined {
  return [...new Set(folders)]
    .map((folder) => join(folder, 'node'))
    .filter((file) => existsSync(file))
    .find((file) => spawnSync(file, ['--version'], { encoding: 'utf8' }).stdout?.startsWith(`v${major}.`));
}
