/** Inputs for the verbs of people: what is known of a number, and each part of its erasure. */
import { readBatchNames } from '../../src/batches/management/visible-batch.ts';
import { readContactsOfNumber } from '../../src/contacts/of-number-records.ts';
import { readRunsOfMessages } from '../../src/jobs/management/runs.ts';
import * as ofNumber from '../../src/messages/management/of-number-records.ts';
import * as erasures from '../../src/people/erasure.ts';
import { searchPart } from '../../src/people/erasure-parts.ts';
import { searchedTables } from '../../src/people/search-left.ts';
import { type Sample, sample } from './sample.ts';
import { big, now, small } from './stock.ts';

const { companyId, userId } = big;
const limit = 20;
const number = '46701000200';
const digest = 'd7';
const of = { companyId, userId: null, callerId: userId, number, after: undefined, limit };
const behind = { time: now, id: 500_000 };
const ids = Array.from({ length: limit }, (_, place) => 100 + place);

export const peopleSamples: readonly Sample[] = [
  sample(readContactsOfNumber, { bookIds: [1], number }),
  sample(ofNumber.listSentTo, of, { ...of, after: behind }, { ...of, userId: small.userId }),
  sample(ofNumber.listReceivedFrom, of, { ...of, after: behind }, { ...of, userId: small.userId }),
  sample(ofNumber.listConversationsOf, of, { ...of, userId: small.userId }),
  sample(readRunsOfMessages, { companyId, ids }),
  sample(readBatchNames, { companyId, ids: Array.from({ length: limit }, (_, place) => 1 + place) }),
  sample(erasures.findErasure, { companyId, digests: [digest, 'd8'] }),
  sample(erasures.requestErasure, {
    companyId,
    digest,
    number,
    now,
    username: 'user10',
    session: undefined,
  }),
  sample(erasures.listDueErasures, { now, limit }),
  // Of the stock, one stands at each part, and one at each table of the search.
  sample(
    erasures.eraseStep,
    ...Array.from({ length: searchPart + Object.keys(searchedTables).length }, (_, place) => ({
      id: place + 1,
      now: now + 86_400_000,
    })),
  ),
];
