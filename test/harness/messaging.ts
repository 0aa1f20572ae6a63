/** What messaging tests need besides the API: its paths, waiting for statuses, and a view into the store. */
import { setTimeout as delay } from 'node:timers/promises';
import pg from 'pg';
import { command } from '../../src/app/control.ts';
import { databasePath, openDatabase } from '../../src/storage/sqlite/database.ts';
import { type Answer, type ApiClient, isRefused, patientTries } from './api-client.ts';
import type { WholeApp } from './app.ts';
import { until } from './awake.ts';

const prefix = '/restsms/svcrest';
export const sendPath = `${prefix}/send`;
export const singlePath = `${prefix}/send/single`;
export const statusPath = `${prefix}/status`;
export const singleStatusPath = `${prefix}/status/single`;
export const incomingPath = `${prefix}/incoming`;
export const singleIncomingPath = `${prefix}/incoming/single`;
export const keyPath = '/authentication/auth/apikey';

/** A recipient that the standard simulator delivers to; the last two digits select other final statuses than DELIVERED. */
export function recipient(index: number): string {
  return `4673${String(1_000 + index).padStart(5, '0')}20`;
}

export interface AcceptedItem {
  readonly to: string;
  readonly id: string;
  readonly parts?: string;
}

/** The accepted items of a response, which must be a success. */
export function acceptedOf(answer: Answer): readonly AcceptedItem[] {
  if (answer.status !== 200) throw new Error(`expected 200, got ${answer.status}: ${answer.text}`);
  return answer.body.accepted as readonly AcceptedItem[];
}

/**
 * Sends one SMS and returns its id. If the machine's disk stalls for seconds, the store refuses the call and stores nothing, so
 * this tries again a moment later, as any client would.
 */
export async function sendOne(client: ApiClient, parameters: Readonly<Record<string, unknown>> = {}) {
  const body = { to: [recipient(0)], message: 'Hello', ...parameters };
  let answer: Answer | undefined;
  await until(async () => {
    answer = await client.post(sendPath, body);
    return !answer.text.includes('The store cannot be reached or written just now');
  });
  return (acceptedOf(answer as Answer)[0] as AcceptedItem).id;
}

export interface IncomingSms {
  readonly to: string | undefined;
  readonly from: string;
  readonly text: string;
}

/** A phone sends an SMS, and sends it again while the store refuses it. Returns its id. */
export async function simulateIncoming(app: WholeApp, sms: IncomingSms): Promise<string> {
  for (let tries = 1; ; tries++) {
    try {
      const { id } = await command(app.env.CARILLON_DATA as string, 'simulate-incoming', sms);
      return String(id);
    } catch (fault) {
      if (tries === patientTries || !isRefused({ error: (fault as Error).message })) throw fault;
      await delay(1_000);
    }
  }
}

/** A value for `scheduletime`. */
export function inAnHour(): string {
  return new Date(Date.now() + 3_600_000).toISOString();
}

export interface StatusItem {
  readonly to: string;
  readonly from: string;
  readonly id: string;
  readonly status: string;
  readonly statuscode: string;
  readonly conversation: string;
  readonly time: string;
}

/** Queries statuses by id, without marking anything as read. */
export async function statusesOf(client: ApiClient, ids: readonly string[]): Promise<readonly StatusItem[]> {
  const answer = await client.post(statusPath, { id: ids, markasread: false });
  if (answer.status !== 200) throw new Error(`expected 200, got ${answer.status}: ${answer.text}`);
  return answer.body.statuses as readonly StatusItem[];
}

/** Longer than takeover from a dead node takes; a test of the takeover limit has to measure it. */
const patienceMs = 100_000;

/**
 * Waits between polls of a server, longer after each poll, since a poll costs the server about as much as a message.
 */
export async function untilLook(look: number): Promise<void> {
  await delay(Math.min(10 * 2 ** look, 100));
}

/** Resolves with the records once all of the messages have the status. */
export async function whenAllAre(
  client: ApiClient,
  ids: readonly string[],
  wanted: string,
): Promise<readonly StatusItem[]> {
  const deadline = Date.now() + patienceMs;
  for (let look = 0; ; look++) {
    const statuses = await statusesOf(client, ids);
    if (statuses.length === ids.length && statuses.every(({ status }) => status === wanted)) return statuses;
    if (Date.now() > deadline) {
      const now = [...new Set(statuses.map(({ status }) => status))].join(', ');
      throw new Error(`not ${wanted} after ${patienceMs} ms, but ${now} (${statuses.length} found)`);
    }
    await untilLook(look);
  }
}

/** Reads whatever is unread, which marks it as read. */
export async function readAllUnread(client: ApiClient): Promise<readonly StatusItem[]> {
  return (await client.get(statusPath, { N: 10_000 })).body.statuses as readonly StatusItem[];
}

/** A message as stored: what the API does not show, but phones and bills will. */
export interface StoredMessage {
  readonly id: string;
  readonly recipient: string;
  readonly sender: string;
  readonly text: string;
  readonly flash: boolean;
  readonly parts: number;
  readonly conversation: string;
  readonly costCenter: string;
  readonly createdAt: number;
  readonly expiresAt: number;
}

const columns =
  'id, recipient, sender, text, flash, parts, conversation, cost_center, created_at, expires_at, user_id';

/** Every message in the running server's store, in order of ids. */
export async function storedMessages(app: WholeApp): Promise<readonly StoredMessage[]> {
  return asStored(await query(app, `SELECT ${columns} FROM messages ORDER BY id`));
}

function asStored(rows: readonly Record<string, unknown>[]): readonly StoredMessage[] {
  return rows.map((row) => ({
    id: String(row.id),
    recipient: String(row.recipient),
    sender: String(row.sender),
    text: String(row.text),
    flash: Number(row.flash) === 1,
    parts: Number(row.parts),
    conversation: String(row.conversation),
    costCenter: String(row.cost_center),
    createdAt: Number(row.created_at),
    expiresAt: Number(row.expires_at),
  }));
}

/** The messages that a response accepted, in its order. */
export async function storedOf(app: WholeApp, answer: Answer): Promise<readonly StoredMessage[]> {
  const ids = acceptedOf(answer).map(({ id }) => id);
  const rows = await query(app, `SELECT ${columns} FROM messages WHERE id IN (${ids})`);
  const stored = new Map(asStored(rows).map((message) => [message.id, message]));
  return ids.map((id) => stored.get(id) as StoredMessage);
}

/**
 * Queries the database directly, not through the server. SQLite's files stay as a server has left them, unless the statement
 * writes.
 */
export async function query(
  { env }: Pick<WholeApp, 'env'>,
  text: string,
): Promise<readonly Record<string, unknown>[]> {
  const url = env.DATABASE_URL;
  if (url === undefined) {
    const readOnly = /^(SELECT|PRAGMA)/.test(text);
    const database = openDatabase(databasePath(env.CARILLON_DATA as string), { readOnly });
    try {
      return database.prepare(text).all() as Record<string, unknown>[];
    } finally {
      database.close();
    }
  }
  let connection = connections.get(url);
  if (connection === undefined) {
    connection = new pg.Pool({ connectionString: url, max: 1, idleTimeoutMillis: 60 });
    // The pool replaces an idle connection that breaks.
    connection.on('error', () => undefined);
    connections.set(url, connection);
  }
  return (await connection.query<Record<string, unknown>>(text)).rows;
}

/** Pools by URL. Each stays open for a moment after a query, since most queries are repeated many times. */
const connections = new Map<string, pg.Pool>();
