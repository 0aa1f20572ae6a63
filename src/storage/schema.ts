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
  factorTables,
  filteredAudit,
  identityTables,
  limitsOfKeys,
  limitTables,
  loginTables,
  operatorFactorTables,
  operatorTables,
  retiredIdTables,
  sessionTables,
  signInTables,
  zonesAndCostCenters,
} from './account-tables.ts';
import { contactSearchTables, contactsInLanguages, numbersInGroups } from './address-book-tables.ts';
import { alertTables } from './alert-tables.ts';
import { batchesByTime, countsWithoutUpsert, namedBatches, resentBatches } from './batch-tables.ts';
import { categoryTables } from './category-tables.ts';
import { changeTables, optOutJournal } from './change-tables.ts';
import {
  cutMailLines,
  emailTables,
  outgoingMailTables,
  receivedMailTables,
  recentMailTables,
} from './email-tables.ts';
import { esmeTables } from './esme-tables.ts';
import { clustered, firstMigrations, type Migration } from './first-schema.ts';
import { jobLists, jobMailCounts, jobMailTables, jobTables, takenAnswers } from './job-tables.ts';
import {
  assemblyOwners,
  carrierTestTables,
  conversationReleases,
  conversationTables,
  messageLogTables,
  personTables,
  simulatedCounts,
  smallBlocksInLog,
  vacuumByChanges,
} from './message-tables.ts';
import { namesInLanguages } from './name-order.ts';
import { optOutTables } from './opt-out-tables.ts';
import { secretTables } from './secret-check.ts';
import { sendingTables } from './sending-tables.ts';
import {
  attemptCountTables,
  callbackUrlTables,
  changedWebhooks,
  enabledWebhooks,
  webhookTables,
} from './webhook-tables.ts';

export const migrations: readonly Migration[] = [
  ...firstMigrations,
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
  {
    version: 65,
    what: 'opt-outs, and texts that may mean so',
    statements: (dialect) => optOutTables(clustered(dialect)),
  },
  {
    version: 66,
    what: 'what companies do about opt-outs, categories of messages, and replies to STOP',
    statements: (dialect) => [...categoryTables(clustered(dialect)), ...optOutJournal(dialect)],
  },
  {
    version: 67,
    what: 'second factors of users',
    statements: (dialect) => factorTables(clustered(dialect)),
  },
  {
    version: 68,
    what: 'operators in the portal: their sessions and networks, and what they see of nodes',
    statements: (dialect) => operatorTables(clustered(dialect)),
  },
  {
    version: 69,
    what: 'sign-in by identity providers',
    statements: (dialect) => identityTables(clustered(dialect)),
  },
  {
    version: 70,
    what: 'time zones and cost centres of companies, and sessions by identity provider',
    statements: () => zonesAndCostCenters,
  },
  {
    version: 71,
    what: 'second factors of operators',
    statements: (dialect) => operatorFactorTables(clustered(dialect)),
  },
  {
    version: 72,
    what: 'names in the order of the language of those who read them',
    statements: (dialect) => [...contactsInLanguages, ...namesInLanguages(dialect)],
  },
  {
    version: 73,
    what: 'saved jobs by type',
    statements: () => ['CREATE INDEX saved_jobs_type ON saved_jobs (company_id, type, id)'],
  },
  {
    version: 74,
    what: 'SMS by which operators try a carrier',
    statements: (dialect) => carrierTestTables(clustered(dialect)),
  },
  {
    version: 75,
    what: 'smaller blocks in the log of messages',
    statements: () => smallBlocksInLog,
  },
  {
    version: 76,
    what: 'vacuums of messages by the number of changes',
    statements: vacuumByChanges,
  },
  {
    version: 77,
    what: 'counts of messages without an upsert',
    statements: countsWithoutUpsert,
  },
  {
    version: 78,
    what: 'scopes and networks of API keys',
    statements: () => limitsOfKeys,
  },
  {
    version: 79,
    what: 'SMPP for customers: logins, and what is delivered to them',
    statements: (dialect) => esmeTables(dialect, clustered(dialect)),
  },
  {
    version: 80,
    what: 'what was said when an operator tried a carrier',
    statements: () => ['ALTER TABLE carrier_tests ADD COLUMN conversation TEXT'],
  },
  {
    version: 81,
    what: 'alerts: receivers, what fires, incidents, and acknowledgements for the sources',
    statements: (dialect) => alertTables(clustered(dialect)),
  },
  {
    version: 82,
    what: 'callback URLs of calls',
    statements: (dialect) => callbackUrlTables(clustered(dialect)),
  },
];

export const schemaVersion = migrations.at(-1)?.version ?? 0;
