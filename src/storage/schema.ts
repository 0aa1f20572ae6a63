/**
 * The schema, as the list of steps that led to it, with one text for both engines. A released step is never edited: a change
 * is a further step. Keys of tables on the hot path begin with the company, so the schema can be spread over machines by
 * company. Ids are drawn in blocks from `id_blocks`, below 2^53 and roughly ascending. Booleans are 0 or 1, times are
 * milliseconds since the epoch, and lists are JSON text.
 */
import {
  auditedObjects,
  auditTables,
  companyCountryCodes,
  filteredAudit,
  limitTables,
  loginTables,
  retiredIdTables,
  sessionTables,
  signInTables,
} from './account-tables.ts';
import { addressBookTables, contactSearchTables, numbersInGroups } from './address-book-tables.ts';
import { batchCountTables, batchesByTime, batchTables, namedBatches, resentBatches } from './batch-tables.ts';
import { changeTables } from './change-tables.ts';
import {
  cutMailLines,
  emailTables,
  outgoingMailTables,
  receivedMailTables,
  recentMailTables,
} from './email-tables.ts';
import { jobLists, jobMailCounts, jobMailTables, jobTables, takenAnswers } from './job-tables.ts';
import {
  assemblyOwners,
  conversationReleases,
  conversationTables,
  messageLogTables,
  personTables,
  simulatedCounts,
} from './message-tables.ts';
import { secretTables } from './secret-check.ts';
import { sendingTables } from './sending-tables.ts';
import type { Dialect } from './sql.ts';
import { attemptCountTables, changedWebhooks, enabledWebhooks, webhookTables } from './webhook-tables.ts';

export interface Migration {
  readonly version: number;
  readonly what: string;
  readonly statements: (dialect: Dialect) => readonly string[];
}

/** SQLite stores such a table in key order and saves the second tree. PostgreSQL has no such option. */
function clustered(dialect: Dialect): string {
  return dialect === 'sqlite' ? ' WITHOUT ROWID' : '';
}

export const migrations: readonly Migration[] = [
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
  {
    version: 12,
    what: 'e-mail to SMS: senders, defaults, allowed domain endings',
    statements: (dialect) => emailTables(clustered(dialect)),
  },
  {
    version: 13,
    what: 'e-mail to SMS: what came by mail, sender ids by domain',
    statements: (dialect) => receivedMailTables(clustered(dialect)),
  },
  {
    version: 14,
    what: 'numbers in the pool of one company alone',
    statements: () => ['ALTER TABLE numbers ADD COLUMN company_id BIGINT REFERENCES companies (id)'],
  },
  {
    version: 15,
    what: 'by what the secret of the server is known',
    statements: (dialect) => secretTables(clustered(dialect)),
  },
  {
    version: 16,
    what: 'limits of what is sent in a time, and of countries',
    statements: () => limitTables(),
  },
  {
    version: 17,
    what: 'failed logins, and networks in which users are known',
    statements: (dialect) => loginTables(clustered(dialect)),
  },
  {
    version: 18,
    what: 'what is due in one order that the index has whole',
    statements: () => [
      // Readers page through a queue in this order. Without these columns, PostgreSQL would sort everything due at the same
      // moment for each page.
      'DROP INDEX messages_due',
      'CREATE INDEX messages_due ON messages (carrier_id, stage, lane, due_at, company_id, id) WHERE stage IS NOT NULL',
    ],
  },
  {
    version: 19,
    what: 'ids of removed users and companies, which nobody gets again',
    statements: (dialect) => retiredIdTables(clustered(dialect)),
  },
  {
    version: 20,
    what: 'parts by the ids of their carriers without zeros in front and letter case',
    statements: (dialect) => [
      // An SMSC may pad ids to any width in one direction and not in the other, so no list of forms covers them all.
      'DROP INDEX message_parts_carrier',
      "CREATE INDEX message_parts_carrier ON message_parts (carrier_id, ltrim(lower(carrier_message_id), '0'))",
      // PostgreSQL has no statistics on an expression until it has analysed the table, and would read all parts to find one.
      ...(dialect === 'postgres' ? ['ANALYZE message_parts'] : []),
    ],
  },
  {
    version: 21,
    what: 'what became of the mails of the last days',
    statements: (dialect) => recentMailTables(clustered(dialect)),
  },
  {
    version: 22,
    what: 'names of removed users and companies, for the bill',
    // Accounts that were removed earlier have left no name.
    statements: () => ['ALTER TABLE retired_ids ADD COLUMN name TEXT'],
  },
  {
    version: 23,
    what: 'the journal of changes',
    statements: (dialect) => changeTables(dialect, clustered(dialect)),
  },
  {
    version: 24,
    what: 'which keys of an object each provisioning file has set',
    // For earlier provisioning, it is unknown who set what. No row means that no part of the object comes from a file.
    statements: (dialect) => [
      `CREATE TABLE provisioned_keys (
        source TEXT NOT NULL,
        kind TEXT NOT NULL,
        object TEXT NOT NULL,
        keys TEXT NOT NULL,
        PRIMARY KEY (kind, object, source)
      )${clustered(dialect)}`,
    ],
  },
  {
    version: 25,
    what: 'manage webhooks, and callbacks of system users',
    statements: (dialect) => webhookTables(clustered(dialect)),
  },
  {
    version: 26,
    what: 'show, start and steer saved jobs',
    statements: (dialect) => jobTables(clustered(dialect)),
  },
  {
    version: 27,
    what: 'which answers of jobs were taken in',
    statements: () => takenAnswers,
  },
  {
    version: 28,
    what: 'jobs that share a number of the pool for one person',
    statements: () => [
      // The code in an answer that says which job it is for, and an answer that is waiting for its code.
      'ALTER TABLE number_leases ADD COLUMN code SMALLINT',
      'ALTER TABLE number_leases ADD COLUMN unclear_answer TEXT',
      'ALTER TABLE job_answers ADD COLUMN code SMALLINT',
      // 1: the answer may belong to several runs and names none. 2: so did an earlier answer, and its sender was asked which
      // run was meant.
      'ALTER TABLE job_answers ADD COLUMN clarity SMALLINT NOT NULL DEFAULT 0',
      'ALTER TABLE job_answers ADD COLUMN before_text TEXT',
    ],
  },
  {
    version: 29,
    what: 'mail that goes out: receipts and answers for those who send by mail, in the language of their company',
    statements: (dialect) => [
      ...outgoingMailTables(dialect, clustered(dialect)),
      // Null means English.
      'ALTER TABLE companies ADD COLUMN language TEXT',
    ],
  },
  {
    version: 30,
    what: 'the audit log',
    statements: (dialect) => auditTables(dialect, clustered(dialect)),
  },
  {
    version: 31,
    what: 'the log of messages, by which they are found',
    statements: (dialect) => messageLogTables(clustered(dialect)),
  },
  {
    version: 32,
    what: 'what has happened to runs of jobs, in its order',
    statements: () => ['CREATE INDEX job_events_time ON job_events (run_id, at, name)'],
  },
  {
    version: 33,
    what: 'templates keep their former versions',
    statements: (dialect) => [
      'ALTER TABLE templates ADD COLUMN version INTEGER NOT NULL DEFAULT 1',
      // Null: changed by a provisioning file, or before this was recorded.
      'ALTER TABLE templates ADD COLUMN changed_at BIGINT',
      'ALTER TABLE templates ADD COLUMN changed_by TEXT',
      `CREATE TABLE template_versions (
        company_id BIGINT NOT NULL,
        id BIGINT NOT NULL,
        version INTEGER NOT NULL,
        name TEXT NOT NULL,
        text TEXT NOT NULL,
        changed_at BIGINT,
        changed_by TEXT,
        PRIMARY KEY (company_id, id, version)
      )${clustered(dialect)}`,
    ],
  },
  {
    version: 34,
    what: 'sessions of the portal, and links that begin one',
    statements: (dialect) => sessionTables(clustered(dialect)),
  },
  {
    version: 35,
    what: 'batches with a name and a time to begin, which can be paused',
    statements: () => namedBatches,
  },
  {
    version: 36,
    what: 'mails of jobs, and what became of them',
    statements: (dialect) => jobMailTables(clustered(dialect)),
  },
  {
    version: 37,
    what: 'receipts as they came, and what waits for its time',
    statements: () => [
      // The final receipt of a message with one part is stored with the message, that of a part with the part, and earlier
      // ones in the timeline.
      ...['messages', 'message_parts', 'message_events', 'parked_receipts'].map(
        (table) => `ALTER TABLE ${table} ADD COLUMN receipt TEXT`,
      ),
      // 14 is SCHEDULED. Messages of a batch are found through their batch.
      'CREATE INDEX messages_scheduled ON messages (company_id, due_at, id) WHERE status = 14 AND batch_id IS NULL',
      'CREATE INDEX messages_scheduled_user ON messages (user_id, due_at, id) WHERE status = 14 AND batch_id IS NULL',
      'CREATE INDEX job_runs_scheduled ON job_runs (company_id, due_at, id) WHERE due_at IS NOT NULL',
      'CREATE INDEX batches_unfinished ON batches (company_id, next_chunk, id) WHERE code IN (1, 2, 3)',
      'CREATE INDEX usage_counts_month ON usage_counts (company_id, month, user_id, cost_center)',
    ],
  },
  {
    version: 38,
    what: 'runs of jobs by their owner',
    statements: () => ['CREATE INDEX job_runs_owner ON job_runs (system_user_id, id)'],
  },
  {
    version: 39,
    what: 'contacts by the beginnings of their names and numbers, whom a file manages, imports that can be undone',
    statements: (dialect) => contactSearchTables(dialect, clustered(dialect)),
  },
  {
    version: 40,
    what: 'conversations with phones that have answered',
    statements: (dialect) => conversationTables(dialect, clustered(dialect)),
  },
  {
    version: 41,
    what: 'what was sent by cost centre',
    statements: () => [
      'CREATE INDEX usage_counts_cost_center ON usage_counts (company_id, cost_center, month, user_id)',
    ],
  },
  {
    version: 42,
    what: 'who has looked at what, by what was looked at',
    statements: () => [auditedObjects],
  },
  {
    version: 43,
    what: 'which batches send again what failed of another',
    statements: () => resentBatches,
  },
  {
    version: 44,
    what: 'groups by the numbers in them',
    statements: () => [numbersInGroups],
  },
  {
    version: 45,
    what: 'batches by the time at which they begin',
    statements: () => [batchesByTime],
  },
  {
    version: 46,
    what: 'what is forgotten of a phone number when its person asks for that',
    statements: (dialect) => personTables(dialect, clustered(dialect)),
  },
  {
    version: 47,
    what: 'webhooks with versions, and the events of each try to post',
    statements: () => changedWebhooks,
  },
  {
    version: 48,
    what: 'when API keys were used; users and e-mail senders of a company by name',
    statements: () => [
      'ALTER TABLE api_keys ADD COLUMN used_at BIGINT',
      'CREATE INDEX users_of_company ON users (company_id, username)',
      'DROP INDEX users_company',
      'CREATE INDEX email_senders_of_company ON email_senders (company_id, email)',
      'DROP INDEX email_senders_company',
    ],
  },
  {
    version: 49,
    what: 'who looks after a conversation',
    statements: () => [
      'ALTER TABLE conversations ADD COLUMN assignee_id BIGINT',
      'CREATE INDEX conversations_assignee ON conversations (assignee_id, archived, last_at, id) WHERE assignee_id IS NOT NULL',
    ],
  },
  {
    version: 50,
    what: 'how often a webhook was enabled',
    statements: () => [enabledWebhooks],
  },
  {
    version: 51,
    what: 'conversations of those who no longer see them are released',
    statements: (dialect) => conversationReleases(clustered(dialect)),
  },
  {
    version: 52,
    what: 'which lines of mail gateways a company has cut',
    statements: () => [cutMailLines],
  },
  {
    version: 53,
    what: 'which routes are simulated on purpose',
    statements: () => ['ALTER TABLE routes ADD COLUMN simulated SMALLINT NOT NULL DEFAULT 0'],
  },
  {
    version: 54,
    what: 'the senders of a company',
    statements: () => ['ALTER TABLE companies ADD COLUMN senders TEXT'],
  },
  {
    version: 55,
    what: 'incoming SMS that belong to nobody stay with the company that had their number',
    statements: () => [
      'ALTER TABLE incoming_messages ADD COLUMN number_company_id BIGINT',
      `UPDATE incoming_messages SET number_company_id = (
         SELECT COALESCE(numbers.company_id, (SELECT users.company_id FROM users WHERE users.id = numbers.rented_by))
         FROM numbers WHERE numbers.number = incoming_messages.recipient) WHERE user_id IS NULL`,
    ],
  },
  {
    version: 56,
    what: 'outgoing mails by company and kind',
    statements: () => [
      'CREATE INDEX outgoing_mails_turn ON outgoing_mails (company_id, kind, due_at, message_id) WHERE due_at IS NOT NULL',
    ],
  },
  {
    version: 57,
    what: 'mails of jobs are counted by day',
    statements: (dialect) => jobMailCounts(clustered(dialect)),
  },
  {
    version: 58,
    what: 'networks that users have signed in from, and mails of new ones',
    statements: (dialect) => signInTables(clustered(dialect)),
  },
  {
    version: 59,
    what: 'SMS parts that simulators took',
    statements: (dialect) => simulatedCounts(clustered(dialect)),
  },
  {
    version: 60,
    what: 'incoming SMS in parts belong to those who had the number when the first part came',
    statements: assemblyOwners,
  },
  {
    version: 61,
    what: 'runs by phase and saved job, and their people by state',
    statements: jobLists,
  },
  {
    version: 62,
    what: 'country codes of companies',
    statements: () => [companyCountryCodes],
  },
  {
    version: 63,
    what: 'the audit log by user, act, object and time; attempts of webhooks counted by hour',
    statements: (dialect) => [...filteredAudit, ...attemptCountTables(clustered(dialect))],
  },
  {
    version: 64,
    what: 'sendings: what one call sent to several people',
    statements: (dialect) => sendingTables(clustered(dialect)),
  },
];

export const schemaVersion = migrations.at(-1)?.version ?? 0;
