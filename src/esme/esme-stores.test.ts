import { beforeEach, expect, test } from 'vitest';
import { putCompany, putSmppLogin, putUser } from '../../test/harness/account-verbs.ts';
import { listMessages, type MessageRow, putSimulator } from '../../test/harness/delivery-verbs.ts';
import { callerOf } from '../../test/harness/messaging-room.ts';
import { eachStore } from '../../test/harness/stores.ts';
import { holdReader } from '../changes/held-reader.ts';
import { markJournal } from '../changes/journal.ts';
import { Turns } from '../foundation/turns.ts';
import { status } from '../messages/message.ts';
import { enterNode, leaveNode } from '../messages/nodes/store.ts';
import { cancel } from '../messages/operator/cancel.ts';
import type { Sending } from '../messages/sending/send.ts';
import { RoutingTable } from '../routing/routing-table.ts';
import { Ids } from '../storage/ids.ts';
import { News } from '../storage/news.ts';
import type { Store } from '../storage/store.ts';
import { SavedTemplates } from '../templates/saved-templates.ts';
import { buildUdh } from '../wire/smpp/concatenation.ts';
import type { PduInputOf } from '../wire/smpp/pdu.ts';
import { encodePdu, PduReader } from '../wire/smpp/pdu.ts';
import { endBind, keepBind } from './binds-store.ts';
import { beforeAll, holdDeliveries, readDeliveries, releaseDeliveries, settleDelivery } from './delivery.ts';
import { query } from './query.ts';
import { sendDueParts } from './send-parts.ts';
import type { SubmitPdu } from './submission.ts';
import { submit } from './submit.ts';
import { clientReader, keepClientReader, takeClientChanges } from './take-changes-store.ts';

const start = Date.parse('2026-06-01T12:00:00Z');
const caller = { ...callerOf(11), username: 'anna' };
const log = { warn: () => undefined };

/** A PDU as a client writes it and the server reads it. */
function received<Command extends 'submitSm' | 'submitMulti' | 'querySm'>(
  fields: Omit<PduInputOf<Command>, 'sequence'>,
): Extract<SubmitPdu, { command: Command }> {
  const reader = new PduReader();
  reader.push(encodePdu({ sequence: 1, ...fields } as PduInputOf<'submitSm'>));
  return reader.next() as Extract<SubmitPdu, { command: Command }>;
}

eachStore('the store of SMPP clients', (engine) => {
  let store: Store;
  let sending: Sending;
  const clock = { time: start, now: () => clock.time };

  beforeEach(async () => {
    clock.time = start;
    store = (await engine.openFreshStore()).store;
    await store.write(putCompany, { id: 1, name: 'Clinic' });
    await store.write(putUser, {
      id: 11,
      companyId: 1,
      username: 'anna',
      roles: ['send'],
      quotaParts: 10,
      defaultSender: 'Sender',
    });
    await store.write(putSmppLogin, { username: 'anna' });
    await store.write(putSimulator, { id: 1, name: 'sim' });
    for (const nodeId of [1, 2]) await store.write(enterNode, { nodeId, now: start });
    await store.write(keepClientReader, null);
    await store.write(holdReader, { name: clientReader, nodeId: 1 });
    const carrier = { id: 1, name: 'sim', type: 'simulator' as const, settings: {} };
    const routes = new RoutingTable([{ name: 'all', prefix: '', carriers: ['sim'] }], [carrier]);
    sending = {
      store,
      clock,
      ids: new Ids(store, 'message', 100),
      routes: () => routes,
      templates: new SavedTemplates(store, new News(store)),
      dispatching: { expect: () => undefined, wake: () => undefined },
      observer: { accepted: () => undefined },
      security: { record: () => undefined },
      turns: new Turns(),
      personSecret: '00',
    };
  });

  const texts = async () => ((await store.read(listMessages, null)) as MessageRow[]).map(({ text }) => text);

  /** Submits a text, or a part of one; returns the id that the client is told, or the status. */
  async function submitted(
    text: string,
    [part, parts, reference]: readonly number[] = [],
    to = '46731234567',
  ) {
    const header = part && parts && reference ? buildUdh({ reference, part, parts }) : [];
    const pdu = received<'submitSm'>({
      command: 'submitSm',
      destinationAddr: to,
      destAddrTon: 1,
      registeredDelivery: 1,
      esmClass: header.length === 0 ? 0 : 0x40,
      shortMessage: Buffer.from([...header, ...Buffer.from(text)]),
      tlvs: { userMessageReference: 77 },
    });
    const answer = await submit(sending, caller, pdu);
    return answer.status || ('messageId' in answer && answer.messageId) || '';
  }

  /** Ends all messages by cancelling them, and returns the receipts in order. */
  async function receipts(): Promise<
    readonly (readonly [id: string, to: string | null, status: number | null])[]
  > {
    for (const { id } of (await store.read(listMessages, null)) as MessageRow[])
      await cancel(store, clock, String(id)).catch(() => undefined);
    const { place: to } = await store.read(markJournal, null);
    await store.write(takeClientChanges, { nodeId: 1, to, limit: 100, now: clock.time });
    const found = await store.read(readDeliveries, { userId: 11, after: beforeAll, limit: 100 });
    return found.map(({ shownId, recipient, status: code }) => [String(shownId), recipient, code]);
  }

  const state = async (id: string) => {
    const pdu = received<'querySm'>({ command: 'querySm', messageId: id } as never) as never;
    const answer = await query(sending, caller, pdu);
    return 'messageState' in answer ? answer.messageState : answer.status;
  };

  test('[ESME-2] Parts that come in any order become one message, and each id that the client knows gets a receipt', async () => {
    const second = await submitted('two ', [2, 3, 9]);
    const last = await submitted('three', [3, 3, 9]);
    const other = await submitted('other', [1, 2, 9]);
    expect(await texts()).toEqual([]);
    expect(await state(String(second))).toBe(1);
    const first = await submitted('one ', [1, 3, 9]);
    expect(await texts()).toEqual(['one two three']);
    expect(await state(String(second))).toBe(1);
    const ended = await receipts();
    expect(ended.map(([id]) => id).sort()).toEqual([first, second, last].map(String).sort());
    expect(await state(String(second))).toBe(4);
    expect(ended[0]).toEqual([expect.anything(), '46731234567', status.DELETED]);
    expect(await state(String(other))).toBe(1);
    expect(await state('12345')).toBe(0x0c);
  });

  test('[ESME-2] A part without the others becomes a message of its own after a minute', async () => {
    const id = await submitted('alone', [1, 2, 9]);
    clock.time += 59_000;
    await sendDueParts(sending, log);
    expect(await texts()).toEqual([]);
    clock.time += 1_000;
    await sendDueParts(sending, log);
    await sendDueParts(sending, log);
    expect(await texts()).toEqual(['alone']);
    expect(await receipts()).toEqual([[id, '46731234567', status.DELETED]]);
  });

  test('[ESME-2] A text that can’t be sent is refused with its last part, and a part that never could at once', async () => {
    expect(await submitted('to nobody', [1, 2, 9], '12')).toBe(0x0b);
    const part = 'x'.repeat(150);
    for (let index = 1; index < 11; index++) expect(await submitted(part, [index, 11, 8])).toMatch(/^\d+$/);
    expect(await submitted(part, [11, 11, 8])).toBe(0x45);
    clock.time += 60_000;
    await sendDueParts(sending, log);
    // The quota is enough for ten parts.
    expect((await texts()).length).toBe(10);
  });

  test('[ESME-3] Each end that the client asked for is queued once, with the client’s reference, until it is acknowledged', async () => {
    const id = await submitted('Hello');
    expect(await receipts()).toEqual([[id, '46731234567', status.DELETED]]);
    expect(await receipts()).toHaveLength(1);
    const [delivery] = await store.read(readDeliveries, { userId: 11, after: beforeAll, limit: 10 });
    expect(delivery).toMatchObject({ reference: 77, text: 'Hello', sender: 'Sender', submittedAt: start });
    const { place = 0, shownId = 0 } = delivery ?? {};
    expect(await store.read(readDeliveries, { userId: 11, after: { place, shownId }, limit: 10 })).toEqual(
      [],
    );
    await store.write(settleDelivery, { userId: 11, place, shownId });
    expect(await receipts()).toEqual([]);
  });

  test('[ESME-2] submit_multi answers with one id, which all receipts carry, and tells whom it can’t be sent to', async () => {
    const address = (destinationAddr: string) => ({ destAddrTon: 1, destAddrNpi: 1, destinationAddr });
    const pdu = received<'submitMulti'>({
      command: 'submitMulti',
      destAddresses: ['46731234567', '99', '46731234568'].map(address),
      registeredDelivery: 1,
      shortMessage: Buffer.from('Hello'),
    });
    const answer = await submit(sending, caller, pdu);
    expect(answer).toMatchObject({
      command: 'submitMultiResp',
      unsuccessSmes: [{ ...address('99'), errorStatusCode: 0x0b }],
    });
    const { messageId } = answer as { messageId: string };
    const ended = (await receipts()).map(([id, to]) => [id, to]);
    expect(ended).toEqual([
      [messageId, '46731234567'],
      [messageId, '46731234568'],
    ]);
  });

  test('[ESME-4] The binds of a user are counted over all nodes that live', async () => {
    const bind = (nodeId: number, number: number) =>
      store.write(keepBind, { userId: 11, nodeId, bind: number });
    expect([await bind(1, 1), await bind(2, 1), await bind(1, 2)]).toEqual([true, true, false]);
    await store.write(endBind, { userId: 11, nodeId: 1, bind: 1 });
    expect([await bind(1, 3), await bind(1, 4)]).toEqual([true, false]);
    await store.write(leaveNode, 2);
    expect(await bind(1, 5)).toBe(true);
  });

  test('[ESME-3] One node at a time delivers to a user: another takes over when it lets go, or is gone', async () => {
    const hold = (nodeId: number) => store.write(holdDeliveries, { userId: 11, nodeId });
    expect([await hold(1), await hold(2), await hold(1)]).toEqual([true, false, true]);
    await store.write(releaseDeliveries, { userId: 11, nodeId: 1 });
    expect([await hold(2), await hold(1)]).toEqual([true, false]);
    await store.write(leaveNode, 2);
    expect(await hold(1)).toBe(true);
  });
});
