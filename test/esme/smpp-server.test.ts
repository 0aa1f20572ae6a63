/** Customers' programs at the SMPP server, by npm's `smpp` as a client that shares no code with ours. */
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { NpmEsme } from '../carriers/npm-esme.ts';
import { alice, standardProvisioning, startWholeApp, type WholeApp } from '../harness/app.ts';
import { until } from '../harness/awake.ts';
import { freePort } from '../harness/free-port.ts';
import { recipient, simulateIncoming } from '../harness/messaging.ts';

const smpp = (login: string) =>
  standardProvisioning.replace('roles: [send] }', `roles: [send], smpp: ${login} }`);
const login = '{ systemId: alice, password: "8 chars!", binds: 3, window: 20 }'.replace(
  '8 chars!',
  'eight-ch',
);
const bound = { system_id: 'alice', password: 'eight-ch' };
const statuses = { invalidPassword: 0x0e, bindFailed: 0x0d, alreadyBound: 0x05, throttled: 0x58 };

describe('the SMPP server', () => {
  let app: WholeApp;
  let port: number;
  const open: NpmEsme[] = [];
  beforeAll(async () => {
    port = await freePort();
    const env = { CARILLON_SMPP_SERVER: `127.0.0.1:${port}` };
    app = await startWholeApp({ engine: 'sqlite', provisioning: smpp(login), env });
  });
  afterAll(() => app?.close());

  async function client(role: 'transceiver' | 'transmitter' | 'receiver' = 'transceiver') {
    const esme = await NpmEsme.bound(port, role, bound);
    open.push(esme);
    return esme;
  }

  test('[ESME-2] A message is answered with its id, and [ESME-3] its receipt comes', async () => {
    const esme = await client();
    const answer = await esme.submit({
      destination_addr: recipient(1),
      dest_addr_ton: 1,
      short_message: 'Hello',
    });
    expect(answer).toMatchObject({ command_status: 0, message_id: expect.stringMatching(/^\d+$/) });
    await until(() => esme.heard.length === 1);
    const [{ pdu, text }] = esme.heard as [(typeof esme.heard)[0]];
    expect(text).toMatch(
      new RegExp(
        `^id:${answer.message_id} sub:001 dlvrd:001 submit date:\\d{10} done date:\\d{10} stat:DELIVRD err:000 text:Hello$`,
      ),
    );
    expect(pdu).toMatchObject({ esm_class: 4, message_state: 2, source_addr: recipient(1) });
    await simulateIncoming(app, { to: '46731230001', from: '46701740699', text: 'Åh, ja' });
    await until(() => esme.heard.length === 2);
    expect(esme.heard[1]).toMatchObject({
      text: 'Åh, ja',
      pdu: { source_addr: '46701740699', destination_addr: '46731230001' },
    });
    await esme.unbind();
  });
});
