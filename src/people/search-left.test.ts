import { beforeEach, describe, expect, test } from 'vitest';
import {
  type Column,
  eraseReceivedOf,
  plant,
  plantRows,
  readColumns,
  search,
} from '../../test/harness/search-verbs.ts';
import { eachStore } from '../../test/harness/stores.ts';
import type { Store } from '../storage/store.ts';
import { hasNumber, keepers, type SearchPlace, type SearchStep, searchedTables } from './search-left.ts';

const number = '46701740699';

describe('a number in a text', () => {
  test('[PORT-7] A number is found in a text however its country code is written, and not within a longer number', () => {
    for (const text of [number, `+${number}.`, `00${number}`, `call ${number}!`, `{"phone":"${number}"}`])
      expect([text, hasNumber(text, number)]).toEqual([text, true]);
    for (const text of [
      '',
      '4670174069',
      `${number}0`,
      `1${number}`,
      `1${number} 2${number}`,
      `700${number}`,
    ])
      expect([text, hasNumber(text, number)]).toEqual([text, false]);
  });
});

/** The tables that the search skips, with the reasons. */
const unsearched: Readonly<Record<string, string>> = {
  ...of('of the store itself', 'schema_versions id_blocks news nodes believed_time secret_checks'),
  ...of(
    'of the operator',
    'provisioned provisioned_keys operators carriers routes carrier_states smpp_logins',
  ),
  ...of('kept until all parts of a text have come, for a day at most', 'esme_parts'),
  ...of('our own numbers, and the bill', 'numbers usage_counts simulated_counts retired_ids'),
  ...of('of no company, and looked through by each walk', 'unmatched_receipts'),
  ...of('of no company, and gone in days', 'parked_receipts incoming_assemblies carrier_tests'),
  ...of('of no company, and gone in days', 'question_outcomes email_deliveries'),
  ...of('digests, and where somebody signed in', 'login_failures login_networks login_links sessions'),
  ...of('digests, and where somebody signed in', 'sign_in_networks sign_in_mails'),
  ...of('digests, and where somebody signed in', 'operator_sessions operator_networks used_challenges'),
  ...of('secrets of users, sealed or as digests', 'totp_secrets recovery_codes webhook_callback_secrets'),
  ...of('of the operator', 'operator_totp_secrets operator_passkeys operator_recovery_codes'),
  ...of('of the operator, and names of users at identity providers', 'identity_providers user_identities'),
  ...of(
    'names of parts of the program',
    'change_readers change_listeners conversation_releases webhook_retries',
  ),
  ...of('what was asked for', 'erasures'),
};

function of(why: string, tables: string): Record<string, string> {
  return Object.fromEntries(tables.split(' ').map((table) => [table, why]));
}

/** Columns with a table's own vocabulary, which never holds a number. */
const ownWords: Readonly<Record<string, readonly string[]>> = {
  companies: ['allowed_countries', 'country_code', 'language', 'opt_outs', 'second_factor', 'time_zone'],
  api_keys: ['scopes', 'networks'],
  passkeys: ['id', 'public_key', 'transports'],
  users: ['password_hash', 'roles', 'allowed_countries', 'category'],
  idempotency_keys: ['request_hash'],
  saved_jobs: ['type'],
  job_events: ['name'],
  job_runs: ['tally'],
  message_events: ['kind'],
  contacts: ['managed_by'],
  contact_import_rows: ['version'],
  recent_mails: ['outcome', 'message_ids'],
  webhook_endpoints: ['secrets'],
  webhook_queues: ['replay_only'],
  webhook_attempts: ['seqs'],
  audit_log: ['channel', 'act'],
  job_mails: ['message_id'],
  outgoing_mails: ['message_id'],
  email_defaults: ['default_country_code'],
  email_senders: ['default_country_code'],
};

async function keptBy(store: Store, companyId: number, number: string): Promise<Record<string, number>> {
  const kept: Record<string, number> = {};
  for (let place: SearchPlace | null = []; place !== null; ) {
    const step: SearchStep = await store.read(search, { companyId, number, until: 1_000, place });
    for (const [by, count] of Object.entries(step.kept)) if (count > 0) kept[by] = (kept[by] ?? 0) + count;
    place = step.next;
  }
  return kept;
}

const parentsFirst = [
  'companies',
  'system_users',
  'users',
  'address_books',
  'webhook_endpoints',
  'job_runs',
  'batches',
];

eachStore('the search that proves an erasure', (engine) => {
  let store: Store;
  let columns: Map<string, Column[]>;
  beforeEach(async () => {
    ({ store } = await engine.openFreshStore());
    columns = new Map();
    for (const column of await store.read(readColumns, null))
      columns.set(column.table, [...(columns.get(column.table) ?? []), column]);
  });

  /** Inserts a row into each table; all ids in it belong to the company. */
  async function plantEverywhere(companyId: number, text: string) {
    const tables = [
      ...parentsFirst,
      ...Object.keys(searchedTables).filter((name) => !parentsFirst.includes(name)),
    ];
    for (const table of tables) {
      const values = (columns.get(table) ?? []).map(
        ({ name, isText }) => [name, isText ? `${text} ${companyId}` : companyId] as const,
      );
      await store.write(plant, { table, values: Object.fromEntries(values) });
    }
  }

  test('[PORT-7] The search that proves an erasure covers each text of each table, except for stated exceptions', () => {
    const [searched, left] = [Object.keys(searchedTables), Object.keys(unsearched)];
    const withText = [...columns]
      .filter(([, all]) => all.some(({ isText }) => isText))
      .map(([table]) => table);
    expect(withText.filter((table) => !searched.includes(table) && !left.includes(table))).toEqual([]);
    const declared = Object.entries(searchedTables).map(([table, { key, texts }]) => [
      table,
      ...key,
      ...[...texts].sort(),
    ]);
    const made = searched.map((table) => {
      const all = columns.get(table) ?? [];
      const ofKey = all
        .filter(({ keyPlace }) => keyPlace > 0)
        .sort((one, other) => one.keyPlace - other.keyPlace);
      const own = all.filter(({ name, isText }) => isText && !ownWords[table]?.includes(name));
      return [table, ...ofKey.map(({ name }) => name), ...own.map(({ name }) => name).sort()];
    });
    expect(declared).toEqual(made);
  });

  test('[PORT-7] The search that proves an erasure finds the number in every table, and only in the company’s own data', async () => {
    await plantEverywhere(1, number);
    await plantEverywhere(2, 'nothing');
    await plantEverywhere(3, number);
    const each = Object.values(searchedTables).reduce<Record<string, number>>(
      (counts, { keeper }) => Object.assign(counts, { [keeper]: (counts[keeper] ?? 0) + 1 }),
      {},
    );
    expect(await keptBy(store, 1, number)).toEqual(each);
    expect(await keptBy(store, 2, number)).toEqual({});
  });

  test('[PORT-7] [INC-2] The search that proves an erasure finds the other form of a number that networks rewrite', async () => {
    await plantEverywhere(1, '5215562000017');
    const planted = Object.keys(await keptBy(store, 1, '5215562000017'));
    expect(planted).toHaveLength(keepers.length);
    expect(Object.keys(await keptBy(store, 1, '525562000017'))).toEqual(planted);
    expect(await keptBy(store, 1, '525562000018')).toEqual({});
  });

  test('[PORT-7] The search that proves an erasure goes on where a step has ended, in a table and from owner to owner', async () => {
    await plantEverywhere(1, 'nothing');
    const terms = (book: number, from: number, count: number) =>
      Array.from({ length: count }, (_, place) => [
        book,
        `term ${String(from + place).padStart(6, '0')}`,
        1,
        0,
      ]);
    const termColumns = {
      book_id: 'bigint',
      term: 'text',
      contact_id: 'bigint',
      is_first: 'smallint',
    } as const;
    for (const id of Array.from({ length: 44 }, (_, place) => place + 2))
      await store.write(plant, { table: 'address_books', values: { id, company_id: 1, name: `book ${id}` } });
    await store.write(plantRows, {
      table: 'contact_terms',
      columns: termColumns,
      rows: [...terms(1, 0, 2_400), [1, `term ${number}`, 1, 0], ...terms(30, 0, 1_000), [45, number, 1, 0]],
    });
    expect(await keptBy(store, 1, number)).toEqual({ contacts: 2 });
  });

  test('[PORT-7] The search that proves an erasure leaves alone what was stored later', async () => {
    await plantEverywhere(1, 'nothing');
    const note = { company_id: 1, channel: 'api', username: 'alice', act: 'x', details: number };
    await store.write(plant, { table: 'audit_log', values: { ...note, id: 8, at: 1_001, object: '' } });
    expect(await keptBy(store, 1, number)).toEqual({});
    await store.write(plant, { table: 'audit_log', values: { ...note, id: 9, at: 1_000, object: '' } });
    expect(await keptBy(store, 1, number)).toEqual({ settings: 1 });
  });

  test('[PORT-7] [INC-2] The search that proves an erasure finds a later lease whose message is gone, and the erasure removes it', async () => {
    await plantEverywhere(1, 'nothing');
    const lease = { company_id: 1, recipient: number, number: '46731230001', conversation: '1001', turn: 3 };
    const later = { ...lease, user_id: 1, holder: 1, starts_at: 1_001, ends_at: 1_001 };
    // Message 1 exists, message 2 does not.
    for (const message_id of [1, 2])
      await store.write(plant, { table: 'number_leases', values: { ...later, message_id } });
    expect(await keptBy(store, 1, number)).toEqual({ runs: 1 });
    const about = { companyId: 1, number, until: 1_000, now: 2_000 };
    expect(await store.write(eraseReceivedOf, about)).toBe(1);
    expect(await keptBy(store, 1, number)).toEqual({});
  });
});
