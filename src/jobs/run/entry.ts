/** The timeline of a run: every decision with its reason, and which entries are reported to the owner's system. */
import { type JobEventName, jobEventTypes } from '../../webhooks/endpoint.ts';
import type { callbackFields, Data } from '../../webhooks/event-data.ts';
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

/** Absent fields do not apply. */
export interface Entry {
  readonly kind: EntryKind;
  readonly at: number;
  /** The account, the operator, or `system`. */
  readonly by: string;
  /** Indexes (`place`) of the people whom the entry concerns. */
  readonly people?: readonly number[];
  readonly task?: number;
  readonly outcome?: Outcome;
  /** The answer's text, and how it was interpreted. */
  readonly text?: string;
  readonly meaning?: string;
  /** The reason, in words. */
  readonly why?: string;
}

export const system = 'system';

/** API: callback body. Only `outcome` may be absent. */
export type JobCallback = Data<typeof callbackFields>;

/** The callback to the owner's system for an entry; undefined for none. */
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
    // All other agents are called `system`, since owners know only the account that starts a run; the record names them.
    agent: entry.kind === 'start' ? entry.by : system,
    ...(entry.outcome === undefined ? {} : { outcome: entry.outcome }),
  };
}
