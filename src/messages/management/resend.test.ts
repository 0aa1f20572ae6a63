import { expect, test } from 'vitest';
import { resendTogether } from '../../../test/harness/acceptance-verbs.ts';
import { testRow } from '../../../test/harness/accepted-rows.ts';
import { putUser } from '../../../test/harness/account-verbs.ts';
import { deliveryStore, range } from '../../../test/harness/delivery-store.ts';
import { eachStore } from '../../../test/harness/stores.ts';
import { listAudit } from '../../audit/audit-log.ts';
import { acceptResent, type Resent } from './resend-store.ts';

let nextId = 1;

function resent(userId: number): Resent {
  const id = nextId++;
  return {
    username: `user ${userId}`,
    session: undefined,
    id: `1${id}`,
    onlyOnce: false,
    acceptance: {
      companyId: 1,
      userId,
      parts: 1,
      costCenter: '',
      now: 1_000,
      month: '1970-01',
      nodeId: null,
      idempotency: null,
      rows: [testRow({ id, user_id: userId })],
    },
  };
}

eachStore('messages that are sent again', (engine) => {
  const given = deliveryStore(engine);

  test('[PORT-7] [RUN-2] Messages sent again at two nodes at once, in crossing order, never deadlock, and all are audited', async () => {
    const other = engine.name === 'postgres' ? await given.fresh.openAnother() : given.store;
    // Counts runs where the verb runs in this thread: a set that runs a second time has hit a deadlock.
    let runs = 0;
    const counted: typeof resendTogether = {
      ...resendTogether,
      run: (transaction, inputs) => {
        runs += 1;
        return resendTogether.run(transaction, inputs);
      },
    };
    const all: Resent[] = [];
    for (const round of range(1, 8)) {
      const [first, second] = [[10, 11].map(resent), [11, 10].map(resent)];
      all.push(...first, ...second);
      const answers = await Promise.all([given.store.write(counted, first), other.write(counted, second)]);
      expect([round, ...answers.flat()]).toEqual([
        round,
        ...Array.from({ length: 4 }, () => ({ kind: 'accepted', inFlight: false })),
      ]);
    }
    expect(runs).toBe(engine.name === 'postgres' ? 16 : 0);
    const entries = await given.store.read(listAudit, { companyId: 1, before: null, limit: 100 });
    expect(entries.map(({ username, object, details }) => `${username} ${object} ${details}`).sort()).toEqual(
      all.map(({ username, id }) => `${username} ${id} as ${id.slice(1)}`).sort(),
    );
  });

  const once = (userId: number, id: string): Resent => {
    const one = resent(userId);
    const answer = JSON.stringify(one.id);
    const idempotency = { key: id, requestHash: 'x', now: 1_000, expiresAt: 90_000, answer };
    return { ...one, id, onlyOnce: true, acceptance: { ...one.acceptance, idempotency } };
  };

  test('[SEND-20] Of two users whose calls for the same message are stored together, the second sends it if the first may not', async () => {
    await given.store.write(putUser, { id: 10, companyId: 1, username: 'without quota', quotaParts: 0 });
    const calls = [once(10, '804'), once(11, '804'), once(11, '804')];
    const [refused, accepted, repeated] = await given.store.write(resendTogether, calls);
    expect(refused).toMatchObject({ kind: 'quotaExceeded' });
    expect(accepted).toMatchObject({ kind: 'accepted' });
    expect(repeated).toEqual({ kind: 'repeated', answer: calls[1]?.acceptance.idempotency?.answer });
  });

  test('[SEND-20] [RUN-2] Of two users who send the same message again at two nodes at once, the second gets the answer of the first', async () => {
    const other = engine.name === 'postgres' ? await given.fresh.openAnother() : given.store;
    for (const id of ['901', '902', '903']) {
      const [first, second] = [once(10, id), once(11, id)];
      const answers = await Promise.all([
        given.store.write(acceptResent, first),
        other.write(acceptResent, second),
      ]);
      const [accepted, repeated] = answers[0].kind === 'accepted' ? answers : [answers[1], answers[0]];
      const winner = answers[0].kind === 'accepted' ? first : second;
      expect(accepted.kind).toBe('accepted');
      expect(repeated).toEqual({ kind: 'repeated', answer: winner.acceptance.idempotency?.answer });
    }
    const entries = await given.store.read(listAudit, { companyId: 1, before: null, limit: 100 });
    const objects = entries.map(({ object }) => object).filter((id) => id.startsWith('90'));
    expect(objects.sort()).toEqual(['901', '902', '903']);
  });
});
