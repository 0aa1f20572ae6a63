import fc from 'fast-check';
import { test } from 'vitest';
import { testRow } from '../../test/harness/accepted-rows.ts';
import { type Course, checkBooks, quota, type World } from '../../test/harness/books.ts';
import { deliveryStore, enterNodes } from '../../test/harness/delivery-store.ts';
import { clearDelivery, grantQuota } from '../../test/harness/delivery-verbs.ts';
import { eachStore } from '../../test/harness/stores.ts';
import { claimMessages } from './dispatch/claim.ts';
import { expiredInFlight, InFlightMessage } from './dispatch/in-flight.ts';
import { releaseOrphans } from './dispatch/orphans.ts';
import { recordOutcomes } from './dispatch/store.ts';
import type { Claimed } from './handover.ts';
import { lane, stage, status } from './message.ts';
import { cancelMessage } from './operator/cancel.ts';
import { retryParkedReceipts } from './receipts/retry-store.ts';
import { recordReceipts } from './receipts/store.ts';
import { acceptMessages } from './sending/accept.ts';
import { valueIn } from './sending/accepted-row.ts';
import { expireWaiting, giveUpReceipts, releaseDue } from './upkeep/due-store.ts';
import { takeOverInFlight } from './upkeep/store.ts';

type Act = (world: World) => Promise<unknown>;

/** A step of a run: a few concurrent actions, after which the books must balance. */
class Step implements fc.AsyncCommand<object, World> {
  readonly #acts: readonly { readonly name: string; readonly act: Act }[];

  constructor(acts: readonly { readonly name: string; readonly act: Act }[]) {
    this.#acts = acts;
  }

  check(): boolean {
    return true;
  }

  async run(_: object, world: World): Promise<void> {
    world.course.now += 1_000;
    await Promise.all(this.#acts.map(({ act }) => act(world)));
    await checkBooks(world);
  }

  toString(): string {
    return this.#acts.map(({ name }) => name).join(' | ');
  }
}

const users = [10, 11];

/**
 * Accepts scheduled or immediate messages; immediate ones are queued or, if a node is given, in flight there at once.
 */
function accept(userId: number, parts: readonly number[], delayMs: number, wantedNodeId: number | null): Act {
  return async ({ store, course }) => {
    const now = course.now;
    const isScheduled = delayMs > 0;
    const nodeId = isScheduled ? null : wantedNodeId;
    const first = isScheduled ? stage.scheduled : nodeId === null ? stage.waiting : stage.inFlight;
    const rows = parts.map((count, index) => {
      const id = course.nextId++;
      return testRow({
        id,
        user_id: userId,
        parts: count,
        cost_center: `center ${index % 2}`,
        created_at: now,
        changed_at: now,
        due_at: now + delayMs,
        expires_at: now + delayMs + 60_000,
        status: isScheduled ? status.SCHEDULED : status.QUEUED,
        lane: index % 2 === 0 ? lane.interactive : lane.bulk,
        stage: first,
        attempts: nodeId === null ? 0 : 1,
        node_id: nodeId,
      });
    });
    // A request has one cost centre, so each row gets its own request.
    await Promise.all(
      rows.map(async (row) => {
        const outcome = await store.write(acceptMessages, {
          companyId: 1,
          userId,
          rows: [row],
          parts: valueIn(row, 'parts'),
          costCenter: valueIn(row, 'cost_center'),
          now,
          month: '1970-01',
          idempotency: null,
          nodeId,
        });
        if (outcome.kind !== 'accepted' || !outcome.inFlight) return;
        holdClaim(course, nodeId as number, {
          company_id: 1,
          id: valueIn(row, 'id'),
          recipient: valueIn(row, 'recipient'),
          sender: 'Sender',
          text: 'Text',
          flash: 0,
          parts: valueIn(row, 'parts'),
          expires_at: valueIn(row, 'expires_at'),
          attempts: 1,
          in_doubt: 0,
          reference: null,
        });
      }),
    );
  };
}

function claim(nodeId: number, room: number): Act {
  return async ({ store, course }) => {
    const { messages } = await store.write(claimMessages, {
      carrierId: 1,
      nodeId,
      room,
      bulkFloor: 1,
      now: course.now,
    });
    for (const row of messages) holdClaim(course, nodeId, row);
  };
}

function holdClaim(course: World['course'], nodeId: number, row: Claimed): void {
  course.held.push({ nodeId, row });
  for (let part = 1; part <= row.parts; part++) course.handedOver.push(`${row.id}/${part}`);
}

const kinds = ['accepted', 'retryAt', 'givenBack', 'rejected', 'inDoubt'] as const;

/** Records how claims ended, including claims that no longer belong to this node, and sometimes records them twice. */
function answer(count: number, kind: (typeof kinds)[number], policy: 'retry' | 'fail', again: boolean): Act {
  return async ({ store, course }) => {
    for (const { nodeId, row } of course.held.splice(0, count)) {
      const { advance, taken } = endOf(row, kind, policy, course.now);
      const record = { nodeId, carrierId: 1, now: course.now, advances: [advance], taken };
      await store.write(recordOutcomes, record);
      if (again) await store.write(recordOutcomes, record);
    }
  };
}

function endOf(row: Claimed, kind: (typeof kinds)[number], policy: 'retry' | 'fail', now: number) {
  if (row.expires_at <= now) return { advance: expiredInFlight(row), taken: [] };
  const message = new InFlightMessage(row, row.parts, false);
  for (let part = 1; ; part++) {
    const outgoing = {
      companyId: row.company_id,
      messageId: row.id,
      part,
      parts: row.parts,
      recipient: row.recipient,
      sender: row.sender,
      text: row.text,
      encoding: 'gsm7',
      smsParts: 1,
      reference: 0,
      flash: false,
      expiresAt: row.expires_at,
      doubts: row.in_doubt,
    } as const;
    // The last part has the requested outcome; the parts before it are accepted.
    const isLast = part === row.parts;
    const carrierMessageId = `${row.id}/${part}`;
    const end = message.settle(
      outgoing,
      !isLast || kind === 'accepted'
        ? { kind: 'accepted', carrierMessageId }
        : kind === 'retryAt'
          ? { kind, time: now + 500, reason: 'busy' }
          : kind === 'rejected'
            ? { kind, status: status.INVALIDDESTINATION as 11, reason: 'no such number' }
            : { kind, reason: 'no answer' },
      { inDoubtPolicy: policy, inDoubtTries: 3 },
      now,
    );
    if (end !== undefined) return end;
  }
}

/** A receipt for one of the most recently handed over parts, whether recorded or not. */
function tell(back: number, code: number): Act {
  return async ({ store, course }) => {
    const carrierMessageId = course.handedOver.at(-1 - back);
    if (carrierMessageId === undefined) return;
    const receipt = { carrierId: 1, carrierMessageId, status: code, errorCode: null, receivedAt: course.now };
    await store.write(recordReceipts, [receipt]);
  };
}

function wait(ms: number): Act {
  return async ({ course }) => {
    course.now += ms;
  };
}

const sweeps: Readonly<Record<string, Act>> = {
  release: ({ store, course }) => store.write(releaseDue, { now: course.now, limit: 5 }),
  expire: ({ store, course }) => store.write(expireWaiting, { now: course.now, limit: 5 }),
  giveUp: ({ store, course }) => store.write(giveUpReceipts, { now: course.now, limit: 5 }),
  sweepParked: ({ store, course }) => store.write(retryParkedReceipts, { now: course.now, limit: 5 }),
  orphans: ({ store, course }) =>
    store.write(releaseOrphans, { carrierId: 1, nodeId: 8, knownIds: [], now: course.now }),
};

const small = fc.integer({ min: 1, max: 4 });
const node = fc.constantFrom(7, 8);
const policy = fc.constantFrom('retry' as const, 'fail' as const);

const acceptances = fc
  .tuple(
    fc.constantFrom(...users),
    fc.array(small, { minLength: 1, maxLength: 4 }),
    fc.constantFrom(0, 0, 0, 3_000),
    fc.constantFrom(null, null, 7, 8),
  )
  .map(([userId, parts, delayMs, nodeId]) => ({
    name: `accept ${userId} [${parts}] ${delayMs} ${nodeId ?? 'in line'}`,
    act: accept(userId, parts, delayMs, nodeId),
  }));

const claims = fc
  .tuple(node, small)
  .map(([nodeId, limit]) => ({ name: `claim ${nodeId} ${limit}`, act: claim(nodeId, limit) }));

const answers = fc
  .tuple(small, fc.constantFrom('accepted', 'accepted', ...kinds), policy, fc.boolean())
  .map(([count, kind, how, again]) => ({
    name: `answer ${count} ${kind} ${how}${again ? ' twice' : ''}`,
    act: answer(count, kind, how, again),
  }));

const receipts = fc
  .tuple(fc.nat(5), fc.constantFrom(2, 2, 2, 4, 6, 7, 12))
  .map(([back, code]) => ({ name: `tell ${back} ${code}`, act: tell(back, code) }));

const cancellations = fc.nat(6).map((back) => ({
  name: `cancel ${back}`,
  act: (({ store, course }) =>
    store.write(cancelMessage, { id: course.nextId - 1 - back, now: course.now })) satisfies Act,
}));

const takeOvers = fc.tuple(node, policy).map(([deadNodeId, how]) => ({
  name: `take over ${deadNodeId} ${how}`,
  act: (({ store, course }) => {
    const takeOver = { deadNodeId, carrierId: 1, policy: how, now: course.now, limit: 10 };
    return store.write(takeOverInFlight, takeOver);
  }) satisfies Act,
}));

const act = fc.oneof(
  { weight: 4, arbitrary: acceptances },
  { weight: 5, arbitrary: claims },
  { weight: 6, arbitrary: answers },
  { weight: 6, arbitrary: receipts },
  { weight: 1, arbitrary: cancellations },
  { weight: 1, arbitrary: takeOvers },
  {
    weight: 4,
    arbitrary: fc.constantFrom(...Object.keys(sweeps)).map((name) => ({ name, act: sweeps[name] as Act })),
  },
  {
    weight: 1,
    arbitrary: fc.constantFrom(2_000, 70_000, 3_700_000).map((ms) => ({ name: `wait ${ms}`, act: wait(ms) })),
  },
);

eachStore('the books of messages', (engine) => {
  const given = deliveryStore(engine);

  test('[SEND-19] [STAT-6] [RUN-7] Quota, counts, charges and states stay consistent, whatever happens, in any order', async () => {
    const step = fc.oneof(
      { weight: 3, arbitrary: act.map((one) => new Step([one])) },
      { weight: 1, arbitrary: fc.array(act, { minLength: 2, maxLength: 5 }).map((acts) => new Step(acts)) },
    );
    await fc.assert(
      fc.asyncProperty(fc.commands([step], { maxCommands: 60, size: 'max' }), async (steps) => {
        await given.store.write(clearDelivery, null);
        await enterNodes(given.store);
        await given.store.write(grantQuota, quota);
        const course: Course = { now: 10_000, nextId: 1, held: [], handedOver: [], seen: new Map() };
        await fc.asyncModelRun(() => ({ model: {}, real: { store: given.store, course } }), steps);
      }),
      { numRuns: 40, endOnFailure: false },
    );
  }, 300_000);
});
