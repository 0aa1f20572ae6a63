/** Sample inputs for the verbs of sendings. */
import { cancelOfSending, rescheduleSending } from '../../src/messages/sendings/acts.ts';
import { type PeopleQuery, readPeopleOfSending } from '../../src/messages/sendings/people.ts';
import { purgeSendings } from '../../src/messages/sendings/purge.ts';
import { listSendings, meanings, readSending, sendingStates } from '../../src/messages/sendings/sending.ts';
import { type Sample, sample } from './sample.ts';
import { big, firstSending, messagesOfSending, now, small } from './stock.ts';

const limit = 20;
const { companyId, userId } = big;
const all = { companyId, userId: null };
/** Its first message is scheduled. */
const id = firstSending + 20 * 20_000;
const people: PeopleQuery = {
  companyId,
  callerId: userId,
  afterId: id - 1,
  lastId: id + messagesOfSending - 1,
  state: undefined,
  meaning: undefined,
  limit,
};
const act = { ...all, id, username: 'user10', session: undefined, now };
const start = { createdAt: 0, companyId: 0, id: 0 };

export const sendingSamples: readonly Sample[] = [
  sample(
    listSendings,
    { ...all, callerId: userId, after: undefined, limit },
    { ...big, callerId: userId, after: { time: now - 86_400_000, id }, limit },
    { ...small, callerId: small.userId, after: undefined, limit },
    { companyId: 2, userId: null, callerId: 20, after: undefined, limit },
  ),
  sample(readSending, { ...all, id: id + 3 }, { ...all, id: 900_000 }, { companyId: 2, userId: null, id: 7 }),
  sample(
    readPeopleOfSending,
    people,
    ...sendingStates.map((state) => ({ ...people, state })),
    ...meanings.map((meaning) => ({ ...people, meaning })),
  ),
  sample(cancelOfSending, act, { ...act, id: 900_000 }),
  sample(rescheduleSending, { ...act, id: id + 20, time: now + 999 }),
  sample(
    purgeSendings,
    { after: start, createdBefore: now - 15 * 86_400_000, limit: 100 },
    { after: start, createdBefore: 1, limit: 100 },
  ),
];
