/** The record of a run (JOB-14): who was asked when and why, reached when, answered what, and every decision. */

import { escapeHtml } from '../wire/escape-html.ts';
import type { RunRecord, SentMessage } from './record-store.ts';
import type { Entry } from './run/entry.ts';
import type { Person } from './run/run.ts';

export interface RecordedPerson {
  readonly name: string;
  readonly contactId: string;
  readonly phone: string;
  /** Of somebody without a phone, who was asked by mail. */
  readonly email: string;
  readonly state: string;
  /** The task whose place the person holds. */
  readonly task?: string;
  readonly reserve?: number;
  readonly asked: readonly { readonly at: string; readonly why: string }[];
  readonly messages: readonly Recorded[];
  readonly answers: readonly { readonly at: string; readonly text: string; readonly meaning: string }[];
}

interface Recorded {
  readonly id: string;
  readonly text: string;
  readonly status: string;
  readonly at: string;
}

export interface RecordedEntry {
  readonly at: string;
  readonly what: string;
  readonly by: string;
  readonly people: readonly string[];
  readonly detail: string;
}

const iso = (time: number) => new Date(time).toISOString();

/** For programs, and what the other forms are made of. */
export function recordOf({ run, people, entries, messages }: RunRecord) {
  return {
    run: String(run.id),
    job: run.jobName,
    savedJob: run.savedJobId,
    type: run.typeName,
    startedBy: run.starter,
    startAt: iso(run.startAt),
    expiresAt: run.expiryAt === null ? null : iso(run.expiryAt),
    phase: run.phase,
    outcome: run.outcome,
    message: run.message,
    tasks: run.tasks.map(({ name, goal, opened, levels }, place) => ({
      task: name,
      goal,
      found: people.filter(({ task }) => task === place).length,
      levelsOpen: opened,
      levels: levels.map((level) => level.name),
    })),
    people: people.map((person) => recordedPerson(person, { run, people, entries, messages })),
    timeline: entries.map((entry) => recordedEntry(entry, people)),
  };
}

function recordedPerson(person: Person, { run, entries, messages }: RunRecord): RecordedPerson {
  const own = entries.filter(({ people }) => people?.includes(person.place));
  return {
    name: person.name,
    contactId: person.contactId,
    phone: person.phone ?? '',
    email: person.email ?? '',
    state: person.state,
    ...(person.task === null ? {} : { task: run.tasks[person.task]?.name ?? '' }),
    ...(person.reserve === null ? {} : { reserve: person.reserve }),
    asked: own.filter(({ kind }) => kind === 'ask').map(({ at, why = '' }) => ({ at: iso(at), why })),
    messages: messages.filter(({ place }) => place === person.place).map(recordedMessage),
    answers: own
      .filter(({ kind }) => kind === 'reply')
      .map(({ at, text = '', meaning = '' }) => ({ at: iso(at), text, meaning })),
  };
}

function recordedMessage({ id, text, status, changedAt }: SentMessage): Recorded {
  return { id: String(id), text, status, at: iso(changedAt) };
}

export function recordedEntry(entry: Entry, people: readonly Person[]): RecordedEntry {
  const { at, kind, by, why, text, meaning, outcome, task } = entry;
  const detail = [
    ...(outcome === undefined ? [] : [outcome]),
    ...(task === undefined ? [] : [`task ${task + 1}`]),
    ...(meaning === undefined ? [] : [meaning]),
    ...(text === undefined ? [] : [JSON.stringify(text)]),
    ...(why === undefined ? [] : [why]),
  ].join(', ');
  const who = (entry.people ?? []).map((place) => nameOf(people[place]));
  return { at: iso(at), what: kind, by, people: who, detail };
}

function nameOf(person: Person | undefined): string {
  return person?.name || person?.phone || person?.email || '';
}

/** RFC 4180, with a head: the timeline, a line for each entry. */
export function recordAsCsv(record: RunRecord): string {
  const lines = record.entries.map((entry) => {
    const { at, what, by, people, detail } = recordedEntry(entry, record.people);
    return [at, what, by, people.join('; '), detail].map(csvField).join(',');
  });
  return `${['at,what,by,people,detail', ...lines].join('\r\n')}\r\n`;
}

/** A spreadsheet takes a field that begins with one of `=+-@` for a formula: an apostrophe keeps it text. */
function csvField(text: string): string {
  const safe = /^[=+\-@\t\r]/.test(text) ? `'${text}` : text;
  return /[",\r\n]/.test(safe) ? `"${safe.replaceAll('"', '""')}"` : safe;
}

/** A page to print, without anything from elsewhere. */
export function recordAsPage(record: RunRecord): string {
  const { job, run, type, startedBy, startAt, phase, outcome, tasks, people, timeline } = recordOf(record);
  const row = (cells: readonly string[], tag = 'td') =>
    `<tr>${cells.map((cell) => `<${tag}>${escapeHtml(cell)}</${tag}>`).join('')}</tr>`;
  const table = (heads: readonly string[], rows: readonly (readonly string[])[]) =>
    `<table>${row(heads, 'th')}\n${rows.map((cells) => row(cells)).join('\n')}</table>`;
  return `<!doctype html>
<html lang="en"><meta charset="utf-8"><title>${escapeHtml(job)}, run ${run}</title>
<style>
body { font: 11pt/1.4 system-ui, sans-serif; margin: 2rem auto; max-width: 60rem; color: #111; }
table { border-collapse: collapse; width: 100%; margin: 0 0 1.5rem; }
th, td { text-align: left; vertical-align: top; padding: .25rem .6rem .25rem 0; border-bottom: 1px solid #ccc; }
h2 { font-size: 1.1rem; margin: 1.5rem 0 .5rem; }
@media print { body { margin: 0; max-width: none; } tr { break-inside: avoid; } }
</style>
<h1>${escapeHtml(job)}</h1>
<p>Run ${run} of a job of the type ${escapeHtml(type)}, started by ${escapeHtml(startedBy)}, ${startAt}. It is ${phase}${outcome === null ? '' : ` (${outcome})`}.</p>
<h2>Places</h2>
${table(
  ['Task', 'Found', 'Goal', 'Levels opened'],
  tasks.map(({ task, found, goal, levelsOpen, levels }) => [
    ...[task || 'everybody', String(found), String(goal ?? 'all'), `${levelsOpen} of ${levels.length}`],
  ]),
)}
<h2>People</h2>
${table(
  ['Name', 'Phone', 'State', 'Asked', 'Last message', 'Answers'],
  people.map(({ name, phone, state, task, reserve, asked, messages, answers }) => [
    ...[name, phone],
    state + (task === undefined ? '' : `, has a place ${task}`) + (reserve === undefined ? '' : ', reserve'),
    asked.map(({ at, why }) => `${at} ${why}`).join('; '),
    messages
      .slice(-1)
      .map(({ status, at }) => `${status} ${at}`)
      .join(''),
    answers.map(({ text, meaning }) => `${text} (${meaning})`).join('; '),
  ]),
)}
<h2>What happened</h2>
${table(
  ['At', 'What', 'By', 'Who', 'Detail'],
  timeline.map(({ at, what, by, people: who, detail }) => [at, what, by, who.join(', '), detail]),
)}
</html>
`;
}
