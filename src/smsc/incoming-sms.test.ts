import { afterEach, describe, expect, test } from 'vitest';
import { bound, startSmsc, stopSmscs } from '../../test/carriers/smsc-setup.ts';
import { until } from '../../test/harness/awake.ts';
import { defaultAlphabets } from '../wire/smpp/alphabet.ts';
import { joinParts } from '../wire/smpp/concatenation.ts';
import { readContent } from '../wire/smpp/short-message.ts';
import { incomingDeliveries, readOperatorLine } from './incoming-sms.ts';

afterEach(stopSmscs);

describe('an SMS from a phone', () => {
  test('[INC-1] The SMSC for tests delivers an SMS from a phone to a client that receives, in whatever script', async () => {
    const { smsc, port, journal } = await startSmsc();
    const esme = await bound(port);
    smsc.originate({ from: '46701740699', to: '46701740605', text: 'Привет 😀' });
    await until(() => journal.deliveriesTaken === 1);
    expect(esme.heard[0]?.text).toBe('Привет 😀');
    expect(esme.heard[0]?.pdu).toMatchObject({
      source_addr_ton: 1,
      source_addr_npi: 1,
      source_addr: '46701740699',
      destination_addr: '46701740605',
      esm_class: 0,
      data_coding: 8,
    });
  });

  test('[INC-4] The SMSC for tests puts a header on each part of a long SMS, and another one for the next message', async () => {
    const { smsc, port } = await startSmsc();
    const esme = await bound(port);
    const sms = { from: '46701740699', to: '46701740605', text: 'All of it '.repeat(40) };
    smsc.originate(sms);
    smsc.originate(sms);
    await until(() => esme.heard.length === 6);
    const headers = esme.heard.map(({ pdu }) => {
      const { udh } = pdu.short_message as { readonly udh: readonly Buffer[] };
      return [...(udh[0] as Buffer)];
    });
    expect(headers.map(([kind, length, , parts, part]) => [kind, length, parts, part])).toEqual(
      [1, 2, 3, 1, 2, 3].map((part) => [0, 3, 3, part]),
    );
    expect(new Set(headers.map((header) => header[2])).size).toBe(2);
  });

  test.each(['udh', 'sar', 'payload'] as const)(
    '[INC-4] Parts that the SMSC for tests sends by %s join to the text again, in every alphabet',
    (concatenation) => {
      for (const text of ['[€]'.repeat(100), '😀'.repeat(90), 'Hej']) {
        for (const alphabet of defaultAlphabets) {
          const sms = { from: '46701740699', to: '46701740605', text };
          const deliveries = incomingDeliveries(sms, undefined, 7, { alphabet, concatenation });
          const texts = deliveries.map(({ fields }) => {
            const { esmClass = 0, dataCoding = 0, shortMessage, tlvs = {} } = fields;
            const octets = shortMessage === undefined ? {} : { shortMessage };
            return readContent({ esmClass, dataCoding, tlvs, ...octets }, alphabet).text;
          });
          const lacksEuro = alphabet === 'latin1' || alphabet === 'ascii';
          const expected = lacksEuro ? text.replaceAll('€', '?') : text;
          expect(joinParts(texts)).toBe(expected);
        }
      }
    },
  );

  test('[INC-1] A phone of the SMSC for tests replies by a rule, and once to a message of several parts', async () => {
    const { port } = await startSmsc('{ replyMs: 20, rules: [{ prefix: 46701740699, reply: "YES" }] }');
    const esme = await bound(port);
    const submit = (fields: Readonly<Record<string, unknown>>) =>
      esme.submit({ registered_delivery: 0, ...fields });
    await submit({ destination_addr: '46701740600', short_message: 'Well?' });
    for (const part of [1, 2]) {
      const udh = Buffer.from([5, 0, 3, 9, 2, part]);
      const short_message = { udh, message: 'Well? ' };
      await submit({ destination_addr: '46701740699', esm_class: 0x40, short_message });
    }
    await until(() => esme.heard.length > 0);
    // Everything that the SMSC sends comes before its response to this request.
    await esme.unbind();
    expect(esme.heard.map(({ text, pdu }) => [text, pdu.source_addr, pdu.destination_addr])).toEqual([
      ['YES', '46701740699', '46701740605'],
    ]);
  });

  test('[INC-1] A phone of the SMSC for tests can’t reply to a name', async () => {
    const { port, lines } = await startSmsc('{ reply: "YES", replyMs: 0 }');
    const esme = await bound(port);
    await esme.submit({
      source_addr: 'Carillon',
      source_addr_ton: 5,
      destination_addr: '46701740699',
      short_message: 'x',
    });
    expect(lines()).toContain('other no reply to Carillon: it is not a number, so a phone cannot answer it');
  });

  test('[INC-1] The SMSC for tests holds an SMS from a phone until a client that receives is bound', async () => {
    const { smsc, port } = await startSmsc();
    smsc.originate({ from: '46701740699', to: '46701740605', text: 'Early' });
    await bound(port, 'transmitter');
    const esme = await bound(port, 'receiver');
    await until(() => esme.heard.length === 1);
    expect(esme.heard[0]?.text).toBe('Early');
  });
});

describe('what the operator types', () => {
  test('[INC-1] A line typed by the operator of the SMSC for tests is an SMS, a command, or refused with a reason', () => {
    expect(readOperatorLine(' +46701740699  46701740605  Hello  you \r')).toEqual({
      act: 'incoming',
      sms: { from: '46701740699', to: '46701740605', text: 'Hello  you' },
    });
    expect(readOperatorLine('Bank 72456 Hi')).toMatchObject({ act: 'incoming', sms: { from: 'Bank' } });
    expect(readOperatorLine('drop')).toEqual({ act: 'drop' });
    expect(readOperatorLine('')).toEqual({ act: 'nothing' });
    expect(readOperatorLine('46701740699 Hello')).toMatchObject({
      act: 'wrong',
      sentence: expect.stringMatching(/^Not understood/),
    });
    expect(readOperatorLine('46701740699 you Hello')).toEqual({
      act: 'wrong',
      sentence: 'you cannot be a recipient. Give the number that the SMS is sent to.',
    });
    expect(readOperatorLine('a-name-too-long 123 Hello')).toMatchObject({ act: 'wrong' });
  });
});
