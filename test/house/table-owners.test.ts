import { describe, expect, test } from 'vitest';
import { filesBelow, parsedSources } from './sources.ts';

/** Each room with the tables that it owns besides those that it declares; other rooms use its verbs. */
const tablesOfRooms: Readonly<Record<string, readonly string[]>> = {
  storage: ['id_blocks', 'news', 'schema_versions', 'secret_checks'],
  audit: ['audit_log'],
  accounts: [
    ...['companies', 'users', 'api_keys', 'retired_ids', 'login_failures', 'login_networks'],
    'provisioned_keys',
    'smpp_logins',
    'user_identities',
    'system_users',
    'operator_networks',
  ],
  contacts: [
    ...['address_books', 'address_book_readers', 'contacts', 'tags', 'contact_tags'],
    ...['group_members', 'contact_terms', 'contact_imports', 'contact_import_rows'],
  ],
  'opt-outs': ['opt_outs', 'opt_out_near_misses'],
  carriers: ['carriers'],
  messages: [
    ...[
      'messages',
      'message_log',
      'message_parts',
      'message_events',
      'message_refusals',
      'message_references',
    ],
    ...['incoming_messages', 'incoming_assemblies', 'parked_receipts', 'unmatched_receipts', 'nodes'],
    ...[
      'carrier_states',
      'idempotency_keys',
      'number_leases',
      'usage_counts',
      'simulated_counts',
      'believed_time',
    ],
    ...['job_answers', 'conversations', 'conversation_releases', 'sendings', 'sending_answers'],
    ...['opt_out_replies', 'carrier_tests'],
  ],
  batches: ['batches', 'batch_chunks', 'batch_counts', 'batch_count_changes'],
  email: [
    ...['email_messages', 'email_deliveries', 'recent_mails', 'recent_mail_rings', 'outgoing_mails'],
    'question_outcomes',
  ],
  changes: ['changes', 'change_readers', 'change_listeners'],
  esme: ['esme_binds', 'esme_messages', 'esme_parts', 'esme_deliveries', 'esme_deliverers'],
  webhooks: [
    ...['webhook_endpoints', 'webhook_queues', 'webhook_events', 'webhook_retries', 'webhook_attempts'],
    ...['webhook_attempt_counts', 'webhook_callback_secrets'],
  ],
  jobs: [
    ...['job_runs', 'job_people', 'job_entries', 'job_messages', 'job_events', 'job_mails'],
    'job_mail_counts',
  ],
  alerts: ['alert_receivers', 'alerts', 'incidents', 'alert_acknowledgements'],
  people: ['erasures'],
  portal: [
    ...['sessions', 'login_links', 'sign_in_networks', 'sign_in_mails'],
    ...['totp_secrets', 'passkeys', 'recovery_codes', 'used_challenges'],
  ],
  operators: [
    'operator_sessions',
    ...['operator_totp_secrets', 'operator_passkeys', 'operator_recovery_codes'],
  ],
  provisioning: ['provisioned'],
};

const names = 'Objects are known by names of companies and users in files and commands, and by ids in rows.';
/** What a room does with another room's table, and why: `where table`, or `where writes table`. */
const exceptions: Readonly<Record<string, string>> = {
  'changes nodes': 'A reader that several nodes share is held by one that is alive.',
  'esme smpp_logins': 'How many binds a user may have is asked in the transaction that adds one.',
  'esme nodes': 'Only binds and deliverers of nodes that are alive count.',
  'esme messages': 'What is delivered is read where it is stored, so that no other text has to be erased.',
  'esme incoming_messages': 'What is delivered is read where it is stored.',
  'audit companies': names,
  'operators companies': 'Operators see all companies, with what each has used.',
  'operators users': 'How many users a company has is counted in the statement that reads the company.',
  'operators message_log':
    'How much a company has sent today is counted in the statement that reads the company.',
  'administration companies': names,
  'administration users':
    'Whether a user is the last administrator, or one too many, is found in the transaction that changes it.',
  'administration writes api_keys':
    'To those who keep them they are a resource, which stands behind the room of accounts.',
  'webhooks companies': names,
  'webhooks users': names,
  'messages writes webhook_endpoints':
    'A scheduled message that is put off keeps the callback URL of its call, in the same transaction.',
  'messages changes': 'On SQLite the next place of the journal follows from the last.',
  'messages writes changes':
    'What is accepted is told of by the statement that stores it: a trigger would need an update first.',
  'messages change_listeners': 'An opt-in leaves no row that a trigger could tell of.',
  'messages companies': 'Work goes from company to company, and reports tell their names.',
  'messages users':
    'Reports tell names; whose number or route it is, is found in the statement that takes the message.',
  'messages writes by variable':
    'What is used of quotas of users and companies is counted with the message, or never.',
  'routing users': 'Whose number it is follows from its renter, in the statement that reads all numbers.',
  'messages carriers':
    'Rows of messages have ids of carriers; reports tell names, and lines of removed ones are found.',
  'messages numbers':
    'Whose number was answered to, and which of the pool is free, is found in the statement that acts on it.',
  'messages templates':
    'A sending keeps the name and the text that its template had, in the statement that stores it.',
  'messages retired_ids': 'The bill goes on to name who was removed.',
  'messages batches':
    'A message is held only while its batch goes on, which the statement that holds it asks; a search in a batch goes by its ids.',
  'jobs companies': names,
  'jobs system_users': names,
  'jobs writes system_users':
    'To administrators they are a resource, which stands behind the room of webhooks: a callback belongs to each.',
  'alerts users': 'Whether the user that acts is of the company is asked in the transaction that says so.',
  'alerts messages': 'Those who got the first SMS of an incident get what follows.',
  'jobs messages': 'The record of a run tells what became of its messages.',
  'jobs users': 'Which jobs a user may start is asked by the owner of its jobs.',
  'batches carriers': names,
  'batches messages': 'The state of a batch is that of its messages.',
};

const named = /\b(DELETE FROM|FROM|JOIN|INTO|UPDATE|LOCK TABLE)\s+(?:\$\{orFail\} )?([a-z_]+)\b/g;
const inserted = /\.insert\(\s*'(\w+)'|\binto: '(\w+)'/g;
/** A resource, or a table for what the operator configures. */
const declared = /new (?:Resource|RecordTable)<[^;]{0,400}?\btable: '(\w+)'|\bhistory: \{ table: '(\w+)'/g;
/** Only ids and names are looked up in the table. */
const namesOnly = /\bnamingOf\('(\w+)'/g;
/** Rows that the store's own verb purges. */
const aged = /\{\s*table: '(\w+)',\s*key: /g;
/**
 * The statement that queues a change also assembles the report of it, which halves the cost, so a room whose statement joins
 * the journal may read the reported tables.
 */
const isTeller = /\bFROM changes JOIN\b/;
/** The table name is interpolated; with `rowSet` and the like, the name is not a table's name. */
const byVariable = /\b(DELETE FROM|INTO|UPDATE)\s+\$\{raw\(/g;

const program = parsedSources('src').filter(({ path }) => !path.endsWith('.test.ts'));
const roomOf = (path: string) => path.split('/')[1] ?? '';

/** A declared table belongs to its room unless another room is named as its owner. */
const owners = new Map([
  ...program.flatMap(({ path, text }) =>
    [...text.matchAll(declared)].map(([, own, former]) => [own ?? former ?? '', roomOf(path)] as const),
  ),
  ...Object.entries(tablesOfRooms).flatMap(([room, tables]) => tables.map((table) => [table, room] as const)),
]);

/** One source's uses of other rooms' tables, in the form of the keys of `exceptions`. */
function usesOf(text: string, room: string): readonly string[] {
  const ofOthers = (table: string) => owners.has(table) && owners.get(table) !== room;
  const statements = [...text.matchAll(named)].flatMap(([, word = '', table = '']) => {
    if (!ofOthers(table)) return [];
    const isRead = word === 'FROM' || word === 'JOIN';
    if (isRead && isTeller.test(text)) return [];
    return `${room} ${isRead ? '' : 'writes '}${table}`;
  });
  const rows = [inserted, declared, aged]
    .flatMap((words) => [...text.matchAll(words)])
    .flatMap(([, first, second]) => first ?? second ?? []);
  return [
    ...statements,
    ...rows.filter(ofOthers).map((table) => `${room} writes ${table}`),
    ...[...text.matchAll(namesOnly)].flatMap(([, table = '']) =>
      ofOthers(table) ? [`${room} ${table}`] : [],
    ),
    ...[...text.matchAll(byVariable)].map(() => `${room} writes by variable`),
  ];
}

describe('the tables of the store', () => {
  test('Each table of the store has one owner, which is a room', () => {
    const made = program
      .filter(({ path }) => path.startsWith('src/storage/'))
      .flatMap(({ text }) =>
        [...text.matchAll(/CREATE TABLE (?:IF NOT EXISTS )?([a-z_]+)/g)].map(([, table = '']) => table),
      );
    const renamed = new Set(['parked_receipts_before']);
    expect([...new Set(made)].filter((table) => !renamed.has(table)).sort()).toEqual(
      [...owners.keys()].sort(),
    );
    const rooms = new Set(filesBelow('src').map(roomOf));
    expect(Object.keys(tablesOfRooms).filter((room) => !rooms.has(room))).toEqual([]);
  });

  test('No other room reads or writes a table without a listed reason, and no listed reason is left over', () => {
    const uses = program.flatMap(({ path, text }) => {
      const room = roomOf(path);
      // The schema uses all tables.
      return room === 'storage' ? [] : usesOf(text, room).map((use) => ({ path, use }));
    });
    expect(uses.filter(({ use }) => !(use in exceptions))).toEqual([]);
    const used = new Set(uses.map(({ use }) => use));
    expect(Object.keys(exceptions).filter((use) => !used.has(use))).toEqual([]);
  });

  test('A use of another room’s table is found in whatever form it is written', () => {
    expect(usesOf('DELETE FROM users', 'email')).toEqual(['email writes users']);
    expect(usesOf('UPDATE $' + '{orFail} users SET', 'email')).toEqual(['email writes users']);
    expect(usesOf('LEFT JOIN users, FROM email_senders', 'email')).toEqual(['email users']);
    expect(usesOf("await transaction.insert(\n    'messages', rows)", 'batches')).toEqual([
      'batches writes messages',
    ]);
    expect(usesOf("{\n  table: 'messages',\n  key: 'id',", 'email')).toEqual(['email writes messages']);
    expect(usesOf('UPDATE $' + '{raw(table)} SET', 'email')).toEqual(['email writes by variable']);
  });
});
