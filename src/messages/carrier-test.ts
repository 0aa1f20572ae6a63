/**
 * An SMS that an operator sends by one carrier to try it: past routes, quotas and companies, and never again if it is not
 * taken.
 *
 *   asked ──▶ taken by a node whose connection is up ──▶ the carrier's answer ──▶ its receipt
 *     └── 10 s ──▶ not bound: no node has a connection, or none came in time
 */
import { type Act, type Actor, noCompany, recordAct } from '../audit/audit-log.ts';
import { maxAnswerMs, type Outcome, type OutgoingPart } from '../carriers/carrier.ts';
import { leaseBlock } from '../storage/ids.ts';
import { raiseNews } from '../storage/news.ts';
import type { AgedRows } from '../storage/retention.ts';
import { literal, oneOf, sql } from '../storage/sql.ts';
import {
  bigint,
  type Kept,
  nullable,
  type StoredField,
  StoredRecord,
  smallint,
  text,
} from '../storage/stored-record.ts';
import { readVerb, refusable, singleWriteVerb, type Transaction } from '../storage/verb.ts';
import { segment } from '../wire/sms/segments.ts';

/** In the whole service, so that a stolen session can't send many. */
export const testLimits = { minute: 5, day: 50 } as const;
const minuteMs = 60_000;
const dayMs = 86_400_000;

/** Sent only while somebody is waiting for the outcome. */
const takenWithinMs = 10_000;
/** How long the network tries to deliver it. */
const validForMs = 3_600_000;
/** The number of tests of a carrier that are listed. */
export const listedTests = 20;

/** What the carrier answered: `refused` for good, `notTaken` for now, or nothing that says which (`unanswered`). */
type TestOutcome = 'accepted' | 'refused' | 'notTaken' | 'unanswered';

export const testStates = ['waiting', 'notBound', 'accepted', 'refused', 'notTaken', 'unanswered'] as const;
export type TestState = (typeof testStates)[number];

const storedTest = new StoredRecord({
  id: bigint,
  carrierId: bigint,
  /** Null for a command. */
  username: nullable(text),
  recipient: text,
  sender: text,
  text,
  askedAt: bigint,
  /** The node that handed it to the carrier. */
  nodeId: nullable(bigint),
  outcome: nullable(text as StoredField<TestOutcome>),
  reason: nullable(text),
  carrierMessageId: nullable(text),
  answeredAt: nullable(bigint),
  /** What the carrier's refusal or its latest receipt means. */
  status: nullable(smallint),
  errorCode: nullable(text),
  reportedAt: nullable(bigint),
  /** What was said, where the carrier tells it. */
  conversation: nullable(text),
});

export type CarrierTest = Kept<typeof storedTest>;

export function testStateOf({ outcome, nodeId, askedAt }: CarrierTest, now: number): TestState {
  if (outcome !== null) return outcome;
  if (nodeId === null) return isInTime({ askedAt }, now) ? 'waiting' : 'notBound';
  // The node has ended without storing an answer.
  return now - askedAt > takenWithinMs + maxAnswerMs ? 'unanswered' : 'waiting';
}

/** Whether somebody still waits for the outcome of a test that no carrier has yet. */
export function isInTime({ askedAt }: Pick<CarrierTest, 'askedAt'>, now: number): boolean {
  return now - askedAt <= takenWithinMs;
}

interface Asked {
  /** The carrier's name. */
  readonly carrier: string;
  readonly recipient: string;
  readonly sender: string;
  readonly text: string;
  readonly by: Actor;
  readonly now: number;
}

const testAct: Act = 'carrier.test';

export const askForTest = refusable(
  singleWriteVerb(
    'messages.askForTest',
    async (
      transaction,
      { carrier, by, now, ...sms }: Asked,
    ): Promise<CarrierTest | 'noCarrier' | 'tooMany'> => {
      // Wakes the nodes. Comes first, so that nodes count one after the other.
      await raiseNews(transaction, 'tests');
      const found = await transaction.first<{ id: number }>(
        sql`SELECT id FROM carriers WHERE name = ${carrier} AND removed = 0`,
      );
      if (found === undefined) return 'noCarrier';
      const isBeyond = async (withinMs: number, most: number) => {
        const counted = await transaction.first<{ tests: number }>(
          sql`SELECT COUNT(*) AS tests FROM (
                SELECT 1 FROM carrier_tests WHERE asked_at > ${now - withinMs}
                ORDER BY asked_at DESC LIMIT ${literal(most)}) AS latest`,
        );
        return (counted?.tests ?? 0) >= most;
      };
      if ((await isBeyond(minuteMs, testLimits.minute)) || (await isBeyond(dayMs, testLimits.day)))
        return 'tooMany';
      const test: CarrierTest = {
        ...sms,
        id: await leaseBlock(transaction, { kind: { name: 'carrierTest', first: 1 }, size: 1 }),
        carrierId: found.id,
        username: by.username,
        askedAt: now,
        nodeId: null,
        outcome: null,
        reason: null,
        carrierMessageId: null,
        answeredAt: null,
        status: null,
        errorCode: null,
        reportedAt: null,
        conversation: null,
      };
      await transaction.insert('carrier_tests', storedTest.columns, [storedTest.row(test)]);
      // Without the number, which is gone after a few days.
      await recordAct(transaction, { companyId: noCompany, at: now, by, act: testAct, object: carrier });
      return test;
    },
  ),
);

interface Taking {
  readonly nodeId: number;
  /** Those that are up at the node. */
  readonly carrierIds: readonly number[];
  readonly now: number;
}

/** Only one node gets a test, and only once. */
export const takeTests = singleWriteVerb(
  'messages.takeTests',
  async (transaction, { nodeId, carrierIds, now }: Taking): Promise<readonly CarrierTest[]> => {
    const rows = await transaction.all<{ id: number }>(
      sql`UPDATE carrier_tests SET node_id = ${nodeId}
          WHERE asked_at > ${now - takenWithinMs} AND node_id IS NULL AND carrier_id ${oneOf('bigint', carrierIds)}
          RETURNING id`,
    );
    const ids = rows.map(({ id }) => id);
    if (ids.length === 0) return [];
    return storedTest.all(transaction)`FROM carrier_tests WHERE id ${oneOf('bigint', ids)} ORDER BY id`;
  },
);

/** As a carrier gets it: of no company, with the test's own id, which is far below those of messages. */
export function partOf({ id, recipient, sender, text, askedAt }: CarrierTest): OutgoingPart {
  return {
    companyId: noCompany,
    messageId: id,
    part: 1,
    parts: 1,
    smsParts: 1,
    reference: 0,
    recipient,
    sender,
    text,
    encoding: segment(text).encoding,
    flash: false,
    expiresAt: askedAt + validForMs,
    doubts: 0,
  };
}

export function isTest({ companyId }: OutgoingPart): boolean {
  return companyId === noCompany;
}

const outcomes = {
  accepted: 'accepted',
  rejected: 'refused',
  passOn: 'refused',
  retryAt: 'notTaken',
  givenBack: 'notTaken',
  inDoubt: 'unanswered',
} as const satisfies Record<Outcome['kind'], TestOutcome>;

function testOutcomeOf(outcome: Outcome): TestOutcome {
  return 'mayHaveIt' in outcome ? 'unanswered' : outcomes[outcome.kind];
}

export interface Answer {
  readonly id: number;
  readonly outcome: Outcome;
  readonly now: number;
}

export const answerTest = singleWriteVerb(
  'messages.answerTest',
  async (transaction, { id, outcome, now }: Answer): Promise<null> => {
    const [reason, carrierMessageId] =
      outcome.kind === 'accepted' ? [null, outcome.carrierMessageId] : [outcome.reason, null];
    const status = 'status' in outcome ? outcome.status : null;
    await transaction.run(
      sql`UPDATE carrier_tests SET outcome = ${testOutcomeOf(outcome)}, reason = ${reason}, status = ${status},
            carrier_message_id = ${carrierMessageId}, answered_at = ${now},
            conversation = ${outcome.conversation ?? null}
          WHERE id = ${id}`,
    );
    await raiseNews(transaction, 'tests');
    return null;
  },
);

type Report = Pick<CarrierTest, 'id' | 'status' | 'errorCode' | 'reportedAt'>;

/** Stores what receipts say about tests. */
export async function reportTests(transaction: Transaction, reports: readonly Report[]): Promise<void> {
  for (const { id, status, errorCode, reportedAt } of reports)
    await transaction.run(
      sql`UPDATE carrier_tests SET status = ${status}, error_code = ${errorCode}, reported_at = ${reportedAt}
          WHERE id = ${id}`,
    );
  await raiseNews(transaction, 'tests');
}

/** Latest first. */
export const listTests = readVerb(
  'messages.listTests',
  (reading, carrierId: number) =>
    storedTest.all(reading)`
    FROM carrier_tests WHERE carrier_id = ${carrierId}
    ORDER BY carrier_id DESC, asked_at DESC, id DESC LIMIT ${literal(listedTests)}`,
);

export const findTest = readVerb(
  'messages.findTest',
  (reading, id: number) => storedTest.first(reading)`FROM carrier_tests WHERE id = ${id}`,
);

/** They contain numbers of phones. */
export const agedCarrierTests: AgedRows = {
  table: 'carrier_tests',
  key: 'id',
  time: 'asked_at',
  keptMs: 7 * dayMs,
};
