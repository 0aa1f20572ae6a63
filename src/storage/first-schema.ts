/**
 * The first steps of the schema, and the shape of a step. They were released long ago and are never edited; `schema.ts` has the
 * later ones.
 */
import { addressBookTables } from './address-book-tables.ts';
import { batchCountTables, batchTables } from './batch-tables.ts';
import type { Dialect } from './sql.ts';

export interface Migration {
  readonly version: number;
  readonly what: string;
  readonly statements: (dialect: Dialect) => readonly string[];
}

/** SQLite stores such a table in key order and saves the second tree. PostgreSQL has no such option. */
export function clustered(dialect: Dialect): string {
  return dialect === 'sqlite' ? ' WITHOUT ROWID' : '';
}

export const firstMigrations: readonly Migration[] = [
  {
    version: 1,
    what: 'accounts, carriers, messages, incoming SMS',
    statements: (dialect) => [
      `CREATE TABLE id_blocks (
        name TEXT NOT NULL PRIMARY KEY,
        next_id BIGINT NOT NULL
      )${clustered(dialect)}`,

      // A counter per topic, raised in the transaction that changes data other nodes may have cached.
      `CREATE TABLE news (
        topic TEXT NOT NULL PRIMARY KEY,
        version BIGINT NOT NULL
      )${clustered(dialect)}`,

      // Processes that share the store. One whose heartbeat has stopped is dead, and the others take over its messages.
      `CREATE TABLE nodes (
        id BIGINT NOT NULL PRIMARY KEY,
        started_at BIGINT NOT NULL,
        beat BIGINT NOT NULL,
        ended SMALLINT NOT NULL
      )${clustered(dialect)}`,

      `CREATE TABLE provisioned (
        source TEXT NOT NULL PRIMARY KEY,
        content_hash TEXT NOT NULL,
        applied_at BIGINT NOT NULL
      )${clustered(dialect)}`,

      `CREATE TABLE companies (
        id BIGINT NOT NULL PRIMARY KEY,
        name TEXT NOT NULL UNIQUE,
        active SMALLINT NOT NULL,
        quota_parts BIGINT,
        quota_used BIGINT NOT NULL DEFAULT 0,
        default_sender TEXT
      )`,
      `CREATE TABLE users (
        id BIGINT NOT NULL PRIMARY KEY,
        company_id BIGINT NOT NULL REFERENCES companies (id),
        username TEXT NOT NULL UNIQUE,
        password_hash TEXT,
        roles TEXT NOT NULL,
        active SMALLINT NOT NULL,
        quota_parts BIGINT,
        quota_used BIGINT NOT NULL DEFAULT 0,
        default_sender TEXT,
        senders TEXT,
        replace_characters SMALLINT NOT NULL DEFAULT 0
      )`,
      'CREATE INDEX users_company ON users (company_id)',
      `CREATE TABLE api_keys (
        id BIGINT NOT NULL PRIMARY KEY,
        user_id BIGINT NOT NULL REFERENCES users (id) ON DELETE CASCADE,
        name TEXT NOT NULL,
        generation INTEGER NOT NULL,
        revoked SMALLINT NOT NULL DEFAULT 0,
        expires_at BIGINT,
        created_at BIGINT NOT NULL,
        UNIQUE (user_id, name)
      )`,
      `CREATE TABLE operators (
        username TEXT NOT NULL PRIMARY KEY,
        password_hash TEXT NOT NULL
      )${clustered(dialect)}`,

      // The row of a carrier that the operator has removed is kept, because older messages refer to it.
      `CREATE TABLE carriers (
        id BIGINT NOT NULL PRIMARY KEY,
        name TEXT NOT NULL UNIQUE,
        type TEXT NOT NULL,
        settings TEXT NOT NULL,
        removed SMALLINT NOT NULL DEFAULT 0
      )`,
      `CREATE TABLE routes (
        name TEXT NOT NULL PRIMARY KEY,
        prefix TEXT NOT NULL,
        carriers TEXT NOT NULL
      )${clustered(dialect)}`,
      `CREATE TABLE numbers (
        number TEXT NOT NULL PRIMARY KEY,
        rented_by BIGINT REFERENCES users (id)
      )${clustered(dialect)}`,

      `CREATE TABLE messages (
        company_id BIGINT NOT NULL,
        id BIGINT NOT NULL,
        user_id BIGINT NOT NULL,
        batch_id BIGINT,
        recipient TEXT NOT NULL,
        sender TEXT NOT NULL,
        text TEXT NOT NULL,
        flash SMALLINT NOT NULL,
        parts SMALLINT NOT NULL,
        conversation TEXT NOT NULL,
        cost_center TEXT NOT NULL,
        created_at BIGINT NOT NULL,
        expires_at BIGINT NOT NULL,
        status SMALLINT NOT NULL,
        changed_at BIGINT NOT NULL,
        version INTEGER NOT NULL,
        unread SMALLINT NOT NULL,
        expired_by_timer SMALLINT NOT NULL,
        carrier_id BIGINT NOT NULL,
        lane SMALLINT NOT NULL,
        stage SMALLINT,
        due_at BIGINT,
        node_id BIGINT,
        attempts INTEGER NOT NULL,
        charge SMALLINT NOT NULL,
        in_doubt SMALLINT NOT NULL,
        reason TEXT,
        PRIMARY KEY (company_id, id)
      )${clustered(dialect)}`,
      // A user's unread statuses, oldest change first. A page costs the same however many messages are stored.
      'CREATE INDEX messages_unread ON messages (user_id, changed_at, id) WHERE unread = 1 AND batch_id IS NULL',
      // Every message that is not final waits in a single queue for its next step: sending, retry, expiry or overdue receipt.
      'CREATE INDEX messages_due ON messages (carrier_id, stage, lane, due_at) WHERE stage IS NOT NULL',
      // Messages that wait to be sent (stage 0) and may expire before a carrier accepts them.
      'CREATE INDEX messages_expiry ON messages (expires_at) WHERE stage = 0',
      `CREATE TABLE message_parts (
        company_id BIGINT NOT NULL,
        message_id BIGINT NOT NULL,
        part SMALLINT NOT NULL,
        parts SMALLINT NOT NULL,
        carrier_id BIGINT NOT NULL,
        carrier_message_id TEXT NOT NULL,
        status SMALLINT NOT NULL,
        changed_at BIGINT NOT NULL,
        error_code TEXT,
        PRIMARY KEY (company_id, message_id, part)
      )${clustered(dialect)}`,
      'CREATE INDEX message_parts_carrier ON message_parts (carrier_id, carrier_message_id)',
      // Receipts that arrived before the carrier's response to their submission was stored.
      `CREATE TABLE parked_receipts (
        carrier_id BIGINT NOT NULL,
        carrier_message_id TEXT NOT NULL,
        received_at BIGINT NOT NULL,
        status SMALLINT NOT NULL,
        error_code TEXT,
        PRIMARY KEY (carrier_id, carrier_message_id, received_at, status)
      )${clustered(dialect)}`,
      'CREATE INDEX parked_receipts_age ON parked_receipts (received_at)',

      `CREATE TABLE idempotency_keys (
        company_id BIGINT NOT NULL,
        user_id BIGINT NOT NULL,
        idempotency_key TEXT NOT NULL,
        request_hash TEXT NOT NULL,
        answer TEXT NOT NULL,
        expires_at BIGINT NOT NULL,
        PRIMARY KEY (company_id, user_id, idempotency_key)
      )${clustered(dialect)}`,
      'CREATE INDEX idempotency_keys_expiry ON idempotency_keys (expires_at)',
      `CREATE TABLE usage_counts (
        company_id BIGINT NOT NULL,
        user_id BIGINT NOT NULL,
        cost_center TEXT NOT NULL,
        month TEXT NOT NULL,
        messages BIGINT NOT NULL,
        parts BIGINT NOT NULL,
        PRIMARY KEY (company_id, user_id, cost_center, month)
      )${clustered(dialect)}`,

      // An incoming SMS to a number that nobody rents has no user and waits for the operator.
      `CREATE TABLE incoming_messages (
        id BIGINT NOT NULL PRIMARY KEY,
        company_id BIGINT,
        user_id BIGINT,
        sender TEXT NOT NULL,
        recipient TEXT NOT NULL,
        text TEXT NOT NULL,
        conversation TEXT NOT NULL,
        response_to_id BIGINT,
        received_at BIGINT NOT NULL,
        unread SMALLINT NOT NULL
      )`,
      'CREATE INDEX incoming_unread ON incoming_messages (user_id, received_at) WHERE unread = 1',
      'CREATE INDEX incoming_unrouted ON incoming_messages (received_at, id) WHERE user_id IS NULL',
      'CREATE INDEX incoming_received ON incoming_messages (received_at)',
    ],
  },
  {
    version: 2,
    what: 'unread incoming SMS in the order in which they are read',
    statements: () => [
      // Without the id, PostgreSQL would sort all unread SMS of a user, or scan those of all users, for each page.
      'DROP INDEX incoming_unread',
      'CREATE INDEX incoming_unread ON incoming_messages (user_id, received_at, id) WHERE unread = 1',
    ],
  },
  {
    version: 3,
    what: 'the time of day that was believed last',
    statements: (dialect) => [
      // A single row, used at start-up to detect a wrong clock before anything is purged by it.
      `CREATE TABLE believed_time (
        id SMALLINT NOT NULL PRIMARY KEY,
        believed_at BIGINT NOT NULL
      )${clustered(dialect)}`,
      `INSERT INTO believed_time SELECT 1, newest.seen FROM (
         SELECT MAX(traces.seen) AS seen FROM (
           SELECT MAX(created_at) AS seen FROM messages
           UNION ALL SELECT MAX(received_at) FROM incoming_messages
           UNION ALL SELECT MAX(started_at) FROM nodes
           UNION ALL SELECT MAX(applied_at) FROM provisioned
         ) AS traces
       ) AS newest WHERE newest.seen IS NOT NULL`,
    ],
  },
  {
    version: 4,
    what: 'receipts whose ids have several forms, and those that belong to no message',
    statements: () => [
      // The content of a receipt besides its id, and the time of the next try. `carrier_message_id` is the id being looked
      // for.
      'ALTER TABLE parked_receipts ADD COLUMN written_id TEXT',
      'ALTER TABLE parked_receipts ADD COLUMN other_ids TEXT',
      'ALTER TABLE parked_receipts ADD COLUMN recipient TEXT',
      'ALTER TABLE parked_receipts ADD COLUMN next_try_at BIGINT NOT NULL DEFAULT 0',
      // Rows no longer stay in this table until they are old, so an index of their age is not needed.
      'DROP INDEX parked_receipts_age',
      'CREATE INDEX parked_receipts_due ON parked_receipts (next_try_at)',
      // Shown to the operator: receipts that match no known message, and unreadable receipts, which only have a text.
      `CREATE TABLE unmatched_receipts (
        carrier_id BIGINT NOT NULL,
        carrier_message_id TEXT,
        other_ids TEXT,
        recipient TEXT,
        status SMALLINT,
        error_code TEXT,
        text TEXT,
        received_at BIGINT NOT NULL
      )`,
      'CREATE INDEX unmatched_receipts_carrier ON unmatched_receipts (carrier_id, received_at)',
      'CREATE INDEX unmatched_receipts_age ON unmatched_receipts (received_at)',
    ],
  },
  {
    version: 5,
    what: 'routes by sender, user and priority; how carriers are at each node; which carriers refused a message',
    statements: (dialect) => [
      'ALTER TABLE routes ADD COLUMN senders TEXT',
      'ALTER TABLE routes ADD COLUMN users TEXT',
      'ALTER TABLE routes ADD COLUMN priority INTEGER NOT NULL DEFAULT 0',
      // As last reported by each living node.
      `CREATE TABLE carrier_states (
        node_id BIGINT NOT NULL,
        carrier_id BIGINT NOT NULL,
        state TEXT NOT NULL,
        since BIGINT NOT NULL,
        reason TEXT,
        figures TEXT NOT NULL,
        updated_at BIGINT NOT NULL,
        PRIMARY KEY (node_id, carrier_id)
      )${clustered(dialect)}`,
      // Carriers that refused a message, which was then sent through another and is not offered to them again.
      `CREATE TABLE message_refusals (
        company_id BIGINT NOT NULL,
        message_id BIGINT NOT NULL,
        carrier_id BIGINT NOT NULL,
        refused_at BIGINT NOT NULL,
        reason TEXT NOT NULL,
        PRIMARY KEY (company_id, message_id, carrier_id)
      )${clustered(dialect)}`,
    ],
  },
  {
    version: 6,
    what: 'two-way SMS from a pool of numbers, incoming SMS of several parts',
    statements: (dialect) => [
      'ALTER TABLE numbers ADD COLUMN pool SMALLINT NOT NULL DEFAULT 0',
      'CREATE INDEX numbers_pool ON numbers (number) WHERE pool = 1',
      // Determines who receives a phone's answer to a number of the pool. `turn` counts leases in the order they were made.
      `CREATE TABLE number_leases (
        recipient TEXT NOT NULL,
        number TEXT NOT NULL,
        message_id BIGINT NOT NULL,
        company_id BIGINT NOT NULL,
        user_id BIGINT NOT NULL,
        conversation TEXT NOT NULL,
        holder SMALLINT NOT NULL,
        turn BIGINT NOT NULL,
        starts_at BIGINT NOT NULL,
        ends_at BIGINT NOT NULL,
        PRIMARY KEY (recipient, number, message_id)
      )${clustered(dialect)}`,
      // When each number was last used.
      'CREATE INDEX number_leases_turn ON number_leases (number, turn)',
      'CREATE INDEX number_leases_end ON number_leases (ends_at)',
      // Parts of incoming SMS. Finished rows are kept for a while so that repeated parts are recognised.
      `CREATE TABLE incoming_assemblies (
        carrier_id BIGINT NOT NULL,
        sender TEXT NOT NULL,
        recipient TEXT NOT NULL,
        reference BIGINT NOT NULL,
        parts SMALLINT NOT NULL,
        id BIGINT NOT NULL,
        texts TEXT NOT NULL,
        started_at BIGINT NOT NULL,
        ended_at BIGINT,
        PRIMARY KEY (carrier_id, sender, recipient, reference, parts)
      )${clustered(dialect)}`,
      'CREATE INDEX incoming_assemblies_open ON incoming_assemblies (started_at) WHERE ended_at IS NULL',
      'CREATE INDEX incoming_assemblies_ended ON incoming_assemblies (ended_at) WHERE ended_at IS NOT NULL',
    ],
  },
  {
    version: 7,
    what: 'address books',
    statements: (dialect) => addressBookTables(clustered(dialect)),
  },
  {
    version: 8,
    what: 'saved templates',
    statements: (dialect) => [
      `CREATE TABLE templates (
        company_id BIGINT NOT NULL REFERENCES companies (id),
        id BIGINT NOT NULL,
        name TEXT NOT NULL,
        text TEXT NOT NULL,
        PRIMARY KEY (company_id, id)
      )${clustered(dialect)}`,
    ],
  },
  {
    version: 9,
    what: 'receipts that wait are told apart whatever they say; references of messages of several parts',
    statements: (dialect) => [
      // SQLite can't change the key of an existing table, so it is recreated, on both engines alike.
      'CREATE TABLE parked_receipts_before AS SELECT * FROM parked_receipts',
      'DROP TABLE parked_receipts',
      `CREATE TABLE parked_receipts (
        carrier_id BIGINT NOT NULL,
        carrier_message_id TEXT NOT NULL,
        id BIGINT NOT NULL,
        received_at BIGINT NOT NULL,
        status SMALLINT NOT NULL,
        error_code TEXT,
        written_id TEXT,
        other_ids TEXT,
        recipient TEXT,
        next_try_at BIGINT NOT NULL,
        PRIMARY KEY (carrier_id, carrier_message_id, id)
      )${clustered(dialect)}`,
      `INSERT INTO parked_receipts SELECT carrier_id, carrier_message_id, received_at * 16 + status, received_at, status,
         error_code, written_id, other_ids, recipient, next_try_at FROM parked_receipts_before`,
      'DROP TABLE parked_receipts_before',
      'CREATE INDEX parked_receipts_due ON parked_receipts (next_try_at)',
      // The reference that the parts of a message share. Null if it has one part or has not been claimed.
      'ALTER TABLE messages ADD COLUMN reference INTEGER',
      // The reference of parts that were sent earlier.
      'UPDATE messages SET reference = id % 65536 WHERE parts > 1 AND attempts > 0 AND stage IS NOT NULL AND stage IN (0, 1, 4)',
      // Counts references for all recipients whose numbers have the same ending.
      `CREATE TABLE message_references (
        slot INTEGER NOT NULL PRIMARY KEY,
        next BIGINT NOT NULL
      )${clustered(dialect)}`,
    ],
  },
  {
    version: 10,
    what: 'batches',
    statements: (dialect) => [
      ...batchTables(clustered(dialect)),
      ...batchCountTables(dialect, clustered(dialect)),
    ],
  },
  {
    version: 11,
    what: 'the timeline of a message',
    statements: (dialect) => [
      // The latest completed claim, and the times at which each part was submitted and answered. They are written along with
      // other changes.
      'ALTER TABLE messages ADD COLUMN claimed_at BIGINT',
      'ALTER TABLE message_parts ADD COLUMN submitted_at BIGINT',
      'ALTER TABLE message_parts ADD COLUMN answered_at BIGINT',
      // Unusual events only. `seq` counts a message's events, and those in the middle may be left out.
      `CREATE TABLE message_events (
        company_id BIGINT NOT NULL,
        message_id BIGINT NOT NULL,
        seq INTEGER NOT NULL,
        at BIGINT NOT NULL,
        kind TEXT NOT NULL,
        part SMALLINT,
        carrier_id BIGINT,
        to_carrier_id BIGINT,
        node_id BIGINT,
        attempt INTEGER,
        claimed_at BIGINT,
        again_at BIGINT,
        status SMALLINT,
        carrier_message_id TEXT,
        error_code TEXT,
        reason TEXT,
        PRIMARY KEY (company_id, message_id, seq)
      )${clustered(dialect)}`,
    ],
  },
];
