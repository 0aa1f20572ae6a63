import { setMaxListeners } from 'node:events';
import { afterAll, expect, test } from 'vitest';
import { readStoredBatches } from '../../../test/harness/intake-verbs.ts';
import { type Engine, eachStore } from '../../../test/harness/stores.ts';
import type { Caller } from '../../accounts/caller.ts';
import { systemClock } from '../../foundation/clock.ts';
import { readReason, storedReason } from '../../foundation/sentences.ts';
import { BodyBlocks } from '../../http/body/body.ts';
import { RoutingTable } from '../../routing/routing-table.ts';
import { Ids } from '../../storage/ids.ts';
import type { Store } from '../../storage/store.ts';
import { chunkSize } from '../batch.ts';
import { beginBatch, discardBatch } from './accept-store.ts';
import { Intake, type Upload } from './intake.ts';
import { type BatchSubmission, submitBatch } from './submit.ts';

const alice: Caller = {
  userId: 10,
  username: 'alice',
  companyId: 1,
  roles: new Set(['send'] as const),
  defaultSender: 'Sender',
  allowedSenders: undefined,
  replaceCharacters: false,
  maxBatch: 3_000,
  allowedCountries: undefined,
  session: undefined,
};

const nothingAsked: BatchSubmission = {
  from: undefined,
  message: 'Hello',
  batchconversation: undefined,
  costcenter: undefined,
  validminutes: 1_440,
  defaultcountrycode: undefined,
  replacecharacters: false,
  holders: [],
};

const intake = new Intake();
afterAll(() => intake.stop());

async function uploadOf(batch: readonly object[], closed: AbortSignal): Promise<Upload> {
  const blocks = new BodyBlocks();
  blocks.add(Buffer.from(JSON.stringify({ batch })));
  const opened = await intake.openJson(blocks, [], { companyId: 1, userId: 10 }, closed);
  return opened.batch as Upload;
}

const { signal: open } = new AbortController();
setMaxListeners(0, open);

function house(store: Store) {
  let accepted = 0;
  const ids = new Ids(store, 'batch', 10);
  const batching = {
    store,
    clock: systemClock,
    ids,
    routes: () =>
      new RoutingTable([{ name: 'most', prefix: '467', carriers: ['sim'] }], [{ id: 3, name: 'sim' }]),
    accepted() {
      accepted += 1;
    },
  };
  return {
    accepted: () => accepted,
    stored: () => store.read(readStoredBatches, null),
    async submit(
      batch: readonly object[],
      asked: Partial<BatchSubmission> = {},
      { caller = alice, key, closed = open }: { caller?: Caller; key?: string; closed?: AbortSignal } = {},
    ) {
      const upload = await uploadOf(batch, closed);
      return submitBatch(batching, caller, { ...nothingAsked, ...asked }, upload, key);
    },
  };
}

const to = (index: number) => ({ t: String(46_701_740_000 + index) });
const many = (count: number) => Array.from({ length: count }, (_, index) => to(index));

const nothingStored = { batches: [], rows: [], chunkSizes: [] };

eachStore('taking batches in', (engine: Engine) => {
  test('[BATCH-2] A batch is stored in full before the response, which says Received', async () => {
    const { submit, stored, accepted } = house((await engine.openFreshStore()).store);
    const asked = { batchconversation: 'May', costcenter: 'ward', validminutes: 60, from: 'Ward 7' };
    const answer = await submit(
      [
        { ...to(1), i: 'c1' },
        { ...to(2), m: 'Hi €' },
      ],
      asked,
    );
    expect(answer).toEqual({
      batchid: expect.stringMatching(/^\d+$/),
      batchconversation: 'May',
      batchstatuscode: 1,
      batchstatusdescription: 'Received',
    });
    const { batches, rows } = await stored();
    expect(batches).toEqual([
      {
        id: Number(answer.batchid),
        code: 1,
        failure_code: null,
        reason: null,
        conversation: 'May',
        sender: 'Ward 7',
        cost_center: 'ward',
        validity_minutes: 60,
        messages: 2,
        parts: 2,
        duplicates: 0,
        chunks: 1,
      },
    ]);
    expect(rows).toEqual([
      ['46701740001', 'Hello', 1, 'c1', 3],
      ['46701740002', 'Hi €', 1, 'May', 3],
    ]);
    expect(accepted()).toBe(1);
  });

  test('[BATCH-4] [BATCH-6] A batch is stored chunk by chunk, in order and without duplicates', async () => {
    const { submit, stored } = house((await engine.openFreshStore()).store);
    await submit([...many(chunkSize * 2 + 7), to(3), { ...to(4), m: 'Another' }]);
    const { batches, rows, chunkSizes } = await stored();
    expect(batches[0]).toMatchObject({ messages: chunkSize * 2 + 8, duplicates: 1, chunks: 3 });
    expect(chunkSizes).toEqual([chunkSize, chunkSize, 8]);
    expect(rows.map(([number]) => number)).toEqual([...many(chunkSize * 2 + 7), to(4)].map(({ t }) => t));
  });

  test('[BATCH-5] A faulty batch is refused with the code of its fault, and nothing is stored', async () => {
    const { submit, stored, accepted } = house((await engine.openFreshStore()).store);
    const faults: readonly (readonly [string, () => Promise<unknown>])[] = [
      ['invalid_number', () => submit([...many(1_000), { t: 'x' }])],
      ['no_route', () => submit([{ t: '4520000001' }])],
      ['no_text', () => submit([to(1)], { message: undefined })],
      ['no_recipients', () => submit([])],
      ['invalid_sender', () => submit([to(1)], { from: 'far too long a name' })],
      [
        'sender_not_allowed',
        () => submit([to(1)], {}, { caller: { ...alice, allowedSenders: new Set(['Other']) } }),
      ],
      ['no_sender', () => submit([to(1)], {}, { caller: { ...alice, defaultSender: undefined } })],
      ['role_missing', () => submit([to(1)], {}, { caller: { ...alice, roles: new Set() } })],
    ];
    for (const [code, submitted] of faults) await expect(submitted()).rejects.toMatchObject({ code });
    expect(await stored()).toEqual(nothingStored);
    expect(accepted()).toBe(0);
  });

  test('[BATCH-5] A batch with more recipients than the account may have is received, and fails with code 12', async () => {
    const { submit, stored } = house((await engine.openFreshStore()).store);
    expect(await submit(many(3_000))).toMatchObject({ batchstatuscode: 1 });
    expect(await submit([...many(3_000), to(1)])).toMatchObject({ batchstatuscode: 1 });
    const { batches, rows } = await stored();
    expect(batches.map(({ failure_code, messages, chunks }) => [failure_code, messages, chunks])).toEqual([
      [null, 3_000, 6],
      [12, 0, 0],
    ]);
    expect(batches[1]?.reason).toBe(
      storedReason({ sentence: 'batch_recipients', recipients: 3_001, most: 3_000 }),
    );
    expect(rows.length).toBe(3_000);
  });

  test('[BATCH-5] A batch with a text that is empty or too long after substitution is received, and fails with code 14', async () => {
    const { submit, stored } = house((await engine.openFreshStore()).store);
    const asked = { message: 'NAME', holders: ['NAME'] };
    const batch: object[] = many(1_200).map((recipient) => ({ ...recipient, s: ['Anna'] }));
    batch[1_100] = to(1_100);
    expect(await submit(batch, asked)).toMatchObject({ batchstatuscode: 1 });
    await submit([{ ...to(1), s: ['x'.repeat(50_000)] }], asked);
    const { batches } = await stored();
    expect(batches.map(({ failure_code, reason }) => [failure_code, readReason(reason ?? '').text])).toEqual([
      [14, 'batch[1100]: The message text is empty.'],
      [14, expect.stringMatching(/^batch\[0\]: The text needs \d+ SMS parts/)],
    ]);
  });

  test('[BATCH-6] If a client leaves before the response, its batch is stored in full or not at all', async () => {
    const { submit, stored } = house((await engine.openFreshStore()).store);
    const client = new AbortController();
    const submitted = submit(many(3_000), {}, { closed: client.signal });
    setTimeout(() => client.abort(), 30);
    // Either side may win the race: all of the batch was received, or none of it.
    const received = await submitted.then(
      () => true,
      () => false,
    );
    const { batches, rows } = await stored();
    expect([batches.length, rows.length]).toEqual(received ? [1, 3_000] : [0, 0]);
    const gone = AbortSignal.abort();
    await expect(submit([to(1)], {}, { closed: gone })).rejects.toMatchObject({ code: 'request_timeout' });
  });

  test('[BATCH-6] A batch removed as abandoned during its upload is refused, and no part of it stays stored', async () => {
    const { store } = await engine.openFreshStore();
    const { submit, stored } = house({
      ...boundTo(store),
      async write(verb, input) {
        const output = await store.write(verb, input);
        // Simulates storing that takes hours while a sweep discards the batch.
        if ((verb as unknown) === beginBatch) await store.write(discardBatch, input as never);
        return output;
      },
    });
    await expect(submit(many(1_200))).rejects.toMatchObject({ code: 'overloaded' });
    expect(await stored()).toEqual(nothingStored);
  });

  test('[BATCH-10] The same batch with one idempotency key is accepted once, and another batch with that key is refused', async () => {
    const { submit, stored, accepted } = house((await engine.openFreshStore()).store);
    const key = 'k';
    const first = await submit(many(600), {}, { key });
    expect(await submit(many(600), {}, { key })).toEqual(first);
    await expect(submit(many(601), {}, { key })).rejects.toMatchObject({ code: 'idempotency_mismatch' });
    await expect(submit(many(600), { message: 'Hi' }, { key })).rejects.toMatchObject({
      code: 'idempotency_mismatch',
    });
    // A request that was valid the first time gets the same answer again, even if it would be refused now.
    const lessCaller = { ...alice, defaultSender: undefined };
    expect(await submit(many(600), {}, { key, caller: lessCaller })).toEqual(first);
    expect((await submit(many(600), {}, { key: 'other' })).batchid).not.toBe(first.batchid);
    expect((await stored()).batches.length).toBe(2);
    expect(accepted()).toBe(2);
  });

  test('[BATCH-10] A batch posted several times at once with one idempotency key is accepted once', async () => {
    const { submit, stored, accepted } = house((await engine.openFreshStore()).store);
    const key = 'k';
    const answers = await Promise.all(Array.from({ length: 4 }, () => submit(many(1_200), {}, { key })));
    expect(new Set(answers.map(({ batchid }) => batchid)).size).toBe(1);
    const { batches, rows } = await stored();
    expect([batches.length, rows.length, accepted()]).toEqual([1, 1_200, 1]);
  });

  test('[BATCH-10] A refused batch does not use up its idempotency key: it may be corrected and sent again', async () => {
    const { submit } = house((await engine.openFreshStore()).store);
    await expect(submit([{ t: 'x' }], {}, { key: 'k' })).rejects.toMatchObject({ code: 'invalid_number' });
    expect(await submit([to(1)], {}, { key: 'k' })).toMatchObject({ batchstatuscode: 1 });
  });
});

/** Delegates to the store, so that a test can override single functions. */
function boundTo(store: Store): Store {
  return {
    dialect: store.dialect,
    damage: store.damage,
    worksFor: (verb) => store.worksFor(verb),
    waitMs: (verb) => store.waitMs(verb),
    waitingReads: store.waitingReads,
    write: (verb, input) => store.write(verb, input),
    read: (verb, input) => store.read(verb, input),
    forgetDeleted: () => store.forgetDeleted(),
    announce: (topic) => store.announce(topic),
    onAnnouncement: (listener) => store.onAnnouncement(listener),
    close: () => store.close(),
  };
}
