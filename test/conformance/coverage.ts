/** Compares the requirements with the tests that name them. */
import { notYetBuilt, partlyBuilt, requirements } from './requirements.ts';

export interface NamedTest {
  readonly file: string;
  readonly title: string;
  readonly ids: readonly string[];
}

/** The outcome of a test in the report of a run. */
export interface RunTest {
  /** The titles of the enclosing blocks, followed by the test's own. */
  readonly fullName: string;
  readonly status: string;
}

/** A title begins with the ids that its test proves. */
const openingIds = /^(?:\[[A-Z][A-Z0-9]*-\d+\] ?)+/;

function idsAtStart(title: string): string[] {
  const [opening = ''] = openingIds.exec(title) ?? [];
  return [...opening.matchAll(/\[(.+?)\]/g)].map(([, id]) => id as string);
}

/** A string literal, in any quotes, that begins with ids. */
const titleLiteral = /(['"`])((?:\[[A-Z][A-Z0-9]*-\d+\] ?)+(?:\\.|(?!\1)[^\\\n])*)\1/g;

/** The titles with ids in a test file. */
export function testsIn(file: string, text: string): NamedTest[] {
  return [...text.matchAll(titleLiteral)].map(([, , literal = '']) => {
    const title = literal.replace(/\\(.)/g, '$1');
    return { file, title: title.replace(openingIds, '').trim(), ids: idsAtStart(title) };
  });
}

/** What contradicts the requirements, one sentence each. */
export function faultsOf(tests: readonly NamedTest[]): string[] {
  const faults: string[] = [];
  for (const { file, title, ids } of tests) {
    for (const id of ids.filter((one) => requirements[one] === undefined))
      faults.push(`${file}: «${title}» names ${id}, which is no requirement.`);
  }
  const named = new Set(tests.flatMap(({ ids }) => ids));
  for (const id of Object.keys(requirements)) {
    const isBuilt = !notYetBuilt.includes(id);
    if (isBuilt && !named.has(id)) faults.push(`${id} has no test.`);
    if (!isBuilt && named.has(id)) faults.push(`${id} is listed as not yet built, but has tests.`);
  }
  for (const id of [...notYetBuilt, ...Object.keys(partlyBuilt)].filter(
    (one) => requirements[one] === undefined,
  ))
    faults.push(`${id} is listed as not or partly built, but is no requirement.`);
  return faults;
}

/** What a run contradicts: a built requirement needs a test that passed, and no test that failed. */
export function faultsOfRun(run: readonly RunTest[]): string[] {
  const passed = new Set<string>();
  const faults: string[] = [];
  for (const { fullName, status } of run) {
    const ids = [...fullName.matchAll(/\[([A-Z][A-Z0-9]*-\d+)\]/g)].map(([, id]) => id as string);
    if (status === 'failed' && ids.length > 0) faults.push(`«${fullName}» has failed.`);
    if (status === 'passed') for (const id of ids) passed.add(id);
  }
  for (const id of Object.keys(requirements)) {
    if (!notYetBuilt.includes(id) && !passed.has(id))
      faults.push(`${id} has no test that passed in the run.`);
  }
  return faults;
}

/** The page that lists all requirements. */
export function conformancePage(tests: readonly NamedTest[]): string {
  const lines = [
    '<!-- Written by `npm run conformance`; not to be edited. -->',
    '# Conformance',
    '',
    'What Carillon must do, how many tests prove it, and in which files. A test’s title begins with the ids of what it proves, in',
    'brackets. `npm run conformance -- --titles` prints the titles by requirement.',
    '',
    '| id | what it asks | tests | in |',
    '| --- | --- | ---: | --- |',
  ];
  for (const [id, what] of Object.entries(requirements)) {
    const proofs = tests.filter(({ ids }) => ids.includes(id));
    const files = [...new Set(proofs.map(({ file }) => file))].map(linkTo).join(', ');
    lines.push(`| ${id} | ${what}${shortcoming(id)} | ${proofs.length} | ${files} |`);
  }
  return `${lines.join('\n')}\n`;
}

/** Each requirement with the titles of its tests, each title once. */
export function conformanceTitles(tests: readonly NamedTest[]): string {
  const sections = Object.entries(requirements).map(([id, what]) => {
    const titles = new Set(tests.filter(({ ids }) => ids.includes(id)).map(({ title }) => title));
    return [`${id} ${what}`, ...[...titles].map((title) => `  - ${title}`), ''].join('\n');
  });
  return sections.join('\n');
}

function shortcoming(id: string): string {
  if (notYetBuilt.includes(id)) return '<br>*not yet built*';
  const absent = partlyBuilt[id];
  return absent === undefined ? '' : `<br>*partly built: ${absent}*`;
}

function linkTo(file: string): string {
  return `[${file.replace(/^src\/|\.test\.ts$/g, '')}](../${file})`;
}
