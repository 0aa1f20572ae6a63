/** Checks a store after all kills: every rule that a crash must not break, by what clients and the carrier saw. */
import { setTimeout as delay } from 'node:timers/promises';
import { finalStatusOf } from '../../src/carriers/simulator.ts';
import { charge, status } from '../../src/messages/message.ts';
import { latestKept } from '../../src/messages/timeline-store.ts';
import type { WholeApp } from '../harness/app.ts';
import type { Handed } from '../harness/carrier-ledger.ts';
import { query } from '../harness/messaging.ts';
import { poolNumbers, quotaOfLimited } from './accounts.ts';
import type { Witness } from './witness.ts';

export interface Stored {
  readonly id: string;
  readonly username: string;
  readonly to: string;
  readonly conversation: string;
  readonly status: number;
  readonly isOpen: boolean;
  readonly parts: number;
  readonly charge: number;
  readonly inDoubt: boolean;
  readonly expiredByTimer: boolean;
  readonly createdAt: number;
  readonly expiresAt: number;
  readonly changedAt: number;
  readonly unread: boolean;
  /** Parts with a stored carrier id. */
  readonly taken: number;
  readonly attempts: number;
  /** The number of attempts, other than the latest, whose end is in the timeline. */
  readonly attemptsReported: number;
  /** Events of the timeline that report a doubt, or a refusal, which ends a doubt about other parts. */
  readonly doubtsReported: number;
}

/** The time from the kill until requests were served again. */
export interface Outage {
  readonly from: number;
  readonly to: number;
}

export interface Evidence {
  readonly messages: readonly Stored[];
  readonly handed: ReadonlyMap<string, Handed>;
  readonly outages: readonly Outage[];
}

/** Waits until no message has anything more to wait for; returns false if that takes too long. */
export async function untilAllEnded(app: WholeApp, timeoutMs: number): Promise<boolean> {
  const deadline = Date.now() + timeoutMs;
  for (;;) {
    const open = await query(app, 'SELECT 1 FROM messages WHERE stage IS NOT NULL LIMIT 1');
    if (open.length === 0) return true;
    if (Date.now() > deadline) return false;
    await delay(100);
  }
}

export async function readMessages(app: WholeApp): Promise<readonly Stored[]> {
  const rows = await query(
    app,
    `SELECT messages.*, users.username,
            (SELECT COUNT(*) FROM message_parts WHERE message_parts.company_id = messages.company_id
              AND message_parts.message_id = messages.id) AS taken,
            (SELECT COUNT(DISTINCT attempt) FROM message_events WHERE message_events.company_id = messages.company_id
              AND message_events.message_id = messages.id AND claimed_at IS NOT NULL
              AND attempt < messages.attempts) AS attempts_reported,
            (SELECT COUNT(*) FROM message_events WHERE message_events.company_id = messages.company_id
              AND message_events.message_id = messages.id AND kind IN ('in doubt', 'refused')) AS doubts_reported
     FROM messages JOIN users ON users.id = messages.user_id`,
  );
  return rows.map((row) => ({
    id: String(row.id),
    username: String(row.username),
    to: String(row.recipient),
    conversation: String(row.conversation),
    status: Number(row.status),
    isOpen: row.stage !== null,
    parts: Number(row.parts),
    charge: Number(row.charge),
    inDoubt: Number(row.in_doubt) > 0,
    expiredByTimer: Number(row.expired_by_timer) === 1,
    createdAt: Number(row.created_at),
    expiresAt: Number(row.expires_at),
    changedAt: Number(row.changed_at),
    unread: Number(row.unread) === 1,
    taken: Number(row.taken),
    attempts: Number(row.attempts),
    attemptsReported: Number(row.attempts_reported),
    doubtsReported: Number(row.doubts_reported),
  }));
}

const idsOf = (messages: readonly Stored[]) => messages.map(({ id }) => id);
const takenBack: readonly number[] = [status.CANCELED, status.DELETED];

/**
 * Accepted messages are there and have ended as they should; messages not known to be accepted are there as a whole or
 * not at all.
 */
export function judgeAcceptance(witness: Witness, { messages }: Evidence): void {
  const byId = new Map(messages.map((message) => [message.id, message]));
  const lost = [...witness.accepted].filter(([id, { to }]) => byId.get(id)?.to !== to);
  witness.blame('nothing acknowledged is lost', ...lost.map(([id]) => id));
  witness.blame('every message reaches its end', ...idsOf(messages.filter(({ isOpen }) => isOpen)));
  const wrong = messages.filter((one) => {
    if (one.isOpen) return false;
    if (takenBack.includes(one.status)) return !witness.cancelTried.has(one.id);
    if (one.expiredByTimer) return one.username !== 'vera' || one.changedAt < one.expiresAt;
    // One failed part ends the message, although the others may still have been waiting for the slow carrier.
    const needed = one.status === status.DELIVERED ? one.parts : 1;
    return one.status !== finalStatusOf(one.to) || one.taken < needed;
  });
  witness.blame('every message ends as its number says', ...idsOf(wrong));

  const stored = new Map<string, number>();
  for (const { conversation } of messages) stored.set(conversation, (stored.get(conversation) ?? 0) + 1);
  for (const [call, count] of stored)
    if (!witness.requests.has(call)) witness.blame('nothing comes from nowhere', `${call}: ${count}`);
  for (const [call, { recipients, outcome }] of witness.requests) {
    const count = stored.get(call) ?? 0;
    const isWhole = count === recipients && outcome !== 'refused';
    const isNothing = count === 0 && outcome !== 'accepted';
    if (!isWhole && !isNothing)
      witness.blame('a call is stored once and whole, or not at all', `${call}: ${outcome}, ${count} stored`);
  }
}

/** Checks the messages by the carrier's own ledger. */
export function judgeDelivery(witness: Witness, { messages, handed }: Evidence): void {
  const timesOf = (id: string) => handed.get(id)?.times ?? 0;
  const doubled = messages.filter(({ id, inDoubt }) => !inDoubt && timesOf(id) > 1);
  witness.blame('nothing is sent twice unless it is in doubt', ...idsOf(doubled));
  const unsent = messages.filter(({ id, taken }) => taken > 0 && timesOf(id) === 0);
  witness.blame('nothing counts as sent that no carrier had', ...idsOf(unsent));
  const unpaid = messages.filter(({ id, ...one }) => one.charge !== charge.due && timesOf(id) > 0);
  witness.blame('what a carrier may have is paid', ...idsOf(unpaid));
  const overpaid = messages.filter(
    ({ id, ...one }) => one.charge === charge.due && timesOf(id) === 0 && !one.inDoubt,
  );
  witness.blame('what no carrier had is not paid', ...idsOf(overpaid));
  const reserved = messages.filter((one) => one.charge === charge.reserved && !one.isOpen);
  witness.blame('nothing that has ended holds quota back', ...idsOf(reserved));

  const byId = new Map(messages.map((message) => [message.id, message]));
  for (const [id, name] of witness.cancelled) {
    const is = byId.get(id);
    if (is?.status !== status[name as keyof typeof status])
      witness.blame('what was cancelled stays so', `${id}: ${name}, now ${is?.status}`);
    // A message in doubt waits again and may be cancelled then, although its first submission may have been complete.
    if (timesOf(id) > 0 && is?.inDoubt !== true) witness.blame('what was cancelled is not sent', id);
  }
  judgeTimelines(witness, messages);
}

/** The timeline is as durable as the states that it reports, so no attempt and no doubt is missing. */
function judgeTimelines(witness: Witness, messages: readonly Stored[]): void {
  const unreported = messages.filter(
    ({ attempts, attemptsReported }) => attemptsReported < Math.min(attempts - 1, latestKept),
  );
  witness.blame('every attempt is told', ...idsOf(unreported));
  const undoubted = messages.filter(({ inDoubt, doubtsReported }) => inDoubt && doubtsReported === 0);
  witness.blame('every doubt is told', ...idsOf(undoubted));
}

/** Longer than it takes to send a message that is due at once, and shorter than a takeover from a dead node. */
const patienceMs = 10_000;
/** The slow carrier has taken some parts ahead, which expire only when their turn comes, at one part per second. */
const turnMs = 10_000;

/**
 * Returns how late scheduled messages were, not counting the time that the server was away. Messages that a killed node had
 * in flight wait until they are taken over. On PostgreSQL only a node that has lived longer than a lease takes them over, and
 * few nodes in this trial live that long, so for these messages it only matters that they end. A busy machine is late with all
 * messages, so the rule is that scheduled messages are no later than others.
 */
export function judgeSchedules(witness: Witness, { messages, handed, outages }: Evidence): readonly number[] {
  const awayBetween = (from: number, to: number) =>
    outages.reduce(
      (sum, outage) => sum + Math.max(0, Math.min(to, outage.to) - Math.max(from, outage.from)),
      0,
    );
  const waits: number[] = [];
  for (const { id, username, createdAt, inDoubt } of messages) {
    const accepted = witness.accepted.get(id);
    const first = handed.get(id)?.firstAt;
    if (accepted === undefined || first === undefined || inDoubt) continue;
    const isImmediate = accepted.dueAt === undefined && username !== 'vera';
    if (isImmediate) waits.push(first - createdAt - awayBetween(createdAt, first));
  }
  waits.sort((one, other) => one - other);
  // The longest delay would not do, because one stuck message would excuse all others.
  const usualMs = waits[Math.floor(0.99 * waits.length)] ?? 0;
  const lateness: number[] = [];
  for (const { id, inDoubt } of messages) {
    const dueAt = witness.accepted.get(id)?.dueAt;
    const first = handed.get(id)?.firstAt;
    if (dueAt === undefined || first === undefined) continue;
    if (first < dueAt) witness.blame('nothing is sent before its time', `${id}: ${dueAt - first} ms early`);
    const late = first - dueAt - awayBetween(dueAt, first);
    if (inDoubt) continue;
    lateness.push(late);
    if (late > usualMs + patienceMs)
      witness.blame(
        'what is due is sent as soon as the server is back',
        `${id}: ${late} ms late, where 99 of 100 messages that were to leave at once took ${usualMs} ms at the most`,
      );
  }
  for (const { id, expiresAt, changedAt, expiredByTimer, inDoubt } of messages) {
    const late = changedAt - expiresAt - awayBetween(expiresAt, changedAt);
    if (expiredByTimer && !inDoubt && late > usualMs + turnMs)
      witness.blame('what expires does so in time', `${id}: ${late} ms late`);
  }
  return lateness;
}

/** Checks quotas and usage counts, exact to the part. */
export async function judgeBooks(witness: Witness, app: WholeApp, { messages }: Evidence): Promise<void> {
  const paid = messages.filter((one) => one.charge !== charge.refunded);
  const partsOf = (some: readonly Stored[]) => some.reduce((sum, { parts }) => sum + parts, 0);
  const compare = (what: string, is: unknown, should: number) => {
    if (Number(is) !== should)
      witness.blame('the books are right to the part', `${what}: ${is}, not ${should}`);
  };
  for (const { username, quota_used } of await query(app, 'SELECT username, quota_used FROM users')) {
    const own = partsOf(paid.filter((one) => one.username === username));
    compare(`quota of ${username}`, quota_used, own);
    if (username === 'limited' && own > quotaOfLimited)
      witness.blame('no quota is overdrawn', `${username}: ${own} of ${quotaOfLimited}`);
  }
  const [sums] = await query(
    app,
    `SELECT (SELECT SUM(quota_used) FROM companies) AS company, (SELECT SUM(parts) FROM usage_counts) AS parts,
            (SELECT SUM(messages) FROM usage_counts) AS messages`,
  );
  compare('quota of the company', sums?.company, partsOf(paid));
  compare('parts counted as used', sums?.parts, partsOf(paid));
  compare('messages counted as used', sums?.messages, paid.length);
  const twice = await query(
    app,
    `SELECT carrier_message_id FROM message_parts GROUP BY carrier_id, carrier_message_id HAVING COUNT(*) > 1`,
  );
  witness.blame("no carrier's id is of two parts", ...twice.map((row) => String(row.carrier_message_id)));
}

/** Every recipient of the trial is sent to only once, so each two-way message still has its lease. */
export async function judgeLeases(witness: Witness, app: WholeApp): Promise<void> {
  const pool = poolNumbers.map((number) => `'${number}'`).join(', ');
  const rows = await query(
    app,
    `SELECT messages.id, number_leases.message_id
     FROM (SELECT id, recipient, sender FROM messages WHERE sender IN (${pool})) AS messages
     FULL JOIN number_leases ON number_leases.message_id = messages.id
       AND number_leases.recipient = messages.recipient AND number_leases.number = messages.sender
     WHERE messages.id IS NULL OR number_leases.message_id IS NULL`,
  );
  witness.blame(
    'a two-way message and its lease are stored together',
    ...rows.map((row) => String(row.id ?? row.message_id)),
  );
}

/**
 * After a last read of everything unread, any item that no client was shown must have been marked as read by a call whose
 * answer was lost.
 */
export async function judgeReading(
  witness: Witness,
  app: WholeApp,
  { messages }: Evidence,
): Promise<{ readonly statuses: number; readonly incoming: number }> {
  const own = messages.filter(({ username }) => username === 'rita');
  witness.blame('all that is unread was read in the end', ...idsOf(own.filter(({ unread }) => unread)));
  const unseen = own.filter((one) => !witness.statusesSeen.has(`${one.id} ${one.status}`));
  if (unseen.length > witness.mayBeMarkedUnseen.statuses)
    witness.blame('only a lost answer keeps a status from its reader', ...idsOf(unseen));
  const rows = await query(app, 'SELECT id, unread FROM incoming_messages');
  const ids = new Set(rows.map(({ id }) => String(id)));
  witness.blame(
    'no incoming SMS is lost',
    ...[...witness.incomingStored, ...witness.incomingTaken].filter((id) => !ids.has(id)),
  );
  const unread = rows.filter((row) => Number(row.unread) === 1);
  witness.blame('all that came in was read in the end', ...unread.map(({ id }) => String(id)));
  const unseenIncoming = [...ids].filter((id) => !witness.incomingTaken.has(id));
  if (unseenIncoming.length > witness.mayBeMarkedUnseen.incoming)
    witness.blame('only a lost answer keeps an incoming SMS from its reader', ...unseenIncoming);
  return { statuses: unseen.length, incoming: unseenIncoming.length };
}

/** Asks the API for the statuses of all messages that clients were told are accepted. */
export async function judgeStatuses(
  witness: Witness,
  ask: (username: string, ids: readonly string[]) => Promise<readonly string[]>,
): Promise<void> {
  const byUser = new Map<string, string[]>();
  for (const [id, { username }] of witness.accepted) {
    const ids = byUser.get(username) ?? [];
    byUser.set(username, ids);
    ids.push(id);
  }
  for (const [username, ids] of byUser)
    for (let from = 0; from < ids.length; from += 1_000)
      witness.blame(
        'every accepted id has a status',
        ...(await ask(username, ids.slice(from, from + 1_000))),
      );
}
