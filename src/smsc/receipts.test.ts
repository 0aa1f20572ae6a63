import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import { bound, startSmsc, stopSmscs } from '../../test/carriers/smsc-setup.ts';
import { until } from '../../test/harness/awake.ts';
import { holdTime, letTimeGo, pass, passDuring, passUntil } from '../../test/harness/held-time.ts';
import { commandStatus } from '../wire/smpp/command-status.ts';

beforeEach(holdTime);
afterEach(async () => {
  await passDuring(stopSmscs());
  letTimeGo();
});

const hello = { destination_addr: '46701740699', short_message: 'Hello' };

/** The result of one submission: everything that the SMSC sends before it responds to the unbind. */
async function outcomeOf(file: string, fields: Readonly<Record<string, unknown>> = {}) {
  const { port } = await startSmsc(file);
  const esme = await bound(port);
  const { message_id: id } = await passDuring(esme.submit({ ...hello, ...fields }));
  await passUntil(() => esme.heard.length > 0);
  pass(1_000);
  await esme.unbind();
  return { id: String(id), esme, ...esme.heard[0]! };
}

function idIn(text: string): string {
  return /^id:(\S+) /.exec(text)?.[1] ?? '';
}

describe('receipts of the SMSC for tests', () => {
  test('[DLV-5] Message ids of the SMSC for tests are decimal, hexadecimal, different in response and receipt, or text', async () => {
    const decimal = await outcomeOf('messageId: decimal');
    expect([decimal.id, decimal.pdu.receipted_message_id]).toEqual([idIn(decimal.text), decimal.id]);
    const hex = await outcomeOf('messageId: hex');
    expect(hex.id).toMatch(/^[0-9A-F]+$/);
    expect([hex.id, hex.pdu.receipted_message_id]).toEqual([idIn(hex.text), hex.id]);
    const toDecimal = await outcomeOf('messageId: hexToDecimal');
    expect(idIn(toDecimal.text)).toBe(BigInt(`0x${toDecimal.id}`).toString());
    expect(toDecimal.pdu.receipted_message_id).toBe(idIn(toDecimal.text));
    const toHex = await outcomeOf('messageId: decimalToHex');
    expect(BigInt(`0x${idIn(toHex.text)}`).toString()).toBe(toHex.id);
    const text = await outcomeOf('messageId: text');
    expect(text.id).toMatch(/^sms-[0-9a-z]+$/);
    expect(idIn(text.text)).toBe(text.id);
  });

  test('[DLV-5] Receipts of the SMSC for tests report the configured state and error code', async () => {
    const { pdu, text } = await outcomeOf('{ stat: UNDELIV, err: "027" }');
    expect(text).toContain(' dlvrd:000 ');
    expect(text).toContain(' stat:UNDELIV err:027 ');
    expect(pdu).toMatchObject({ message_state: 5, network_error_code: Buffer.of(3, 0, 27) });
    const states = { ENROUTE: 1, EXPIRED: 3, DELETED: 4, ACCEPTD: 6, UNKNOWN: 7, REJECTD: 8 };
    for (const [stat, state] of Object.entries(states))
      expect((await outcomeOf(`stat: ${stat}`)).pdu.message_state).toBe(state);
  });

  test('[DLV-5] Receipts of the SMSC for tests carry the state in TLVs, in their text, or in both', async () => {
    const tlv = await outcomeOf('receiptForm: tlv');
    expect(tlv.text).toBe('');
    expect(tlv.pdu).toMatchObject({ esm_class: 4, receipted_message_id: tlv.id, message_state: 2 });
    const text = await outcomeOf('receiptForm: text');
    expect(idIn(text.text)).toBe(text.id);
    expect([text.pdu.receipted_message_id, text.pdu.message_state]).toEqual([undefined, undefined]);
  });

  test('[DLV-5] Receipts of the SMSC for tests come before the response if configured so', async () => {
    const { esme } = await outcomeOf('{ receiptEarly: true, answerMs: 50 }');
    expect(esme.commands.slice(0, 3)).toEqual(['bind_transceiver_resp', 'deliver_sm', 'submit_sm_resp']);
    const { esme: both } = await outcomeOf('{ receiptEarly: true, answerMs: 50, intermediate: true }');
    expect(both.heard.map(({ pdu }) => pdu.esm_class)).toEqual([0x20, 4]);
    const { esme: usual } = await outcomeOf('answerMs: 50');
    expect(usual.commands.slice(0, 3)).toEqual(['bind_transceiver_resp', 'submit_sm_resp', 'deliver_sm']);
  });

  test('[DLV-5] Receipts of the SMSC for tests can come twice, after an intermediate notification, or never', async () => {
    const { esme } = await outcomeOf('{ receiptTimes: 2, intermediate: true }');
    expect(esme.heard.map(({ pdu }) => [pdu.esm_class, pdu.message_state])).toEqual([
      [0x20, 1],
      [4, 2],
      [4, 2],
    ]);
    const { port } = await startSmsc('stat: none');
    const silent = await bound(port);
    await silent.submit(hello);
    pass(60_000);
    await silent.unbind();
    expect(silent.heard).toEqual([]);
  });

  test('[DLV-5] The SMSC for tests sends one receipt per part of a long message, or one under the first or last part’s id', async () => {
    const receiptsOf = async (receiptsPerMessage: string) => {
      const { port } = await startSmsc(`receiptsPerMessage: ${receiptsPerMessage}`);
      const esme = await bound(port);
      const ids: string[] = [];
      const byHeader = async (part: number) => {
        const udh = Buffer.from([5, 0, 3, 9, 3, part]);
        const short_message = { udh, message: `part ${part} ` };
        const answer = await esme.submit({ ...hello, esm_class: 0x40, short_message });
        ids[part - 1] = String(answer.message_id);
      };
      // The parts arrive in any order.
      for (const part of [3, 1]) await byHeader(part);
      pass(1_000);
      await esme.submit({ ...hello, registered_delivery: 0 });
      const early = esme.heard.length;
      await byHeader(2);
      pass(1_000);
      await esme.unbind();
      return { early, heard: esme.heard.map(({ text }) => `part ${ids.indexOf(idIn(text)) + 1}`), esme };
    };
    expect(await receiptsOf('part')).toMatchObject({ early: 2, heard: ['part 3', 'part 1', 'part 2'] });
    const first = await receiptsOf('first');
    expect(first).toMatchObject({ early: 0, heard: ['part 1'] });
    expect(first.esme.heard[0]?.text).toContain(' stat:DELIVRD err:000 text:part 1 part 2 part 3');
    expect(await receiptsOf('last')).toMatchObject({ early: 0, heard: ['part 3'] });
  });

  test('[DLV-5] The SMSC for tests sends one receipt for a message with sar_* parameters too, and one per single-part message', async () => {
    const { port, journal } = await startSmsc('receiptsPerMessage: last');
    const esme = await bound(port);
    for (const sar_segment_seqnum of [1, 2]) {
      const sar = { sar_msg_ref_num: 7, sar_total_segments: 2, sar_segment_seqnum };
      await esme.submit({ ...hello, ...sar });
    }
    await esme.submit(hello);
    pass(1_000);
    await esme.unbind();
    expect(journal.receipts).toEqual(new Map([['DELIVRD', 2]]));
  });

  test('[DLV-5] Receipts of the SMSC for tests come only if they were requested', async () => {
    const asked = async (registered_delivery: number, stat: string) => {
      const { port } = await startSmsc(`stat: ${stat}`);
      const esme = await bound(port);
      await esme.submit({ ...hello, registered_delivery });
      pass(1_000);
      await esme.unbind();
      return esme.heard.length;
    };
    expect(await asked(0, 'DELIVRD')).toBe(0);
    expect(await asked(2, 'DELIVRD')).toBe(0);
    expect(await asked(2, 'UNDELIV')).toBe(1);
    expect(await asked(3, 'DELIVRD')).toBe(1);
    expect(await asked(3, 'UNDELIV')).toBe(0);
  });

  test('[DLV-5] Receipts of the SMSC for tests can come late, with states drawn by share, and over another bind', async () => {
    const { port, journal } = await startSmsc('{ stat: { UNDELIV: 30 }, receiptBind: other, seed: 3 }', {
      receiptMs: '200-300',
    });
    const [sender, other] = [await bound(port), await bound(port)];
    await Promise.all(Array.from({ length: 200 }, () => sender.submit(hello)));
    pass(199);
    expect(journal.receipts.size).toBe(0);
    pass(101);
    await until(() => other.heard.length === 200);
    expect(sender.heard).toEqual([]);
    const failed = other.heard.filter(({ text }) => text.includes('stat:UNDELIV err:001')).length;
    expect(failed).toBeGreaterThan(30);
    expect(failed).toBeLessThan(90);
    expect(journal.receipts).toEqual(
      new Map([
        ['UNDELIV', failed],
        ['DELIVRD', 200 - failed],
      ]),
    );
  });

  test('[DLV-5] Receipts for a transmitter go to a receiver of the same system id, and wait until there is one', async () => {
    const { port, lines } = await startSmsc();
    const stranger = await bound(port, 'receiver', { system_id: 'stranger' });
    const transmitter = await bound(port, 'transmitter');
    for (let count = 0; count < 3; count++) await transmitter.submit(hello);
    pass(1_000);
    expect(lines().filter((line) => line.startsWith('other'))).toEqual([
      expect.stringMatching(/^other no receiver is bound; it waits: id \d+ to 46701740699: DELIVRD$/),
    ]);
    const receiver = await bound(port, 'receiver');
    await until(() => receiver.heard.length === 3);
    const ids = receiver.heard.map(({ text }) => Number(idIn(text)));
    expect(ids).toEqual([...ids].sort((a, b) => a - b));
    expect(stranger.heard).toEqual([]);
  });

  test('[DLV-5] Receipts that the client can’t take now come again, and receipts that it refuses otherwise do not', async () => {
    const { port, journal, lines } = await startSmsc();
    const esme = await bound(port);
    esme.deliveryStatus = commandStatus.ESME_RX_T_APPN;
    await esme.submit(hello);
    await until(() => lines().some((line) => line.startsWith('refused')));
    expect(lines().at(-1)).toMatch(/^refused #1 {2}ESME_RX_T_APPN for id \d+ .*; again in 1000 ms$/);
    esme.deliveryStatus = commandStatus.ESME_RX_P_APPN;
    pass(1_000);
    await until(() => esme.heard.length === 2);
    await until(() => journal.deliveriesRefused === 1);
    expect(journal.deliveriesTaken).toBe(0);
  });
});
