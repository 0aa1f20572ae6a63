/** Receivers of alerts and acknowledgements in the store, without the calls and incidents that lead to them. */
import type { AcknowledgementRequest } from '../../src/alerts/acknowledgement.ts';
import { type AlertSource, alertSources } from '../../src/alerts/alert.ts';
import type { AcknowledgeSettings, ReceiverSettings } from '../../src/alerts/receiver.ts';
import { sql } from '../../src/storage/sql.ts';
import { readVerb, singleWriteVerb } from '../../src/storage/verb.ts';

interface PutReceiver {
  readonly id: number;
  readonly target: Omit<AcknowledgeSettings, 'hours'> | null;
  readonly settings?: Partial<ReceiverSettings>;
  readonly source?: AlertSource;
}

/** Of user 10 of company 1. */
export const putAlertReceiver = singleWriteVerb(
  'test.putAlertReceiver',
  async (transaction, { id, target, settings = {}, source = 'alertmanager' }: PutReceiver) =>
    transaction.run(
      sql`INSERT INTO alert_receivers (company_id, name, id, source, user_id, settings, acknowledge)
          VALUES (1, ${`receiver${id}`}, ${id}, ${alertSources.indexOf(source)}, 10, ${JSON.stringify(settings)}, ${target === null ? null : JSON.stringify(target)})
          ON CONFLICT (company_id, name) DO UPDATE SET source = excluded.source, acknowledge = excluded.acknowledge`,
    ),
);

/** What is stored of the alerts of a receiver can't be read any more. */
export const damageAlerts = singleWriteVerb('test.damageAlerts', async (transaction, receiverId: number) =>
  transaction.run(sql`UPDATE alerts SET alert = '{' WHERE receiver_id = ${receiverId}`),
);

interface Queued {
  readonly receiverId: number;
  /** The id of the first. */
  readonly id: number;
  readonly requests: readonly AcknowledgementRequest[];
  readonly now: number;
  readonly attempts?: number;
}

export const queueAcknowledgements = singleWriteVerb(
  'test.queueAcknowledgements',
  async (transaction, { receiverId, id, requests, now, attempts = 0 }: Queued) => {
    for (const [place, request] of requests.entries())
      await transaction.run(
        sql`INSERT INTO alert_acknowledgements
              (id, company_id, receiver_id, incident_id, request, state, attempts, due_at, created_at)
            VALUES (${id + place}, 1, ${receiverId}, 7, ${JSON.stringify(request)}, 0, ${attempts}, ${now}, ${now})`,
      );
    return null;
  },
);

export interface StoredAcknowledgement {
  readonly id: number;
  /** JSON. */
  readonly request: string;
  readonly state: number;
  readonly attempts: number;
  readonly due_at: number | null;
  readonly result: string | null;
  readonly reason: string | null;
}

export const listAcknowledgements = readVerb('test.listAcknowledgements', async (reading, _: null) =>
  reading.all<StoredAcknowledgement>(
    sql`SELECT id, request, state, attempts, due_at, result, reason FROM alert_acknowledgements ORDER BY id`,
  ),
);
