import { expect, test } from 'vitest';
import { acceptTogether } from '../../../test/harness/acceptance-verbs.ts';
import { testRow } from '../../../test/harness/accepted-rows.ts';
import { putCompany, putUser } from '../../../test/harness/account-verbs.ts';
import { deliveryStore, range } from '../../../test/harness/delivery-store.ts';
import { eachStore } from '../../../test/harness/stores.ts';
import { listAudit } from '../../audit/audit-log.ts';
import { stage } from '../message.ts';
import type { Acceptance } from './accept.ts';

const quotaParts = 1_000_000;
let nextId = 1;

interface Asked {
  readonly companyId: number;
  readonly nodeId: number;
  readonly recipients: readonly string[];
  readonly key?: string;
  readonly parts?: number;
}

/** Messages of three parts that go straight in flight, from the company's only user. */
function acceptance({
  companyId,
  nodeId,
  recipients,
  key,
  parts = 3 * recipients.length,
}: Asked): Acceptance {
  const userId = companyId * 10;
  const idempotency = { requestHash: 'same', now: 1_000, answer: '{}', expiresAt: 1_000_000 };
  return {
    companyId,
    userId,
    parts,
    costCenter: '',
    now: 1_000,
    month: '1970-01',
    nodeId,
    idempotency: key === undefined ? null : { key, ...idempotency },
    rows: recipients.map((recipient) =>
      testRow({
        company_id: companyId,
        id: nextId++,
        user_id: userId,
        recipient,
        text: 'x'.repeat(400),
        parts: 3,
        stage: stage.inFlight,
        attempts: 1,
        node_id: nodeId,
      }),
    ),
  };
}

eachStore('acceptances of long SMS', (engine) => {
  const given = deliveryStore(engine);

  test('[DLV-4] [SEND-20] [RUN-2] Acceptances of long SMS assign references in one order, even after a refusal, and never deadlock', async () => {
    await given.store.write(putUser, { id: 10, companyId: 1, username: 'first', quotaParts });
    await given.store.write(putCompany, { id: 2, name: 'Other' });
    await given.store.write(putUser, { id: 20, companyId: 2, username: 'third', quotaParts });
    const other = engine.name === 'postgres' ? await given.fresh.openAnother() : given.store;
    // Counts runs where the verb runs in this thread: a set that runs a second time has hit a deadlock.
    let runs = 0;
    const counted: typeof acceptTogether = {
      ...acceptTogether,
      run: (transaction, inputs) => {
        runs += 1;
        return acceptTogether.run(transaction, inputs);
      },
    };
    const phones = (from: number) => range(from, from + 29).map((number) => `4670${1_000_000 + number}`);
    const [low, high] = [phones(100), phones(200)];
    for (const round of range(1, 8)) {
      const key = `round ${round}`;
      const set = (at: Omit<Asked, 'recipients'>, first: readonly string[], second: readonly string[]) => [
        acceptance({ ...at, recipients: first }),
        acceptance({ ...at, recipients: ['46701740600'], key, parts: quotaParts + 1 }),
        acceptance({ ...at, recipients: second, key }),
      ];
      const answers = await Promise.all([
        given.store.write(counted, set({ companyId: 1, nodeId: 7 }, high, low)),
        other.write(counted, set({ companyId: 2, nodeId: 8 }, low, high)),
      ]);
      for (const [first, refused, second] of answers) {
        expect(refused).toEqual({ kind: 'quotaExceeded' });
        for (const answer of [first, second]) {
          expect(answer).toMatchObject({ kind: 'accepted', inFlight: true, references: expect.any(Map) });
        }
      }
    }
    expect(runs).toBe(engine.name === 'postgres' ? 16 : 0);
  });

  test('[PORT-7] [SEND-20] Of calls that are stored together, each that is accepted has its entry in the audit log, and none that is refused or repeated', async () => {
    await given.store.write(putUser, { id: 10, companyId: 1, username: 'first', quotaParts });
    const call = (object: string, more: Partial<Asked> = {}): Acceptance => {
      const by = { channel: 'portal', username: 'first' } as const;
      const asked = { companyId: 1, nodeId: 7, recipients: ['46701740600'], ...more };
      return {
        ...acceptance(asked),
        audited: { companyId: 1, at: 1_000, by, act: 'message.send', object },
      };
    };
    const answers = await given.store.write(acceptTogether, [
      call('accepted'),
      call('refused', { key: 'audited', parts: quotaParts + 1 }),
      call('accepted with the key', { key: 'audited' }),
      call('repeated', { key: 'audited' }),
    ]);
    expect(answers.map(({ kind }) => kind)).toEqual(['accepted', 'quotaExceeded', 'accepted', 'repeated']);
    const entries = await given.store.read(listAudit, { companyId: 1, before: null, limit: 10 });
    expect(entries.map(({ object }) => object).reverse()).toEqual(['accepted', 'accepted with the key']);
  });
});
