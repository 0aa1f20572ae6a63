/** A client’s SMS go over two servers, the second of which is the SMPP carrier of the first, and everything comes back. */
import { afterAll, beforeAll, expect, test } from 'vitest';
import { NpmEsme } from '../carriers/npm-esme.ts';
import { alice } from '../harness/app.ts';
import { until } from '../harness/awake.ts';
import { type Chain, chainLogin, startChain } from '../harness/carillon-chain.ts';
import { recipient, sendOne, simulateIncoming, storedMessages, whenAllAre } from '../harness/messaging.ts';

let chain: Chain;
beforeAll(async () => {
  chain = await startChain();
});
afterAll(() => chain?.close());

test('[ESME-2] [ESME-3] [DLV-5] What a client submits by SMPP or HTTP reaches the server behind, whose receipts and incoming SMS reach the client', async () => {
  const { first, second, port } = chain;
  const client = await NpmEsme.bound(port, 'transceiver', chainLogin);
  const texts = ['Hello', 'Räksmörgås € '.repeat(20).trim(), 'Привет, 😀 '.repeat(15).trim()];
  const submitted: string[] = [];
  for (const [index, text] of texts.entries()) {
    const answer = await client.submit({
      destination_addr: recipient(index),
      dest_addr_ton: 1,
      source_addr: 'Client',
      message_payload: { message: text },
    });
    submitted.push(String(answer.message_id));
  }
  // The simulator finds no such subscriber.
  const absent = await client.submit({
    destination_addr: '46730100009',
    dest_addr_ton: 1,
    short_message: 'No',
  });
  const ids = [...submitted, await sendOne(first.as(alice), { message: 'By HTTP' })];
  await whenAllAre(first.as(alice), ids, 'DELIVERED');
  await until(() => client.heard.length === 4);
  expect((await storedMessages(second)).map(({ text }) => text).sort()).toEqual(
    [...texts, 'No', 'By HTTP'].sort(),
  );
  const stateOf = (id: unknown) =>
    client.heard.find(({ pdu }) => pdu.receipted_message_id === id)?.pdu.message_state;
  expect(submitted.map(stateOf)).toEqual([2, 2, 2]);
  expect(stateOf(absent.message_id)).toBe(5);

  const incoming = 'Tack så mycket 😀 '.repeat(12).trim();
  await simulateIncoming(second, { to: '46731230001', from: '46701740699', text: incoming });
  await until(() => client.heard.length === 5);
  expect(client.heard[4]?.pdu).toMatchObject({
    source_addr: '46701740699',
    destination_addr: '46731230001',
    message_payload: { message: incoming },
  });
  client.close();
});
