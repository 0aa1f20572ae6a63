/** Sample inputs for the verbs of opt-outs. */
import * as optOutReplies from '../../src/messages/incoming/opt-out-replies.ts';
import { listOptOutPolicies } from '../../src/messages/opted-out.ts';
import * as nearMisses from '../../src/opt-outs/near-miss.ts';
import { purgeOptOutsAfter } from '../../src/opt-outs/of-removed-companies.ts';
import * as optOuts from '../../src/opt-outs/opt-out.ts';
import { personSecret } from '../../src/opt-outs/person-digest.ts';
import { acceptance } from './message-samples.ts';
import { type Sample, sample } from './sample.ts';
import { big, now } from './stock.ts';

const { companyId } = big;
const limit = 20;
const secret = personSecret('a secret of the server');
/** One with an opt-out, one without, and one with two forms. */
const phones = ['46701000201', '46709999999', '525562000017'];
const by = { username: 'user10', session: undefined };
const given = { phone: '46709999999', category: 'marketing', source: 'api' } as const;
const search = { companyId, secret, behind: null, limit };
const behind = { at: now - 10 * 86_400_000, id: 50_000 };

const reply = {
  companyId,
  phone: '46701001000',
  kind: 'confirmation',
  word: 'stop',
  number: '46701740600',
  userId: big.userId,
  conversation: '',
  askedAt: now - 1_000,
  dueAt: now - 1_000,
} as const;
const accepted = { ...acceptance(2_000_101, true), idempotency: null };
const leased = { ...reply, phone: '46701002000', askedAt: now - 2_000, way: 'leased' } as const;

export const optOutSamples: readonly Sample[] = [
  sample(listOptOutPolicies, null),
  sample(optOutReplies.listDueReplies, { now, limit }),
  sample(
    optOutReplies.acceptOptOutReply,
    { reply: { ...reply, way: 'rented' }, acceptance: accepted, plain: accepted },
    {
      reply: leased,
      acceptance: { ...acceptance(2_000_102, true), idempotency: null },
      plain: { ...acceptance(2_000_102, true), idempotency: null },
    },
  ),
  sample(optOutReplies.postponeOptOutReply, { reply: { ...reply, way: 'rented' }, dueAt: now }),
  sample(optOuts.findOptedOut, { companyId, phones, secret }, { companyId: 3, phones, secret }),
  sample(optOuts.addOptOuts, {
    companyId,
    by,
    now,
    secret,
    optOuts: [given, { ...given, phone: phones[0] ?? '' }],
  }),
  sample(optOuts.removeOptOut, { companyId, id: 7, by, now, reason: 'asked' }),
  sample(optOuts.readOptOut, { companyId, id: 9 }),
  sample(optOuts.readOptOutsOfNumber, ...phones.map((phone) => ({ companyId, phone, secret }))),
  sample(
    optOuts.searchOptOuts,
    search,
    { ...search, behind },
    { ...search, phone: phones[0] },
    { ...search, category: 'marketing', behind },
    { ...search, category: 'essential' },
    { ...search, source: 'api' },
    { ...search, source: 'file', since: 1, until: now },
    { ...search, category: 'all', source: 'sms', behind },
    { ...search, category: 'all', source: 'api' },
  ),
  sample(purgeOptOutsAfter, 0, 5),
  sample(nearMisses.readNearMissesOfNumber, ...phones.map((phone) => ({ companyId, phone, limit }))),
  sample(nearMisses.listNearMisses, { companyId, behind: null, limit }, { companyId, behind, limit }),
  sample(
    nearMisses.settleNearMiss,
    { companyId, incomingId: 20, optsOut: true, by, now, secret },
    { companyId, incomingId: 21, optsOut: true, by, now, secret },
  ),
];
