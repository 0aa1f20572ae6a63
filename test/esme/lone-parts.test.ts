/** Parts of a client's text whose others never come, from a client to an SMSC, neither of which shares code with ours. */
import { afterAll, beforeAll, expect, test } from 'vitest';
import { NpmEsme } from '../carriers/npm-esme.ts';
import { NpmSmsc } from '../carriers/npm-smsc.ts';
import { standardProvisioning, startWholeApp, type WholeApp } from '../harness/app.ts';
import { until } from '../harness/awake.ts';
import { freePort } from '../harness/free-port.ts';
import { HeldTime } from '../harness/held-server-time.ts';

const forms = ['udh', 'sar', 'payload'] as const;
type Form = (typeof forms)[number];

const time = new HeldTime();
let smscs: readonly NpmSmsc[];
let app: WholeApp;
let esme: NpmEsme;

/** Numbers that begin alike go to the carrier that links parts in this form. */
const to = (form: Form, phone: number) => `4670${forms.indexOf(form)}00000${phone}`;

beforeAll(async () => {
  smscs = await Promise.all(forms.map(() => NpmSmsc.listen()));
  const port = await freePort();
  const carriers = forms.map(
    (form, index) =>
      `  - { name: ${form}, type: smpp, host: 127.0.0.1, port: ${smscs[index]?.port}, systemId: ${form}, password: pw, concatenation: ${form} }`,
  );
  const routes = forms.map(
    (form) => `  - { name: ${form}, prefix: "${to(form, 0).slice(0, 5)}", carriers: [${form}] }`,
  );
  const provisioning = standardProvisioning
    .replace(/^ {2}- \{ name: sim, .*$/m, carriers.join('\n'))
    .replace(/^ {2}- \{ name: all, .*$/m, routes.join('\n'))
    .replace(/(alice's long password", roles: \[.*?\])/, '$1, smpp: { systemId: alice, password: eight-ch }');
  const env = { ...time.env, CARILLON_SMPP_SERVER: `127.0.0.1:${port}` };
  app = await startWholeApp({ engine: 'sqlite', provisioning, env });
  esme = await NpmEsme.bound(port, 'transceiver', { system_id: 'alice', password: 'eight-ch' });
});
afterAll(async () => {
  esme?.close();
  await app?.close();
  for (const smsc of smscs ?? []) await smsc.close();
  time.remove();
});

const isFlagged = 0x40;
const taken = () => smscs.flatMap((smsc) => smsc.taken);

/** Submits one of three parts, with a header or with sar_* as the client writes it. */
function submit(by: 'udh' | 'udh16' | 'sar', number: string, part: number, message: string) {
  const common = { destination_addr: number, dest_addr_ton: 1, source_addr: 'Client' };
  if (by === 'sar') {
    const sar = { sar_msg_ref_num: 0x1234, sar_total_segments: 3, sar_segment_seqnum: part };
    return esme.submit({ ...common, short_message: message, ...sar });
  }
  const udh = by === 'udh' ? [5, 0, 3, 0x4d, 3, part] : [6, 8, 4, 0x12, 0x34, 3, part];
  return esme.submit({
    ...common,
    esm_class: isFlagged,
    data_coding: 8,
    short_message: { udh: Buffer.from(udh), message: Buffer.from(message, 'utf16le').swap16() },
  });
}

/** How the SMSC sees the parts to the number, in order. */
function seen(number: string) {
  const parts = taken().filter(({ pdu }) => pdu.destination_addr === number);
  return parts
    .map(({ pdu, text }) => {
      const { udh = [] } = pdu.short_message as { readonly udh?: readonly Buffer[] };
      return {
        text,
        isFlagged: (Number(pdu.esm_class) & isFlagged) !== 0,
        header: udh.map((element) => element.toString('hex')).join(' '),
        sar: [pdu.sar_msg_ref_num, pdu.sar_total_segments, pdu.sar_segment_seqnum],
      };
    })
    .sort((one, other) => (one.text < other.text ? -1 : 1));
}

test('[ESME-2] Parts that wait a minute for the others in vain go out each with its header, in the form of the carrier', async () => {
  const begun = async (by: Parameters<typeof submit>[0], number: string) => {
    for (const part of [3, 1])
      expect(await submit(by, number, part, `${part}: Жук`)).toMatchObject({ command_status: 0 });
  };
  for (const form of forms) {
    await begun('udh', to(form, 1));
    await begun('udh16', to(form, 2));
  }
  const gsm = to('udh', 3);
  for (const part of [2, 3]) await submit('sar', gsm, part, `${part}: Hello`);
  const tooLong = 'x'.repeat(153);
  await submit('sar', to('udh', 4), 1, tooLong);
  const whole = to('udh', 5);
  for (const part of [2, 3, 1]) await submit('sar', whole, part, `${part}`);
  await until(() => taken().length === 1);
  expect(seen(whole)).toMatchObject([{ text: '123', isFlagged: false, header: '' }]);

  time.setClock(61_000);
  await until(() => taken().length === 16);
  const none = [undefined, undefined, undefined];
  for (const form of ['udh', 'payload'] as const) {
    expect(seen(to(form, 1))).toEqual([
      { text: '1: Жук', isFlagged: true, header: '00034d0301', sar: none },
      { text: '3: Жук', isFlagged: true, header: '00034d0303', sar: none },
    ]);
    expect(seen(to(form, 2))).toMatchObject([
      { isFlagged: true, header: '080412340301' },
      { isFlagged: true, header: '080412340303' },
    ]);
  }
  expect(seen(to('sar', 1))).toEqual([
    { text: '1: Жук', isFlagged: false, header: '', sar: [0x4d, 3, 1] },
    { text: '3: Жук', isFlagged: false, header: '', sar: [0x4d, 3, 3] },
  ]);
  expect(seen(to('sar', 2))).toMatchObject([{ sar: [0x1234, 3, 1] }, { sar: [0x1234, 3, 3] }]);
  expect(seen(gsm)).toMatchObject([
    { text: '2: Hello', header: '080412340302' },
    { text: '3: Hello', header: '080412340303' },
  ]);
  // A header of seven octets has no room beside this text.
  expect(seen(to('udh', 4))).toEqual([{ text: tooLong, isFlagged: false, header: '', sar: none }]);
  // Each part has a receipt of its own, beside those of the whole text.
  await until(() => esme.heard.length === 18);
});
