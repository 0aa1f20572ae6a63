/** Sample inputs for the verbs of conversations, numbers and simulated phones. */
import { newest } from '../../src/messages/conversations/both-ways.ts';
import * as conversations from '../../src/messages/conversations/conversation.ts';
import {
  assignUnrouted,
  giveNumber,
  listNumbersOfAll,
  listNumbersOfCompany,
  listUnroutedOfCompany,
} from '../../src/messages/conversations/numbers.ts';
import {
  listReleases,
  maxReleasedPerStep,
  releaseNext,
} from '../../src/messages/conversations/release-records.ts';
import { acceptPoolReply, acceptReply } from '../../src/messages/conversations/reply-store.ts';
import { readThread } from '../../src/messages/conversations/thread-store.ts';
import * as phones from '../../src/messages/phones/store.ts';
import { acceptance } from './message-samples.ts';
import { type Sample, sample } from './sample.ts';
import { big, now, small } from './stock.ts';

const limit = 20;
const { companyId, userId } = big;
const byAdministrator = { companyId, userId: null };
const of = (place: number) => ({ ...byAdministrator, id: 1_000_000 + place });

function lists(): readonly conversations.ConversationQuery[] {
  const any: conversations.ConversationQuery = {
    ...byAdministrator,
    callerId: userId,
    unread: false,
    archived: false,
    assigned: undefined,
    prefix: undefined,
    phones: undefined,
    after: undefined,
    limit,
  };
  const within = { time: now - 10 * 86_400_000, id: 1_150_000 };
  return [big, small, { companyId, userId: null }, { companyId: 2, userId: null }].flatMap((whose) => {
    const own = { ...any, companyId: whose.companyId, userId: whose.userId };
    return [
      ...[own, { ...own, after: within }, { ...own, unread: true }, { ...own, archived: true }],
      ...[
        { ...own, prefix: '46709' },
        { ...own, prefix: '467', unread: true },
        { ...own, prefix: '4670123' },
        ...([
          { ...own, assigned: 'me' },
          { ...own, assigned: 'nobody' },
        ] as const),
        { ...own, assigned: 'me', unread: true, after: within } as const,
        { ...own, assigned: 'nobody', prefix: '46709' } as const,
        { ...own, phones: Array.from({ length: 200 }, (_, at) => `4670100${1_000 + at}`) },
      ],
    ];
  });
}

const conversation = {
  id: 1_000_200,
  companyId,
  userId,
  username: 'user10',
  number: '46751000012',
  phone: '46701000200',
  runId: null,
  lastAt: now,
  unread: 1,
  archived: 0,
  assignee: null,
  version: 1,
};
const by = { channel: 'portal', username: 'user11' } as const;
const change = { callerId: userId, by, ifMatch: undefined, now };
const assignment = { by, ifMatch: undefined, now };
const thread = { callerId: userId, after: newest, limit, now };
const older = { messageId: 500_000, receivedAt: now - 86_400_000, incomingId: 7 };
const incoming = { sender: '46701000005', text: 'Yes', receivedAt: now };

export const conversationSamples: readonly Sample[] = [
  sample(conversations.listConversations, ...lists()),
  sample(conversations.findOpenConversation, { ...of(200), now }, { ...of(3), userId: small.userId, now }),
  sample(
    conversations.changeConversation,
    { ...of(210), ...change, act: 'read' },
    { ...of(211), ...change, act: 'archive' },
    { ...of(215), ...change, act: 'unarchive' },
  ),
  sample(
    conversations.assignConversation,
    { ...of(220), ...assignment, username: 'user10' },
    { ...of(221), ...assignment, username: null },
  ),
  sample(listReleases, limit),
  // A user who sees only their own conversations, one who is deleted, and one who sees all.
  sample(releaseNext, ...[11, 9, 10].map((userId) => ({ userId, now, limit: maxReleasedPerStep }))),
  sample(
    readThread,
    { ...of(200), ...thread },
    { ...of(201), ...thread, after: older },
    { ...of(7), ...thread },
    { ...of(202), ...thread },
    { ...of(204), ...thread },
  ),
  sample(acceptReply, { acceptance: acceptance(2_000_007, false), conversation, by }),
  sample(acceptPoolReply, {
    acceptance: { ...acceptance(2_000_008, true), idempotency: null },
    conversation,
    by: undefined,
  }),
  sample(
    listNumbersOfCompany,
    { companyId, after: '', limit, now },
    { companyId, after: '4675110000', limit, now },
    { companyId: 150, after: '', limit, now },
  ),
  sample(
    listNumbersOfAll,
    ...([undefined, 'rented', 'pool', 'none'] as const).flatMap((use) =>
      [undefined, 'company1'].flatMap((company) =>
        ['', '46751'].map((begins) => ({ after: '', begins, use, company, limit, now })),
      ),
    ),
    { after: '4675110000', begins: '', use: undefined, company: 'nobody', limit, now },
  ),
  sample(
    listUnroutedOfCompany,
    { companyId, after: undefined, limit },
    { companyId: 150, after: { time: now - 10 * 86_400_000, id: 100_000 }, limit },
  ),
  sample(giveNumber, {
    companyId,
    number: '4675110000',
    username: 'user10',
    ifMatch: undefined,
    by,
    now,
  }),
  sample(
    assignUnrouted,
    { companyId, id: 250_010, username: 'user10', by, now, personSecret: '00' },
    { companyId: null, id: 250_020, username: 'user10', by, now, personSecret: '00' },
  ),
  sample(
    phones.listSimulatedPhones,
    { companyId, userId, after: undefined, limit },
    { ...small, after: undefined, limit },
  ),
  sample(
    phones.readSimulatedPhone,
    { companyId, userId, number: '46701000005', after: newest, limit },
    { companyId, userId, number: '46701000005', after: older, limit },
    { companyId, userId, number: '46709999999', after: newest, limit },
  ),
  sample(phones.storeSimulatedAnswer, {
    ...incoming,
    id: 900_011,
    recipient: '46751000012',
    companyId,
    userId: null,
    by,
  }),
];
