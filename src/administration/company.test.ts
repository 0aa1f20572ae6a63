/** Tests what administrators may change in their company, and who may not: files keep what they have set. */
import { beforeEach, expect, test } from 'vitest';
import { provisioningOf } from '../../test/harness/provisioning.ts';
import { eachStore } from '../../test/harness/stores.ts';
import { findCaller } from '../accounts/caller.ts';
import { listAudit } from '../audit/audit-log.ts';
import { listSendHours } from '../batches/hours/hold-store.ts';
import { companyTypes } from '../jobs/company-type.ts';
import type { Store } from '../storage/store.ts';
import { type CompanyChange, changeCompany, readCompany, readCostCenters } from './company.ts';

const file = (more: string) =>
  `companies: [{ name: Nordic Care, id: 1${more}, users: [{ username: alice, id: 11, roles: [send] }] }]`;

eachStore('a company that its administrators change', (engine) => {
  let store: Store;
  beforeEach(async () => {
    store = (await engine.openFreshStore()).store;
  });
  const { linesOf, faultsOf } = provisioningOf(() => store);
  const change = (wanted: CompanyChange, version?: string) =>
    store.write(changeCompany, {
      by: { companyId: 1, username: 'per', session: undefined, now: 1_000 },
      change: wanted,
      ifMatch: version === undefined ? undefined : [version],
    });
  const shown = async () => {
    const found = await store.read(readCompany, 1);
    return { ...found?.company, managedKeys: found?.managedKeys };
  };
  const hours = { sendHoursFrom: '07:00', sendHoursTo: '21:00', sendHoursZone: 'Europe/Stockholm' };
  const stored = { from: '07:00', to: '21:00', zone: 'Europe/Stockholm', batch: 'delay' };

  test('[PORT-10] [PORT-7] A change of a company takes effect for its users, is recorded once, and leaves the rest alone', async () => {
    await linesOf(file(', quotaParts: 500'));
    expect(await change({ countryCode: '46', language: 'sv', ...hours })).toMatchObject({
      company: { countryCode: '46', language: 'sv', quotaParts: 500, sendHours: JSON.stringify(stored) },
    });
    expect(await findCaller(store, 11)).toMatchObject({ countryCode: '46', defaultSender: undefined });
    expect(await change({ countryCode: '46', language: 'sv' })).toMatchObject({
      company: { language: 'sv' },
    });
    expect(await change({ defaultSender: 'Care', countryCode: null })).toMatchObject({
      company: { defaultSender: 'Care', countryCode: undefined, language: 'sv' },
    });
    expect(await findCaller(store, 11)).toMatchObject({ countryCode: undefined, defaultSender: 'Care' });
    const entries = await store.read(listAudit, { companyId: 1, before: null, limit: 10 });
    expect(entries.filter(({ act }) => act === 'company.change')).toMatchObject([
      { object: 'Nordic Care', username: 'per', details: 'defaultSender, countryCode' },
      { object: 'Nordic Care', username: 'per', details: 'countryCode, language, sendHours' },
    ]);
  });

  test('[OPT-1] [PORT-6] Administrators choose what happens to opt-outs, unless a file has, and the next call follows it', async () => {
    await linesOf(file(''));
    expect(await findCaller(store, 11)).toMatchObject({ optOuts: 'off', category: 'notification' });
    expect(await change({ optOuts: 'essentialPasses' })).toMatchObject({
      company: { optOuts: 'essentialPasses' },
    });
    expect(await findCaller(store, 11)).toMatchObject({ optOuts: 'essentialPasses' });
    const { version } = (await store.read(readCompany, 1)) ?? {};
    expect(await change({ optOuts: 'off' }, version)).toMatchObject({ company: { optOuts: undefined } });
    expect(await linesOf(file(', optOuts: honour'))).toEqual([
      '~ company Nordic Care: optOuts off -> honour',
    ]);
    expect(await shown()).toMatchObject({ optOuts: 'honour', managedKeys: ['optOuts'] });
    expect(await change({ optOuts: 'off' })).toMatchObject({ refused: { code: 'managed' } });
    expect(await linesOf(file(''))).toEqual(['~ company Nordic Care: optOuts honour -> off']);
  });

  test('[OPT-1] A file gives a user a category of messages, and a job type one of its own', async () => {
    const withUser = (more: string) =>
      `companies: [{ name: Nordic Care, id: 1, jobTypes: [{ name: Alarm, generic: GMM, category: essential }], users: [{ username: alice, id: 11${more} }] }]`;
    await linesOf(withUser(', category: marketing'));
    expect(await findCaller(store, 11)).toMatchObject({ category: 'marketing' });
    const [alarm] = await store.read(companyTypes.list, { scopeId: 1, limit: 10 });
    expect(alarm?.settings.category).toBe('essential');
    expect(await linesOf(withUser(''))).toEqual([
      '~ user alice in Nordic Care: category marketing -> notification',
    ]);
    expect(await faultsOf(withUser(', category: advertising'))).toEqual([
      expect.stringMatching(/users\[0\]\.category .*essential, notification, marketing/),
    ]);
  });

  test('[PORT-10] Send hours are changed one by one, lifted by clearing their beginning, and never half set', async () => {
    await linesOf(file(''));
    expect(await change({ sendHoursTo: '21:00', sendHoursZone: 'Europe/Stockholm' })).toMatchObject({
      refused: { code: 'missing_parameter', field: 'sendHoursFrom' },
    });
    expect(await change({ sendHoursFrom: '07:00', sendHoursTo: '21:00' })).toMatchObject({
      refused: { code: 'missing_parameter', field: 'sendHoursZone' },
    });
    expect(await change({ ...hours, sendHoursTo: '07:00' })).toMatchObject({
      refused: { code: 'invalid_value', field: 'sendHoursTo' },
    });
    expect(await shown()).toMatchObject({ sendHours: undefined });
    await change(hours);
    await change({ sendHoursBatch: 'drop' });
    await change({ sendHoursTo: '20:00' });
    expect(JSON.parse((await shown()).sendHours ?? '')).toEqual({ ...stored, to: '20:00', batch: 'drop' });
    await change({ sendHoursFrom: null });
    expect(await shown()).toMatchObject({ sendHours: undefined });
  });

  test('[PORT-10] [BATCH-5] Send hours without a zone of their own follow the company’s time zone', async () => {
    await linesOf(file(''));
    const evaluated = async () => JSON.parse((await store.read(listSendHours, null))[0]?.sendHours ?? '{}');
    await change({ timeZone: 'America/New_York', sendHoursFrom: '07:00', sendHoursTo: '21:00' });
    expect(await findCaller(store, 11)).toMatchObject({ timeZone: 'America/New_York' });
    expect(await evaluated()).toEqual({ ...stored, zone: 'America/New_York' });
    await change({ timeZone: 'Asia/Tokyo' });
    expect(await evaluated()).toEqual({ ...stored, zone: 'Asia/Tokyo' });
    expect(await change({ timeZone: null })).toMatchObject({
      refused: { code: 'missing_parameter', field: 'sendHoursZone' },
    });
    await change({ sendHoursZone: 'Europe/Stockholm' });
    await change({ timeZone: null });
    expect(await evaluated()).toEqual(stored);
    expect(await change({ sendHoursZone: null })).toMatchObject({ refused: { field: 'sendHoursZone' } });
  });

  test('[PORT-6] [RUN-3] A file sets the time zone and the cost centres, which it then manages, and refuses wrong ones', async () => {
    const hoursOnly = ', sendHours: { from: "07:00", to: "21:00" }';
    const zone = ', timeZone: Europe/Stockholm';
    const centers = ', costCenters: [{ code: "4711", name: Ward 7 }, { code: "4712", name: Ward 8 }]';
    expect(await faultsOf(file(hoursOnly))).toEqual([expect.stringMatching(/sendHours .*has no "timeZone"/)]);
    expect(await faultsOf(file(', timeZone: Stockholm'))).toEqual([
      expect.stringMatching(/timeZone .*must name a time zone/),
    ]);
    expect(await faultsOf(file(', costCenters: [{ code: "1", name: a }, { code: " 1", name: b }]'))).toEqual([
      expect.stringMatching(/costCenters .*only once/),
    ]);
    await linesOf(file(''));
    expect(await linesOf(file(zone + hoursOnly + centers))).toEqual([
      '~ company Nordic Care: sendHours any -> 07:00-21:00 batch delay, timeZone UTC -> Europe/Stockholm, costCenters none -> 4711 (Ward 7) 4712 (Ward 8)',
    ]);
    expect((await shown()).managedKeys).toEqual(['sendHours', 'timeZone', 'costCenters']);
    for (const refused of [{ timeZone: 'UTC' }, { costCenters: [] }])
      expect(await change(refused)).toMatchObject({ refused: { code: 'managed' } });
    expect(await store.read(readCostCenters, 1)).toHaveLength(2);
    // Hours that keep no zone when the company's is reset are those of UTC.
    expect(await linesOf(file(zone))).toHaveLength(1);
    expect(await linesOf(file(''))).toEqual(['~ company Nordic Care: timeZone Europe/Stockholm -> UTC']);
    const costCenters = [{ code: '4711', name: 'Ward 7' }];
    await change({ costCenters });
    expect(await shown()).toMatchObject({ costCenters });
    await change({ costCenters: [] });
    expect(await shown()).toMatchObject({ costCenters: undefined });
  });

  test('[PORT-6] What a provisioning file has set is shown as managed and refused, and the file leaves alone what it never set', async () => {
    await linesOf(file(', countryCode: "46", sendHours: { from: "07:00", to: "21:00", zone: UTC }'));
    expect((await shown()).managedKeys).toEqual(['countryCode', 'sendHours']);
    for (const refused of [
      { countryCode: '47' },
      { sendHoursFrom: null },
      { sendHoursBatch: 'drop' } as const,
    ])
      expect(await change({ ...refused, language: 'sv' })).toMatchObject({ refused: { code: 'managed' } });
    expect(await shown()).toMatchObject({ language: undefined, countryCode: '46' });
    await change({ language: 'sv' });
    expect(
      await linesOf(file(', countryCode: "46", sendHours: { from: "07:00", to: "21:00", zone: UTC }')),
    ).toEqual([]);
    expect(await shown()).toMatchObject({ language: 'sv' });
  });

  test('[PORT-10] A change based on an old version is refused, and so is a default sender that the company may not use', async () => {
    await linesOf(file(', senders: [Care, Ward]'));
    const first = await store.read(readCompany, 1);
    await change({ defaultSender: 'Care' }, first?.version);
    expect(await change({ language: 'sv' }, first?.version)).toMatchObject({
      refused: { code: 'changed_meanwhile' },
    });
    expect(await change({ defaultSender: 'Other' })).toMatchObject({
      refused: { code: 'sender_not_allowed', field: 'defaultSender' },
    });
    expect(await shown()).toMatchObject({ defaultSender: 'Care', language: undefined });
  });
});
