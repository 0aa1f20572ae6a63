/** The timeline of a run: every decision with its reason, and which of them are told to the owner's system. */
import { type JobEventName, jobEventTypes } from '../../webhooks/endpoint.ts';
import type { Outcome, Person, Run } from './run.ts';

export type EntryKind =
  | 'start'
  | 'ask'
  | 'unreached'
  | 'reply'
  | 'assign'
  | 'unassign'
  | 'reserve'
  | 'escalate'
  | 'remind'
  | 'warning'
  | 'finish'
  | 'reopen'
  | 'withdraw'
  | 'tell'
  | 'act'
  | 'notSent'
  | 'end';

/** What is not said of it is absent. */
export interface Entry {
  readonly kind: EntryKind;
  readonly at: number;
  /** The account, the operator, or `system`. */
  readonly by: string;
  /** Places of the people that it concerns. */
  readonly people?: readonly number[];
  readonly task?: number;
  readonly outcome?: Outcome;
  /** What was answered, and what it meant. */
  readonly text?: string;
  readonly meaning?: string;
  /** Why, in words. */
  readonly why?: string;
}

export const system = 'system';

/** API: callback body. All nine fields are always there. */
export interface JobCallback {
  readonly jobid: string;
  readonly userid: number;
  readonly eventtype: JobEventName;
  readonly timestamp: number;
  readonly jobtype: string;
  readonly sendtaskid: string;
  readonly sendname: string;
  readonly contactid: string;
  readonly agent: string;
  readonly outcome?: Outcome;
}

/** What the owner's system is told of an entry; undefined: nothing. */
export function callbackOf(run: Run, people: readonly Person[], entry: Entry): JobCallback | undefined {
  const eventtype = `JOB_${entry.kind.toUpperCase()}` as JobEventName;
  if (!Object.hasOwn(jobEventTypes, eventtype)) return undefined;
  const person = people[entry.people?.[0] ?? -1];
  return {
    jobid: String(run.id),
    userid: run.ownerId,
    eventtype,
    timestamp: entry.at,
    jobtype: person === undefined ? run.typeName : '',
    sendtaskid: entry.task === undefined ? '' : `${run.id}-${entry.task + 1}`,
    sendname: person?.name ?? '',
    contactid: person?.contactId ?? '',
    // Who has acted for the system stands in the record: the account that starts it is the only one that owners know.
    agent: entry.kind === 'start' ? entry.by : system,
    ...(entry.outcome === undefined ? {} : { outcome: entry.outcome }),
  };
}
