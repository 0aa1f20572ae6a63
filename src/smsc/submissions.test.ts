import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import type { NpmEsme } from '../../test/carriers/npm-esme.ts';
import { bound, type RunningSmsc, startSmsc, stopSmscs } from '../../test/carriers/smsc-setup.ts';
import { until } from '../../test/harness/awake.ts';
import { holdTime, letTimeGo, pass, passDuring } from '../../test/harness/held-time.ts';
import { commandStatus } from '../wire/smpp/command-status.ts';

beforeEach(holdTime);
afterEach(async () => {
  await passDuring(stopSmscs());
  letTimeGo();
});

/** Returns the number of responses by status. */
async function submitMany(esme: NpmEsme, count: number, to = '46701740699'): Promise<Map<number, number>> {
  const answers = await Promise.all(
    Array.from({ length: count }, () => esme.submit({ destination_addr: to, short_message: 'Hej' })),
  );
  const counts = new Map<number, number>();
  for (const { command_status: status } of answers) counts.set(status, (counts.get(status) ?? 0) + 1);
  return counts;
}

const hello = { destination_addr: '46701740699', short_message: 'Hello' };

describe('npm’s smpp as client of the SMSC for tests', () => {
  test('[DLV-3] The SMSC for tests answers submissions with ids, shows them as text, and sends receipts', async () => {
    const { port, lines, journal } = await startSmsc();
    const esme = await bound(port);
    const { command_status, message_id } = await esme.submit({ ...hello, short_message: 'Hej á €' });
    expect(command_status).toBe(0);
    expect(message_id).toMatch(/^\d{16}$/);
    await until(() => esme.heard.length === 1);
    const { pdu, text } = esme.heard[0]!;
    expect(pdu).toMatchObject({
      esm_class: 4,
      source_addr: '46701740699',
      destination_addr: '46701740605',
      receipted_message_id: message_id,
      message_state: 2,
    });
    expect(text).toMatch(
      /^id:\d{16} sub:001 dlvrd:001 submit date:\d{10} done date:\d{10} stat:DELIVRD err:000 text:Hej \? \?$/,
    );
    await until(() => journal.deliveriesTaken === 1);
    expect((await esme.unbind()).command_status).toBe(0);
    await until(() => esme.isClosed);
    expect(lines()).toEqual([
      expect.stringMatching(/^bind #1 {2}"tester" as transceiver, SMPP 5\.0, from .*: ESME_ROK$/),
      'submit #1  46701740605 to 46701740699: "Hej á €" (data_coding 8)',
      `answer #1  ESME_ROK, id ${message_id}`,
      `receipt #1  id ${message_id} to 46701740699: DELIVRD`,
      'unbind #1  "tester" unbinds',
    ]);
    expect(journal.counts()).toEqual([
      ['binds', '1'],
      ['submissions', '1 (accepted 1)'],
      ['receipts', '1 (DELIVRD 1)'],
      ['incoming SMS', '0'],
      ['taken by clients', '1'],
    ]);
  });

  test('[DLV-3] The SMSC for tests throttles a client that submits too much in a second, and accepts more in the next second', async () => {
    const { port } = await startSmsc('maxSubmits: 20');
    const esme = await bound(port);
    const { ESME_RTHROTTLED } = commandStatus;
    expect(await submitMany(esme, 50)).toEqual(
      new Map([
        [0, 20],
        [ESME_RTHROTTLED, 30],
      ]),
    );
    pass(999);
    expect(await submitMany(esme, 1)).toEqual(new Map([[ESME_RTHROTTLED, 1]]));
    pass(1);
    expect(await submitMany(esme, 1)).toEqual(new Map([[0, 1]]));
  });

  test('[DLV-3] The queue of the SMSC for tests is full while receipts are to come, and has room after them', async () => {
    const { port } = await startSmsc('{ queueSize: 3 }', { receiptMs: 300 });
    const esme = await bound(port);
    expect(await submitMany(esme, 5)).toEqual(
      new Map([
        [0, 3],
        [commandStatus.ESME_RMSGQFUL, 2],
      ]),
    );
    pass(300);
    await until(() => esme.heard.length === 3);
    expect(await submitMany(esme, 1)).toEqual(new Map([[0, 1]]));
  });

  test('[DLV-3] The SMSC for tests refuses a share of submissions, and the same ones from the same seed', async () => {
    const file = 'error: { ESME_RSYSERR: 20, ESME_RSUBMITFAIL: 10 }\nseed: 7';
    const runs = [await startSmsc(file), await startSmsc(file)];
    const [first, second] = await Promise.all(
      runs.map(async ({ port }) => submitMany(await bound(port), 500)),
    );
    expect(first).toEqual(second);
    expect(first?.get(commandStatus.ESME_RSYSERR)).toBeGreaterThan(70);
    expect(first?.get(commandStatus.ESME_RSYSERR)).toBeLessThan(130);
    expect(first?.get(commandStatus.ESME_RSUBMITFAIL)).toBeGreaterThan(25);
    expect(first?.get(commandStatus.ESME_RSUBMITFAIL)).toBeLessThan(80);
  });

  test('[DLV-3] The SMSC for tests applies the first rule that fits the beginning of the recipient’s number', async () => {
    const { port } = await startSmsc(`
      error: ESME_RSYSERR
      rules:
        - { prefix: "46 70 1740 69", error: ESME_RINVDSTADR }
        - { prefix: +4670, error: {} }
    `);
    const esme = await bound(port);
    expect(await submitMany(esme, 2, '46701740699')).toEqual(new Map([[commandStatus.ESME_RINVDSTADR, 2]]));
    expect(await submitMany(esme, 2, '+46701740600')).toEqual(new Map([[0, 2]]));
    expect(await submitMany(esme, 2, '4791234567')).toEqual(new Map([[commandStatus.ESME_RSYSERR, 2]]));
  });

  test('[DLV-3] A response that the SMSC for tests loses never comes, but its receipt does', async () => {
    const { port, journal } = await startSmsc('lostAnswers: 100');
    const esme = await bound(port);
    let isAnswered = false;
    void esme.submit(hello).then(() => {
      isAnswered = true;
    });
    await until(() => esme.heard.length === 1);
    pass(60_000);
    await esme.unbind();
    expect(isAnswered).toBe(false);
    expect(journal.counts()[1]).toEqual(['submissions', '1 (not answered 1)']);
  });

  test('[DLV-3] Responses of the SMSC for tests wait as long as they are configured to, each separately', async () => {
    const { port, journal } = await startSmsc('answerMs: 100-200');
    const esme = await bound(port);
    const answered = submitMany(esme, 100);
    await until(() => journal.submissions === 100);
    pass(99);
    expect(journal.accepted).toBe(0);
    pass(51);
    expect(journal.accepted).toBeGreaterThan(0);
    expect(journal.accepted).toBeLessThan(100);
    pass(50);
    expect(await answered).toEqual(new Map([[0, 100]]));
  });

  test('[DLV-3] The SMSC for tests can break the connection after a set number of submissions, and leaves the last one unanswered', async () => {
    const { port, lines } = await startSmsc('dropAfter: 3');
    const esme = await bound(port);
    expect((await esme.submit(hello)).command_status).toBe(0);
    expect((await esme.submit(hello)).command_status).toBe(0);
    void esme.submit(hello);
    await until(() => esme.isClosed);
    expect(lines()).toContain('closed #1  dropped after 3 submissions');
    expect(lines()).toContainEqual(
      expect.stringMatching(/^answer #1 {2}none, although id \d+ was accepted$/),
    );
    // The receipt of the message in doubt arrives with the next bind.
    const next = await bound(port);
    await until(() => next.heard.length >= 1);
  });

  test('[DLV-5] The SMSC for tests shows the parts of a long message with their place, and the whole text', async () => {
    const { port, lines } = await startSmsc();
    const esme = await bound(port);
    for (const [part, text] of [
      [2, 'world'],
      [1, 'Hello '],
    ] as const) {
      const udh = Buffer.from([5, 0, 3, 9, 2, part]);
      await esme.submit({ ...hello, esm_class: 0x40, short_message: { udh, message: text } });
    }
    expect(lines().filter((line) => /^(submit|whole)/.test(line))).toEqual([
      'submit #1  46701740605 to 46701740699: "world" (part 2 of 2, reference 9, data_coding 1)',
      'submit #1  46701740605 to 46701740699: "Hello " (part 1 of 2, reference 9, data_coding 1)',
      'whole #1  2 parts: "Hello world"',
    ]);
  });

  test('[DLV-3] The SMSC for tests escapes characters that a terminal would obey', async () => {
    const { port, lines }: RunningSmsc = await startSmsc();
    const esme = await bound(port, 'transceiver', { system_id: 'a\u001b[2J' });
    await esme.submit({ ...hello, short_message: 'x\u0007\n\u202ey' });
    const [bind, submit] = lines();
    expect(bind).toContain('"a\\u001b[2J"');
    expect(submit).toContain('"x\\u0007\\n\\u202ey"');
  });
});
