import { beforeEach, expect, test } from 'vitest';
import { putCompany, putSmppLogin, putUser } from '../../test/harness/account-verbs.ts';
import { listMessages, type MessageRow, putSimulator, putStatus } from '../../test/harness/delivery-verbs.ts';
import { callerOf } from '../../test/harness/messaging-room.ts';
import { limitCompany } from '../../test/harness/quota-verbs.ts';
import { sendingOn } from '../../test/harness/sending-node.ts';
import { eachStore } from '../../test/harness/stores.ts';
import { holdReader } from '../changes/held-reader.ts';
import { markJournal } from '../changes/journal.ts';
import { status } from '../messages/message.ts';
import { enterNode, leaveNode } from '../messages/nodes/store.ts';
import { cancel } from '../messages/operator/cancel.ts';
import { packHeader } from '../messages/part-header.ts';
import { plainRequest } from '../messages/sending/parameters.ts';
import { type Sending, send } from '../messages/sending/send.ts';
import { purgeAged } from '../storage/retention.ts';
import type { Store } from '../storage/store.ts';
import { buildUdh } from '../wire/smpp/concatenation.ts';
import type { PduInputOf } from '../wire/smpp/pdu.ts';
import { encodePdu, PduReader } from '../wire/smpp/pdu.ts';
import { acceptOfClients, agedClientMessages } from './accept-store.ts';
import { endBind, keepBind } from './binds-store.ts';
import { beforeAll, holdDeliveries, readDeliveries, releaseDeliveries, settleDelivery } from './delivery.ts';
import { keepPart, type NewPart, postponeParts } from './part.ts';
import { cancelMessages, query } from './query.ts';
import { sendDueParts } from './send-parts.ts';
import type { ClientRequest } from './session.ts';
import { submit } from './submit.ts';
import { clientReader, keepClientReader, takeClientChanges } from './take-changes-store.ts';

const start = Date.parse('2026-06-01T12:00:00Z');
const caller = { ...callerOf(11), username: 'anna' };
const log = { warn: () => undefined };

/** A PDU as a client writes it and the server reads it. */
function received<Command extends ClientRequest['command']>(
  fields: Omit<PduInputOf<Command>, 'sequence'>,
): Extract<ClientRequest, { command: Command }> {
  return read(encodePdu({ sequence: 1, ...fields } as PduInputOf<'submitSm'>));
}

function read<Request extends ClientRequest>(octets: Buffer): Request {
  const reader = new PduReader();
  reader.push(octets);
  return reader.next() as Request;
}

const address = (destinationAddr: string) => ({ destAddrTon: 1, destAddrNpi: 1, destinationAddr });

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
    sending = sendingOn(store, clock);
  });

  const texts = async () => ((await store.read(listMessages, null)) as MessageRow[]).map(({ text }) => text);

  /** Submits a text, or a part of one; returns the id that the client is told, or the status. */
  async function submitted(
    text: string,
    [part, parts, reference]: readonly number[] = [],
    to = '46731234567',
    own = caller,
  ) {
    const header = part && parts && reference ? buildUdh({ reference, part, parts }) : [];
    const pdu = received<'submitSm'>({
      command: 'submitSm',
      destinationAddr: to,
      destAddrTon: to.startsWith('0') ? 0 : 1,
      registeredDelivery: 1,
      esmClass: header.length === 0 ? 0 : 0x40,
      shortMessage: Buffer.from([...header, ...Buffer.from(text)]),
      tlvs: { userMessageReference: 77 },
    });
    const answer = await submit(sending, own, pdu);
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

  const newPart = (id: number, part: number, text: string): NewPart => ({
    userId: 11,
    recipient: '46731234567',
    sender: '',
    reference: 4,
    parts: 2,
    part,
    id,
    dueAt: clock.time + 60_000,
    content: {
      text,
      from: undefined,
      flash: false,
      validminutes: 60,
      scheduletime: undefined,
      wanted: 1,
      reference: null,
      companyId: 1,
      sender: 'Sender',
      carrierId: 1,
      receivedAt: clock.time,
    },
  });

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
    const sent = (await store.read(listMessages, null)) as MessageRow[];
    const reference = packHeader({ reference: 9, part: 1, parts: 2 });
    expect(sent).toMatchObject([{ text: 'alone', parts: 1, reference }]);
    expect(await receipts()).toEqual([[id, '46731234567', status.DELETED]]);
  });

  test('[ESME-2] When a text can’t be sent, its last part is refused and the others are reported as rejected', async () => {
    expect(await submitted('to nobody', [1, 2, 9], '12')).toBe(0x0b);
    const part = 'x'.repeat(150);
    const ids: unknown[] = [];
    for (let index = 1; index < 11; index++) ids.push(await submitted(part, [index, 11, 8]));
    // The quota is enough for ten parts.
    expect(await submitted(part, [11, 11, 8])).toBe(0x45);
    const rejected = ids.map((id) => [id, '46731234567', status.REJECTED]);
    expect(await receipts()).toEqual(rejected);
    clock.time += 60_000;
    await sendDueParts(sending, log);
    expect(await receipts()).toEqual(rejected);
    expect(await state(String(ids[0]))).toBe(8);
  });

  test('[ESME-2] A part that can’t be sent any more when it is due is reported as rejected', async () => {
    const id = await submitted('alone', [1, 2, 9]);
    await store.write(putUser, { id: 11, companyId: 1, username: 'anna', roles: ['send'], active: false });
    clock.time += 60_000;
    await sendDueParts(sending, log);
    expect(await receipts()).toEqual([[id, '46731234567', status.REJECTED]]);
  });

  test('[ESME-2] A reference that is used again loses no part, however close the texts are', async () => {
    const together = [
      submitted('A one ', [1, 2, 9]),
      submitted('A two', [2, 2, 9]),
      submitted('B one ', [1, 2, 9]),
      submitted('B two', [2, 2, 9]),
    ];
    const ids = await Promise.all(together);
    expect(await texts()).toEqual(['A one A two', 'B one B two']);
    expect((await receipts()).map(([id]) => id).sort()).toEqual(ids.sort());
    const lone = await submitted('C one ', [1, 2, 9]);
    expect(await submitted('C one ', [1, 2, 9])).toBe(lone);
    await submitted('D one ', [1, 2, 9]);
    await submitted('D two', [2, 2, 9]);
    clock.time += 60_000;
    await sendDueParts(sending, log);
    expect((await texts()).slice(2)).toEqual(['D one D two', 'C one ']);
    expect((await receipts()).map(([id]) => id)).toContain(lone);
  });

  test('[ESME-2] A part that comes again has its id even if its times are counted from then, and one that was held back joins no later text', async () => {
    const repeated = { ...newPart(501, 1, 'one '), id: 502 };
    const content = { ...repeated.content, validminutes: 59, reference: 1 };
    await store.write(keepPart, { part: newPart(501, 1, 'one '), most: 10 });
    expect(await store.write(keepPart, { part: { ...repeated, content }, most: 10 })).toEqual({
      id: 501,
      text: null,
    });
    await store.write(postponeParts, [{ id: 501, dueAt: clock.time + 90_000 }]);
    expect(await store.write(keepPart, { part: newPart(503, 2, 'of another'), most: 10 })).toEqual({
      id: 503,
      text: null,
    });
  });

  test('[ESME-2] A part becomes one message only, even if two calls want it in one transaction', async () => {
    await store.write(keepPart, { part: newPart(501, 1, 'one '), most: 10 });
    await store.write(keepPart, { part: newPart(502, 2, 'two'), most: 10 });
    const accept = (message: string, parts: readonly number[]) =>
      send(sending, caller, { ...plainRequest, to: ['+46731234567'], message }, undefined, {
        accept: (acceptance) => {
          const reported = parts.map((shownId) => ({ shownId, wanted: 1, reference: null }));
          return store.write(acceptOfClients, { acceptance, reported, parts });
        },
      });
    await Promise.all([accept('one ', [501]), accept('one two', [501, 502])]);
    expect(await texts()).toEqual(['one ']);
    const gone = accept('gone', [503]);
    await expect(gone).rejects.toThrow('neither sent nor kept');
    clock.time += 60_000;
    await sendDueParts(sending, log);
    expect(await texts()).toEqual(['one ', 'two']);
  });

  test('[ESME-2] A complete text goes out whole even if a node stopped before it was sent', async () => {
    await store.write(keepPart, { part: newPart(501, 2, 'two'), most: 10 });
    clock.time += 1_500;
    await store.write(keepPart, { part: newPart(502, 1, 'one '), most: 10 });
    clock.time += 59_000;
    await sendDueParts(sending, log);
    clock.time += 1_500;
    await sendDueParts(sending, log);
    expect(await texts()).toEqual(['one two']);
  });

  test('[ESME-2] A user over a limit holds up nobody else, and waits longer each time, for as long as the text is valid', async () => {
    await store.write(putCompany, { id: 2, name: 'Shop' });
    const other = { id: 12, companyId: 2, username: 'bert', roles: ['send'] as const, defaultSender: 'Shop' };
    await store.write(putUser, other);
    await store.write(limitCompany, { id: 1, perDay: 1 });
    const ids: unknown[] = [];
    for (let reference = 1; reference <= 101; reference++)
      ids.push(await submitted(`part ${reference}`, [1, 2, reference]));
    await submitted('of another', [1, 2, 9], undefined, { ...callerOf(12), username: 'bert', companyId: 2 });
    clock.time += 60_000;
    let refusals = 0;
    const watched = { ...sending, security: { record: () => void refusals++ } };
    await sendDueParts(watched, log);
    expect(await texts()).toEqual(['part 1', 'of another']);
    const first = refusals;
    expect(first).toBeLessThan(4);
    await sendDueParts(watched, log);
    expect(refusals).toBe(first);
    clock.time += 60_000;
    await sendDueParts(watched, log);
    expect(refusals).toBeGreaterThan(first);
    clock.time = start + 11 * 60 * 60_000;
    await sendDueParts(sending, log);
    expect(await state(String(ids[5]))).toBe(1);
    // A day later the limit allows one more, and the rest is no longer valid.
    clock.time = start + 24 * 60 * 60_000;
    await sendDueParts(sending, log);
    expect(await state(String(ids[5]))).toBe(8);
  });

  test('[ESME-2] A bounded number of parts waits, but the last one of a text is always taken', async () => {
    const keep = (id: number, part: number) =>
      store.write(keepPart, { part: { ...newPart(id, part, `${id}`), parts: 3 }, most: 2 });
    expect([await keep(501, 1), await keep(502, 2)]).toMatchObject([{ id: 501 }, { id: 502 }]);
    const further = { ...newPart(504, 1, 'further'), reference: 5 };
    expect(await store.write(keepPart, { part: further, most: 2 })).toBe('full');
    expect(await keep(503, 3)).toMatchObject({ text: [{ id: 501 }, { id: 502 }, { id: 503 }] });
  });

  test('[ESME-2] The last part can be submitted again when the text was over a limit', async () => {
    await store.write(limitCompany, { id: 1, perMinute: 1 });
    await submitted('over the limit');
    await submitted('one ', [1, 2, 9]);
    expect(await submitted('two', [2, 2, 9])).toBe(0x58);
    expect(await texts()).toEqual(['over the limit']);
    await store.write(limitCompany, { id: 1 });
    await submitted('two', [2, 2, 9]);
    expect(await texts()).toEqual(['over the limit', 'one two']);
  });

  test('[ESME-2] A part may go to a number as it is written in the company’s country', async () => {
    const own = { ...caller, countryCode: '46' };
    await submitted('one ', [1, 2, 9], '0731234567', own);
    await submitted('two', [2, 2, 9], '+46731234567', own);
    expect(await texts()).toEqual(['one two']);
  });

  test('[ESME-3] A receipt comes even for a message that is sent after the retention', async () => {
    const pdu = received<'submitSm'>({
      command: 'submitSm',
      destinationAddr: '46731234567',
      destAddrTon: 1,
      registeredDelivery: 1,
      scheduleDeliveryTime: '000010000000000R',
      shortMessage: Buffer.from('later'),
    });
    const { messageId } = (await submit(sending, caller, pdu)) as { messageId: string };
    const before = start + 7 * 24 * 60 * 60_000;
    await store.write(purgeAged, { rows: agedClientMessages, now: before, before });
    expect(await receipts()).toEqual([[messageId, '46731234567', status.CANCELED]]);
    const ended = start + 12 * 24 * 60 * 60_000;
    expect(await store.write(purgeAged, { rows: agedClientMessages, now: ended, before: ended })).toBe(1);
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

  test('[ESME-2] cancel_sm cancels all that a submit_multi sent, and says if one is too late', async () => {
    const destAddresses = ['46731234567', '46731234568', '46731234569'].map(address);
    const pdu = received<'submitMulti'>({
      command: 'submitMulti',
      destAddresses,
      shortMessage: Buffer.from('Hello'),
    });
    const { messageId } = (await submit(sending, caller, pdu)) as { messageId: string };
    const cancelled = async (own: typeof caller) =>
      (await cancelMessages(sending, own, received<'cancelSm'>({ command: 'cancelSm', messageId }))).status;
    expect(await cancelled({ ...caller, userId: 12 })).toBe(0x0c);
    await cancel(store, clock, String(Number(messageId) + 1));
    expect(await cancelled(caller)).toBe(0x11);
    const rows = (await store.read(listMessages, null)) as MessageRow[];
    expect(rows.map(({ status: code }) => code)).toEqual([status.DELETED, status.DELETED, status.DELETED]);
  });

  test('[ESME-2] Parts in a submit_multi go out with their headers', async () => {
    const pdu = received<'submitMulti'>({
      command: 'submitMulti',
      destAddresses: ['46731234567', '46731234568'].map(address),
      esmClass: 0x40,
      // The code of the euro sign is in the second part.
      shortMessage: Buffer.from([
        ...buildUdh({ reference: 9, part: 1, parts: 2 }),
        ...Buffer.from('5 '),
        0x1b,
      ]),
    });
    expect(await submit(sending, caller, pdu)).toMatchObject({ unsuccessSmes: [] });
    const reference = packHeader({ reference: 9, part: 1, parts: 2 });
    expect(await store.read(listMessages, null)).toMatchObject([
      { text: '5  ', reference },
      { text: '5  ', reference },
    ]);
  });

  test('[ESME-2] A text that is longer than it says, and a part that does not say where it belongs, are refused', async () => {
    const fields = { command: 'submitSm', destinationAddr: '46731234567', destAddrTon: 1 } as const;
    const octets = encodePdu({ sequence: 1, ...fields, shortMessage: Buffer.from('Hello, world') });
    // sm_length, which says 5.
    octets[octets.length - 13] = 5;
    const sar = { tag: 0x020e, value: Buffer.of(0, 2) };
    const halfPart = received<'submitSm'>({
      ...fields,
      shortMessage: Buffer.from('one'),
      tlvs: { sarMsgRefNum: 4, sarSegmentSeqnum: 1, unknown: [sar] },
    });
    expect(await submit(sending, caller, read(octets))).toMatchObject({ status: 0xc0 });
    expect(await submit(sending, caller, halfPart)).toMatchObject({ status: 0xc2 });
    // Many programs end the text with a NUL.
    const ended = encodePdu({ sequence: 1, ...fields, shortMessage: Buffer.from('Hello\0') });
    ended[ended.length - 7] = 5;
    expect((await submit(sending, caller, read(ended))).status).toBeUndefined();
    expect(await texts()).toEqual(['Hello']);
  });

  test('[ESME-3] A client that wants to hear of failures only hears nothing of what a carrier has accepted', async () => {
    for (const registeredDelivery of [1, 2, 3]) {
      const pdu = received<'submitSm'>({
        command: 'submitSm',
        destinationAddr: `4673123456${registeredDelivery}`,
        destAddrTon: 1,
        registeredDelivery,
        shortMessage: Buffer.from('Hello'),
      });
      await submit(sending, caller, pdu);
    }
    await store.write(putStatus, status.ACCEPTED);
    const ends = (await receipts()).map(([, to, code]) => [to?.at(-1), code]);
    expect(ends.sort()).toEqual([
      ['1', status.DELETED],
      ['1', status.ACCEPTED],
      ['2', status.DELETED],
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
