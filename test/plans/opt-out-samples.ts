/** Sample inputs for the verbs of opt-outs. */
import * as nearMisses from '../../src/opt-outs/near-miss.ts';
import * as optOuts from '../../src/opt-outs/opt-out.ts';
import { personSecret } from '../../src/opt-outs/person-digest.ts';
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

export const optOutSamples: readonly Sample[] = [
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
  sample(nearMisses.listNearMisses, { companyId, behind: null, limit }, { companyId, behind, limit }),
  sample(
    nearMisses.settleNearMiss,
    { companyId, incomingId: 20, optsOut: true, by, now, secret },
    { companyId, incomingId: 21, optsOut: true, by, now, secret },
  ),
];
