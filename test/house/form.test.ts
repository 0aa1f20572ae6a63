import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, test } from 'vitest';
import { filesBelow, parsedSources, root } from './sources.ts';

/** 100 to 400 lines are usual. */
const maxFileLines = 800;
const maxFunctionLines = 100;

/** Files, and functions in files, that may be long because they are tables: data to look up, not logic to follow. */
const tables: ReadonlySet<string> = new Set([
  'src/storage/first-schema.ts statements',
  'src/app/metrics.ts createMetrics',
  'test/plans/stock.ts',
]);

const folders = ['src', 'portal/src', 'test', 'scripts', 'bench'];
const sources = parsedSources(...folders);
const program = sources.filter(({ path }) => !path.endsWith('.test.ts'));

const longFiles = sources.filter(({ lines }) => lines > maxFileLines);
/** Test blocks, in test files and in suites that several of them share, may be long, because they are lists of tests. */
const logic = program.filter(({ path }) => !path.startsWith('test/') || path.startsWith('test/harness/'));
const longFunctions = logic.flatMap(({ path, functions }) =>
  functions.filter(({ lines }) => lines > maxFunctionLines).map((one) => ({ path, ...one })),
);

describe('the form of files', () => {
  test('No file is so long that it must have more than one purpose', () => {
    const long = longFiles.filter(({ path }) => !tables.has(path));
    expect(long.map(({ path, lines }) => `${path} has ${lines} lines`)).toEqual([]);
  });

  test('No function is so long that it can’t be read at a glance', () => {
    const long = longFunctions.filter(({ path, name }) => !tables.has(`${path} ${name}`));
    expect(long.map(({ path, line, name, lines }) => `${path}:${line} ${name} has ${lines} lines`)).toEqual(
      [],
    );
  });

  test('The list of long tables names only files and functions that are too long without it', () => {
    const needed = [
      ...longFiles.map(({ path }) => path),
      ...longFunctions.map(({ path, name }) => `${path} ${name}`),
    ];
    expect([...tables].filter((table) => !needed.includes(table))).toEqual([]);
  });

  test('Each file opens with a sentence that says why it exists', () => {
    const opening = /^(#!.*\n)?(\/\*\*?[\s\S]*?[.:!?][\s\S]*?\*\/|\/\/ .*[.:!?])/;
    expect(program.filter(({ text }) => !opening.test(text)).map(({ path }) => path)).toEqual([]);
  });

  test('No file is named as a collection of odds and ends, and no file only passes on the exports of others', () => {
    const drawer = /(^|\/|-)(utils?|helpers?|managers?|misc|common)(-|\.)|\/(types|index)\.tsx?$/;
    expect(sources.map(({ path }) => path).filter((path) => drawer.test(path))).toEqual([]);
  });

  test('Only one file reads the time of day, so that a test can control it', () => {
    const asking = program.filter(({ path, text }) => path.startsWith('src/') && /\bDate\.now\b/.test(text));
    expect(asking.map(({ path }) => path)).toEqual(['src/foundation/clock.ts']);
  });

  test('Only one file adds to the time of day, so that all results are whole milliseconds', () => {
    const adding = program.filter(
      ({ path, text }) => path.startsWith('src/') && /[cC]lock\.now\(\) \+/.test(text),
    );
    expect(adding.map(({ path }) => path)).toEqual(['src/foundation/clock.ts']);
  });

  test('Only one file writes the status of a message, so that nothing that belongs to a status change is left out', () => {
    const writing = program.filter(
      ({ path, text }) => path.startsWith('src/') && /\bversion \+ 1\b/.test(text),
    );
    expect(writing.map(({ path }) => path)).toEqual([
      // Incidents of alerts.
      'src/alerts/assign-store.ts',
      'src/alerts/incident-store.ts',
      'src/alerts/receiver.ts',
      'src/alerts/take-store.ts',
      // Runs of jobs.
      'src/jobs/run-store.ts',
      // Conversations.
      'src/messages/conversation-rows.ts',
      'src/messages/conversations/conversation.ts',
      'src/messages/conversations/release-records.ts',
      'src/messages/status-change.ts',
      // Resources.
      'src/resources/resource.ts',
      // Counters by which nodes notice that something has changed.
      'src/storage/news.ts',
      // Webhooks.
      'src/webhooks/endpoint-records.ts',
    ]);
  });

  test('Only one file writes to the terminal, where what others wrote is made harmless', () => {
    const writing = /\bconsole\.|\bprocess\.(stdout|stderr)\.write\b/;
    const writers = program.filter(({ path, text }) => path.startsWith('src/') && writing.test(text));
    expect(writers.map(({ path }) => path)).toEqual(['src/foundation/terminal.ts']);
  });

  test('No test has a regular expression as a value in toMatchObject, where it equals everything', () => {
    const compared = /\.toMatchObject\((?:(?!;\n)[\s\S])*?\w: \/[^/*\s]/;
    const tests = sources.filter(({ path }) => path.endsWith('.test.ts'));
    expect(tests.filter(({ text }) => compared.test(text)).map(({ path }) => path)).toEqual([]);
  });

  test('No file has a marker for unfinished work', () => {
    // Split up, so that this file does not contain the words.
    const left = new RegExp(`\\b(${['TO' + 'DO', 'FIX' + 'ME', 'X' + 'XX', 'HA' + 'CK'].join('|')})\\b`);
    const written = [...folders, 'docs', 'bin', '.ci']
      .flatMap(filesBelow)
      .filter((path) => !path.endsWith('.png'));
    expect(written.filter((path) => left.test(readFileSync(join(root, path), 'utf8')))).toEqual([]);
  });
});
