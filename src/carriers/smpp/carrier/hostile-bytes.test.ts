import fc from 'fast-check';
import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import { keyOf, messages } from '../../../../test/carriers/carrier-recorder.ts';
import { command, deliverBody, octets, receiptBody } from '../../../../test/carriers/raw-smsc.ts';
import { linkUp, unlinkAll } from '../../../../test/carriers/smpp-setup.ts';
import { pause, until } from '../../../../test/harness/awake.ts';
import { holdTime, letTimeGo, pass, passDuring, passUntil } from '../../../../test/harness/held-time.ts';

beforeEach(holdTime);
afterEach(async () => {
  await passDuring(unlinkAll());
  letTimeGo();
});

/** Numbers that are likely to break a parser. */
const number = fc.oneof(
  fc.constantFrom(0, 1, 15, 16, 17, 0x7fffffff, 0x80000000, 0xffffffff, ...Object.values(command)),
  fc.nat(0xffff),
);

const header = fc.record({ length: number, id: number, status: number, sequence: number });

/** Bytes that are a PDU, almost one, or random. */
const bytes = fc.oneof(
  fc.uint8Array({ maxLength: 200 }).map((any) => Buffer.from(any)),
  fc
    .tuple(header, fc.uint8Array({ maxLength: 100 }))
    .map(([{ id, status, sequence }, body]) => octets(id, status, sequence, Buffer.from(body))),
  fc.tuple(header, fc.uint8Array({ maxLength: 100 })).map(([{ length, id, status, sequence }, body]) => {
    const pdu = octets(id, status, sequence, Buffer.from(body));
    pdu.writeUInt32BE(length, 0);
    return pdu;
  }),
  fc.tuple(fc.nat(200), fc.nat(255), fc.constantFrom('receipt', 'sms')).map(([at, value, kind]) => {
    const body =
      kind === 'sms' ? deliverBody('46701740600', '1234', 'Hej') : receiptBody('raw1', '46701740600');
    const pdu = octets(command.deliverSm, 0, 1, body);
    pdu[at % pdu.length] = value;
    return pdu;
  }),
);

describe('whatever bytes the SMSC sends', () => {
  test('[DLV-3] Arbitrary bytes from the SMSC may cost the connection, never the process, and the link comes back', async () => {
    const { smsc, carrier, heard } = await linkUp({ window: 1_000, responseTimeoutMs: 2_000 });
    let submitted = 0;
    await fc.assert(
      fc.asyncProperty(fc.array(bytes, { maxLength: 8 }), fc.boolean(), async (all, isCut) => {
        const session = smsc.sessions.findLast(({ isClosed }) => !isClosed);
        pass(5);
        if (session === undefined) return pause(5);
        carrier.submit(messages(2));
        submitted += 2;
        for (const some of all) session.send(some);
        if (isCut) session.destroy();
        await pause(1);
      }),
      { numRuns: 300 },
    );
    // A PDU that is announced but never completed swallows everything after it, until the SMSC appears silent.
    await passUntil(() => heard.outcomes.length === submitted, 10);
    await passUntil(() => carrier.status().state === 'up');
    const last = smsc.session;
    last.destroy();
    await passUntil(() => smsc.session !== last && carrier.status().state === 'up');
    const parts = messages(5);
    carrier.submit(parts);
    const keys = new Set(parts.map(keyOf));
    await until(() => heard.ofKind('accepted').filter(({ part }) => keys.has(keyOf(part))).length === 5);
    const all = heard.outcomes.map(({ part }) => keyOf(part));
    expect(new Set(all).size).toBe(all.length);
  });

  test('[DLV-3] Bytes that the SMSC sends one by one are read like bytes sent together', async () => {
    const { smsc, heard } = await linkUp();
    const stream = Buffer.concat([
      octets(command.deliverSm, 0, 1, receiptBody('raw1', '46701740600')),
      octets(command.enquireLink, 0, 2),
      octets(command.deliverSm, 0, 3, deliverBody('46701740600', '1234', 'Hej')),
    ]);
    for (const byte of stream) {
      smsc.session.send(Buffer.from([byte]));
      if (byte % 4 === 0) await pause(0);
    }
    await until(() => smsc.session.of(command.deliverSmResp).length === 2);
    expect(heard.stored).toHaveLength(1);
    expect(heard.incomings).toHaveLength(1);
    expect(smsc.session.of(command.enquireLinkResp)).toHaveLength(1);
  });

  test('[DLV-3] [DLV-5] An SMS, a receipt or a response with a malformed end is not lost, and the fault is counted', async () => {
    const tail = '\x14\x01\xff\xff1';
    const { smsc, carrier, heard } = await linkUp({}, [
      [
        command.submitSm,
        (session, pdu) => session.send(octets(command.submitSmResp, 0, pdu.sequence, `raw7\0${tail}`)),
      ],
    ]);
    expect(carrier.status()).not.toHaveProperty('damage');
    const sms = deliverBody('46701740600', '1234', 'Hej');
    const receipt = receiptBody('raw1', '46701740600');
    const deliveries = [sms, receipt].flatMap((body) =>
      ['\0', tail].map((rest) => Buffer.concat([body, Buffer.from(rest, 'latin1')])),
    );
    for (const [index, body] of deliveries.entries())
      smsc.session.send(octets(command.deliverSm, 0, index + 1, body));
    await until(() => smsc.session.of(command.deliverSmResp).length === 4);
    expect(smsc.session.of(command.deliverSmResp).map(({ status }) => status)).toEqual([0, 0, 0, 0]);
    expect(heard.incomings).toHaveLength(2);
    expect(heard.incomings).toMatchObject([{ text: 'Hej' }, { text: 'Hej' }]);
    expect(heard.stored).toMatchObject([{ carrierMessageId: 'raw1' }, { carrierMessageId: 'raw1' }]);
    carrier.submit(messages(1));
    await until(() => heard.ofKind('accepted').length === 1);
    expect(smsc.session.of(command.genericNack)).toEqual([]);
    expect(carrier.status()).toMatchObject({
      figures: { damagedPdus: 5, refusedPdus: 0 },
      damage: 'submitSmResp: The PDU ends within its optional parameter 0x1401, which has 65535 octets.',
    });
  });

  test('[DLV-3] An impossible PDU length ends the connection with a generic_nack, and the carrier binds again', async () => {
    const { smsc, carrier } = await linkUp();
    const [first] = smsc.sessions;
    const pdu = octets(command.enquireLink, 0, 1);
    pdu.writeUInt32BE(0x7fffffff, 0);
    first?.send(pdu);
    await passUntil(() => first?.isClosed === true);
    expect(first?.of(command.genericNack)).toMatchObject([{ status: 2 }]);
    await passUntil(() => smsc.sessions.length === 2 && carrier.status().state === 'up');
  });
});
