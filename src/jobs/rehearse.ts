/** The rehearsal of a start (JOB-13): who would be asked, in which order, who not and why. Nothing is sent or stored. */
import type { Caller } from '../accounts/caller.ts';
import { requireRole } from '../accounts/role.ts';
import { prepare } from '../messages/sending/prepare.ts';
import type { Sending } from '../messages/sending/send.ts';
import type { StartParameter } from './allowed-parameters.ts';
import type { Chosen, LeftOut } from './choose-people.ts';
import { plainRequest } from './plain-request.ts';
import type { StartRequest } from './saved-job.ts';
import { findStartable } from './start-job.ts';

export interface RehearsedPerson {
  readonly name: string;
  readonly contactId: string;
  readonly phone: string;
  readonly task: string;
  /** From 1 on. */
  readonly level: number;
  /** Why the person can't be asked; absent: nothing is known against it. */
  readonly why?: string;
}

export interface Rehearsal {
  readonly job: string;
  readonly type: string;
  /** The sentence of the start that would not be made; absent: it would. */
  readonly problem?: string;
  readonly message: string;
  /** In the order in which they would be asked. */
  readonly people: readonly RehearsedPerson[];
  readonly leftOut: readonly LeftOut[];
  readonly tasks: readonly {
    readonly task: string;
    readonly goal: number | null;
    readonly canBeReached: number;
    readonly canBeMet: boolean;
  }[];
  /** SMS parts of the question, to those who would be asked first, and to all. */
  readonly parts: { readonly first: number; readonly all: number };
}

export async function rehearse(
  sending: Sending,
  caller: Caller,
  request: StartRequest,
  given: readonly StartParameter[],
): Promise<Rehearsal> {
  requireRole(caller, 'jobs');
  const found = await findStartable(sending, caller, request, given);
  const about = {
    job: request.jobName ?? found.job.name,
    type: found.job.type,
    message: request.message ?? found.job.content.message,
  };
  if ('problem' in found)
    return {
      ...about,
      problem: found.problem,
      people: [],
      leftOut: [],
      tasks: [],
      parts: { first: 0, all: 0 },
    };
  return { ...about, ...rehearsed(sending, caller, about.message, found.chosen) };
}

function rehearsed(
  sending: Sending,
  caller: Caller,
  message: string,
  { tasks, people, leftOut }: Chosen,
): Pick<Rehearsal, 'people' | 'leftOut' | 'tasks' | 'parts'> {
  const to = people.flatMap(({ phone }) => phone ?? []);
  const request = { ...plainRequest, to, tosubst: [], message, validminutes: 60, conversation: undefined };
  const { messages, errors } = prepare(caller, request, sending.routes(), sending.clock.now());
  const parts = new Map(messages.map((one) => [one.recipient, one.parts]));
  const obstacles = new Map(
    errors.map(({ field, code }) => [to[Number(/[0-9]+/.exec(field)?.[0])] ?? '', code]),
  );
  const rows = people.map(({ name, contactId, phone, candidacies: [[task, level] = [0, 0]] }) => {
    const why = phone === null ? 'no phone number' : obstacles.get(phone);
    return {
      ...{ name, contactId, phone: phone ?? '', task: tasks[task]?.name ?? '', level: level + 1 },
      ...(why === undefined ? {} : { why }),
    };
  });
  const partsOf = (some: readonly RehearsedPerson[]) =>
    some.reduce((sum, { phone }) => sum + (parts.get(phone) ?? 0), 0);
  return {
    people: rows,
    leftOut,
    tasks: tasks.map(({ name, goal, levels }, place) => {
      const candidates = people.filter(({ candidacies }) => candidacies.some(([task]) => task === place));
      const canBeReached = candidates.filter(({ phone }) => phone !== null && parts.has(phone)).length;
      const highest = levels.reduce((most, level) => Math.max(most, level.goal ?? 0), goal ?? 0);
      return { task: name, goal, canBeReached, canBeMet: goal === null || canBeReached >= highest };
    }),
    parts: { first: partsOf(rows.filter(({ level }) => level === 1)), all: partsOf(rows) },
  };
}
