import { beforeAll, beforeEach, expect, test } from 'vitest';
import { putNumber } from '../../../test/harness/account-verbs.ts';
import { deliveryStore } from '../../../test/harness/delivery-store.ts';
import { FaultyStore } from '../../../test/harness/faulty-store.ts';
import { callerOf } from '../../../test/harness/messaging-room.ts';
import { eachStore } from '../../../test/harness/stores.ts';
import { Ids } from '../../storage/ids.ts';
import { type IncomingServices, readIncoming, receive } from './incoming.ts';

const storing = 'messages.storeIncoming';
const sms = { sender: '+46 70 999 99 99', recipient: '46731230010', text: 'Yes' };

eachStore('an incoming SMS', (engine) => {
  const given = deliveryStore(engine);
  let store: FaultyStore;
  let receiving: IncomingServices;

  beforeAll(() => given.store.write(putNumber, { number: sms.recipient, userId: 10 }));
  beforeEach(() => {
    store = new FaultyStore(given.store);
    receiving = {
      store,
      clock: { now: () => 1_000 },
      ids: new Ids(given.store, 'incoming', 10),
      personSecret: '00',
    };
  });

  async function unread(): Promise<readonly string[]> {
    const query = { id: undefined, maxnum: 100, markasread: false, getoriginal: false, latest: false };
    return (await readIncoming(given.store, callerOf(10), query)).incoming.map(({ id }) => id);
  }

  test('[INC-1] [DLV-7] An incoming SMS is stored once when the store’s answer is lost, and the carrier gets no error', async () => {
    store.loseAnswers(storing, 2);
    const stored = await receive(receiving, 1, sms);
    expect(stored).toEqual({ id: expect.stringMatching(/^[1-9][0-9]*$/), routed: true });
    expect(await unread()).toEqual([stored.id]);
  });

  test('[INC-1] [DLV-7] An incoming SMS is stored once even if the store is away after its answer was lost', async () => {
    store.loseAnswers(storing, 1);
    store.refuse(storing, 2);
    const stored = await receive(receiving, 1, sms);
    expect(store.calls.filter((verb) => verb === storing)).toHaveLength(4);
    expect(await unread()).toEqual([stored.id]);
  });

  test('[INC-1] [DLV-7] An incoming SMS that the store has certainly not taken is refused at once, and stored once when sent again', async () => {
    store.refuse(storing, 1);
    await expect(receive(receiving, 1, sms)).rejects.toMatchObject({ code: 'store_unavailable' });
    expect(await unread()).toEqual([]);
    const stored = await receive(receiving, 1, sms);
    expect(await unread()).toEqual([stored.id]);
  });

  test('[INC-2] An incoming SMS to a rented number goes to its renter, however its network writes the number', async () => {
    await given.store.write(putNumber, { number: '525562000099', userId: 10 });
    await given.store.write(putNumber, { number: '5491123456789', userId: 10 });
    const written = [
      ['0046731230010', '46731230010'],
      ['+46 731 230 010', '46731230010'],
      ['00525562000099', '525562000099'],
      ['5215562000099', '525562000099'],
      ['541123456789', '5491123456789'],
    ] as const;
    for (const [recipient] of written)
      expect(await receive(receiving, 1, { ...sms, sender: '00 46 70 999 99 99', recipient })).toMatchObject({
        routed: true,
      });
    const query = { id: undefined, maxnum: 100, markasread: false, getoriginal: false, latest: false };
    const { incoming } = await readIncoming(given.store, callerOf(10), query);
    expect(incoming.map(({ to }) => to)).toEqual(written.map(([, number]) => number));
    expect(new Set(incoming.map(({ from }) => from))).toEqual(new Set(['46709999999']));
    expect(await receive(receiving, 1, { ...sms, recipient: '5315562000099' })).toMatchObject({
      routed: false,
    });
  });

  test('[INC-1] An incoming SMS with the same words as an earlier one is a separate SMS', async () => {
    const ids = [(await receive(receiving, 1, sms)).id, (await receive(receiving, 1, sms)).id];
    expect(await unread()).toEqual(ids);
    expect(new Set(ids).size).toBe(2);
  });
});
