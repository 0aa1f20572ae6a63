/** No statement of the store visits more than its result needs, however much the store holds. */
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import pg from 'pg';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { maxCounted } from '../../src/administration/company-book.ts';
import { verbs } from '../../src/app/verbs.ts';
import { contactsOfPage } from '../../src/contacts/filter-pages.ts';
import { maxEntriesOfCompany } from '../../src/email/senders/sender-entry.ts';
import { planSettings } from '../../src/storage/postgres/store.ts';
import { databasePath, forgetStatistics, openDatabase } from '../../src/storage/sqlite/database.ts';
import { migrateSqlite } from '../../src/storage/sqlite/migrate.ts';
import { listTables, quickCheck } from '../../src/storage/sqlite/quick-check.ts';
import {
  type EngineName,
  eachEngine,
  type FreshDatabase,
  freshDatabase,
  postgresMissing,
} from '../harness/engines.ts';
import { acknowledgementSamples } from './acknowledgement-samples.ts';
import { alertSamples } from './alert-samples.ts';
import { changeSamples } from './change-samples.ts';
import { conversationSamples } from './conversation-samples.ts';
import { esmeSamples } from './esme-samples.ts';
import { messageSamples } from './message-samples.ts';
import { optOutSamples } from './opt-out-samples.ts';
import { otherSamples } from './other-samples.ts';
import { outgoingMailSamples } from './outgoing-mail-samples.ts';
import { peopleSamples } from './people-samples.ts';
import { type Measurement, postgresRecorder, type Recorder, sqliteRecorder } from './recorded.ts';
import { resourceSamples } from './resource-samples.ts';
import { sendingSamples } from './sending-samples.ts';
import { sessionSamples } from './session-samples.ts';
import { growing, stocking } from './stock.ts';
import { webhookSamples } from './webhook-samples.ts';

const samples = [
  ...messageSamples,
  ...conversationSamples,
  ...changeSamples,
  ...webhookSamples,
  ...acknowledgementSamples,
  ...outgoingMailSamples,
  ...esmeSamples,
  ...peopleSamples,
  ...optOutSamples,
  ...sendingSamples,
  ...sessionSamples,
  ...otherSamples,
  ...resourceSamples,
  ...alertSamples,
];

/** Inputs ask for at most 20 rows, or for a thousand in purges, which visit each row once to find it and once to delete it. */
const maxRows = 2_500;
/** An index scanned without a matching row visits no rows, only pages. */
const maxPages = 4_000;
/** As a share of a scan of all million messages; the calls tested here use a third of a scan at most. */
const maxOfWalk = 1 / 2;

/** Verbs for the operator that return the whole table, or compare something with all of it. */
const wholes = new Map([
  [
    'batches.list',
    'the latest of all companies: batches are in the order of companies, and purged with the retention',
  ],
  ['jobs.listAll', 'the first of all companies, in the order of the table'],
  ['email.measureOutbox', 'counts all e-mails that wait or have failed, at one node, every few seconds'],
  [
    'email.pullMailsAhead',
    'looks through the e-mails that are put off, when a node begins to send or its clock was set back',
  ],
  ['messages.countBacklogs', 'counts, though no further than to 100,000 for each carrier'],
  ['routing.listNumbers', 'all numbers'],
  ['routing.listOwnedSenders', 'all numbers, by each server when they were changed'],
  ['messages.readUsage', 'the bill'],
  ['messages.sumUsage', 'the bill of a company, in the turn of who asks'],
  ['webhooks.listAll', 'all webhooks, each with a count of its retries, of which there are few'],
  ['provisioning.apply', 'all that a company has is compared with the file'],
  ['provisioning.readState', 'the same'],
  ['accounts.removeCompanyUser', 'by the rules of files: all that a company has is compared'],
]);

function faultOf(
  { rows = 0, pages = 0, shareOfWalk = 0, copiesPages = false, plan }: Measurement,
  countedRows: number,
): string | undefined {
  if (rows > maxRows + countedRows) return `visits ${rows} rows`;
  if (pages > maxPages) return `reads ${pages} pages`;
  if (shareOfWalk > maxOfWalk) return `computes as much as ${shareOfWalk.toFixed(2)} walks through all`;
  if (copiesPages) return 'copies the pages that it changes';
  // A scan of an index over few rows would use little processor time, so only the plan shows it.
  const walked = plan.split('\n').find((step) => growing.has(/^SCAN (\w+)$/.exec(step)?.[1] ?? ''));
  // Rows that a statement itself carries, named `asked`, have no index other than an automatic one.
  return walked ?? /(?<!SEARCH asked USING )AUTOMATIC.*/.exec(plan)?.[0];
}

/**
 * Rows that are counted, or walked through, up to a limit; PostgreSQL finds them first in the index and then in the table.
 */
const counted = new Map([
  ['contacts.readMetPage', contactsOfPage],
  ...(['findBook', 'makeBook', 'changeBook', 'beginBookRemoval', 'endBookRemoval'] as const).map(
    (verb) => [`administration.${verb}`, 2 * maxCounted] as const,
  ),
  ['email.putEntry', 2 * maxEntriesOfCompany],
  ['emailSenders.create', 2 * maxEntriesOfCompany],
  ['email.readDefaults', 2 * maxEntriesOfCompany],
  ['email.writeDefaults', 2 * maxEntriesOfCompany],
  // A part of an address may stand anywhere in it.
  ['emailSenders.list', 2 * maxEntriesOfCompany],
]);

interface Opened {
  readonly recorder: Recorder;
  /** The store as it is after a start. */
  readonly restarted: () => Recorder;
  readonly remove: () => void | Promise<void>;
}

async function openSqlite(): Promise<Opened> {
  const folder = mkdtempSync(join(tmpdir(), 'carillon-plans-'));
  const path = databasePath(folder);
  const database = openDatabase(path);
  database.exec('PRAGMA synchronous = OFF');
  migrateSqlite(database);
  // A single transaction whose journal is in memory halves the number of bytes written.
  database.exec('PRAGMA journal_mode = MEMORY');
  database.exec(`BEGIN; ${stocking('sqlite').join('; ')}; COMMIT`);
  database.exec('PRAGMA journal_mode = WAL');
  const restarted = () => {
    forgetStatistics(database);
    database.close();
    return sqliteRecorder(openDatabase(path));
  };
  const remove = () => rmSync(folder, { recursive: true, force: true });
  return { recorder: sqliteRecorder(database), restarted, remove };
}

/** Resolves when filling has begun; it continues on its own. */
async function beginPostgres(): Promise<() => Promise<Opened>> {
  const fresh: FreshDatabase = await freshDatabase('unused');
  const client = new pg.Client({ connectionString: fresh.url });
  for (const oid of [20, 1700]) client.setTypeParser(oid, Number);
  await client.connect();
  await client.query(planSettings);
  // Autovacuum is off, so that no table has been analysed, as in the first minute after the rows have arrived.
  const { rows } = await client.query<{ name: string }>(
    "SELECT tablename AS name FROM pg_tables WHERE schemaname = 'public'",
  );
  for (const { name } of rows) await client.query(`ALTER TABLE ${name} SET (autovacuum_enabled = off)`);
  const stocked = client.query(stocking('postgres').join('; '));
  stocked.catch(() => undefined);
  const recorder = postgresRecorder(client);
  const opened = { recorder, restarted: () => recorder, remove: () => fresh.drop() };
  return () => stocked.then(() => opened);
}

/** Verbs by which SQLite examines its own file, in a thread that nobody waits for. */
const checks = new Set([listTables.name, quickCheck.name]);

test('[CONV-12] Every verb of the store has inputs with which its statements are checked', () => {
  const judged = [...verbs.keys()].filter((name) => !checks.has(name));
  expect(samples.map(({ verb }) => verb.name).sort()).toEqual(judged.sort());
});

let postgres: (() => Promise<Opened>) | undefined;
beforeAll(async () => {
  if (postgresMissing() === undefined) postgres = await beginPostgres();
});

eachEngine('statements over a million messages', (engine: EngineName) => {
  let opened: Opened;
  let recorder: Recorder;

  beforeAll(async () => {
    opened = await (engine === 'sqlite' ? openSqlite() : (postgres as NonNullable<typeof postgres>)());
    recorder = opened.recorder;
  }, 300_000);
  afterAll(async () => {
    await recorder?.close();
    await opened?.remove();
  });

  async function faults(): Promise<readonly string[]> {
    const found = new Set<string>();
    for (const { verb, inputs } of samples.filter((one) => !wholes.has(one.verb.name))) {
      for (const input of inputs) {
        for (const measured of await recorder.record(verb, input)) {
          const fault = faultOf(measured, counted.get(verb.name) ?? 0);
          if (fault === undefined) continue;
          found.add(`${verb.name} ${fault}: ${measured.text.replace(/\s+/g, ' ')}\n${measured.plan}`);
        }
      }
    }
    return [...found];
  }

  test('[CONV-12] Over a million messages, no statement reads more than it needs while the engine has no statistics', async () => {
    expect(await faults()).toEqual([]);
  }, 300_000);

  test('[CONV-12] Over a million messages, no statement reads more than it needs when the engine has statistics', async () => {
    await recorder.analyze();
    recorder = opened.restarted();
    expect(await faults()).toEqual([]);
  }, 300_000);
});
