/**
 * `npm test`: builds, and runs the tests that every change must pass, on the Node that Carillon runs on. `--slowest` lists
 * the twenty files that took the most processor time; all other parameters go to the test runner.
 */
import { spawnSync } from 'node:child_process';
import { delimiter, dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { chosenNode } from '../bin/node.js';

const project = fileURLToPath(new URL('..', import.meta.url));
const node = chosenNode();
const given = process.argv.slice(2);
const parameters = given.filter((parameter) => parameter !== '--slowest');
// Wherever tests start `node`, they start the Node chosen here.
const env = { ...process.env, PATH: `${dirname(node)}${delimiter}${process.env.PATH}` };
if (given.length > parameters.length) env.CARILLON_SLOWEST = '20';

const projects = ['unit', 'store', 'whole'].flatMap((name) => ['--project', name]);
const isDone =
  run(join('scripts', 'build.mjs'), '--when-needed') &&
  run(join('node_modules', 'vitest', 'vitest.mjs'), 'run', ...projects, ...parameters);
process.exitCode = isDone ? 0 : 1;

function run(script, ...rest) {
  return (
    spawnSync(node, [join(project, script), ...rest], { cwd: project, env, stdio: 'inherit' }).status === 0
  );
}
