/**
 * The dry run of a start (JOB-13): who would be asked, in which order, and who would not be asked and why. Nothing is
 * sent or stored.
 */

import type { Caller } from '../accounts/caller.ts';
import { requireRole } from '../accounts/role.ts';
import type { ErrorCode } from '../foundation/errors.ts';
import type { Sentence } from '../foundation/sentences.ts';
import { readQuotaLeft } from '../messages/charging.ts';
import { findBarred } from '../messages/opted-out.ts';
import { prepare } from '../messages/sending/prepare.ts';
import { type Chosen, countNotMatching, type LeftOut } from './choose-people.ts';
import { type JobSending, obstacleToMail } from './job-mail.ts';
import { readMailsLeft } from './mails-store.ts';
import { faultOfCall, runRequest } from './proceed.ts';
import { advance } from './run/advance.ts';
import type { Level, Person, Run, RunWithPeople } from './run/run.ts';
import { obstacleTo, type Unsendable } from './run/unsendable.ts';
import { findStartable, newRun, type Startable, whyNotStarted } from './start-job.ts';
import type { StartParameter, StartRequest } from './start-parameters.ts';

export interface RehearsedPerson {
  readonly name: string;
  readonly contactId: string;
  readonly phone: string;
  /** The address of a person without a phone. */
  readonly email: string;
  readonly task: string;
  /** Counted from 1. */
  readonly level: number;
  /** Minutes from the start until the level opens; it opens earlier if too few people can still answer. */
  readonly afterMinutes: number;
  /** Whether the person is among the first to be asked; others are asked in a later level or wave. */
  readonly askedAtOnce: boolean;
  /** SMS parts of the question; 0 for a person who cannot be asked. */
  readonly parts: number;
  /** The stored reason why the person cannot be asked; absent if none is known. */
  readonly why?: string;
}

export interface Rehearsal {
  readonly job: string;
  readonly type: string;
  /** Why the start would be refused; absent if it would succeed. */
  readonly problem?: Sentence;
  readonly message: string;
  /** In the order in which they would be asked. */
  readonly people: readonly RehearsedPerson[];
  readonly leftOut: readonly LeftOut[];
  /** How many people the filter of the type leaves out; undefined if they are more than one run can have. */
  readonly notMatching: number | undefined;
  readonly tasks: readonly {
    readonly task: string;
    readonly goal: number | null;
    readonly canBeReached: number;
    readonly canBeMet: boolean;
    /** In the order in which they open; `people` is the number of people that each level adds. */
    readonly levels: readonly {
      readonly name: string;
      readonly afterMinutes: number;
      readonly people: number;
    }[];
  }[];
  /** SMS parts that the question costs; `left` is what the quotas still allow. */
  readonly parts: Cost & Left;
  /**
   * E-mails for people without a phone; `left` is how many the company may still send that day. E-mails beyond that are
   * refused, and their people count as not reached.
   */
  readonly mails: Cost & Left;
}

/** The cost of asking those who are asked at once, and of asking everyone. */
interface Cost {
  readonly first: number;
  readonly all: number;
}

interface Left {
  /** Null for no limit. */
  readonly left: number | null;
}

export async function rehearse(
  sending: JobSending,
  caller: Caller,
  request: StartRequest,
  given: readonly StartParameter[],
): Promise<Rehearsal> {
  requireRole(caller, 'jobs');
  return rehearseFound(sending, caller, request, await findStartable(sending, caller, request, given));
}

/** As if the caller started the job. */
export async function rehearseFound(
  sending: JobSending,
  caller: Caller,
  request: StartRequest,
  found: Startable,
): Promise<Rehearsal> {
  const { store, clock } = sending;
  const { userId, companyId } = caller;
  const { job, type } = found;
  const known = 'problem' in found ? found.leftOut : [...found.chosen.people, ...found.chosen.leftOut];
  const [partsLeft, mailsLeft, notMatching] = await Promise.all([
    store.read(readQuotaLeft, userId),
    store.read(readMailsLeft, { companyId, now: clock.now() }),
    type === null ? 0 : countNotMatching(store, caller, job, type.settings, request, known),
  ]);
  const jobname = request.jobName ?? job.name;
  const message = request.message ?? job.content.message;
  const about = { job: jobname, type: job.type, message };
  if ('problem' in found) {
    const { problem, leftOut } = found;
    const nothing = { first: 0, all: 0 };
    return {
      ...about,
      problem,
      people: [],
      leftOut,
      notMatching,
      tasks: [],
      parts: { ...nothing, left: partsLeft },
      mails: { ...nothing, left: mailsLeft },
    };
  }
  const startAt = request.startAt ?? clock.now();
  const run = newRun({ id: 0, ...found, caller, jobname, message }, startAt);
  const barred = await findBarred(store, caller, {
    phones: found.chosen.people.flatMap(({ phone }) => phone ?? []),
    category: run.settings.category,
    secret: sending.personSecret,
  });
  const outlook = outlookOf(sending, caller, run, found.chosen, barred);
  const { parts, mails, ...rehearsed } = rehearsedIn(run, found.chosen, outlook);
  const refused = partsLeft !== null && parts.first > partsLeft ? { all: 'quota_exceeded' } : {};
  const problem = whyNotStarted(run, found.chosen, { ...outlook.unsendable, ...refused });
  return {
    ...about,
    ...(problem !== undefined && { problem }),
    ...rehearsed,
    leftOut: found.chosen.leftOut,
    notMatching,
    parts: { ...parts, left: partsLeft },
    mails: { ...mails, left: mailsLeft },
  };
}

interface Outlook {
  readonly unsendable: Unsendable;
  /** SMS parts by phone. */
  readonly parts: ReadonlyMap<string, number>;
}

/** Applies the rules for the messages of a real start. */
function outlookOf(
  sending: JobSending,
  caller: Caller,
  { message }: Run,
  { people }: Chosen,
  barred: ReadonlySet<string>,
): Outlook {
  const to = people.flatMap(({ phone }) => phone ?? []);
  const mail = obstacleToMail(sending);
  if (to.length === 0) return { unsendable: { phones: new Map(), ...mail }, parts: new Map() };
  const request = { ...runRequest, to, message, validminutes: 60 };
  try {
    const { messages, errors } = prepare(caller, request, sending.routes(), sending.clock.now());
    const phones = new Map(
      errors.map(({ field, code }) => [to[Number(/[0-9]+/.exec(field)?.[0])] ?? '', code]),
    );
    for (const phone of barred) phones.set(phone, 'opted_out' satisfies ErrorCode);
    const sent = messages.filter(({ recipient }) => !phones.has(recipient));
    return { unsendable: { phones, ...mail }, parts: new Map(sent.map((one) => [one.recipient, one.parts])) };
  } catch (error) {
    return { unsendable: { phones: new Map(), ...mail, all: faultOfCall(error).code }, parts: new Map() };
  }
}

/** Returns the people asked at once, which may take several steps if there are many e-mails. */
function askedAtOnce(start: RunWithPeople, unsendable: Unsendable): ReadonlySet<number> {
  const { startAt } = start.run;
  const first = new Set<number>();
  for (let step: RunWithPeople = start; ; ) {
    const advanced = advance(step, { happened: [], hasMore: false }, startAt, unsendable);
    for (const { place } of advanced.texts) first.add(place);
    const isDone = advanced.texts.length === 0 || advanced.dueAt === null || advanced.dueAt > startAt;
    if (isDone) return first;
    step = advanced;
  }
}

/** The run's first steps are computed as in a real start, so that waves and early levels are the same. */
function rehearsedIn(
  run: Run,
  { tasks, people }: Chosen,
  { unsendable, parts }: Outlook,
): Pick<Rehearsal, 'people' | 'tasks'> & {
  readonly parts: Cost;
  readonly mails: Cost;
} {
  const first = askedAtOnce({ run, people }, unsendable);
  const rows = people.map((person): RehearsedPerson => {
    const { name, contactId, phone, candidacies, place } = person;
    const [[task, level] = [0, 0]] = candidacies;
    const why = obstacleTo(person, unsendable);
    const { name: taskName = '', levels = [] } = tasks[task] ?? {};
    return {
      name,
      contactId,
      phone: phone ?? '',
      email: person.email ?? '',
      task: taskName,
      level: level + 1,
      afterMinutes: levels[level]?.afterMinutes ?? 0,
      askedAtOnce: first.has(place),
      parts: parts.get(phone ?? '') ?? 0,
      ...(why !== undefined && { why }),
    };
  });
  const cost = (of: (row: RehearsedPerson) => number): Cost => {
    const sum = (some: readonly RehearsedPerson[]) => some.reduce((all, row) => all + of(row), 0);
    return { first: sum(rows.filter(({ askedAtOnce }) => askedAtOnce)), all: sum(rows) };
  };
  return {
    people: rows,
    tasks: tasks.map(({ name, goal, levels }, place) => {
      const candidates = people.filter(({ candidacies }) => candidacies.some(([task]) => task === place));
      const canBeReached = candidates.filter((person) => obstacleTo(person, unsendable) === undefined).length;
      const highest = levels.reduce((most, level) => Math.max(most, level.goal ?? 0), goal ?? 0);
      const canBeMet = goal === null || canBeReached >= highest;
      return { task: name, goal, canBeReached, canBeMet, levels: levels.map(levelOf(place, candidates)) };
    }),
    parts: cost((row) => row.parts),
    mails: cost(({ email, why }) => (email !== '' && why === undefined ? 1 : 0)),
  };
}

function levelOf(task: number, candidates: readonly Person[]) {
  return ({ name, afterMinutes }: Level, level: number) => ({
    name,
    afterMinutes,
    people: candidates.filter(({ candidacies }) =>
      candidacies.some(([of, at]) => of === task && at === level),
    ).length,
  });
}
