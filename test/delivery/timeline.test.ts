import { afterEach, expect, test } from 'vitest';
import { until } from '../carriers/carrier-recorder.ts';
import { NpmSmsc } from '../carriers/npm-smsc.ts';
import { alice, standardProvisioning, startWholeApp, type WholeApp } from '../harness/app.ts';
import { eachEngine } from '../harness/engines.ts';
import { recipient, sendOne, whenAllAre } from '../harness/messaging.ts';
import { msUntil } from '../harness/on-time.ts';

const carrierLine = /^ {2}- \{ name: sim, .*$/m;
const routeLine = /^ {2}- \{ name: all, .*$/m;

/** The simulator stays as what the SMSC's refusals may fail over to. */
function overSmpp(port: number, settings = ''): string {
  const operator = `  - { name: net, type: smpp, host: 127.0.0.1, port: ${port}, systemId: me, password: pw, reconnectMinMs: 50, reconnectMaxMs: 200${settings} }`;
  return standardProvisioning
    .replace(carrierLine, (simulator) => `${operator}\n${simulator}`)
    .replace(
      routeLine,
      '  - { name: all, prefix: "", carriers: [net], priority: 1 }\n  - { name: spare, prefix: "", carriers: [sim] }',
    );
}

const throttled = 0x58;
const submitFailed = 0x45;
const twoParts = 'x'.repeat(200);
const time = /\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}Z/g;

eachEngine('the timeline of a message', (engine) => {
  let app: WholeApp;
  let smsc: NpmSmsc | undefined;
  afterEach(async () => {
    await app?.close();
    await smsc?.close();
    smsc = undefined;
  });

  async function start(provisioning: string): Promise<void> {
    app = await startWholeApp({ engine, provisioning });
  }

  async function startOverSmpp(settings = ''): Promise<NpmSmsc> {
    smsc = await NpmSmsc.listen();
    const peer = smsc;
    await start(overSmpp(peer.port, settings));
    await msUntil(async () => {
      const text = await (await fetch(`${app.baseUrl}/metrics`)).text();
      return text.includes('\ncarillon_carrier_up{carrier="net"} 1\n');
    });
    return peer;
  }

  /** What `carillon message` prints below its head, with one space between columns, and `T`, `N`, `D` for what differs. */
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
      .map((line) => line.replace(/after \d+ ms/, 'after D ms').replace(/as sim-\S+/, 'as ID'));
  }

  /** As soon as it has so many lines. */
  async function storyOf(id: string, lines: number): Promise<readonly string[]> {
    const deadline = performance.now() + 30_000;
    for (;;) {
      const told = await story(id);
      if (told.length >= lines || performance.now() > deadline) return told;
    }
  }

  test('[DLV-1] [STAT-7] over the simulator: taken part by part, delivered, or failing with the carrier’s code', async () => {
    await start(standardProvisioning);
    const delivered = await sendOne(app.as(alice), { message: twoParts });
    const failing = await sendOne(app.as(alice), { to: ['46701740608'] });
    await whenAllAre(app.as(alice), [delivered], 'DELIVERED');
    await whenAllAre(app.as(alice), [failing], 'ABSENTSUBSCRIBER');
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

  test('[DLV-3] [DLV-5] over SMPP: throttled, taken, told of on its way, delivered, and told again', async () => {
    const peer = await startOverSmpp(', throttlePauseMs: 100');
    peer.holdsReceipts = true;
    peer.refusals.push(throttled);
    const id = await sendOne(app.as(alice));
    await whenAllAre(app.as(alice), [id], 'SENT');
    peer.tell({ id: 'npm1', from: recipient(0), state: 'ENROUTE' });
    peer.tell({ id: 'npm1', from: recipient(0), state: 'ACCEPTD' });
    await whenAllAre(app.as(alice), [id], 'ACCEPTED');
    peer.tell({ id: 'npm1', from: recipient(0), state: 'UNDELIV', error: '027' });
    await storyOf(id, 8);
    peer.tell({ id: 'npm1', from: recipient(0), state: 'UNDELIV', error: '027' });
    expect(await storyOf(id, 9)).toEqual([
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

  test('[DLV-3] [DLV-6] over SMPP: one part without an answer is in doubt, and comes again without the other', async () => {
    // Long enough that a machine which stands still for a moment answers the other part in time.
    const peer = await startOverSmpp(', responseTimeoutMs: 1500');
    peer.refusals.push('silence');
    const id = await sendOne(app.as(alice), { message: twoParts });
    await whenAllAre(app.as(alice), [id], 'DELIVERED');
    const lines = await story(id);
    expect(lines.filter((line) => !line.startsWith('receipt'))).toEqual([
      'accepted net',
      'claimed net attempt 1, node N',
      'taken 2/2 net as npm1, answered after D ms',
      expect.stringMatching(/^in doubt net again at T: part 1: the SMSC .*answer/),
      'claimed net attempt 2, node N',
      'taken 1/2 net as npm2, answered after D ms',
    ]);
    expect(lines.filter((line) => line.startsWith('receipt'))).toEqual([
      'receipt 2/2 net DELIVERED',
      'receipt 1/2 net DELIVERED',
    ]);
  });

  test('[DLV-6] over SMPP: killed with the answer outstanding, it says that it may have been sent, and sends it again', async () => {
    const peer = await startOverSmpp();
    peer.refusals.push('silence');
    const id = await sendOne(app.as(alice));
    await until(() => peer.refusals.length === 0);
    expect(await story(id)).toEqual(['accepted net', 'claimed net attempt 1, node N']);
    await app.kill();
    await app.restart();
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

  test('[DLV-2] [DLV-3] over two carriers: what the SMSC passes on the other takes; what it refuses for good ends', async () => {
    const peer = await startOverSmpp(', errors: { ESME_RSUBMITFAIL: passOn:REJECTED }');
    peer.refusals.push(submitFailed);
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
    peer.refusals.push(invalidDestination);
    const refused = await sendOne(app.as(alice));
    await whenAllAre(app.as(alice), [refused], 'INVALIDDESTINATION');
    expect(await story(refused)).toEqual([
      'accepted net',
      'claimed net attempt 1, node N',
      'refused net INVALIDDESTINATION: the SMSC refused it: ESME_RINVDSTADR (0x0B)',
    ]);
  });

  test('[SEND-12] [SEND-21] scheduled, due, put off, and cancelled; and for programs as JSON', async () => {
    const peer = await startOverSmpp(', throttlePauseMs: 60000');
    peer.refusals.push(throttled);
    const far = new Date(Date.now() + 3_600_000).toISOString();
    const waiting = await sendOne(app.as(alice), { scheduletime: far });
    const scheduletime = new Date(Date.now() + 700).toISOString();
    const due = await sendOne(app.as(alice), { scheduletime });
    expect(await story(waiting)).toEqual(['accepted net scheduled for T']);
    await storyOf(due, 4);
    await app.run('message', 'cancel', due);
    expect(await story(due)).toEqual([
      'accepted net',
      'due',
      'claimed net attempt 1, node N',
      'retry net again at T: the SMSC refused it: ESME_RTHROTTLED (0x58)',
      'cancelled DELETED: cancelled by the operator',
    ]);
    const { stdout } = await app.run('message', due, '--json');
    const told = JSON.parse(stdout);
    expect(told).toMatchObject({
      ...{ id: due, username: 'alice', parts: 1, status: 'DELETED', inDoubt: false, leftOut: 0 },
    });
    expect(told.timeline[3]).toEqual({
      ...{
        at: expect.stringMatching(time),
        what: 'retry',
        carrier: 'net',
        attempt: 1,
        node: expect.any(Number),
      },
      ...{ againAt: expect.stringMatching(time), reason: 'the SMSC refused it: ESME_RTHROTTLED (0x58)' },
    });
    expect(told.timeline[1].at >= scheduletime).toBe(true);
  });
});
