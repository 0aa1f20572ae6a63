/** Tests what operators see of the texts of unclaimed SMS and of receipts, which depends on a setting. */
import { beforeEach, expect, test } from 'vitest';
import { deliveryStore } from '../../test/harness/delivery-store.ts';
import { eachStore } from '../../test/harness/stores.ts';
import { listAudit, noCompany } from '../audit/audit-log.ts';
import type { Call } from '../http/endpoints/endpoint.ts';
import { storeIncoming } from '../messages/incoming/store.ts';
import { keepUnreadable } from '../messages/receipts/unmatched.ts';
import { RoutingTable } from '../routing/routing-table.ts';
import type { Operator } from './operator.ts';
import { unclaimedEndpoints } from './unclaimed-endpoints.ts';

const olle: Operator = { username: 'olle', passwordMark: 'mark', session: 'digest' };
const [text, receipt] = ['Hello from a phone', 'id:1 text:Hello from us'];

eachStore('what belongs to nobody', (engine) => {
  const given = deliveryStore(engine);
  beforeEach(async () => {
    const sms = { sender: '46701740699', recipient: '46731230001', text };
    await given.store.write(storeIncoming, { ...sms, id: 1, receivedAt: 2_000 });
    await given.store.write(keepUnreadable, { carrierId: 1, text: receipt, receivedAt: 3_000 });
  });

  function calls(readsTexts: boolean) {
    const table = new RoutingTable([], []);
    const clock = { now: () => 9_000_000 };
    const needs = { routes: () => table, changed: () => undefined, personSecret: '00' };
    const services = { store: given.store, clock, readsTexts, ...needs };
    const [unrouted, , receipts] = unclaimedEndpoints(services);
    const page = { after: undefined, limit: 10 };
    return {
      unrouted: async () => unrouted.handle(olle, page as never, {} as Call),
      receipts: async () => receipts.handle(olle, { ...page, carrier: undefined } as never, {} as Call),
    };
  }
  const looks = async () => {
    const entries = await given.store.read(listAudit, { companyId: null, before: null, limit: 100 });
    return entries.filter(({ act }) => act.endsWith('.look'));
  };

  test('[PORT-3] [PORT-11] Without CARILLON_OPERATORS_READ, operators see no text of an SMS or receipt, and no look is recorded', async () => {
    const { unrouted, receipts } = calls(false);
    const before = (await looks()).length;
    const answers = JSON.stringify([await unrouted(), await receipts()]);
    expect(answers).toContain('46701740699');
    expect([answers.includes('Hello'), (await looks()).length]).toEqual([false, before]);
  });

  test('[PORT-3] [PORT-7] With CARILLON_OPERATORS_READ, operators see the texts, and the audit log says once who looked at each', async () => {
    const { unrouted, receipts } = calls(true);
    expect(await unrouted()).toMatchObject({ unrouted: [{ id: '1', message: text }] });
    await unrouted();
    expect(await receipts()).toMatchObject({ receipts: [{ carrier: 'carrier 1', text: receipt }] });
    await receipts();
    const look = { company: '', channel: 'operator', username: 'olle' };
    expect(await looks()).toMatchObject([
      { ...look, act: 'receipt.look' },
      { ...look, act: 'incoming.look' },
    ]);
    const query = { companyId: noCompany, before: null, limit: 100 };
    expect(await given.store.read(listAudit, query)).toHaveLength(2);
  });
});
