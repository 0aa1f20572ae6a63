/** Sample inputs for the verbs of batches, accounts, address books, e-mail and provisioning. */
import * as accounts from '../../src/accounts/account.ts';
import * as keys from '../../src/accounts/api-keys.ts';
import * as logins from '../../src/accounts/login-store.ts';
import * as users from '../../src/accounts/logins.ts';
import { agedRows } from '../../src/app/retention.ts';
import * as audit from '../../src/audit/audit-log.ts';
import { noteAct, noteLook } from '../../src/audit/audit-log.ts';
import * as holding from '../../src/batches/hours/hold-store.ts';
import * as accepting from '../../src/batches/intake/accept-store.ts';
import {
  abortBatch,
  listPaused,
  pauseBatch,
  resumeBatch,
} from '../../src/batches/management/acting-on-batch.ts';
import { readFailed } from '../../src/batches/management/failed-store.ts';
import { findNamedBatches } from '../../src/batches/management/named-batches.ts';
import {
  listResentAs,
  listVisibleBatches,
  readVisibleBatch,
} from '../../src/batches/management/visible-batch.ts';
import { foldCountChanges, readStatusCounts } from '../../src/batches/reading/counts.ts';
import { inspectBatch, listBatches, readBatch } from '../../src/batches/reading/info.ts';
import * as reading from '../../src/batches/reading/statuses.ts';
import { listMaybeHeld, listScheduledBatches } from '../../src/batches/reading/waiting-store.ts';
import { advanceBatch, failBatch, listUnderWay } from '../../src/batches/steps/advance-store.ts';
import { listBrokenOff, purgeBatches } from '../../src/batches/steps/purge.ts';
import * as carriers from '../../src/carriers/provisioned/carrier-rows.ts';
import { findExternalIds } from '../../src/contacts/managed-contacts.ts';
import { readNames, readNumbersOfName, readPeopleNamed } from '../../src/contacts/names-of-numbers.ts';
import type { RecentMail } from '../../src/email/gateway/recent-mail.ts';
import * as recent from '../../src/email/gateway/recent-mail.ts';
import * as mails from '../../src/email/gateway/store.ts';
import * as defaults from '../../src/email/management/company-defaults.ts';
import { emailSenders } from '../../src/email/management/listed-sender.ts';
import { listPayers } from '../../src/email/management/payers.ts';
import { noSettings } from '../../src/email/senders/sender-entry.ts';
import {
  changeDefaults,
  findDecidingEntry,
  putEntry,
  readEndings,
  removeEntry,
} from '../../src/email/senders/store.ts';
import { scopeOf } from '../../src/provisioning/compare.ts';
import { readPlan } from '../../src/provisioning/file.ts';
import type { Plan } from '../../src/provisioning/kind-list.ts';
import * as provisioning from '../../src/provisioning/store.ts';
import { listNumbers, listOwnedSenders } from '../../src/routing/number-records.ts';
import { listCarriersOfCompany, listRoutes } from '../../src/routing/route-records.ts';
import { leaseIds } from '../../src/storage/ids.ts';
import { readNews } from '../../src/storage/news.ts';
import { purgeAged } from '../../src/storage/retention.ts';
import { keepSecretCheck, readSecretCheck } from '../../src/storage/secret-check.ts';
import { findTemplateText } from '../../src/templates/template.ts';
import { contactSamples } from './contact-samples.ts';
import { jobSamples } from './job-samples.ts';
import { acceptance } from './message-samples.ts';
import { type Sample, sample } from './sample.ts';
import { big, firstBatchId, firstOfBatches, now, small } from './stock.ts';

const limit = 20;
const dayMs = 86_400_000;
const { companyId, userId } = big;
const inCompany = { companyId, scopeId: companyId, username: 'user10', session: undefined, now };
const ownUser = { companyId, userId, username: 'user10', session: undefined };
/** One batch in progress, and one still being received. */
const [underWay, receiving] = [firstBatchId + 59_810, firstBatchId + 59_950];

function ofBatches(): readonly Sample[] {
  const { beforeAllUnread: after } = reading;
  const own = { companyId, userId };
  const within = { batchId: firstBatchId + 3, changedAt: now - 13 * 86_400_000, id: firstOfBatches + 35_000 };
  const unread = [
    { ...own, batchId: firstBatchId + 1, conversation: null, after, limit },
    { ...own, batchId: null, conversation: 'few', after, limit },
    { ...own, batchId: null, conversation: 'few', after: within, limit },
    // None of these matches an unread message.
    { ...own, batchId: null, conversation: 'many', after, limit },
    { ...own, userId: small.userId, batchId: firstBatchId, conversation: 'few', after, limit },
  ];
  const row = {
    company_id: companyId,
    id: firstOfBatches,
    recipient: '1',
    sender: 'S',
    status: 1,
    conversation: '',
    changed_at: now,
    version: 1,
    unread: 1,
    batch_id: firstBatchId,
  };
  return [
    sample(reading.readUnreadOfBatches, ...unread),
    sample(reading.takeUnreadOfBatches, ...unread),
    sample(
      reading.readStatusesAskedFor,
      { ...own, ids: [5, firstOfBatches, firstOfBatches + 1] },
      { ...own, conversation: 'big', afterId: firstOfBatches + 100_000, limit },
      { ...own, conversation: 'c7', afterId: 0, limit },
      { ...own, conversations: ['c7', 'c8', 'big', 'none'], limit },
      { ...own, userId: small.userId, conversations: ['c7', 'c8', 'big'], limit },
      { ...own, userId: small.userId, conversation: 'big', afterId: 0, limit },
    ),
    sample(reading.markStatusesRead, [row]),
    sample(
      readStatusCounts,
      { ...own, batchId: firstBatchId, conversation: 'many', afterId: 0, limit },
      { ...own, batchId: null, conversation: 'many', afterId: firstBatchId + 50_000, limit },
      { ...own, userId: small.userId, batchId: null, conversation: 'many', afterId: 0, limit },
    ),
    sample(foldCountChanges, 1_000),
    sample(readBatch, { ...own, id: firstBatchId }),
    sample(inspectBatch, firstBatchId, 99_999_999),
    sample(
      listScheduledBatches,
      { companyId: 1, userId: null, after: { time: now, id: 0 }, limit },
      { companyId: 1, userId: 11, after: { time: now, id: 0 }, limit },
    ),
    sample(listMaybeHeld, { companyId: 1, userId: null, now }, { companyId: 1, userId: 11, now }),
    sample(
      readNumbersOfName,
      { userId: 10, sought: 'person 1' },
      { userId: 10, sought: 'p' },
      { userId: 10, sought: 'nobody' },
    ),
    sample(
      readPeopleNamed,
      { companyId: 1, userId: 10, sought: 'person 1' },
      { companyId: 1, userId: 10, sought: 'p' },
      { companyId: 1, userId: 10, sought: 'nobody' },
    ),
    sample(readNames, { userId: 10, numbers: ['46701000005', '46709999999'] }),
    sample(listBatches, limit),
    sample(listBrokenOff, { before: now, limit }),
    sample(
      purgeBatches,
      { after: { companyId: 0, id: 0 }, createdBefore: now, limit },
      { after: { companyId, id: firstBatchId + 50_000 }, createdBefore: now, limit },
    ),
    sample(abortBatch, { id: underWay, now }, { id: firstBatchId, now, user: ownUser }, { id: 7, now }),
    sample(pauseBatch, { id: underWay, now, user: ownUser }, { id: firstBatchId, now, user: ownUser }),
    sample(resumeBatch, { id: firstBatchId + 59_801, now, user: ownUser }),
    sample(listPaused, null),
    sample(
      findNamedBatches,
      { companyId, userId: null, callerId: userId, typed: 'spring', lookedAt: 500, limit },
      { companyId, userId, callerId: userId, typed: 'spring', lookedAt: 500, limit },
    ),
    sample(
      listVisibleBatches,
      { companyId, userId: null, before: null, limit, callerId: userId },
      { companyId, userId, before: firstBatchId + 20_000, limit, callerId: userId },
      { companyId, userId: small.userId, before: null, limit, callerId: userId },
      { companyId, userId: null, paused: true, before: null, limit, callerId: userId },
      { companyId, userId, paused: true, before: firstBatchId + 20_000, limit, callerId: userId },
    ),
    sample(
      listResentAs,
      { companyId, userId: null, id: firstBatchId },
      { companyId, userId: small.userId, id: firstBatchId },
    ),
    sample(
      readVisibleBatch,
      { companyId, userId: null, id: firstBatchId },
      { companyId, userId: small.userId, id: firstBatchId },
    ),
    sample(readFailed, {
      companyId,
      firstId: firstOfBatches + 20_000,
      lastId: firstOfBatches + 21_999,
      limit,
      callerId: userId,
    }),
    sample(noteAct, {
      companyId,
      at: now,
      by: { channel: 'api', username: 'admin' },
      act: 'message.export',
      object: `${firstBatchId}`,
    }),
    sample(accepting.beginBatch, { companyId, id: 99_999_999, userId, now }),
    sample(accepting.storeChunk, { companyId, batchId: receiving, chunk: 1, messages: 1, finished: '[]' }),
    sample(accepting.discardBatch, { companyId, id: receiving }),
    sample(accepting.acceptBatch, {
      companyId,
      id: receiving,
      userId,
      by: { channel: 'portal', username: 'many' },
      now,
      conversation: '',
      sender: 'S',
      costCenter: '',
      validityMinutes: 60,
      category: null,
      name: 'Autumn',
      scheduledAt: null,
      messages: 1,
      parts: 1,
      duplicates: 0,
      chunks: 1,
      failure: null,
      idempotency: null,
      resent: { from: firstBatchId, after: 0, until: now },
    }),
    sample(advanceBatch, { companyId, id: underWay, now }),
    sample(failBatch, { companyId, id: underWay, now, reason: 'x' }),
    sample(listUnderWay, { now, limit }),
    ...ofHeld(),
  ];
}

function ofHeld(): readonly Sample[] {
  const closed = { opensAt: now + 1, drops: false, reason: 'closed' };
  const ids = Array.from({ length: limit }, (_, place) => firstOfBatches + 4 + 20 * place);
  const held = { carrierId: 1, dueAt: now + 86_400_000 + 10 * (firstOfBatches + 5), companyId };
  return [
    sample(holding.listSendHours, null),
    sample(
      holding.findWaitingBulk,
      { companyIds: [2], after: holding.beforeAllBulk, limit },
      {
        companyIds: [2],
        after: { carrierId: 1, dueAt: now - 11 * 86_400_000, companyId, id: 700_000 },
        limit,
      },
    ),
    sample(
      holding.holdWaiting,
      { companyId, closed, ids, now },
      { companyId, closed: { ...closed, drops: true }, ids, now },
    ),
    sample(holding.listHeld, { after: null, limit }, { after: held, limit }),
    sample(holding.moveHeld, { held, closed, now, limit }),
  ];
}

const named = { username: 'user10', name: 'key7' };

const ofAccounts: readonly Sample[] = [
  sample(leaseIds, { kind: 'message', size: 100 }),
  sample(readNews, null),
  sample(keys.enableKeyByName, { ...named, now }),
  sample(keys.expireKeyByName, { ...named, expiresAt: now }),
  sample(keys.limitKeyByName, { ...named, scopes: ['read'], networks: null }, { ...named, scopes: null }),
  sample(keys.revokeKeyByName, named),
  sample(accounts.findAccountById, userId),
  sample(accounts.findAccountByUsername, 'user10', 'nobody'),
  sample(accounts.findCompanyId, 'company7'),
  sample(keys.findKeyById, 5),
  sample(keys.findKeyByName, { userId, name: 'key7' }),
  // The first user has the maximum number of keys, the other has none.
  sample(
    keys.getOrCreateKey,
    { id: 99_999_999, userId, name: 'new', createdAt: now },
    { id: 99_999_999, userId: small.userId, name: 'new', createdAt: now },
    { id: 99_999_999, userId, name: 'key7', createdAt: now },
  ),
  sample(keys.listKeysOfUser, 'user11'),
  sample(users.listUsers, { after: 'user10', limit: 1_000 }),
  sample(
    users.listViewers,
    { companyId: 1, userId, after: '', limit },
    { companyId: 1, userId, after: 'user10', limit },
  ),
  sample(users.listAdministrators, 1),
  sample(users.listOperators, { after: 'operator', limit: 1_000 }),
  sample(
    audit.listAudit,
    { companyId: null, before: null, limit },
    { companyId, before: 1_050_000, limit },
    { companyId: 2, before: null, limit },
  ),
  sample(
    audit.searchAudit,
    ...[
      {},
      { since: now + 10, until: now + 50_000 },
      { username: 'user10' },
      { username: 'nobody', since: now },
      { acts: ['message.cancel'] as const },
      { acts: ['message.cancel', 'group.make', 'message.read'] as const, until: now + 50_000 },
      { object: '5' },
      { object: 'absent' },
      { username: 'user10', acts: ['group.make'] as const },
      { object: '5', username: 'nobody', since: now + 10, until: now + 50_000 },
      { object: '5', username: 'user10', acts: ['group.make', 'message.read'] as const },
    ].flatMap((filter) => [
      { companyId: 1, filter, behind: null, limit },
      { companyId: 1, filter, behind: { at: now + 40_000, id: 1_040_000 }, limit },
      { companyId: 2, filter, behind: null, limit },
    ]),
  ),
  sample(noteLook, {
    companyId,
    at: now,
    by: { channel: 'portal', username: 'user11' },
    act: 'message.read',
    object: '5',
  }),
  sample(
    purgeAged,
    ...agedRows.flatMap((rows) => [
      { rows, now, before: now - 19 * dayMs },
      { rows, now: now + 72 * dayMs, before: now + 50_000 },
      { rows, now: 0, before: 0 },
    ]),
  ),
  sample(users.hasLogin, { kind: 'user', username: 'user10' }, { kind: 'operator', username: 'root' }),
  sample(
    users.setPasswordHash,
    { kind: 'user', username: 'user10', passwordHash: '', now },
    { kind: 'operator', username: 'root', passwordHash: '', now },
  ),
  sample(logins.readAttempts, { subjects: ['s5', 's6', 'none'], fromSlot: 7, network: 'd7' }),
  sample(logins.keepFailures, [{ subject: 's5', slot: 99, node: 'n', failures: 2 }]),
  sample(
    logins.keepKnownNetwork,
    { owner: { userId }, digest: 'd7', now },
    { owner: { userId }, digest: 'new', now },
    { owner: { operator: 'op1' }, digest: 'new', now },
  ),
  sample(logins.listKnownNetworks, { since: now - 19 * 86_400_000, limit }, { since: 0, limit }),
  sample(
    logins.purgeLogins,
    { beforeSlot: 5, afterSlot: 895, maxFailures: 1_000, seenBefore: now - 20 * 86_400_000 + 100_000 },
    { beforeSlot: 0, afterSlot: 99_999, maxFailures: 800, seenBefore: 0 },
  ),
  sample(readSecretCheck, null),
  sample(keepSecretCheck, { check: 'x', replace: true }),
  sample(carriers.listStoredCarriers, null),
  sample(carriers.sealCarrier, { id: 1, before: '{}', after: '{"a":1}' }),
  sample(findTemplateText, { companyId, id: 5 }),
  sample(carriers.listCarriers, null),
  sample(listRoutes, null),
  sample(listCarriersOfCompany, 1),
];

const by = { companyId, now, username: 'user10', session: undefined };
const key = { email: 'a7@example.com', domain: 'example.com' };
const newKey = { email: 'new@example.com', domain: 'example.com' };
const mail = (place: number) => ({
  acceptance: acceptance(3_000_000 + place, place === 2),
  deliveries: [
    { key: `d${place}`, number: '46701000200', expiresAt: now + 1 },
    { key: 'new', number: '1', expiresAt: now },
  ],
  returnTo: {
    address: 'a@example.com',
    messageId: null,
    references: [],
    isAutomatic: false,
    subject: '',
    onlyNonDelivery: false,
    origMsg: false,
  },
  now: now + 1_000_000,
});

const recentMail = (ring: number): RecentMail => ({
  ring,
  receivedAt: now,
  address: '192.0.2.1',
  sender: 'a@example.com',
  isProven: true,
  recipients: ['46701740699'],
  recipientCount: 1,
  outcome: 'sent',
  reason: undefined,
  answer: 'Sending 1 SMS: 7.',
  messageIds: ['7'],
});

const ofMails: readonly Sample[] = [
  sample(changeDefaults, { by, companyId, payingUser: 'user11', settings: noSettings }),
  sample(readEndings, companyId),
  sample(findDecidingEntry, key),
  sample(
    putEntry,
    { by, companyId, key, blocked: false, payingUser: 'user10', settings: noSettings },
    { by, companyId, key: newKey, blocked: false, payingUser: 'user10', settings: noSettings },
    {
      by: { ...by, companyId: 2 },
      companyId: 2,
      key: newKey,
      blocked: false,
      payingUser: 'user20',
      settings: noSettings,
    },
  ),
  sample(removeEntry, { by, companyId, key }),
  sample(
    emailSenders.list,
    { scopeId: companyId, after: undefined, limit },
    { scopeId: companyId, after: 'a7@example.com', limit },
    { scopeId: companyId, among: { q: '77@' }, after: undefined, limit },
    { scopeId: companyId, among: { q: 'none' }, after: 'a7@example.com', limit },
  ),
  sample(
    listPayers,
    { companyId, q: '', from: { language: 'en' }, limit },
    { companyId, q: 'none', from: { language: 'sv', name: 'user11' }, limit },
  ),
  sample(emailSenders.find, { scopeId: companyId, key: key.email }),
  sample(emailSenders.create, {
    ...inCompany,
    companyId: 2,
    scopeId: 2,
    name: newKey.email,
    values: {},
    more: { payingUser: 'user209' },
  }),
  sample(emailSenders.change, {
    ...inCompany,
    key: key.email,
    rename: undefined,
    ifMatch: undefined,
    values: {},
    more: { payingUser: 'user11' },
  }),
  sample(emailSenders.remove, { ...inCompany, key: 'a8@example.com', ifMatch: undefined }),
  sample(defaults.readDefaults, companyId),
  sample(defaults.writeDefaults, {
    by,
    change: { payingUser: undefined, settings: noSettings },
    ifMatch: undefined,
  }),
  sample(mails.acceptMail, mail(1)),
  sample(mails.acceptTwoWayMail, mail(2)),
  sample(mails.tryMail, { ...mail(3), returnTo: null }, mail(4)),
  sample(mails.findDelivered, { keys: ['d1', 'd2', 'none'], now }),
  sample(mails.findSenderRule, { companyId, domain: 'd7' }),
  sample(mails.findMailCut, companyId),
  sample(recent.recordMails, [recentMail(1), recentMail(2), recentMail(2), recentMail(-1)]),
  sample(
    recent.listRecentMails,
    { company: null, limit },
    { company: 'company1', limit },
    { company: companyId, after: { receivedAt: now, slot: 7 }, limit },
  ),
];

const plan = readPlan(`
companies:
  - name: company1
    users: [{ username: user11, roles: [send], addressBooks: [book5] }]
    templates: [{ id: 5, name: t5, text: Hi }]
    emailSenders: [{ email: a7@example.com, payinguser: user10 }]
    addressBooks: [{ name: book5 }]
numbers: [{ number: "4675100099", rentedBy: user11 }]
`).plan as Plan;

const file = { path: '/etc/carillon.yaml', contentHash: 'x' };

const ofProvisioning: readonly Sample[] = [
  sample(provisioning.applyPlan, { plan, when: 'always', file, now }),
  sample(provisioning.readState, scopeOf(plan)),
  sample(listNumbers, null),
  sample(listOwnedSenders, null),
  sample(provisioning.readIsEmpty, null),
  sample(provisioning.readUse, null),
  sample(provisioning.readLastApplied, file.path),
  sample(provisioning.rememberApplied, { file, now }),
  sample(findExternalIds, { company: 'company1', book: 'book1', externalIds: ['e5', 'none'] }),
];

export const otherSamples: readonly Sample[] = [
  ...ofBatches(),
  ...ofAccounts,
  ...contactSamples,
  ...ofMails,
  ...ofProvisioning,
  ...jobSamples,
];
