/** Sample inputs for the verbs about people: what is stored about a number, and each part of its erasure. */
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
/** A number with two forms. */
const rewritten = '525562000017';
const digest = 'd7';
const of = { companyId, userId: null, callerId: userId, number, after: undefined, limit };
const behind = { time: now, id: 500_000 };
const lists = [
  of,
  { ...of, after: behind },
  { ...of, userId: small.userId },
  { ...of, number: rewritten, after: behind },
];
const from = (first: number, length: number) => Array.from({ length }, (_, place) => first + place);
const ids = from(100, limit);

export const peopleSamples: readonly Sample[] = [
  sample(
    readContactsOfNumber,
    { places: [{ bookId: 1, after: 0 }], number },
    { places: [{ bookId: 1, after: 1_000 }], number: rewritten },
  ),
  sample(ofNumber.listSentTo, ...lists),
  sample(ofNumber.listReceivedFrom, ...lists),
  sample(ofNumber.listConversationsOf, ...lists),
  sample(readRunsOfMessages, { companyId, ids }),
  sample(readBatchNames, { companyId, ids: from(1, limit) }),
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
  // From the stocked erasures: one at each part, one at each table of the search, and one at each part for a number with two
  // forms.
  sample(
    erasures.eraseStep,
    ...[...from(1, searchPart + Object.keys(searchedTables).length), ...from(73, searchPart)].map((id) => ({
      id,
      now: now + 86_400_000,
    })),
  ),
];
