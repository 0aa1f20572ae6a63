/** All SQL for logins: failed attempts counted across nodes, and the networks from which users have logged in before. */
import { raiseNews } from '../storage/news.ts';
import { oneOf, raw, sql } from '../storage/sql.ts';
import { type Reading, readVerb, singleWriteVerb } from '../storage/verb.ts';
import type { FailureRow } from './failure-counts.ts';

export interface SubjectRow extends FailureRow {
  readonly subject: string;
}

export interface AttemptQuestion {
  readonly subjects: readonly string[];
  readonly fromSlot: number;
  /** Digest of user and network. */
  readonly network: string;
}

export interface AttemptRecord {
  readonly rows: readonly SubjectRow[];
  /** When the user last logged in from that network. Undefined if no login is known. */
  readonly seenAt: number | undefined;
}

export const readAttempts = readVerb(
  'accounts.readAttempts',
  async (reading, { subjects, fromSlot, network }: AttemptQuestion): Promise<AttemptRecord> => {
    const rows = await reading.all<SubjectRow>(sql`
      SELECT subject, slot, node, failures FROM login_failures
      WHERE subject ${oneOf('text', subjects)} AND slot >= ${fromSlot}`);
    const known = await reading.first<{ seen_at: number }>(
      sql`SELECT seen_at FROM login_networks WHERE digest = ${network}
          UNION ALL SELECT seen_at FROM operator_networks WHERE digest = ${network}`,
    );
    return { rows, seenAt: known?.seen_at };
  },
);

const failureColumns = { subject: 'text', slot: 'bigint', node: 'text', failures: 'integer' } as const;

/**
 * Each row holds a node's full count for its slot, so writing it twice counts nothing twice. The rows of a call must differ in
 * their keys.
 */
export const keepFailures = singleWriteVerb(
  'accounts.keepFailures',
  async (transaction, rows: readonly SubjectRow[]) => {
    await transaction.insert(
      'login_failures',
      failureColumns,
      rows.map(({ subject, slot, node, failures }) => [subject, slot, node, failures]),
      'ON CONFLICT (subject, slot, node) DO UPDATE SET failures = excluded.failures',
    );
    return null;
  },
  (rows) => rows.length,
);

/** Who has logged in from a network. */
export type NetworkOwner = { readonly userId: number } | { readonly operator: string };

export interface KnownNetwork {
  readonly owner: NetworkOwner;
  readonly digest: string;
  readonly now: number;
}

/** More networks than most people use; for a traveller, only the last eight places are known. */
const maxKnownNetworks = 8;
/** Operators are few. */
const maxOperatorNetworks = 1_000;

/** Records a login from a network, and notifies the nodes when the network is new. */
export const keepKnownNetwork = singleWriteVerb(
  'accounts.keepKnownNetwork',
  async (transaction, { owner, digest, now }: KnownNetwork) => {
    const [table, column, accounts, key, value] = tablesOf(owner);
    const before = await transaction.first(sql`SELECT 1 FROM ${table} WHERE digest = ${digest}`);
    // Skips an account that has been removed in the meantime.
    await transaction.run(sql`
      INSERT INTO ${table} (digest, ${column}, seen_at)
      SELECT CAST(${digest} AS TEXT), ${key}, CAST(${now} AS BIGINT) FROM ${accounts} WHERE ${key} = ${value}
      ON CONFLICT (digest) DO UPDATE SET seen_at = excluded.seen_at`);
    // Times in the future were written by a wrong clock and would otherwise stay forever.
    await transaction.run(
      sql`UPDATE ${table} SET seen_at = ${now} WHERE ${column} = ${value} AND seen_at > ${now}`,
    );
    await transaction.run(sql`
      DELETE FROM ${table} WHERE ${column} = ${value} AND digest <> ${digest} AND digest NOT IN (
        SELECT digest FROM ${table} WHERE ${column} = ${value} AND digest <> ${digest}
        ORDER BY seen_at DESC LIMIT ${raw(String(maxKnownNetworks - 1))})`);
    if (before === undefined) await raiseNews(transaction, 'logins');
    return null;
  },
  () => 4,
);

/** Where the networks of an account are, with the table and the key of the account itself. */
function tablesOf(owner: NetworkOwner) {
  if ('userId' in owner)
    return [raw('login_networks'), raw('user_id'), raw('users'), raw('id'), owner.userId] as const;
  const name = raw('username');
  return [raw('operator_networks'), name, raw('operators'), name, owner.operator] as const;
}

export interface KnownSince {
  readonly since: number;
  readonly limit: number;
}

/** Latest first. */
export const listKnownNetworks = readVerb(
  'accounts.listKnownNetworks',
  async (reading, { since, limit }: KnownSince) => {
    const ofUsers = await knownIn(reading, raw('login_networks'), since, limit);
    return [...(await knownIn(reading, raw('operator_networks'), since, maxOperatorNetworks)), ...ofUsers];
  },
);

function knownIn(reading: Reading, table: ReturnType<typeof raw>, since: number, limit: number) {
  return reading.all<{ digest: string; seen_at: number }>(sql`
    SELECT digest, seen_at FROM ${table} WHERE seen_at >= ${since} ORDER BY seen_at DESC LIMIT ${limit}`);
}

export interface LoginPurge {
  readonly beforeSlot: number;
  /** Slots after this one were counted by a wrong clock. */
  readonly afterSlot: number;
  /** At most this many of the latest rows are kept, however many subjects strangers make up. */
  readonly maxFailures: number;
  readonly seenBefore: number;
}

export const purgeLogins = singleWriteVerb(
  'accounts.purgeLogins',
  async (transaction, { beforeSlot, afterSlot, maxFailures, seenBefore }: LoginPurge) => {
    await transaction.run(sql`DELETE FROM login_failures WHERE slot < ${beforeSlot} OR slot > ${afterSlot}`);
    await transaction.run(sql`
      DELETE FROM login_failures WHERE slot <= (
        SELECT slot FROM login_failures ORDER BY slot DESC LIMIT 1 OFFSET ${maxFailures})`);
    await transaction.run(sql`DELETE FROM login_networks WHERE seen_at < ${seenBefore}`);
    await transaction.run(sql`DELETE FROM operator_networks WHERE seen_at < ${seenBefore}`);
    return null;
  },
  () => 1_000,
);
