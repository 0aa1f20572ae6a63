import { expect, test } from 'vitest';
import { listMessages, listUnmatched, logMessages, putMessages } from '../../test/harness/delivery-verbs.ts';
import { keepOptOutsOfSms, putNearMiss, removeOptOuts } from '../../test/harness/opt-out-verbs.ts';
import { countOfNumber, plant, plantRows, readColumns } from '../../test/harness/search-verbs.ts';
import { eachStore } from '../../test/harness/stores.ts';
import { listConversationsOf, listReceivedFrom } from '../messages/management/of-number-records.ts';
import { status } from '../messages/message.ts';
import { listNearMisses } from '../opt-outs/near-miss.ts';
import { findOptedOut, readOptOutsOfNumber, searchOptOuts } from '../opt-outs/opt-out.ts';
import { personDigest, personSecret } from '../opt-outs/person-digest.ts';
import type { Store } from '../storage/store.ts';
import { eraseStep, findErasure, requestErasure } from './erasure.ts';

const number = '46701740699';
const companyId = 1;

/** Inserts rows of company 1 whose other columns don't matter. */
async function planting(store: Store) {
  const columns = await store.read(readColumns, null);
  const plantRow = (table: string, own: Readonly<Record<string, number | string>>) => {
    const values = columns
      .filter((column) => column.table === table && column.name !== 'managed_by')
      .map(({ name, isText }) => [name, own[name] ?? (isText ? 'x' : 1)] as const);
    return store.write(plant, { table, values: Object.fromEntries(values) });
  };
  await plantRow('companies', { id: companyId });
  return plantRow;
}

eachStore('an erasure', (engine) => {
  test('[PORT-7] An erasure takes small steps, however many address books and runs contain the person, and leaves nothing', async () => {
    const { store } = await engine.openFreshStore();
    const plantRow = await planting(store);
    for (let id = 1; id <= 45; id += 1) {
      await plantRow('address_books', { id, name: `book ${id}` });
      await plantRow('contacts', { book_id: id, id, phone: number });
    }
    const answer = { at: 1, text: `Call ${number}`, meaning: 'comment' };
    const person = JSON.stringify({ place: 0, phone: number, name: 'Eva', answer });
    for (let id = 1; id <= 3; id += 1) {
      await plantRow('job_runs', { id });
      await plantRow('job_people', { run_id: id, place: 0, person });
    }
    const asked = { companyId, username: 'alice', session: undefined, digest: 'd7', number, now: 1_000 };
    const requested = await store.write(requestErasure, asked);
    if (requested.kind !== 'requested') throw new Error('it was refused');
    const { id } = requested.erasure;
    let left = await store.read(countOfNumber, number);
    expect(left).toEqual({ contacts: 45, people: 3 });
    const most = { contacts: 0, people: 0 };
    for (let kind = 'goesOn'; kind !== 'done'; ) {
      ({ kind } = await store.write(eraseStep, { id, now: 10_000 }));
      expect(kind).not.toBe('nothingDue');
      const now = await store.read(countOfNumber, number);
      most.contacts = Math.max(most.contacts, left.contacts - now.contacts);
      most.people = Math.max(most.people, left.people - now.people);
      left = now;
    }
    expect(most).toEqual({ contacts: 20, people: 1 });
    expect(left).toEqual({ contacts: 0, people: 0 });
  });

  test('[PORT-7] An erasure removes unmatched receipts that contain the number, wherever they contain it', async () => {
    const { store } = await engine.openFreshStore();
    const others = Array.from({ length: 2_400 }, (_, place) => [
      ...[place, '46701740640', 'delivered to 46701740641', 2_000 + Math.floor(place / 3)],
    ]);
    const concerned = [
      [2_400, number, null, 1],
      [2_401, null, `id:7 to:+${number}`, 2_300],
      [2_402, '0701740699', null, 2_333],
      [number, null, null, 9_000],
    ];
    const columns = {
      carrier_message_id: 'text',
      recipient: 'text',
      text: 'text',
      received_at: 'bigint',
    } as const;
    const rows = [...others, ...concerned].map(([id = null, ...rest]) => [1, String(id), ...rest]);
    await store.write(plantRows, {
      table: 'unmatched_receipts',
      columns: { carrier_id: 'bigint', ...columns },
      rows,
    });
    const asked = { companyId, username: 'alice', session: undefined, digest: 'd7', number, now: 1_000 };
    await store.write(requestErasure, asked);
    for (let kind = 'goesOn'; kind !== 'done'; ) {
      ({ kind } = await store.write(eraseStep, { id: 1, now: 10_000 }));
      expect(kind).not.toBe('nothingDue');
    }
    expect(await store.read(listUnmatched, null)).toHaveLength(others.length);
  });

  test.each([
    ['525562000017', '5215562000017'],
    ['5215562000017', '525562000017'],
    ['541123456789', '5491123456789'],
  ])(
    '[PORT-7] [INC-2] An erasure of %s removes the data of %s, the same number as networks rewrite it',
    async (asked, other) => {
      const { store } = await engine.openFreshStore();
      const plantRow = await planting(store);
      await plantRow('address_books', { id: 1 });
      await plantRow('contacts', { id: 1, phone: other });
      await plantRow('contact_groups', { name: 'x' });
      await plantRow('group_members', { group_name: 'x', number: other, external_id: 'y' });
      await plantRow('system_users', { id: 1 });
      await plantRow('users', { id: 1 });
      await plantRow('incoming_messages', { id: 1, sender: other });
      await plantRow('conversations', { id: 1, phone: other });
      await plantRow('number_leases', { recipient: other });
      await plantRow('job_runs', { id: 1 });
      await plantRow('job_people', {
        place: 0,
        person: JSON.stringify({ place: 0, phone: other, name: 'Eva' }),
      });
      await plantRow('job_answers', { id: 1, sender: other });
      await plantRow('webhook_endpoints', { id: 1 });
      await plantRow('webhook_events', { data: JSON.stringify({ to: `+${other}`, message: 'Hello' }) });
      // A text that mentions the number stays, and does not hold up a walk.
      await plantRow('webhook_events', {
        seq: 8,
        data: JSON.stringify({ to: '46701740640', message: `Call ${other}` }),
      });
      await store.write(
        putMessages,
        [7, 8].map((id) => ({ id, recipient: other, status: status.DELIVERED, stage: null })),
      );
      // The log lacks the other message.
      await store.write(logMessages, { companyId, firstId: 7, count: 1 });
      await plantRow('batches', { id: 1, code: 1 });
      await plantRow('batch_chunks', { batch_id: 1, finished: JSON.stringify([[other, 'Hello']]) });
      const request = {
        companyId,
        username: 'alice',
        session: undefined,
        digest: 'd7',
        number: asked,
        now: 10_000,
      };
      const requested = await store.write(requestErasure, request);
      if (requested.kind !== 'requested') throw new Error('it was refused');
      const { id } = requested.erasure;
      for (let kind = 'goesOn'; kind === 'goesOn'; )
        ({ kind } = await store.write(eraseStep, { id, now: 20_000 }));
      const erasure = await store.read(findErasure, { companyId, digests: ['d8', 'd7'] });
      expect(erasure).toMatchObject({ erased: 10, kept: { batches: 1 } });
      expect(await store.read(countOfNumber, other)).toEqual({ contacts: 0, people: 0 });
      expect(await store.read(listMessages, null)).toEqual([]);
      const lists = { companyId, userId: null, callerId: 1, number: asked, after: undefined, limit: 10 };
      expect(await store.read(listReceivedFrom, lists)).toEqual([]);
      expect(await store.read(listConversationsOf, lists)).toEqual([]);
    },
  );

  test('[OPT-3] [PORT-7] The opt-outs of an erased person hold on without the number, and no later one brings it back', async () => {
    const { store } = await engine.openFreshStore();
    await planting(store);
    const secret = personSecret('a secret of the server');
    const [asked, other] = ['525562000017', '5215562000017'] as const;
    const stop = {
      category: 'all',
      since: 500,
      source: 'sms',
      word: 'STOP',
      proof: `STOP ${asked}`,
    } as const;
    const keep = (phone: string, more: object = {}) =>
      store.write(keepOptOutsOfSms, { companyId, given: [{ ...stop, phone, ...more }], secret });
    const outOf = async (phones: readonly string[]) =>
      [...(await store.read(findOptedOut, { companyId, phones, secret }))].map(([phone, categories]) => [
        phone,
        ...categories,
      ]);
    await keep(asked, { incomingId: 7, number: '46701740600' });
    await keep(other, { category: 'marketing' });
    await keep('46701740640', { proof: 'Stop' });
    const nearMiss = { companyId, phone: other, number: '46701740600', text: 'Please stop', at: 400 };
    await store.write(putNearMiss, { ...nearMiss, incomingId: 6 });
    const digest = personDigest(secret, companyId, asked);
    const request = { companyId, username: 'alice', session: undefined, digest, number: asked, now: 1_000 };
    await store.write(requestErasure, request);
    for (let kind = 'goesOn'; kind !== 'done'; ) {
      ({ kind } = await store.write(eraseStep, { id: 1, now: 10_000 }));
      expect(kind).not.toBe('nothingDue');
    }
    const all = { companyId, secret, behind: null, limit: 10 };
    const { rows } = await store.read(searchOptOuts, all);
    const erased = { phone: digest, word: '', proof: '', incomingId: null, erased: true };
    expect(rows).toMatchObject([
      { phone: '46701740640', proof: 'Stop', erased: false },
      { ...erased, category: 'marketing' },
      { ...erased, category: 'all', since: 500, source: 'sms' },
    ]);
    expect(JSON.stringify(rows)).not.toMatch(/5562000017/);
    expect(await store.read(listNearMisses, { companyId, behind: null, limit: 10 })).toEqual([]);
    expect(await outOf([other])).toEqual([[other, 'all', 'marketing']]);
    expect(await outOf([asked, '46701740640', '46701740641'])).toEqual([
      ['46701740640', 'all'],
      [asked, 'all', 'marketing'],
    ]);
    const of = { companyId, phone: other, secret };
    expect(await store.read(readOptOutsOfNumber, of)).toHaveLength(2);
    expect(await keep(other)).toMatchObject([{ isNew: false }]);
    expect((await store.read(searchOptOuts, all)).rows).toEqual(rows);
    // Under another secret of the server, the digest is that of no number.
    const lost = { companyId, phones: [asked], secret: personSecret('another secret') };
    expect((await store.read(findOptedOut, lost)).size).toBe(0);
    expect(await store.write(removeOptOuts, of)).toEqual(expect.arrayContaining(['all', 'marketing']));
    expect(await outOf([asked, other])).toEqual([]);
  });
});
