import { afterAll, beforeAll, beforeEach, describe, expect, test } from 'vitest';
import type { EventKind } from '../../src/messages/timeline-store.ts';
import { NpmSmsc } from '../carriers/npm-smsc.ts';
import { alice, bob, standardProvisioning, startWholeApp, type WholeApp } from '../harness/app.ts';
import { until } from '../harness/awake.ts';
import { query, recipient, sendOne, whenAllAre } from '../harness/messaging.ts';

/**
 * Messages with the sender Other go over the second SMSC; the simulator gets bob's messages and those that fail over from the
 * first.
 */
function provisioning(netPort: number, otherPort: number): string {
  const smpp = (name: string, port: number, settings: string) =>
    `  - { name: ${name}, type: smpp, host: 127.0.0.1, port: ${port}, systemId: me, password: pw, reconnectMinMs: 50, reconnectMaxMs: 200, ${settings} }`;
  return standardProvisioning
    .replace(/^ {2}- \{ name: sim, .*$/m, (simulator) =>
      [
        smpp('net', netPort, 'throttlePauseMs: 100, errors: { ESME_RSUBMITFAIL: passOn:REJECTED }'),
        // Long enough for a machine that stalls briefly to respond in time.
        smpp('other', otherPort, 'throttlePauseMs: 60000, responseTimeoutMs: 3000'),
        simulator,
      ].join('\n'),
    )
    .replace(
      /^ {2}- \{ name: all, .*$/m,
      `  - { name: bobs, prefix: "", carriers: [sim], simulated: true, users: [bob] }
  - { name: others, prefix: "", carriers: [other], senders: [Other] }
  - { name: all, prefix: "", carriers: [net], priority: 1 }
  - { name: spare, prefix: "", carriers: [sim], simulated: true }`,
    );
}

const throttled = 0x58;
const submitFailed = 0x45;
const twoParts = 'x'.repeat(200);
const time = /\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}Z/g;

describe('the timeline of a message', () => {
  let app: WholeApp;
  let net: NpmSmsc;
  let other: NpmSmsc;
  /** How many parts the SMSCs had taken when the test began; their ids continue from there. */
  let takenBefore = 0;
  beforeAll(async () => {
    [net, other] = await Promise.all([NpmSmsc.listen(), NpmSmsc.listen()]);
    app = await startWholeApp({ engine: 'sqlite', provisioning: provisioning(net.port, other.port) });
    await untilUp();
  });
  afterAll(async () => {
    await app?.close();
    await Promise.all([net.close(), other.close()]);
  });
  beforeEach(() => {
    takenBefore = net.taken.length;
  });

  async function untilUp(): Promise<void> {
    await until(async () => {
      const text = await (await fetch(`${app.baseUrl}/metrics`)).text();
      return ['net', 'other'].every((name) => text.includes(`\ncarillon_carrier_up{carrier="${name}"} 1\n`));
    });
  }

  /**
   * The output of `carillon message` below its heading, with columns separated by one space, and with `T`, `N` and `D` in
   * place of the values that vary.
   */
  async function story(id: string): Promise<readonly string[]> {
    const { stdout, stderr } = await app.run('message', id);
    expect(stderr).toBe('');
    const lines = stdout.slice(stdout.indexOf('AT ')).trimEnd().split('\n');
    const at = lines.slice(1).map((line) => line.slice(0, 24));
    expect(at).toEqual([...at].sort());
    return lines
      .slice(1)
      .map((line) => line.slice(24).replace(/ +/g, ' ').trim())
      .map((line) => line.replace(time, 'T').replace(/node \d+/, 'node N'))
      .map((line) => line.replace(/after \d+ ms/, 'after D ms').replace(/as sim-\S+/, 'as ID'))
      .map((line) => line.replace(/net as npm(\d+)/, (_, id) => `net as npm${id - takenBefore}`));
  }

  async function untilStored(id: string, kind: EventKind): Promise<void> {
    const events = `SELECT seq FROM message_events WHERE message_id = ${id} AND kind = '${kind}'`;
    await until(async () => (await query(app, events)).length > 0);
  }

  test('[DLV-1] [STAT-7] The timeline over the simulator shows each part taken and delivered, or failing with the carrier’s code', async () => {
    const delivered = await sendOne(app.as(bob), { message: twoParts });
    const failing = await sendOne(app.as(bob), { to: ['46701740608'] });
    await whenAllAre(app.as(bob), [delivered], 'DELIVERED');
    await whenAllAre(app.as(bob), [failing], 'ABSENTSUBSCRIBER');
    expect(await story(delivered)).toEqual([
      'accepted sim',
      'claimed sim attempt 1, node N',
      'taken 1/2 sim as ID',
      'taken 2/2 sim as ID',
      'receipt 1/2 sim DELIVERED',
      'receipt 2/2 sim DELIVERED',
    ]);
    expect((await story(failing)).at(-1)).toBe("receipt 1/1 sim ABSENTSUBSCRIBER, the carrier's code is 008");
  });

  test('[DLV-3] [DLV-5] The timeline over SMPP shows throttling, submission, intermediate receipts, the final one and its repeat', async () => {
    net.holdsReceipts = true;
    net.refusals.push(throttled);
    const id = await sendOne(app.as(alice));
    await whenAllAre(app.as(alice), [id], 'SENT');
    net.holdsReceipts = false;
    const receipt = { id: `npm${takenBefore + 1}`, from: recipient(0) };
    net.tell({ ...receipt, state: 'ENROUTE' });
    net.tell({ ...receipt, state: 'ACCEPTD' });
    await whenAllAre(app.as(alice), [id], 'ACCEPTED');
    net.tell({ ...receipt, state: 'UNDELIV', error: '027' });
    await whenAllAre(app.as(alice), [id], 'UNDELIVERABLE');
    net.tell({ ...receipt, state: 'UNDELIV', error: '027' });
    await untilStored(id, 'receipt ignored');
    expect(await story(id)).toEqual([
      'accepted net',
      'claimed net attempt 1, node N',
      'retry net again at T: the SMSC refused it: ESME_RTHROTTLED (0x58)',
      'claimed net attempt 2, node N',
      'taken 1/1 net as npm1, answered after D ms',
      'receipt 1/1 net SENT',
      'receipt 1/1 net ACCEPTED',
      "receipt 1/1 net UNDELIVERABLE, the carrier's code is 027",
      "receipt ignored 1/1 net UNDELIVERABLE, the carrier's code is 027",
    ]);
  });

  test('[DLV-3] [DLV-6] The timeline over SMPP shows a part without a response as in doubt, and only that part sent again', async () => {
    other.refusals.push('silence');
    const id = await sendOne(app.as(alice), { message: twoParts, from: 'Other' });
    await whenAllAre(app.as(alice), [id], 'DELIVERED');
    const lines = await story(id);
    expect(lines.filter((line) => !line.startsWith('receipt'))).toEqual([
      'accepted other',
      'claimed other attempt 1, node N',
      'taken 2/2 other as npm1, answered after D ms',
      expect.stringMatching(/^in doubt other again at T: part 1: the SMSC .*answer/),
      'claimed other attempt 2, node N',
      'taken 1/2 other as npm2, answered after D ms',
    ]);
    expect(lines.filter((line) => line.startsWith('receipt'))).toEqual([
      'receipt 2/2 other DELIVERED',
      'receipt 1/2 other DELIVERED',
    ]);
  });

  test('[DLV-6] After a kill before the response, the timeline says that the message may have been sent and was sent again', async () => {
    net.refusals.push('silence');
    const id = await sendOne(app.as(alice));
    await until(() => net.refusals.length === 0);
    expect(await story(id)).toEqual(['accepted net', 'claimed net attempt 1, node N']);
    await app.kill();
    await app.restart();
    await untilUp();
    await whenAllAre(app.as(alice), [id], 'DELIVERED');
    expect(await story(id)).toEqual([
      'accepted net',
      'claimed net attempt 1, node N',
      "in doubt net node N ended before the carrier's answer was stored: it may have been sent",
      'claimed net attempt 2, node N',
      'taken 1/1 net as npm1, answered after D ms',
      'receipt 1/1 net DELIVERED',
    ]);
  });

  test('[DLV-2] [DLV-3] The timeline shows a message that is passed on to another carrier, and one that the SMSC refuses for good', async () => {
    net.refusals.push(submitFailed);
    const passed = await sendOne(app.as(alice));
    await whenAllAre(app.as(alice), [passed], 'DELIVERED');
    expect(await story(passed)).toEqual([
      'accepted net',
      'claimed net attempt 1, node N',
      'passed on net to sim: the SMSC refused it: ESME_RSUBMITFAIL (0x45)',
      'claimed sim attempt 2, node N',
      'taken 1/1 sim as ID',
      'receipt 1/1 sim DELIVERED',
    ]);
    const invalidDestination = 0x0b;
    net.refusals.push(invalidDestination);
    const refused = await sendOne(app.as(alice));
    await whenAllAre(app.as(alice), [refused], 'INVALIDDESTINATION');
    expect(await story(refused)).toEqual([
      'accepted net',
      'claimed net attempt 1, node N',
      'refused net INVALIDDESTINATION: the SMSC refused it: ESME_RINVDSTADR (0x0B)',
    ]);
  });

  test('[SEND-12] [SEND-21] The timeline shows a message being scheduled, due, put off and cancelled, as JSON too', async () => {
    other.refusals.push(throttled);
    const far = new Date(Date.now() + 3_600_000).toISOString();
    const waiting = await sendOne(app.as(alice), { scheduletime: far, from: 'Other' });
    const scheduletime = new Date(Date.now() + 700).toISOString();
    const due = await sendOne(app.as(alice), { scheduletime, from: 'Other' });
    expect(await story(waiting)).toEqual(['accepted other scheduled for T']);
    await untilStored(due, 'retry');
    await app.run('message', 'cancel', due);
    expect(await story(due)).toEqual([
      'accepted other',
      'due',
      'claimed other attempt 1, node N',
      'retry other again at T: the SMSC refused it: ESME_RTHROTTLED (0x58)',
      'cancelled DELETED: cancelled by the operator',
    ]);
    const { stdout } = await app.run('message', due, '--json');
    const printed = JSON.parse(stdout);
    expect(printed).toMatchObject({
      id: due,
      username: 'alice',
      parts: 1,
      status: 'DELETED',
      inDoubt: false,
      leftOut: 0,
    });
    expect(printed.timeline[3]).toEqual({
      at: expect.stringMatching(time),
      what: 'retry',
      carrier: 'other',
      attempt: 1,
      node: expect.any(Number),
      againAt: expect.stringMatching(time),
      reason: 'the SMSC refused it: ESME_RTHROTTLED (0x58)',
      reasonValues: { sentence: 'smsc_refused', status: 'ESME_RTHROTTLED (0x58)' },
    });
    expect(printed.timeline[1].at >= scheduletime).toBe(true);
  });
});
