/**
 * An incident: what people were woken for, with all alerts that belong to it.
 *
 *   OPENING ──people are woken──▶ OPEN ──all alerts are resolved, or somebody ends it──▶ ENDED
 *      │  └──all alerts are resolved before───────────────────────────────────────────────▲
 *      └──nobody can be woken──▶ FAILED
 */
import type { AgedRows } from '../storage/retention.ts';
import {
  bigint,
  enumerated,
  flag,
  integer,
  json,
  type Kept,
  nullable,
  StoredRecord,
  text,
} from '../storage/stored-record.ts';
import type { ReceivedAlert } from './alert.ts';
import type { AlertRecipients } from './receiver.ts';

export const incidentStates = ['opening', 'open', 'ended', 'failed'] as const;
export type IncidentState = (typeof incidentStates)[number];

/** Who is woken: as the receiver said when the incident began, so that a repeated try does the same. */
export type IncidentAction = { readonly start: number } | { readonly send: AlertRecipients };

/** See `storage/alert-tables.ts`. */
export const storedIncident = new StoredRecord({
  id: bigint,
  companyId: bigint,
  receiverId: bigint,
  receiver: text,
  userId: bigint,
  state: enumerated(incidentStates),
  version: bigint,
  dueAt: nullable(bigint),
  title: text,
  first: json<ReceivedAlert>(),
  action: json<IncidentAction>(),
  message: text,
  openedAt: bigint,
  grownAt: bigint,
  endedAt: nullable(bigint),
  endedBy: nullable(text),
  alerts: integer,
  firing: integer,
  leftOut: integer,
  untold: integer,
  untoldAt: nullable(bigint),
  toldAt: nullable(bigint),
  runId: nullable(bigint),
  runVersion: bigint,
  runEnded: flag,
  messageId: nullable(bigint),
  messages: integer,
  acknowledgedAt: nullable(bigint),
  acknowledgedBy: nullable(text),
  silencedAt: nullable(bigint),
  attempts: integer,
  reason: nullable(text),
});

export type Incident = Kept<typeof storedIncident>;

export const minuteMs = 60_000;
export const hourMs = 60 * minuteMs;
/** However its alerts go on, an incident takes no more after this time. */
const growsForMs = hourMs;
/** More in an hour would be a flapping alert. */
export const maxPerHour = 12;
/** Alerts that join are gathered for this long before people are told of them. */
export const gatherMs = minuteMs;

/** Whether alerts that have just begun to fire belong to the incident. */
export function takesMore(
  { state, grownAt, openedAt, runEnded, acknowledgedAt }: Incident,
  groupMinutes: number,
  now: number,
): boolean {
  if (state !== 'opening' && state !== 'open') return false;
  // Nobody is listening any more, and nobody has taken care.
  if (runEnded && acknowledgedAt === null) return false;
  return now - grownAt < groupMinutes * minuteMs && now - openedAt < growsForMs;
}

interface RepeatSettings {
  readonly groupMinutes: number;
  readonly againHours: number;
  /** How long the source is silent about what is acknowledged; undefined if it isn't. */
  readonly silenceHours?: number | undefined;
}

/** Whether people are woken again when the source repeats an alert of the incident. */
export function isUnheard(
  { state, openedAt, runId, runEnded, acknowledgedAt }: Incident,
  { groupMinutes, againHours, silenceHours }: RepeatSettings,
  now: number,
): boolean {
  // It fired again while the incident ended.
  if (state === 'ended') return true;
  // A source reports nothing that is silenced, not even its end. What it reports afterwards goes on, or is new.
  if (acknowledgedAt !== null)
    return silenceHours !== undefined && now >= acknowledgedAt + silenceHours * hourMs;
  const age = now - openedAt;
  // Nobody has been woken. Whatever the reason was, it may be gone.
  if (state === 'failed') return age >= Math.max(groupMinutes, 5) * minuteMs;
  const isSilent = runId === null || runEnded;
  return state === 'open' && isSilent && againHours > 0 && age >= againHours * hourMs;
}

/** When people are told of the alerts that have joined; null if there are none. */
export function tellAt(
  { untold, untoldAt, toldAt }: Pick<Incident, 'untold' | 'untoldAt' | 'toldAt'>,
  groupMinutes: number,
): number | null {
  if (untold === 0 || untoldAt === null) return null;
  return Math.max(untoldAt + gatherMs, (toldAt ?? 0) + Math.max(groupMinutes, 1) * minuteMs);
}

const firstRetryMs = 2_000;
const maxRetryMs = 5 * minuteMs;

/** When to try again after so many tries that failed for a time. */
export function retryAfterMs(attempts: number): number {
  return Math.min(maxRetryMs, firstRetryMs * 2 ** Math.min(attempts, 10));
}

const keptMs = 30 * 24 * hourMs;

/** What has been over for a month. */
export const agedAlerts: readonly AgedRows[] = [
  {
    table: 'alerts',
    key: 'company_id, receiver_id, fingerprint',
    time: 'resolved_at',
    where: 'resolved_at IS NOT NULL',
    keptMs,
  },
  { table: 'incidents', key: 'id', time: 'ended_at', where: 'ended_at IS NOT NULL', keptMs },
  { table: 'alert_acknowledgements', key: 'id', time: 'created_at', keptMs },
];
