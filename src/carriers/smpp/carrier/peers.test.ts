import { spawn } from 'node:child_process';
import { fileURLToPath } from 'node:url';
import { afterEach, describe, expect, test } from 'vitest';
import { CarrierRecorder, messages } from '../../../../test/carriers/carrier-recorder.ts';
import { hasNetSmpp } from '../../../../test/carriers/net-smpp.ts';
import { NpmSmsc } from '../../../../test/carriers/npm-smsc.ts';
import { smppCarrier } from '../../../../test/carriers/smpp-setup.ts';
import { until } from '../../../../test/harness/awake.ts';
import { segment } from '../../../wire/sms/segments.ts';
import type { OutgoingPart } from '../../carrier.ts';
import type { SmppSettings } from '../settings.ts';

const closing: (() => Promise<unknown>)[] = [];
afterEach(async () => {
  for (const close of closing.splice(0).reverse()) await close();
});

async function bindTo(port: number, changes: Partial<SmppSettings> = {}) {
  const carrier = smppCarrier(port, changes);
  const heard = new CarrierRecorder();
  await carrier.start(heard);
  closing.push(() => carrier.stop(500));
  await until(() => carrier.status().state === 'up');
  return { carrier, heard };
}

function partsOf(text: string): readonly OutgoingPart[] {
  const { encoding, parts } = segment(text);
  return messages(1, { parts: parts.length }).map((part, index) => ({
    ...part,
    encoding,
    text: parts[index] as string,
  }));
}

describe('npm’s smpp as SMSC', () => {
  async function npm(changes: Partial<SmppSettings> = {}) {
    const smsc = await NpmSmsc.listen();
    closing.push(() => smsc.close());
    return { smsc, ...(await bindTo(smsc.port, changes)) };
  }

  test('[DLV-1] [DLV-3] A carrier binds, submits, and gets receipts and SMS with npm’s smpp as the SMSC', async () => {
    const { smsc, carrier, heard } = await npm({ window: 20 });
    expect(smsc.binds[0]).toMatchObject({
      command: 'bind_transceiver',
      system_id: 'carillon',
      password: 'secret',
      interface_version: 0x34,
    });
    carrier.submit(messages(200, { recipient: '46701740600' }));
    await until(() => heard.stored.length === 200);
    const ids = heard.ofKind('accepted').map(({ outcome }) => outcome.carrierMessageId);
    expect(heard.stored.map(({ carrierMessageId }) => carrierMessageId).sort()).toEqual(ids.sort());
    expect(heard.stored.every(({ status }) => status === 2)).toBe(true);
    expect(await smsc.enquire()).toBe(0);
    expect(await smsc.originate('46701740600', '46731230001', 'Hej')).toBe(0);
    expect(heard.incomings).toMatchObject([{ sender: '46701740600', recipient: '46731230001', text: 'Hej' }]);
    await carrier.stop(1_000);
  });

  test('[DLV-3] [DLV-5] A delivery right before an unbind from npm’s smpp is stored and answered first', async () => {
    const { smsc, carrier, heard } = await npm();
    let store: () => void = () => undefined;
    heard.storing = new Promise((resolve) => {
      store = resolve;
    });
    const answers: string[] = [];
    const delivered = smsc
      .originate('46701740600', '46731230001', 'Hej')
      .then((status) => answers.push(`delivered ${status}`));
    const unbound = smsc.unbind().then(() => answers.push('unbound'));
    await until(() => carrier.status().figures.bindsUp === 0);
    store();
    await Promise.all([delivered, unbound]);
    expect(answers).toEqual(['delivered 0', 'unbound']);
    await until(() => smsc.binds.length === 2);
    expect(heard.incomings).toMatchObject([{ text: 'Hej' }]);
  });

  test('[DLV-4] An SMSC of npm’s smpp reads addresses, validity and texts as the carrier means them', async () => {
    const { smsc, carrier, heard } = await npm({ registeredDelivery: 17 });
    const texts = [
      'Hello',
      '@£$¥èéùìòÇ\nØø\rÅåΔ_ΦΓΛΩΠΨΣΘΞÆæßÉ !"#¤%&\'()*+,-./',
      '[{|}]~^\\€',
      'Ж 😀',
      'x'.repeat(160),
    ];
    const before = Date.now();
    for (const text of texts) carrier.submit(partsOf(text));
    await until(() => heard.ofKind('accepted').length === texts.length);
    expect(smsc.taken[0]?.pdu).toMatchObject({
      source_addr_ton: 5,
      source_addr_npi: 0,
      source_addr: 'Tester',
      dest_addr_ton: 1,
      dest_addr_npi: 1,
      destination_addr: '46701740600',
      registered_delivery: 17,
      data_coding: 0,
      esm_class: 0,
    });
    // The validity was written as a relative time in whole seconds, of almost an hour; that package converts it to a date on
    // arrival.
    const [first] = smsc.taken as [(typeof smsc.taken)[number]];
    const validity = (first.pdu.validity_period as Date).getTime() - 3_600_000;
    expect(validity).toBeGreaterThanOrEqual(before - 1_000);
    expect(validity).toBeLessThanOrEqual(Date.now() + 1_000);
    expect(smsc.taken[3]?.pdu).toMatchObject({ data_coding: 8 });
    expect(smsc.taken[3]?.text).toBe('Ж 😀');
  });

  test('[DLV-4] An SMSC of npm’s smpp reads a long message sent in one piece', async () => {
    const { smsc, carrier, heard } = await npm({ concatenation: 'payload' });
    const text = 'All of it '.repeat(40);
    carrier.submit(messages(1).map((part) => ({ ...part, text, smsParts: 3 })));
    await until(() => heard.ofKind('accepted').length === 1);
    expect(smsc.taken).toHaveLength(1);
    expect(smsc.taken[0]?.pdu).toMatchObject({
      esm_class: 0,
      data_coding: 0,
      short_message: { message: '' },
      message_payload: { message: text },
    });
  });

  test('[DLV-4] An SMSC of npm’s smpp finds the parts of a long message by their header, and keeps two messages in a row apart', async () => {
    const { smsc, carrier, heard } = await npm();
    const text = 'All of it '.repeat(40);
    carrier.submit([...partsOf(text), ...partsOf(text)]);
    await until(() => heard.ofKind('accepted').length === 6);
    const headers = smsc.taken.map(({ pdu }) => {
      const { udh } = pdu.short_message as { readonly udh: readonly Buffer[] };
      return [...(udh[0] as Buffer)];
    });
    const references = headers.map((header) => header[2]);
    expect(headers.map(([kind, length, , parts, part]) => [kind, length, parts, part])).toEqual(
      [1, 2, 3, 1, 2, 3].map((part) => [0, 3, 3, part]),
    );
    expect(new Set(references).size).toBe(2);
    expect(smsc.taken.every(({ pdu }) => pdu.esm_class === 0x40)).toBe(true);
  });
});

const script = fileURLToPath(new URL('../../../../test/carriers/net-smpp-smsc.pl', import.meta.url));

test('[DLV-1] [DLV-3] A carrier binds, submits, gets receipts and SMS, and unbinds with Perl’s Net::SMPP as the SMSC', async ({
  skip,
}) => {
  if (!hasNetSmpp) skip('Net::SMPP is not installed (Debian: libnet-smpp-perl)');
  const perl = spawn('perl', [script], { stdio: ['ignore', 'pipe', 'inherit'] });
  closing.push(async () => perl.kill('SIGKILL'));
  let written = '';
  perl.stdout.on('data', (chunk: Buffer) => {
    written += chunk.toString();
  });
  const lines = (word: string) => written.split('\n').filter((line) => line.startsWith(`${word} `));
  await until(() => lines('port').length === 1);
  const { carrier, heard } = await bindTo(Number(lines('port')[0]?.split(' ')[1]), { validity: 'absolute' });
  carrier.submit(messages(30, { parts: 2, recipient: '46701740600' }));
  await until(() => heard.stored.length === 60);
  await carrier.stop(1_000);
  await until(() => written.includes('unbind\n'));
  expect(lines('bind')).toEqual(['bind carillon secret 52']);
  const [first, second] = lines('submit').map((line) => line.split(' '));
  expect(first?.slice(0, 10)).toEqual('submit 5 0 Tester 1 1 46701740600 64 1 0'.split(' '));
  expect(first?.[10]).toMatch(/^\d{13}00\+$/);
  expect(first?.[11]).toMatch(/^050003..0201/);
  expect(second?.[11]).toMatch(/^050003..0202/);
  expect(Buffer.from((first?.[11] ?? '').slice(12), 'hex').toString('latin1')).toBe('Part 1 of 2');
  // 60 receipts and one SMS.
  expect(lines('delivered')).toEqual(Array.from({ length: 61 }, () => 'delivered 0'));
  expect(lines('alive')).toEqual(['alive 0']);
  expect(lines('unexpected')).toEqual([]);
  expect(heard.incomings).toMatchObject([
    { sender: '46701740600', recipient: '46731230001', text: 'Hej from Perl' },
  ]);
});
