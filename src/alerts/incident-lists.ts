/** Reading incidents: pages of a list, and one with its alerts and with what its source was told. */
import type { Visibility } from '../accounts/visibility.ts';
import { literal, type Sql, sql } from '../storage/sql.ts';
import { bigint, enumerated, integer, nullable, StoredRecord, text } from '../storage/stored-record.ts';
import { readVerb, snapshotVerb } from '../storage/verb.ts';
import { type Incident, type IncidentState, incidentStates, storedIncident } from './incident.ts';
import { type StoredAlert, storedAlert } from './take-store.ts';

export interface IncidentsQuery {
  readonly visible: Visibility;
  /** The name of a receiver; null for all. */
  readonly receiver: string | null;
  /** Null for all states. */
  readonly state: IncidentState | null;
  readonly before: number;
  readonly limit: number;
}

/** The latest first. */
export const listIncidents = readVerb(
  'alerts.listIncidents',
  async (
    reading,
    { visible, receiver, state, before, limit }: IncidentsQuery,
  ): Promise<readonly Incident[]> => {
    const { companyId, userId } = visible;
    let whose: Sql = userId === null ? sql`company_id = ${companyId}` : sql`user_id = ${userId}`;
    if (receiver !== null) {
      const found = await reading.first<{ id: number }>(
        sql`SELECT id FROM alert_receivers WHERE company_id = ${companyId} AND name = ${receiver}`,
      );
      const isTheirs = userId === null ? sql`` : sql`AND user_id + 0 = ${userId}`;
      whose = sql`receiver_id = ${found?.id ?? 0} ${isTheirs}`;
    }
    const inState = state === null ? sql`` : sql`AND state = ${literal(incidentStates.indexOf(state))}`;
    return storedIncident.all(reading)`
      FROM incidents WHERE ${whose} ${inState} AND id < ${before} ORDER BY id DESC LIMIT ${limit}`;
  },
);

/** Who may see an incident: administrators all of their company, others those that they act and pay for. */
function seenBy({ companyId, userId }: Visibility): Sql {
  return userId === null
    ? sql`company_id = ${companyId}`
    : sql`company_id = ${companyId} AND user_id = ${userId}`;
}

export const acknowledgementStates = ['waiting', 'done', 'failed'] as const;

const listedAcknowledgement = new StoredRecord({
  id: bigint,
  state: enumerated(acknowledgementStates),
  attempts: integer,
  dueAt: nullable(bigint),
  createdAt: bigint,
  endedAt: nullable(bigint),
  reason: nullable(text),
});

export interface ListedAcknowledgement {
  readonly id: number;
  readonly state: (typeof acknowledgementStates)[number];
  readonly attempts: number;
  readonly dueAt: number | null;
  readonly createdAt: number;
  readonly endedAt: number | null;
  readonly reason: string | null;
}

export const maxListed = 100;

export interface WholeIncident {
  readonly incident: Incident;
  /** The first of them, in the order in which they came. */
  readonly alerts: readonly StoredAlert[];
  /** The latest first. */
  readonly acknowledgements: readonly ListedAcknowledgement[];
}

/** Null if there is none that may be seen. */
export const findIncident = snapshotVerb(
  'alerts.findIncident',
  async (
    reading,
    { visible, id }: { readonly visible: Visibility; readonly id: number },
  ): Promise<WholeIncident | null> => {
    const incident = await storedIncident.first(reading)`
      FROM incidents WHERE id = ${id} AND ${seenBy(visible)}`;
    if (incident === undefined) return null;
    const alerts = await storedAlert.all(reading)`
      FROM alerts WHERE incident_id = ${id} ORDER BY joined_at, place LIMIT ${literal(maxListed)}`;
    const acknowledgements = await listedAcknowledgement.all(reading)`
      FROM alert_acknowledgements WHERE incident_id = ${id} ORDER BY id DESC LIMIT ${literal(maxListed)}`;
    return { incident, alerts, acknowledgements };
  },
);
