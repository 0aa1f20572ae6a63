import { afterEach, describe, expect, test } from 'vitest';
import { NpmSmsc } from '../carriers/npm-smsc.ts';
import { alice, standardProvisioning, startWholeApp, type WholeApp } from '../harness/app.ts';
import { until } from '../harness/awake.ts';
import { freePort } from '../harness/free-port.ts';
import {
  acceptedOf,
  incomingPath,
  recipient,
  sendOne,
  sendPath,
  statusesOf,
  whenAllAre,
} from '../harness/messaging.ts';

const carrierLine = /^ {2}- \{ name: sim, .*$/m;

function provisioning(port: number, settings = ''): string {
  const operator = `  - { name: sim, type: smpp, host: 127.0.0.1, port: ${port}, systemId: me, password: pw, reconnectMinMs: 50, reconnectMaxMs: 200${settings} }`;
  return standardProvisioning.replace(carrierLine, operator);
}

let app: WholeApp | undefined;
let smsc: NpmSmsc | undefined;
afterEach(async () => {
  await app?.close();
  await smsc?.close();
  app = undefined;
  smsc = undefined;
});

async function metric(running: WholeApp, name: string): Promise<number> {
  const text = await (await fetch(`${running.baseUrl}/metrics`)).text();
  return Number(new RegExp(`^${name}\\{carrier="sim"\\} (\\S+)$`, 'm').exec(text)?.[1]);
}

function untilUp(running: WholeApp, binds: 0 | 1): Promise<void> {
  return until(async () => (await metric(running, 'carillon_carrier_up')) === binds);
}

describe('a carrier by SMPP', () => {
  test('[DLV-1] [DLV-5] An SMPP carrier takes what is sent by HTTP, and its receipts make the messages DELIVERED', async () => {
    smsc = await NpmSmsc.listen();
    app = await startWholeApp({ engine: 'sqlite', provisioning: provisioning(smsc.port, ', window: 50') });
    const to = Array.from({ length: 200 }, (_, index) => recipient(index));
    const accepted = acceptedOf(await app.as(alice).post(sendPath, { to, message: 'Hello '.repeat(60) }));
    await whenAllAre(
      app.as(alice),
      accepted.map(({ id }) => id),
      'DELIVERED',
    );
    expect(smsc.taken).toHaveLength(600);
    expect(smsc.taken[0]?.pdu).toMatchObject({ source_addr: 'NordicCare', destination_addr: to[0] });
    expect(await metric(app, 'carillon_carrier_up')).toBe(1);
    expect(await metric(app, 'carillon_carrier_binds_up')).toBe(1);
    expect(await metric(app, 'carillon_carrier_window_parts')).toBe(50);
    // `CarrierLog` checks the carriers only from time to time, so the line may come later.
    await until(() => app?.stderr.includes('"msg":"the carrier is up"') === true);
    expect(await app.stop()).toBe(0);
  });

  test('[DLV-5] [DLV-6] Receipts that come after a restart, on another bind, find their messages', async () => {
    smsc = await NpmSmsc.listen();
    smsc.holdsReceipts = true;
    app = await startWholeApp({ engine: 'sqlite', provisioning: provisioning(smsc.port) });
    const ids = [await sendOne(app.as(alice)), await sendOne(app.as(alice), { message: 'x'.repeat(400) })];
    await whenAllAre(app.as(alice), ids, 'SENT');
    await app.restart();
    await until(() => smsc?.binds.length === 2);
    smsc.releaseReceipts();
    await whenAllAre(app.as(alice), ids, 'DELIVERED');
    expect(smsc.taken).toHaveLength(4);
  });

  test('[DLV-5] An SMS that comes by SMPP goes to the user who rents its number', async () => {
    smsc = await NpmSmsc.listen();
    app = await startWholeApp({ engine: 'sqlite', provisioning: provisioning(smsc.port) });
    await untilUp(app, 1);
    expect(await smsc.originate('46701740699', '46731230001', 'Hej á €')).toBe(0);
    const { incoming } = (await app.as(alice).post(incomingPath, {})).body;
    expect(incoming).toMatchObject([{ from: '46701740699', to: '46731230001', message: 'Hej á €' }]);
  });

  test('[DLV-3] An SMSC that is away gets the waiting messages once it can be reached', async () => {
    const port = await freePort();
    app = await startWholeApp({ engine: 'sqlite', provisioning: provisioning(port) });
    const id = await sendOne(app.as(alice));
    await until(() => app?.stderr.includes("can't be reached: connect ECONNREFUSED") ?? false);
    expect(await metric(app, 'carillon_carrier_up')).toBe(0);
    expect(await statusesOf(app.as(alice), [id])).toMatchObject([{ status: 'QUEUED' }]);
    smsc = await NpmSmsc.listen(port);
    await whenAllAre(app.as(alice), [id], 'DELIVERED');
    await smsc.close();
    await untilUp(app, 0);
    const later = await sendOne(app.as(alice));
    // If the SMSC reused an id, a receipt arriving before the response is stored would be matched to one of the first SMS.
    smsc = await NpmSmsc.listen(port, smsc.taken.length);
    await whenAllAre(app.as(alice), [later], 'DELIVERED');
  });

  test('[RUN-3] SMPP settings changed by `apply` are in use at once, and wrong settings are reported and change nothing', async () => {
    smsc = await NpmSmsc.listen();
    app = await startWholeApp({ engine: 'sqlite', provisioning: provisioning(smsc.port) });
    const wrong = await app.apply(provisioning(smsc.port, ', window: 0, errors: { ESME_RTHROTLED: retry }'));
    expect(wrong.exitCode).toBe(1);
    expect(wrong.stderr).toMatch(
      /carriers\[0\]\.window \(line \d+, column \d+\): must be a whole number from 1/,
    );
    expect(wrong.stderr).toMatch(/carriers\[0\]\.errors\.ESME_RTHROTLED .*did you mean ESME_RTHROTTLED\?/);
    const right = await app.apply(provisioning(smsc.port, ', window: 7, systemType: new'));
    expect(right.stdout).toContain('window 10 -> 7');
    expect(right.stdout).not.toContain('pw');
    await until(() => smsc?.binds.length === 2);
    expect(smsc.binds[1]).toMatchObject({ system_type: 'new' });
    const id = await sendOne(app.as(alice));
    await whenAllAre(app.as(alice), [id], 'DELIVERED');
  });
});
