import { describe, expect, test } from 'vitest';
import { conformancePage, faultsOf, faultsOfRun, testsIn } from '../conformance/coverage.ts';
import { notYetBuilt, requirements } from '../conformance/requirements.ts';

const built = Object.keys(requirements).filter((id) => !notYetBuilt.includes(id));
const all = built.map((id) => ({ file: 'src/all.test.ts', title: 'does it', ids: [id] }));

describe('the conformance tool', () => {
  test('The conformance tool finds the ids at the start of titles, several in one title, whatever the quotes', () => {
    // % stands for the quotes, so that the examples are not taken for titles of this file's own tests.
    const text = [
      "it's; test(%[ENC-1] [ENC-2] it\\% s cut%, () => {});",
      'describe(',
      '  %[RUN-5] a block%, () => {});',
      'const pattern = /[A-Z]-1/; log(%not at the start: [SEND-3]%); test(%[SEND-2] $number%, f);',
    ].join('\n');
    for (const quote of ['"', '`']) {
      const found = testsIn('a.test.ts', text.replaceAll('%', quote));
      expect(found.map(({ ids }) => ids)).toEqual([['ENC-1', 'ENC-2'], ['RUN-5'], ['SEND-2']]);
      expect(found[0]?.title).toBe(`it${quote} s cut`);
    }
  });

  test('The conformance tool is content when every built requirement has a test', () => {
    expect(faultsOf(all)).toEqual([]);
  });

  test('The conformance tool reports a requirement without a test, an unknown id, and a test of what is not yet built', () => {
    const [first, ...others] = all;
    const tests = [...others, { file: 'b.test.ts', title: 'odd', ids: ['NONE-1', notYetBuilt[0] as string] }];
    expect(faultsOf(tests)).toEqual([
      'b.test.ts: «odd» names NONE-1, which is no requirement.',
      `${first?.ids[0]} has no test.`,
      `${notYetBuilt[0]} is listed as not yet built, but has tests.`,
    ]);
  });

  test('The conformance tool counts a skipped test as not passed, and reports any that failed', () => {
    const run = built.map((id) => ({ fullName: `block [${id}] does it`, status: 'passed' }));
    expect(faultsOfRun(run)).toEqual([]);
    const [first, second, ...others] = run as [(typeof run)[number], (typeof run)[number]];
    expect(
      faultsOfRun([{ ...first, status: 'skipped' }, second, { ...second, status: 'failed' }, ...others]),
    ).toEqual([`«${second.fullName}» has failed.`, `${built[0]} has no test that passed in the run.`]);
  });

  test('The conformance tool writes a row for each requirement, with the number of its tests and their files', () => {
    const tests = ['one', 'another'].map((title) => ({ file: 'src/a.test.ts', title, ids: ['ENC-1'] }));
    const page = conformancePage([...tests, { file: 'test/b.test.ts', title: 'a third', ids: ['ENC-1'] }]);
    expect(page).toContain('| 3 | [a](../src/a.test.ts), [test/b](../test/b.test.ts) |');
    expect(page.split('\n').filter((line) => /^\| [A-Z0-9]+-\d+ \|/.test(line)).length).toBe(
      Object.keys(requirements).length,
    );
  });
});
