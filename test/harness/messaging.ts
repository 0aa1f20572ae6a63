/** What tests of messaging need beside the API itself: its paths, patience for statuses, and a look into the store. */
import { setTimeout as delay } from 'node:timers/promises';
import pg from 'pg';
import { databasePath, openDatabase } from '../../src/storage/sqlite/database.ts';
import type { Answer, ApiClient } from './api-client.ts';
import type { WholeApp } from './app.ts';

const prefix = '/restsms/svcrest';
export const sendPath = `${prefix}/send`;
export const singlePath = `${prefix}/send/single`;
export const statusPath = `${prefix}/status`;
export const singleStatusPath = `${prefix}/status/single`;
export const incomingPath = `${prefix}/incoming`;
export const singleIncomingPath = `${prefix}/incoming/single`;
export const keyPath = '/authentication/auth/apikey';

/** A recipient that the standard simulator delivers to; ends other than DELIVERED are chosen by the last two digits. */
export function recipient(index: number): string {
  return `4673${String(1_000 + index).padStart(5, '0')}20`;
}

export interface AcceptedItem {
  readonly to: string;
  readonly id: string;
  readonly parts?: string;
}

/** The accepted of an answer that must be a success. */
export function acceptedOf(answer: Answer): readonly AcceptedItem[] {
  if (answer.status !== 200) throw new Error(`expected 200, got ${answer.status}: ${answer.text}`);
  return answer.body.accepted as readonly AcceptedItem[];
}

/** Sends one SMS and answers with its id. */
export async function sendOne(client: ApiClient, parameters: Readonly<Record<string, unknown>> = {}) {
  const answer = await client.post(sendPath, { to: [recipient(0)], message: 'Hello', ...parameters });
  return (acceptedOf(answer)[0] as AcceptedItem).id;
}

/** A `scheduletime`. */
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

/** By id, and without marking anything as read. */
export async function statusesOf(client: ApiClient, ids: readonly string[]): Promise<readonly StatusItem[]> {
  const answer = await client.post(statusPath, { id: ids, markasread: false });
  if (answer.status !== 200) throw new Error(`expected 200, got ${answer.status}: ${answer.text}`);
  return answer.body.statuses as readonly StatusItem[];
}

/** Beyond the time in which what a dead node had is taken over: whoever means a bound measures it. */
const patienceMs = 100_000;

/** Between looks at a server, each of which costs it about as much as a message does: the more there were, the longer. */
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

/** Reads, and marks as read, whatever is unread. */
export async function readAllUnread(client: ApiClient): Promise<readonly StatusItem[]> {
  return (await client.get(statusPath, { N: 10_000 })).body.statuses as readonly StatusItem[];
}

/** A message as it lies in the store: what the API does not tell, but phones and bills will show. */
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

/** Every message in the store of the running server, in the order of their ids. */
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

/** Those of an answer, in its order. */
export async function storedOf(app: WholeApp, answer: Answer): Promise<readonly StoredMessage[]> {
  const ids = acceptedOf(answer).map(({ id }) => id);
  const rows = await query(app, `SELECT ${columns} FROM messages WHERE id IN (${ids})`);
  const stored = new Map(asStored(rows).map((message) => [message.id, message]));
  return ids.map((id) => stored.get(id) as StoredMessage);
}

/** Asks the database itself, past the server. The files of SQLite stay as a server has left them, unless it is to write. */
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
    // One that breaks while nobody uses it is not used again.
    connection.on('error', () => undefined);
    connections.set(url, connection);
  }
  return (await connection.query<Record<string, unknown>>(text)).rows;
}

/** By URL; each closes soon after its latest question, and most questions are asked again and again. */
const connections = new Map<string, pg.Pool>();
