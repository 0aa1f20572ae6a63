/** Sample inputs for the verbs of the SMPP server. */
import { findSmppAccount, findSmppAccounts, setSmppPassword } from '../../src/accounts/smpp-logins.ts';
import { acceptOfClients } from '../../src/esme/accept-store.ts';
import { endBind, keepBind } from '../../src/esme/binds-store.ts';
import * as deliveries from '../../src/esme/delivery.ts';
import { endParts } from '../../src/esme/end-parts.ts';
import { keepPart, type Part, postponeParts, readDueParts, refuseLast } from '../../src/esme/part.ts';
import { readOwnMessages } from '../../src/esme/query.ts';
import { keepClientReader, takeClientChanges } from '../../src/esme/take-changes-store.ts';
import { acceptance } from './message-samples.ts';
import { type Sample, sample } from './sample.ts';
import { big, now } from './stock.ts';

const { companyId, userId, nodeId } = big;
const limit = 20;
const reported = [{ shownId: null, wanted: 1, reference: 7 }];
const content = {
  text: 'x',
  from: 'S',
  flash: false,
  validminutes: 60,
  scheduletime: undefined,
  companyId,
  sender: 'S',
  carrierId: 1,
  receivedAt: now,
};
const part: Part = {
  userId,
  recipient: '46701000200',
  sender: 'S',
  reference: 7,
  parts: 2,
  textId: 0,
  part: 1,
  id: 700_001,
  content: { ...content, wanted: 1, reference: null },
  dueAt: now,
};
const accepted = (id: number) => ({ ...acceptance(id, false), idempotency: null });
const bind = { userId, nodeId, bind: 9 };
const taking = { nodeId, to: 100_000, limit, now };

export const esmeSamples: readonly Sample[] = [
  sample(findSmppAccount, 's7', 'none'),
  sample(findSmppAccounts, ['s7', 's8', 'none']),
  sample(
    setSmppPassword,
    { username: 'user11', passwordHash: 'h', now },
    { username: 'none', passwordHash: 'h', now },
  ),
  sample(
    keepPart,
    { part: { ...part, userId: 11 }, most: limit },
    { part: { ...part, userId: 11, content: { ...part.content, text: 'y' }, id: 700_003 }, most: limit },
    { part: { ...part, userId: 11, part: 2, id: 700_002 }, most: limit },
    { part, most: limit },
  ),
  sample(refuseLast, { ...part, userId: 11, part: 2, id: 700_002 }),
  sample(
    acceptOfClients,
    { acceptance: accepted(3_000_001), reported },
    { acceptance: accepted(3_000_002), reported, parts: [30_000_021, 30_000_022] },
    { acceptance: accepted(3_000_003), reported, parts: [30_000_021] },
    { acceptance: accepted(3_000_004), reported, header: { reference: 7, part: 1, parts: 2 } },
  ),
  sample(readDueParts, { now: now + 50, limit }, { now: 1, limit }),
  sample(postponeParts, [
    { id: 30_000_007, dueAt: now },
    { id: 30_000_008, dueAt: now },
  ]),
  sample(endParts, { rejected: [{ ...part, id: 30_000_008 }], refused: 30_000_007, now }),
  sample(
    readOwnMessages,
    { companyId, userId, id: 500_000, most: 254 },
    { companyId, userId, id: 10_000_010, most: 254 },
    { companyId, userId, id: 5_000_000, most: 1 },
  ),
  sample(keepBind, bind, { ...bind, userId: 11 }),
  sample(endBind, bind),
  sample(keepClientReader, null),
  sample(takeClientChanges, taking, { ...taking, nodeId: 2 }),
  sample(
    deliveries.readDeliveries,
    { userId, after: deliveries.beforeAll, limit },
    { userId, after: { place: 90_000, shownId: 7 }, limit },
  ),
  sample(deliveries.measureDeliveries, limit),
  sample(deliveries.settleDelivery, { userId, place: 7, shownId: 7 }),
  sample(deliveries.holdDeliveries, { userId, nodeId }, { userId, nodeId: 2 }, { userId: 11, nodeId }),
  sample(deliveries.releaseDeliveries, { userId, nodeId: 2 }),
];
