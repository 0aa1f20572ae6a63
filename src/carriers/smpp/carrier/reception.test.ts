import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import { messages } from '../../../../test/carriers/carrier-recorder.ts';
import {
  command,
  deliverBody,
  octets,
  type RawPdu,
  receiptBody,
} from '../../../../test/carriers/raw-smsc.ts';
import { type Linked, linkUp, unlinkAll } from '../../../../test/carriers/smpp-setup.ts';
import { until } from '../../../../test/harness/awake.ts';
import { holdTime, letTimeGo, pass, passDuring, passUntil } from '../../../../test/harness/held-time.ts';

beforeEach(holdTime);
afterEach(async () => {
  await passDuring(unlinkAll());
  letTimeGo();
});

const responses = ({ smsc }: Linked): readonly RawPdu[] =>
  smsc.sessions.flatMap((session) => session.of(command.deliverSmResp));

describe('receipts', () => {
  test('[DLV-5] Receipts are answered once they are stored, with the sequence numbers of the SMSC', async () => {
    const linked = await linkUp();
    const { smsc, heard } = linked;
    let store: () => void = () => undefined;
    heard.storing = new Promise((resolve) => {
      store = resolve;
    });
    smsc.session.send(octets(command.deliverSm, 0, 4_711, receiptBody('raw1', '46701740600')));
    await until(() => heard.receiptCalls === 1);
    smsc.session.request(command.enquireLink);
    await until(() => smsc.session.of(command.enquireLinkResp).length === 1);
    expect(responses(linked)).toEqual([]);
    store();
    await until(() => responses(linked).length === 1);
    expect(responses(linked)[0]).toMatchObject({ status: 0, sequence: 4_711 });
    expect(heard.stored).toEqual([
      expect.objectContaining({
        carrierMessageId: 'raw1',
        recipient: '46701740600',
        status: 2,
        errorCode: '000',
      }),
    ]);
  });

  test('[DLV-5] Receipts that arrive together are stored together, and those that arrive meanwhile as the next set', async () => {
    const linked = await linkUp();
    const { smsc, heard } = linked;
    const burst = Array.from({ length: 2_500 }, (_, index) =>
      octets(command.deliverSm, 0, index + 1, receiptBody(`raw${index}`, '46701740600')),
    );
    smsc.session.send(Buffer.concat(burst));
    await until(() => responses(linked).length === 2_500);
    expect(heard.stored).toHaveLength(2_500);
    expect(new Set(heard.stored.map(({ carrierMessageId }) => carrierMessageId)).size).toBe(2_500);
    expect(heard.receiptCalls).toBeLessThan(30);
    expect(responses(linked).every(({ status }) => status === 0)).toBe(true);
  });

  test('[DLV-5] [DLV-7] A receipt that cannot be stored is refused temporarily, and the next one is not', async () => {
    const linked = await linkUp();
    const { smsc, heard } = linked;
    heard.receiptFaults = 1;
    smsc.session.request(command.deliverSm, receiptBody('raw1', '46701740600'));
    await until(() => responses(linked).length === 1);
    expect(responses(linked)[0]?.status).toBe(0x64);
    smsc.session.request(command.deliverSm, receiptBody('raw1', '46701740600'));
    await until(() => responses(linked).length === 2);
    expect(responses(linked)[1]?.status).toBe(0);
  });

  test('[DLV-5] A receipt that can never be stored does not keep others from being stored', async () => {
    const linked = await linkUp();
    const { smsc, heard } = linked;
    heard.unstorable = 'raw13';
    const ids = Array.from({ length: 40 }, (_, index) => `raw${index}`);
    // Like a real SMSC, it resends what was temporarily refused.
    for (let round = 0; round < 10; round++) {
      const open = ids.filter((id) => !heard.stored.some(({ carrierMessageId }) => carrierMessageId === id));
      const before = responses(linked).length;
      for (const id of open) smsc.session.request(command.deliverSm, receiptBody(id, '46701740600'));
      await until(() => responses(linked).length === before + open.length);
    }
    expect(heard.stored.map(({ carrierMessageId }) => carrierMessageId).sort()).toEqual(
      ids.filter((id) => id !== 'raw13').sort(),
    );
  });

  test('[DLV-5] Receipts are read with the carrier’s tables of ids and errors', async () => {
    const { smsc, heard } = await linkUp({
      messageId: 'hexToDecimal',
      receiptErrors: { '001': 'ABSENTSUBSCRIBER' },
    });
    smsc.session.request(command.deliverSm, receiptBody('255', '46701740600', 'UNDELIV', '001'));
    await until(() => heard.stored.length === 1);
    expect(heard.stored[0]).toMatchObject({ carrierMessageId: '255', submittedId: 'ff', status: 8 });
  });

  test('[DLV-5] Unreadable receipts are kept for the operator, and never taken for an SMS', async () => {
    const linked = await linkUp();
    const { smsc, heard } = linked;
    smsc.session.request(command.deliverSm, deliverBody('46701740600', '1234', 'stat:WHAT', { esmClass: 4 }));
    await until(() => responses(linked).length === 1);
    expect(responses(linked)[0]?.status).toBe(0);
    expect(heard.unreadable).toMatchObject([{ text: 'stat:WHAT' }]);
    expect(heard.incomings).toEqual([]);
  });

  test('[DLV-5] Receipts by data_sm are answered by data_sm_resp', async () => {
    const { smsc, heard } = await linkUp();
    const tlvs = Buffer.from([0x00, 0x1e, 0, 5, ...Buffer.from('raw1\0'), 0x04, 0x27, 0, 1, 2]);
    const body = Buffer.concat([
      Buffer.from('\0\x01\x0146701740600\0\x01\x011234\0\x04\0\0', 'latin1'),
      tlvs,
    ]);
    smsc.session.send(octets(command.dataSm, 0, 12, body));
    await until(() => smsc.session.of(command.dataSmResp).length === 1);
    expect(smsc.session.of(command.dataSmResp)[0]).toMatchObject({ status: 0, sequence: 12 });
    expect(heard.stored).toMatchObject([{ carrierMessageId: 'raw1', status: 2 }]);
  });

  test('[DLV-5] Receipts are accepted on any bind, even before the response to their submission', async () => {
    const { smsc, carrier, heard } = await linkUp({ bind: 'pair' });
    const receiver = smsc.sessions.find(({ received }) => received[0]?.command === command.bindReceiver);
    smsc.rules.set(command.submitSm, (session, pdu) => {
      receiver?.request(command.deliverSm, receiptBody('early', '46701740600'));
      setTimeout(() => session.answer(pdu, 0, 'early\0'), 50);
    });
    carrier.submit(messages(1));
    await until(() => heard.stored.length === 1);
    expect(heard.outcomes).toEqual([]);
    pass(50);
    await until(() => heard.outcomes.length === 1);
  });

  const flood = (count: number) =>
    Buffer.concat(
      Array.from({ length: count }, (_, index) =>
        octets(command.deliverSm, 0, index + 1, receiptBody(`raw${index}`, '46701740600')),
      ),
    );

  test('[DLV-5] [DLV-8] Receipts beyond what can be stored at once wait at the SMSC: none is refused, and no submission is late', async () => {
    const linked = await linkUp({ responseTimeoutMs: 500 });
    const { smsc, carrier, heard } = linked;
    // 15,000 receipts in sets of 1,000 take at least a second: longer than the carrier waits for a response.
    heard.storingMs = 70;
    const receipts = flood(15_000);
    smsc.rules.set(command.submitSm, (session, pdu) => {
      session.send(receipts);
      session.answer(pdu, 0, 'behind them\0');
    });
    carrier.submit(messages(1));
    const before = performance.now();
    await passUntil(() => smsc.session.of(command.deliverSmResp).length === 15_000, 2);
    expect(performance.now() - before).toBeGreaterThan(1_000);
    expect(responses(linked).every(({ status }) => status === 0)).toBe(true);
    expect(heard.outcomes).toMatchObject([{ outcome: { kind: 'accepted' } }]);
    expect(carrier.status().figures.heldReads).toBeGreaterThan(0);
  });

  test('[DLV-3] [DLV-8] A submission without a response is in doubt even while receipts come without end', async () => {
    const { smsc, carrier, heard } = await linkUp({ responseTimeoutMs: 300 });
    heard.storingMs = 50;
    smsc.rules.set(command.submitSm, () => undefined);
    const set = flood(4_000);
    let isOver = false;
    const flooding = (async () => {
      for (let sets = 1; !isOver; sets++) {
        smsc.session.send(set);
        await until(() => isOver || smsc.session.received.length > (sets - 3) * 4_000);
      }
    })();
    await passUntil(() => (carrier.status().figures.heldReads ?? 0) > 0, 2);
    carrier.submit(messages(1));
    await passUntil(() => heard.outcomes.length === 1, 10);
    isOver = true;
    await flooding;
    expect(heard.outcomes).toMatchObject([{ outcome: { kind: 'inDoubt' } }]);
  });

  test('[DLV-8] While the store stands still, receipts beyond the limit of open ones are refused temporarily', async () => {
    const linked = await linkUp();
    const { smsc, heard } = linked;
    let store: () => void = () => undefined;
    heard.storing = new Promise((resolve) => {
      store = resolve;
    });
    smsc.session.send(flood(20_000));
    // The store may take this long before it counts as stalled.
    await until(() => heard.receiptCalls > 0);
    await passUntil(() => smsc.session.received.length > 12_000, 50);
    expect(responses(linked).every(({ status }) => status === 0x64)).toBe(true);
    store();
    await passUntil(() => smsc.session.of(command.deliverSmResp).length === 20_000);
    const stored = responses(linked).filter(({ status }) => status === 0).length;
    expect(stored).toBeGreaterThanOrEqual(4_000);
    // The receipts of a single read come on top.
    expect(stored).toBeLessThan(8_000);
    smsc.session.request(command.deliverSm, receiptBody('late', '46701740600'));
    await until(() => responses(linked).length === 20_001);
    expect(responses(linked).at(-1)?.status).toBe(0);
  });
});

describe('SMS from phones', () => {
  test('[DLV-5] [INC-1] SMS from phones are answered once they are stored', async () => {
    const linked = await linkUp();
    const { smsc, heard } = linked;
    smsc.session.request(command.deliverSm, deliverBody('46701740600', '46731230001', 'Hej'));
    await until(() => responses(linked).length === 1);
    expect(responses(linked)[0]?.status).toBe(0);
    expect(heard.incomings).toEqual([{ sender: '46701740600', recipient: '46731230001', text: 'Hej' }]);
  });

  test('[DLV-7] SMS from phones that cannot be stored are refused temporarily', async () => {
    const linked = await linkUp();
    const { smsc, heard } = linked;
    heard.incomingFaults = 1;
    smsc.session.request(command.deliverSm, deliverBody('46701740600', '46731230001', 'Hej'));
    await until(() => responses(linked).length === 1);
    expect(responses(linked)[0]?.status).toBe(0x64);
  });

  test('[DLV-3] SMS from phones on a bind that is being replaced are refused temporarily, for the next bind', async () => {
    const { smsc, carrier, heard } = await linkUp({}, [
      [command.submitSm, (session, pdu) => session.answer(pdu, 0x04)],
      [
        command.unbind,
        (session, pdu) => {
          session.request(command.deliverSm, deliverBody('46701740600', '46731230001', 'Hej'));
          session.answer(pdu);
        },
      ],
    ]);
    const [first] = smsc.sessions;
    carrier.submit(messages(1));
    await until(() => first?.of(command.deliverSmResp).length === 1);
    expect(first?.of(command.deliverSmResp)[0]?.status).toBe(0x64);
    expect(heard.incomings).toEqual([]);
  });

  test('[RUN-4] SMS from phones that arrive after unbind are refused temporarily, for the next bind', async () => {
    const { smsc, carrier, heard } = await linkUp({}, [
      [
        command.unbind,
        (session, pdu) => {
          session.request(command.deliverSm, deliverBody('46701740600', '46731230001', 'Hej'));
          setTimeout(() => session.answer(pdu), 50);
        },
      ],
    ]);
    await passDuring(carrier.stop(1_000));
    await until(() => smsc.session.of(command.deliverSmResp).length === 1);
    expect(smsc.session.of(command.deliverSmResp)[0]?.status).toBe(0x64);
    expect(heard.incomings).toEqual([]);
  });
});
