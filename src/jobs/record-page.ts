/**
 * The record of a run as files for people (JOB-14): a page to read and print, without external resources, and a table for
 * spreadsheets. This module is separate from the store verbs, which load no package.
 */
import { createHash } from 'node:crypto';
import type { Language } from '../foundation/language.ts';
import { levelIn, statusesInSwedish } from '../foundation/sentences/words.ts';
import { reasonIn, storedReason } from '../foundation/sentences.ts';
import { type CsvRow, writeCsvRows } from '../wire/csv.ts';
import { escapeHtml } from '../wire/escape-html.ts';
import {
  factsOf,
  type Named,
  type RecordedEntry,
  type RecordedPerson,
  type RecordOfRun,
  type RunRecord,
  recordedEntry,
  recordedPeople,
} from './record.ts';
import { type RecordWords, recordWords } from './record-words.ts';
import type { Entry } from './run/entry.ts';

/** The page's rules: it loads and runs nothing, and has only its own style. */
export function recordPagePolicy(): string {
  const hash = createHash('sha256').update(style).digest('base64');
  return `default-src 'none'; style-src 'sha256-${hash}'; base-uri 'none'; form-action 'none'; frame-ancestors 'none'`;
}

/** How a reader sees the page. */
export interface RecordReader {
  readonly language: Language;
  /** The time zone of all times, by its IANA name. */
  readonly zone: string;
}

const ofPrograms: RecordReader = { language: 'en', zone: 'UTC' };

/** What the rows of the page need to know of its reader. */
interface Reading extends RecordReader {
  readonly words: RecordWords;
  /** The local time of an ISO time, to the second. */
  readonly shown: (iso: string) => string;
  /** The day in the heading. */
  readonly day: string;
}

function readingOf({ language, zone }: RecordReader, startAt: string): Reading {
  // Swedish writes times as ISO 8601 does.
  const format = new Intl.DateTimeFormat('sv-SE', {
    timeZone: zone,
    dateStyle: 'short',
    timeStyle: 'medium',
  });
  const shown = (iso: string) => format.format(new Date(iso));
  return { language, zone, words: recordWords[language], shown, day: shown(startAt).slice(0, 10) };
}

/** The page in pieces, since a run may have thousands of people. */
export function* recordAsPage(record: RunRecord, reader = ofPrograms): Generator<string> {
  const { job, run, type, startedBy, startAt, expiresAt, phase, outcome, message, tasks } = factsOf(record);
  const reading = readingOf(reader, startAt);
  const { words, shown } = reading;
  const facts = [
    [words.run, words.ofType(run, type)],
    [words.started, words.startedBy(shown(startAt), startedBy)],
    [words.ends, expiresAt === undefined ? '' : shown(expiresAt)],
    [words.question, message],
  ].filter(([, value]) => value !== '');
  yield `<!doctype html>
<html lang="${reader.language}">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<title>${escapeHtml(job)}, ${words.run.toLowerCase()} ${run}</title>
<style>${style}</style>
</head>
<body>
<header>
<h1>${escapeHtml(job)}</h1>
<p class="state">${escapeHtml(stateOf(reading, phase, outcome))}</p>
</header>
<dl>${facts.map(([name = '', value = '']) => `<div><dt>${name}</dt><dd>${escapeHtml(value)}</dd></div>`).join('')}</dl>
<h2>${words.places}</h2>
`;
  yield* table(words.placeHeads, tasks, (task) => placesRow(task, reading));
  yield `\n<h2>${words.people}</h2>\n`;
  yield* table(words.personHeads, recordedPeople(record), (person) => personRow(person, reading));
  yield `\n<h2>${words.happened}</h2>\n`;
  const { entries, people } = record;
  const row = (entry: Entry) => entryRow(recordedEntry(entry, people, reader.language), reading);
  yield* table(words.entryHeads, entries, row, 'timeline');
  yield `\n<footer>${words.zone(escapeHtml(reader.zone))}</footer>\n</body>\n</html>\n`;
}

/** The cells contain HTML. */
type Cells = readonly string[];

const rowsInPiece = 100;

function* table<Item>(
  heads: Cells,
  items: Iterable<Item>,
  cellsOf: (item: Item) => Cells,
  kind = 'labelled',
): Generator<string> {
  const head = `<tr>${heads.map((name) => `<th scope="col">${name}</th>`).join('')}</tr>`;
  yield `<table class="${kind}"><thead>${head}</thead><tbody>`;
  let rows: string[] = [];
  for (const item of items) {
    const own = cellsOf(item).map(
      (cell, place) => `<td data-head="${heads[place]}">${cell === '' ? '' : `<div>${cell}</div>`}</td>`,
    );
    rows.push(`\n<tr>${own.join('')}</tr>`);
    if (rows.length < rowsInPiece) continue;
    yield rows.join('');
    rows = [];
  }
  yield `${rows.join('')}\n</tbody></table>`;
}

function placesRow(
  { task, found, goal, levelsOpen, levels }: RecordOfRun['tasks'][number],
  { language, words }: Reading,
): Cells {
  const names = levels.map((name, place) => {
    const text = escapeHtml(levelIn(language, name));
    return place < levelsOpen ? text : `<span class="faint">${text} (${words.notOpened})</span>`;
  });
  return [
    escapeHtml(task || words.everyone),
    goal === undefined ? `${found}` : words.ofGoal(found, goal),
    lines(names),
  ];
}

function personRow(
  { name, phone, email, state, task, reserve, asked, messages, mails, answers }: RecordedPerson,
  reading: Reading,
): Cells {
  const { language, words } = reading;
  const assignment = task !== undefined ? words.hasPlace : reserve !== undefined ? words.reserve : '';
  const questions = [
    ...messages.map((one) => ({
      ...one,
      became: language === 'sv' ? (statusesInSwedish[one.status] ?? '') : one.status.toLowerCase(),
    })),
    ...mails.map((one) => ({ ...one, became: words.mails[one.state] })),
  ].filter(({ isQuestion }) => isQuestion);
  return [
    lines([`<b>${escapeHtml(name || phone || email)}</b>`, ...(name === '' ? [] : [faint(phone || email)])]),
    lines([
      `<span class="${state}">${words.states[state] ?? state}</span>`,
      ...(assignment === '' ? [] : [faint(assignment)]),
    ]),
    lines(
      asked.map(
        ({ at, why, whyValues }) =>
          `${time(at, reading)} ${faint(reasonIn(language, whyValues === undefined ? why : storedReason(whyValues)))}`,
      ),
    ),
    lines(questions.map(({ became, at }) => `${time(at, reading)} ${escapeHtml(became)}`)),
    lines(
      answers.map(
        ({ at, text, meaning }) =>
          `${time(at, reading)} ${text === '' ? words.byLink(meaning) : `“${escapeHtml(text)}”`}`,
      ),
    ),
  ];
}

function entryRow({ at, what, by, people, detail }: RecordedEntry, reading: Reading): Cells {
  const { words } = reading;
  const who = escapeHtml(people.join(', '));
  return [
    time(at, reading),
    `<b>${words.kinds[what] ?? what}</b>`,
    who,
    lines([
      ...(detail === '' ? [] : [escapeHtml(detail)]),
      ...(by === 'system' ? [] : [faint(words.by(by))]),
    ]),
  ];
}

function stateOf({ words }: Reading, phase: string, outcome: string | undefined): string {
  const name = words.phases[phase] ?? phase;
  if (outcome === undefined) return name;
  return `${name}: ${words.outcomes[outcome] ?? outcome.toLowerCase().replaceAll('_', ' ')}`;
}

function lines(cells: Cells): string {
  return cells.map((cell) => `<div>${cell}</div>`).join('');
}

function faint(text: string): string {
  return `<span class="faint">${escapeHtml(text)}</span>`;
}

/** The time to the second, with the date if it differs from the one in the heading. */
function time(iso: string, { shown, day }: Reading): string {
  const text = shown(iso);
  return `<time datetime="${iso}" title="${iso}">${text.startsWith(day) ? text.slice(11) : text}</time>`;
}

const style = `
body { font: 15px/1.45 system-ui, sans-serif; margin: 0 auto; padding: 1.5rem; max-width: 68rem; color: #1a1a1a; background: #fff; }
header { display: flex; flex-wrap: wrap; align-items: baseline; gap: .25rem 1rem; }
h1 { font-size: 1.6rem; margin: 0; overflow-wrap: anywhere; }
h2 { font-size: 1.1rem; margin: 1.75rem 0 .5rem; break-after: avoid; }
.state { margin: 0; padding: .1rem .6rem; border: 1px solid currentColor; border-radius: 1rem; color: #14532d; font-weight: 600; }
dl { margin: 1rem 0 0; }
dl div { display: flex; gap: .75rem; padding: .1rem 0; }
dt { flex: 0 0 5.5rem; color: #555; }
dd { margin: 0; overflow-wrap: anywhere; }
table { border-collapse: collapse; width: 100%; font-variant-numeric: tabular-nums; }
th, td { text-align: left; vertical-align: top; padding: .35rem 1rem .35rem 0; border-bottom: 1px solid #ddd; overflow-wrap: anywhere; }
th { color: #555; font-weight: 600; border-bottom-color: #888; white-space: nowrap; }
time { white-space: nowrap; }
.faint { color: #5c5c5c; }
.yes { color: #14532d; font-weight: 600; }
.no, .unreachable { color: #8a1c1c; font-weight: 600; }
footer { margin-top: 1.5rem; color: #5c5c5c; }
@media (max-width: 40rem) {
  body { padding: 1rem; }
  thead { position: absolute; clip-path: inset(50%); width: 1px; height: 1px; overflow: hidden; }
  table, tbody, tr, td { display: block; }
  tr { padding: .5rem 0; border-bottom: 1px solid #ccc; }
  td { display: flex; gap: .75rem; border: 0; padding: .1rem 0; }
  .labelled td::before { content: attr(data-head); flex: 0 0 5.5rem; color: #555; }
  td > div { min-width: 0; }
  td:empty { display: none; }
  .timeline tr { display: grid; grid-template-columns: 5.5rem 1fr; column-gap: .75rem; padding: .35rem 0; }
  .timeline td { grid-column: 2; }
  .timeline td:first-child { grid-column: 1; }
}
@media print {
  @page { margin: 16mm 14mm; }
  body { font-size: 9.5pt; padding: 0; max-width: none; }
  thead { display: table-header-group; }
  tr { break-inside: avoid; }
}
`;

/** The timeline as a table, with a row for each entry. */
export const recordColumns: CsvRow = ['at', 'what', 'by', 'people', 'detail'];

export function recordAsCsv({ entries, people }: RunRecord): string {
  return writeCsvRows([recordColumns, ...entries.map((entry) => recordRow(entry, people))]);
}

export function recordRow(entry: Entry, named: readonly Named[], language: Language = 'en'): CsvRow {
  const { at, what, by, people, detail } = recordedEntry(entry, named, language);
  return [at, what, by, people.join('; '), detail];
}
