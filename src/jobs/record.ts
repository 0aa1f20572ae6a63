/**
 * The record of a run (JOB-14): who was asked when and why, when they were reached, what they answered, and every
 * decision. This file reads it from the store and gives it the form for programs.
 */

import { groupedBy } from '../foundation/grouped.ts';
import type { Language } from '../foundation/language.ts';
import { reasonIn, type Sentence, shownReason, shownWhy } from '../foundation/sentences.ts';
import { statusNames } from '../messages/message.ts';
import {
  bigint,
  enumerated,
  expression,
  flag,
  inColumn,
  json,
  type Kept,
  StoredRecord,
  text,
} from '../storage/stored-record.ts';
import { inTurns, type ReadOwner, snapshotVerb } from '../storage/verb.ts';
import { type MailState, readMails, type SentMail } from './mails-store.ts';
import { recordWords } from './record-words.ts';
import type { Entry } from './run/entry.ts';
import { countHeld, type Person, type Run } from './run/run.ts';
import { storedPerson, storedRun } from './stored-runs.ts';

export interface RunRecord {
  readonly run: Run;
  readonly people: readonly Person[];
  readonly entries: readonly Entry[];
  /** In order of id. */
  readonly messages: readonly SentMessage[];
  readonly mails: readonly SentMail[];
}

const sentMessage = new StoredRecord({
  id: expression('messages.id', bigint),
  place: expression('job_messages.place', bigint),
  isQuestion: expression('job_messages.is_question', flag),
  /** The number that the message came from, to which answers go. */
  from: inColumn('sender', expression('messages.sender', text)),
  text: expression('messages.text', text),
  changedAt: expression('messages.changed_at', bigint),
  status: expression('messages.status', enumerated(statusNames)),
});

type SentMessage = Kept<typeof sentMessage>;

const storedEntry = new StoredRecord({ entry: json<Entry>() });

export interface RecordQuery {
  readonly runId: number;
  /** The owner in whose turn the record is read. */
  readonly owner: ReadOwner;
}

export const readRecord = inTurns(
  snapshotVerb('jobs.readRecord', async (reading, { runId: id }: RecordQuery): Promise<RunRecord | null> => {
    const found = await storedRun.first(reading)`FROM job_runs WHERE id = ${id}`;
    if (found === undefined) return null;
    const people = await storedPerson.all(reading)`FROM job_people WHERE run_id = ${id} ORDER BY place`;
    const entries = await storedEntry.all(reading)`FROM job_entries WHERE run_id = ${id} ORDER BY place`;
    const messages = await sentMessage.all(reading)`
      FROM job_messages CROSS JOIN messages
      WHERE job_messages.run_id = ${id} AND messages.company_id = job_messages.company_id
        AND messages.id = job_messages.message_id ORDER BY messages.id`;
    return {
      run: found.run,
      mails: await readMails(reading, id),
      people: people.map(({ person }) => person),
      entries: entries.map(({ entry }) => entry),
      messages,
    };
  }),
  ({ owner }) => owner,
);

export interface RecordedPerson {
  readonly name: string;
  readonly contactId: string;
  readonly phone: string;
  /** The address of a person without a phone, who was asked by mail. */
  readonly email: string;
  readonly state: string;
  /** The task in which the person holds a place. */
  readonly task?: string;
  readonly reserve?: number;
  readonly asked: readonly {
    readonly at: string;
    readonly why: string;
    readonly whyValues?: Sentence | undefined;
  }[];
  readonly messages: readonly Recorded[];
  readonly mails: readonly RecordedMail[];
  readonly answers: readonly { readonly at: string; readonly text: string; readonly meaning: string }[];
}

interface Recorded {
  readonly id: string;
  readonly isQuestion: boolean;
  readonly from: string;
  readonly text: string;
  readonly status: string;
  readonly at: string;
}

interface RecordedMail {
  readonly id: string;
  readonly isQuestion: boolean;
  readonly text: string;
  readonly state: MailState;
  /** The relay's response, or our own reason, which has values. */
  readonly reason?: string;
  readonly reasonValues?: Sentence | undefined;
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

export type RecordOfRun = ReturnType<typeof recordOf>;

/** The record for programs. */
export function recordOf(record: RunRecord) {
  const { people, entries } = record;
  return {
    ...factsOf(record),
    people: [...recordedPeople(record)],
    timeline: entries.map((entry) => recordedEntry(entry, people)),
  };
}

/** What the record says of the run itself. */
export function factsOf({ run, people }: RunRecord) {
  const held = countHeld({ run, people });
  return {
    run: String(run.id),
    job: run.jobName,
    savedJob: run.savedJobId,
    type: run.typeName,
    startedBy: run.starter,
    startAt: iso(run.startAt),
    expiresAt: run.expiryAt === null ? undefined : iso(run.expiryAt),
    phase: run.phase,
    outcome: run.outcome ?? undefined,
    message: run.message,
    tasks: run.tasks.map(({ name, goal, opened, levels }, place) => ({
      task: name,
      goal: goal ?? undefined,
      found: held[place] ?? 0,
      levelsOpen: opened,
      levels: levels.map((level) => level.name),
    })),
  };
}

/** One after the other, since there may be thousands. */
export function* recordedPeople({
  run,
  people,
  entries,
  messages,
  mails,
}: RunRecord): Generator<RecordedPerson> {
  const placed = entries
    .filter(({ kind }) => kind === 'ask' || kind === 'reply')
    .flatMap((entry) => (entry.people ?? []).map((place) => ({ place, entry })));
  const entriesOf = groupedBy(placed, ({ place }) => place);
  const messagesOf = groupedBy(messages, ({ place }) => place);
  const mailsOf = groupedBy(mails, ({ place }) => place);
  for (const person of people) {
    const { place } = person;
    yield recordedPerson(run, person, {
      entries: (entriesOf.get(place) ?? []).map(({ entry }) => entry),
      messages: messagesOf.get(place) ?? [],
      mails: mailsOf.get(place) ?? [],
    });
  }
}

/** Everything in the record that concerns one person. */
type OfPerson = Pick<RunRecord, 'entries' | 'messages' | 'mails'>;

function recordedPerson(run: Run, person: Person, { entries, messages, mails }: OfPerson): RecordedPerson {
  return {
    name: person.name,
    contactId: person.contactId,
    phone: person.phone ?? '',
    email: person.email ?? '',
    state: person.state,
    ...(person.task === null ? {} : { task: run.tasks[person.task]?.name ?? '' }),
    ...(person.reserve === null ? {} : { reserve: person.reserve }),
    asked: entries
      .filter(({ kind }) => kind === 'ask')
      .map(({ at, why = '' }) => ({ at: iso(at), ...shownWhy(why) })),
    messages: messages.map(({ id, isQuestion, from, text, status, changedAt }) => {
      return { id: String(id), isQuestion, from, text, status, at: iso(changedAt) };
    }),
    mails: mails.map(recordedMail),
    answers: entries
      .filter(({ kind }) => kind === 'reply')
      .map(({ at, text = '', meaning = '' }) => ({ at: iso(at), text, meaning })),
  };
}

function recordedMail({ messageId, isQuestion, text, state, reason, changedAt }: SentMail): RecordedMail {
  return { id: messageId, isQuestion, text, state, ...shownReason(reason), at: iso(changedAt) };
}

/** The fields used to name a person. */
export type Named = Pick<Person, 'name' | 'phone' | 'email'>;

export function recordedEntry(
  entry: Entry,
  people: readonly Named[],
  language: Language = 'en',
): RecordedEntry {
  const { at, kind, by, why, text, meaning, outcome, task } = entry;
  const words = recordWords[language];
  const detail = [
    ...(outcome === undefined ? [] : [words.outcomes[outcome] ?? outcome]),
    ...(task === undefined ? [] : [words.task(task + 1)]),
    ...(meaning === undefined ? [] : [words.meanings[meaning] ?? meaning]),
    ...(text === undefined ? [] : [JSON.stringify(text)]),
    ...(why === undefined ? [] : [reasonIn(language, why)]),
  ].join(', ');
  const who = (entry.people ?? []).map((place) => nameOf(people[place]));
  return { at: iso(at), what: kind, by, people: who, detail };
}

function nameOf(person: Named | undefined): string {
  return person?.name || person?.phone || person?.email || '';
}
