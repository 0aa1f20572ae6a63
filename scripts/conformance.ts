/**
 * Compares the requirements with the tests that name them, and writes `docs/conformance.md`. With `--report FILE` (the output
 * of `vitest run --reporter=json`; can be repeated), a requirement also needs a test that passed. `--titles` prints the titles
 * of each requirement's tests, which are what the service promises.
 */
import { mkdirSync, readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join, relative } from 'node:path';
import { fileURLToPath } from 'node:url';
import { parseArgs } from 'node:util';
import {
  conformancePage,
  conformanceTitles,
  faultsOf,
  faultsOfRun,
  type NamedTest,
  type RunTest,
  testsIn,
} from '../test/conformance/coverage.ts';
import { notYetBuilt, requirements } from '../test/conformance/requirements.ts';

const root = fileURLToPath(new URL('../', import.meta.url));
const { values } = parseArgs({
  options: { report: { type: 'string', multiple: true }, titles: { type: 'boolean', default: false } },
});

const tests = ['src', 'test'].flatMap(testsBelow);
const faults = faultsOf(tests);
const run = (values.report ?? []).flatMap(testsOfReport);
if (values.report !== undefined) faults.push(...faultsOfRun(run));

mkdirSync(join(root, 'docs'), { recursive: true });
writeFileSync(join(root, 'docs', 'conformance.md'), conformancePage(tests));

if (values.titles) console.log(conformanceTitles(tests));
const count = Object.keys(requirements).length;
const proven = new Set(tests.flatMap(({ ids }) => ids)).size;
console.log(`${count} requirements: ${proven} named by tests, ${notYetBuilt.length} not yet built.`);
for (const fault of faults) console.error(fault);
if (faults.length > 0) process.exitCode = 1;

function testsBelow(folder: string): NamedTest[] {
  const entries = readdirSync(join(root, folder), { recursive: true, withFileTypes: true });
  const files = entries.filter((entry) => entry.isFile() && entry.name.endsWith('.test.ts'));
  const paths = files.map((entry) => relative(root, join(entry.parentPath, entry.name))).sort();
  return paths.flatMap((path) => testsIn(path, readFileSync(join(root, path), 'utf8')));
}

function testsOfReport(file: string): RunTest[] {
  const report = JSON.parse(readFileSync(file, 'utf8')) as {
    readonly testResults: readonly { readonly assertionResults: readonly RunTest[] }[];
  };
  return report.testResults.flatMap(({ assertionResults }) => assertionResults);
}
