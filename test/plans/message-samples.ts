/** Sample inputs for the verbs of messages, their statuses, and incoming SMS. */

import { operator } from '../../src/audit/audit-log.ts';
import * as tests from '../../src/messages/carrier-test.ts';
import { readQuotaLeft } from '../../src/messages/charging.ts';
import { claimMessages } from '../../src/messages/dispatch/claim.ts';
import { releaseOrphans } from '../../src/messages/dispatch/orphans.ts';
import { recordOutcomes } from '../../src/messages/dispatch/store.ts';
import { readTakenParts } from '../../src/messages/dispatch/taken-parts.ts';
import { passMessageOn, readRefused } from '../../src/messages/failover/pass-on.ts';
import { listRemovedCarriers, listWaiting, moveWaiting } from '../../src/messages/failover/reassignment.ts';
import { findEarlier } from '../../src/messages/idempotency.ts';
import { endAssemblies, storeIncomingPart } from '../../src/messages/incoming/parts.ts';
import * as incoming from '../../src/messages/incoming/store.ts';
import { acceptResent, acceptTwoWayResent } from '../../src/messages/management/resend-store.ts';
import { listScheduled, rescheduleMessage } from '../../src/messages/management/scheduled.ts';
import {
  findLatestSender,
  type MessageSearch,
  searchMessages,
} from '../../src/messages/management/search-store.ts';
import {
  countLatest,
  listUsage,
  readQuotas,
  readUsage,
  sumUsage,
} from '../../src/messages/management/usage.ts';
import { lane, stage, status } from '../../src/messages/message.ts';
import * as states from '../../src/messages/nodes/carrier-states.ts';
import * as nodes from '../../src/messages/nodes/store.ts';
import { cancelMessage } from '../../src/messages/operator/cancel.ts';
import { inspectMessage, listUnrouted, readVisible } from '../../src/messages/operator/inspect.ts';
import { retryParkedReceipts } from '../../src/messages/receipts/retry-store.ts';
import { recordReceipts } from '../../src/messages/receipts/store.ts';
import {
  keepUnreadable,
  listUnmatched,
  reportUnmatched,
  sumUnmatched,
} from '../../src/messages/receipts/unmatched.ts';
import {
  type Acceptance,
  acceptMessages,
  acceptTwoWay,
  dryRunAccept,
} from '../../src/messages/sending/accept.ts';
import * as statuses from '../../src/messages/status.ts';
import {
  beforeAllUnderWay,
  findUntracked,
  trackFound,
  trackLatest,
  trackRecent,
} from '../../src/messages/tracked.ts';
import { adoptAwaiting, beforeAllOthers } from '../../src/messages/upkeep/adopt-store.ts';
import * as due from '../../src/messages/upkeep/due-store.ts';
import * as mending from '../../src/messages/upkeep/mend-log.ts';
import * as purge from '../../src/messages/upkeep/purge.ts';
import * as upkeep from '../../src/messages/upkeep/store.ts';
import { testRow } from '../harness/accepted-rows.ts';
import { part, record, retrying, sent } from '../harness/outcomes.ts';
import { type Sample, sample } from './sample.ts';
import { big, halfTaken, long, messages, missed, now, small, withOneReceipt } from './stock.ts';

const limit = 20;
const sweep = { now, limit };
const late = { now: now + 30 * 86_400_000, limit };
const { companyId, userId, carrierId, nodeId } = big;

/** Every twentieth message, such as 990,008, is in flight. */
const inFlight = (place: number) => messages - 20 * place - 12;
const awaiting = (place: number) => 500_000 + 20 * place;
/** Messages of a batch that wait for the carrier. */
const waiting = (place: number) => 700_004 + 20 * place;

export function acceptance(id: number, twoWay: boolean): Acceptance {
  const row = testRow({
    company_id: companyId,
    id,
    user_id: userId,
    recipient: '46701000200',
    sender: 'S',
    text: 'Hello',
    created_at: now,
    expires_at: now + 60_000,
    changed_at: now,
    due_at: now,
    carrier_id: carrierId,
  });
  return {
    companyId,
    userId,
    parts: 1,
    costCenter: '',
    now,
    month: '2023-11',
    nodeId: twoWay ? null : nodeId,
    rows: [row],
    idempotency: { key: 'key7', requestHash: 'h', now: now + 1_000, answer: '{}', expiresAt: now + 9_999 },
    ...(twoWay ? { carriers: new Map() } : {}),
  };
}

const allLines = [stage.waiting, stage.scheduled, stage.retrying];
const receipt = { carrierId, status: status.DELIVERED, errorCode: null, receivedAt: now };
const receiptOf = (id: number) => ({ ...receipt, carrierMessageId: `m${id}` });

const counts = { companyId, callerId: userId, limit };
const usage = { ...counts, from: '2023-10', to: '2023-11' };
/** The numbers of people of one name. */
const fifty = Array.from({ length: 50 }, (_, index) => `4670${String(1_000_000 + index * 7)}`);

/** Every kind of search, with terms that match and terms that do not. */
function searches(): readonly MessageSearch[] {
  const any: MessageSearch = {
    companyId,
    userId: null,
    callerId: userId,
    limit,
    after: undefined,
    since: 0,
    until: late.now,
    id: undefined,
    recipient: undefined,
    conversation: undefined,
    batchId: undefined,
    sender: undefined,
    costCenter: undefined,
    statuses: undefined,
  };
  const within = { time: now - 10 * 86_400_000, id: 500_000 };
  const period = { since: now - 19.9 * 86_400_000, until: now - 19.8 * 86_400_000 };
  return [
    any,
    { ...any, after: within },
    { ...any, userId },
    { ...any, userId: small.userId },
    { ...any, userId: small.userId, statuses: [status.ERROR] },
    { ...any, companyId: 2 },
    { ...any, recipients: fifty },
    { ...any, userId, recipients: fifty, statuses: [status.ERROR] },
    { ...any, userId, words: 'none' },
    { ...any, userId, words: 'text', recipients: fifty },
    { ...any, companyId: 150 },
    { ...any, ...period },
    { ...any, ...period, statuses: [status.EXPIRED] },
    { ...any, statuses: [status.DELIVERED] },
    { ...any, statuses: [status.EXPIRED], sender: 'none', costCenter: 'none' },
    { ...any, userId, statuses: [status.EXPIRED], after: within },
    { ...any, recipient: '46701000005' },
    { ...any, recipient: '46709999999' },
    { ...any, recipient: '46701000005', statuses: [status.EXPIRED], userId },
    { ...any, recipient: '46701500000', after: within },
    { ...any, recipient: '46709999999', ...period },
    { ...any, id: 500_001 },
    { ...any, conversation: 'big' },
    { ...any, conversation: 'big', statuses: [status.EXPIRED] },
    { ...any, conversation: 'c7' },
    { ...any, conversation: 'none' },
    { ...any, batchId: 1_003 },
    { ...any, batchId: 1_003, statuses: [status.EXPIRED] },
    { ...any, batchId: 1_003, userId: small.userId },
    { ...any, batchId: 7 },
  ];
}

export const messageSamples: readonly Sample[] = [
  sample(
    acceptMessages,
    acceptance(2_000_001, false),
    {
      ...acceptance(2_000_007, false),
      idempotency: null,
      sending: {
        companyId,
        id: 2_000_007,
        userId,
        messages: 1,
        parts: 1,
        templateId: 500,
        text: null,
        whom: { groups: ['board'], filters: [], tags: '', numbers: 0 },
        sender: 'S',
        answersUntil: now,
        createdAt: now,
        scheduledAt: null,
      },
    },
    {
      ...acceptance(2_000_008, false),
      idempotency: null,
      category: 2,
      optOuts: { policy: 'honour', secret: '00' },
      audited: {
        companyId,
        at: now,
        by: { channel: 'portal', username: 'many' },
        act: 'message.send',
        object: '2000008',
      },
    },
  ),
  sample(acceptTwoWay, acceptance(2_000_002, true)),
  sample(
    dryRunAccept,
    { acceptance: acceptance(2_000_005, true), twoWay: true },
    { acceptance: { ...acceptance(2_000_006, false), rows: [] }, twoWay: false },
  ),
  sample(trackLatest, companyId),
  sample(
    findUntracked,
    { companyIds: [companyId], after: beforeAllUnderWay, limit },
    { companyIds: [companyId], after: [carrierId, stage.waiting, 0, now, companyId, 900_000], limit },
  ),
  sample(trackFound, [
    [companyId, 900_000],
    [companyId, 900_001],
  ]),
  sample(
    trackRecent,
    { companyId, below: 900_000, since: 0, limit },
    { companyId, below: 1, since: 0, limit },
  ),
  sample(findEarlier, { companyId, userId, key: 'key7', requestHash: 'h', now }),
  sample(
    claimMessages,
    { carrierId, nodeId, room: limit, bulkFloor: 5, now },
    { carrierId, nodeId, room: limit, countsMessages: true, maxParts: 10, bulkFloor: 5, now },
    {
      carrierId,
      nodeId,
      room: limit,
      bulkFloor: 5,
      now,
      closedHours: [{ companyIds: [companyId], opensAt: now + 1, drops: false, reason: 'closed' }],
    },
    {
      carrierId,
      nodeId,
      room: limit,
      bulkFloor: 5,
      now,
      optOuts: { policies: new Map([[companyId, 'honour' as const]]), secret: '00' },
    },
  ),
  sample(
    recordOutcomes,
    {
      ...record(nodeId),
      carrierId,
      advances: [
        sent(inFlight(1)),
        retrying(inFlight(2)),
        { ...sent(inFlight(3)), stage: null, dueAt: null },
      ],
      taken: [part(inFlight(1)), part(inFlight(2), 1, 1, 'parked7')],
    },
    {
      ...record(nodeId),
      carrierId,
      isSimulator: true,
      advances: [sent(inFlight(4))],
      taken: [part(inFlight(4))],
    },
    {
      ...record(nodeId),
      carrierId: withOneReceipt,
      advances: [{ ...sent(halfTaken), attempts: 2 }],
      taken: [part(halfTaken, 2, 2)],
    },
  ),
  sample(readTakenParts, [
    [companyId, awaiting(1)],
    [companyId, awaiting(2)],
  ]),
  sample(releaseOrphans, { carrierId, nodeId, knownIds: [inFlight(1)], now }),
  sample(passMessageOn, {
    companyId,
    id: inFlight(1),
    nodeId,
    attempts: 1,
    fromCarrierId: carrierId,
    toCarrierId: 2,
    now,
    reason: 'no',
  }),
  sample(readRefused, { companyId, id: inFlight(1) }),
  sample(
    recordReceipts,
    [1, 2, 3].map((place) => receiptOf(awaiting(place))),
    [{ ...receiptOf(5), carrierMessageId: 'unknown', otherIds: ['unknown2'] }],
    [receiptOf(missed)],
    [{ ...receiptOf(150_001), recipient: '46701000000' }],
    [{ ...receiptOf(5), carrierMessageId: 'test5' }],
    [{ ...receiptOf(long), carrierId: withOneReceipt }],
  ),
  sample(retryParkedReceipts, sweep, { ...sweep, now: now + 700_000 }, late),
  sample(keepUnreadable, { carrierId, text: 'x', receivedAt: now }),
  sample(tests.askForTest, {
    carrier: 'carrier1',
    recipient: '46701740699',
    sender: 'Carillon',
    text: 'x',
    by: operator,
    now,
  }),
  sample(tests.takeTests, { nodeId, carrierIds: [carrierId], now }),
  sample(tests.answerTest, { id: 100_005, outcome: { kind: 'accepted', carrierMessageId: 'a' }, now }),
  sample(tests.listTests, carrierId),
  sample(tests.findTest, 100_005),
  sample(reportUnmatched, { carrier: 'carrier1', limit }),
  sample(
    listUnmatched,
    ...[undefined, 'carrier1', 'nobody'].flatMap((carrier) =>
      [undefined, { time: now - 10 * 86_400_000, before: 3 }].map((after) => ({ carrier, after, limit })),
    ),
  ),
  sample(sumUnmatched, null),
  sample(
    adoptAwaiting,
    { carrierId, lane: lane.bulk, fromNodeId: 2, nodeId, after: beforeAllOthers, limit },
    { carrierId, lane: lane.bulk, fromNodeId: 1, nodeId, after: beforeAllOthers, limit },
  ),
  sample(nodes.beatNode, nodeId),
  sample(nodes.endNode, { id: 2, beat: 5, ended: 0 }),
  sample(nodes.enterNode, { nodeId: 99, now }),
  sample(nodes.leaveNode, nodeId),
  sample(mending.listCompaniesWithMessages, null),
  sample(mending.findUnlogged, { companyId, afterId: 500_000, limit }),
  sample(mending.mendLog, { companyId, afterId: 500_000, limit }),
  sample(nodes.listOtherNodes, nodeId),
  sample(nodes.listUnendedNodes, null),
  sample(states.countBacklogs, { upTo: states.maxCounted }),
  sample(states.listRetryReasons, 1, 3),
  sample(states.listCarrierStates, null),
  sample(states.tellCarrierStates, { nodeId, now, states: [] }),
  sample(due.releaseDue, sweep, late),
  sample(due.expireWaiting, sweep, late),
  sample(due.giveUpReceipts, sweep, late),
  sample(upkeep.carriersWithWaiting, null),
  sample(listRemovedCarriers, null),
  sample(upkeep.forgetNode, 2, 3),
  sample(
    upkeep.takeOverInFlight,
    { deadNodeId: 2, carrierId, policy: 'retry', now, limit },
    { deadNodeId: 2, carrierId, policy: 'fail', now, limit },
  ),
  sample(
    listWaiting,
    { carrierId, stages: [stage.waiting, stage.retrying], after: undefined, limit },
    { carrierId: 3, stages: allLines, after: undefined, limit },
    {
      carrierId: 3,
      stages: allLines,
      limit,
      after: { stage: stage.waiting, lane: lane.bulk, dueAt: 0, companyId, id: 900_000 },
    },
  ),
  sample(moveWaiting, { fromCarrierId: carrierId, moves: [[companyId, waiting(1), 2]], reason: 'x', now }),
  sample(
    cancelMessage,
    { id: waiting(1), now },
    { id: 5, now },
    { id: 99_999_999, now },
    { id: waiting(1), now, user: { companyId, userId, username: 'user10', session: undefined } },
  ),
  sample(readVisible, { id: waiting(1), companyId, userId: null }, { id: waiting(1), companyId, userId: 11 }),
  sample(searchMessages, ...searches()),
  sample(
    findLatestSender,
    { companyId, userId: null, callerId: userId, sender: 'none' },
    { companyId, userId, callerId: userId, sender: 'none' },
  ),
  sample(
    listScheduled,
    { companyId, userId: null, since: 0, until: late.now, after: { time: 0, id: 0 }, limit },
    {
      companyId,
      userId: null,
      since: now + 2 * 86_400_000,
      until: late.now,
      after: { time: 0, id: 0 },
      limit,
    },
    { companyId, userId: small.userId, since: 0, until: late.now, after: { time: 0, id: 0 }, limit },
    { companyId, userId, since: 0, until: late.now, after: { time: now + 86_400_000, id: 500_000 }, limit },
  ),
  sample(rescheduleMessage, {
    companyId,
    userId: null,
    id: 500_007,
    username: 'u',
    session: undefined,
    now,
    time: now + 999,
    ifMatch: undefined,
  }),
  sample(
    sumUsage,
    { ...usage, userId: null, by: ['month'] },
    { ...usage, userId: null, by: ['month', 'username', 'costCenter'] },
    { ...usage, userId, by: ['username'] },
  ),
  sample(
    listUsage,
    ...(['month', 'username', 'costCenter'] as const).flatMap((first) => [
      { ...counts, userId: null, first, after: { month: '', userId: 0, costCenter: '' } },
      { ...counts, userId: null, first, after: { month: '2023-11', userId, costCenter: 'cc100007' } },
      { ...counts, userId, first, after: { month: '2023-11', userId, costCenter: 'cc100007' } },
    ]),
  ),
  sample(
    countLatest,
    { companyId, userId: null, callerId: userId, since: 0, limit: 800 },
    { companyId, userId, callerId: userId, since: now - 60_000, limit: 800 },
    { companyId, userId: null, callerId: userId, since: 0, from: { at: now - 60_000, id: 1 }, limit: 800 },
  ),
  sample(readQuotas, { companyId, userId }),
  sample(acceptResent, {
    acceptance: acceptance(2_000_003, false),
    username: 'user10',
    session: undefined,
    id: '5',
    onlyOnce: true,
  }),
  sample(acceptTwoWayResent, {
    acceptance: acceptance(2_000_004, true),
    username: 'user10',
    session: undefined,
    id: '5',
    onlyOnce: false,
  }),
  sample(purge.keepBelievedTime, now),
  sample(purge.readBelievedTime, null),
  sample(purge.listCompanyIds, null),
  sample(
    purge.purgeMessages,
    { companyId, afterId: 0, idsSinceOld: 0, createdBefore: now, limit },
    { companyId, afterId: 500_000, idsSinceOld: 0, createdBefore: 0, limit },
  ),
  sample(readUsage, { from: '2023-11', to: '' }),
  sample(inspectMessage, 5, waiting(1), 99_999_999),
  sample(
    listUnrouted,
    { after: undefined, limit },
    { after: { time: now - 10 * 86_400_000, id: 100_000 }, limit },
  ),
  ...readingSamples(),
];

function readingSamples(): readonly Sample[] {
  const ids = [5, 6, 7, 99_999_999];
  const own = [userId, small.userId];
  const after = { changed_at: now - 10 * 86_400_000, id: 500_000 };
  const unread = own.flatMap((of) => [
    { companyId, userId: of, limit },
    { companyId, userId: of, limit, after },
  ]);
  const afterIncoming = { received_at: now - 18 * 86_400_000, id: 17_000 };
  const unreadIncoming = own.flatMap((of) =>
    [true, false].flatMap((latest) => [
      { companyId, userId: of, limit, latest, withOriginal: latest },
      { companyId, userId: of, limit, latest, withOriginal: latest, after: afterIncoming },
    ]),
  );
  return [
    sample(statuses.readUnreadStatuses, ...unread),
    sample(statuses.takeUnreadStatuses, ...unread),
    sample(statuses.readStatusesById, { companyId, userId, ids }, { companyId, userId: small.userId, ids }),
    sample(statuses.takeStatusesById, { companyId, userId, ids }),
    sample(readQuotaLeft, userId),
    sample(incoming.readUnreadIncoming, ...unreadIncoming),
    sample(incoming.takeUnreadIncoming, ...unreadIncoming),
    sample(incoming.readIncomingById, { companyId, userId, ids, withOriginal: true }),
    sample(incoming.takeIncomingById, { companyId, userId, ids, withOriginal: false }),
    sample(
      incoming.storeIncoming,
      { id: 900_001, sender: '46701000200', recipient: '4675100001', text: 'Yes', receivedAt: now },
      { id: 900_002, sender: '46701000200', recipient: '4675100099', text: 'Yes', receivedAt: now },
      {
        id: 900_005,
        sender: '46701000200',
        recipient: '4675100001',
        text: 'STOP',
        receivedAt: now,
        personSecret: '00',
      },
      { id: 900_004, sender: '525562000017', recipient: '4675100099', text: 'Yes', receivedAt: now },
      // To the number of a user with many sendings, from a phone that the latest was sent to.
      {
        id: 900_005,
        sender: '46701500006',
        recipient: '4675119000',
        text: 'Yes',
        receivedAt: now + 1.5 * 86_400_000,
      },
    ),
    sample(endAssemblies, sweep, { now: now + 10 * 86_400_000, limit }),
    sample(storeIncomingPart, {
      carrierId,
      sender: '46701',
      recipient: '4675100001',
      reference: 1,
      parts: 2,
      id: 900_003,
      part: 2,
      text: 'b',
      receivedAt: now,
    }),
  ];
}
