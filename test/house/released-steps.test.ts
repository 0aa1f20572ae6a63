/** Released schema steps never change, because a store that has run a step never runs it again. */
import { createHash } from 'node:crypto';
import { readFileSync } from 'node:fs';
import { expect, test } from 'vitest';
import type { Migration } from '../../src/storage/first-schema.ts';
import { migrations } from '../../src/storage/schema.ts';

const file = 'test/house/released-steps.txt';
const pinned = readFileSync(new URL('released-steps.txt', import.meta.url), 'utf8')
  .split('\n')
  .filter((line) => /^\d/.test(line));

type Step = Pick<Migration, 'version' | 'statements'>;

/** The version, and a digest of the statements per engine. */
function lineOf({ version, statements }: Step): string {
  const digests = (['sqlite', 'postgres'] as const).map((dialect) => digestOf(statements(dialect)));
  return [version, ...digests].join(' ');
}

function digestOf(statements: readonly string[]): string {
  // Indentation does not matter to a store.
  const text = statements.map((statement) => statement.replace(/\s+/g, ' ').trim()).join(';\n');
  return createHash('sha256').update(text).digest('hex').slice(0, 16);
}

function faultsOf(steps: readonly Step[]): readonly string[] {
  const lines = steps.map(lineOf);
  const known = new Set(pinned.map((line) => Number.parseInt(line, 10)));
  const changed = pinned.filter((line) => !lines.includes(line)).map((line) => Number.parseInt(line, 10));
  const added = steps.filter(({ version }) => !known.has(version));
  return [
    ...changed.map(
      (version) =>
        `Step ${version} was changed. Stores that have run it never run it again, so they would differ from new ones: undo the change, and add a further step that makes it.`,
    ),
    ...added.map((step) => `Step ${step.version} is new. Add this line to ${file}: ${lineOf(step)}`),
  ];
}

test('[RUN-5] No released step of the schema is ever changed', () => {
  expect(faultsOf(migrations)).toEqual([]);
});

test('[RUN-5] A step of the schema that was changed for one engine, removed or added is reported', () => {
  const inOneEngine = (step: Step): Step => ({
    version: step.version,
    statements: (dialect) => step.statements(dialect).map((one) => one.replace('WITHOUT ROWID', '')),
  });
  const edited = migrations.map((step) => (step.version === 1 ? inOneEngine(step) : step));
  expect(faultsOf(edited)).toEqual([
    expect.stringMatching(/^Step 1 was changed\. Stores .*add a further step/),
  ]);
  const without = migrations.filter(({ version }) => version !== 2);
  expect(faultsOf(without)).toEqual([expect.stringMatching(/^Step 2 was changed\./)]);
  const further: Step = {
    version: migrations.length + 1,
    statements: () => ['CREATE TABLE more (id BIGINT)'],
  };
  expect(faultsOf([...migrations, further])).toEqual([
    `Step ${further.version} is new. Add this line to ${file}: ${lineOf(further)}`,
  ]);
});
