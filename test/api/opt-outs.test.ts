/** Tests the management API for opt-outs: what administrators see, add, remove, import and export. */
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { alice, bob, startWholeApp, type WholeApp } from '../harness/app.ts';
import { runHere } from '../harness/run-here.ts';

const path = '/api/v1/optouts';
const [eva, adam] = ['46701740601', '46701740602'];
const day = 86_400_000;

const provisioning = `
companies:
  - name: Nordic Care
    defaultSender: NordicCare
    countryCode: "46"
    users:
      - { username: alice, password: "alice's long password", roles: [send, companyAdmin], defaultAddressBook: Staff }
      - { username: bob, password: "bob's long password", roles: [send] }
    addressBooks: [{ id: 11, name: Staff, contacts: [{ id: 9001, name: Eva Ek, phone: "+${eva}" }] }]
carriers:
  - { name: sim, type: simulator, submitDelayMs: 0, receiptDelayMs: 20 }
routes:
  - { name: all, prefix: "", carriers: [sim] }
`;

interface Listed {
  readonly id: string;
  readonly number: string;
}

describe('opt-outs, for administrators', () => {
  let app: WholeApp;
  beforeAll(async () => {
    app = await startWholeApp({ engine: 'sqlite', provisioning });
  });
  afterAll(() => app?.close());

  const get = async (rest = '', query = {}) => (await app.as(alice).get(path + rest, query)).body;
  const add = (given: object) => app.as(alice).post(path, given);
  const numbers = async (query = {}) =>
    ((await get('', query)).optOuts as readonly Listed[]).map(({ number }) => number);
  const upload = async (csv: string, query = '') => {
    const { status, body } = await app.as(alice).post(`${path}/import${query}`, csv);
    return { status, ...body };
  };
  const audited = async (act: string) => {
    const { entries } = (await app.as(alice).get('/api/v1/audit', { act })).body;
    return entries.map(({ object, details }: Readonly<Record<string, string>>) => [object, details]);
  };

  test('[OPT-3] An administrator adds an opt-out with its proof, sees it with the person’s name, and removes it with a reason', async () => {
    const added = await add({ number: '070-174 06 01', category: 'marketing', proof: 'By phone' });
    expect(added.status).toBe(201);
    const { id, since } = added.body;
    expect(added.headers.get('location')).toBe(`${path}/${id}`);
    const shown = {
      id,
      number: eva,
      category: 'marketing',
      since,
      source: 'api',
      proof: 'By phone',
      addedBy: 'alice',
    };
    expect(added.body).toEqual({ ...shown, added: true });
    const again = await add({ number: eva, category: 'marketing', proof: 'Again' });
    expect(again.body).toEqual({ ...shown, added: false });
    expect(await get()).toEqual({ optOuts: [{ ...shown, name: 'Eva Ek' }] });
    expect(await get(`/${id}`)).toEqual({ ...shown, name: 'Eva Ek' });
    const person = (await app.as(bob).get(`/api/v1/people/${eva}`)).body;
    expect(person.optOuts).toEqual([{ category: 'marketing', since }]);
    const { text } = await app.as(alice).get(`/api/v1/people/${eva}/export`);
    expect(text).toContain(
      `{"kind":"optOut","category":"marketing","since":"${since}","source":"api","proof":"By phone","addedBy":"alice"}`,
    );

    const remove = (query: string) => app.as(alice).request('DELETE', `${path}/${id}${query}`);
    expect((await remove('')).body).toMatchObject({ code: 'missing_parameter' });
    expect((await remove('?reason=Signed+up+again')).body).toEqual({ id });
    expect((await remove('?reason=Signed+up+again')).status).toBe(404);
    expect(await get()).toEqual({ optOuts: [] });
    expect(await audited('optout.add')).toEqual([[eva, 'marketing, api']]);
    expect(await audited('optout.remove')).toEqual([[eva, 'marketing: Signed up again']]);
  });

  test('[OPT-3] What is no number, no category or no time that has passed is refused at its field', async () => {
    const soon = new Date(Date.now() + day).toISOString();
    for (const [given, field] of [
      [{ number: 'Eva' }, 'number'],
      [{ number: eva, category: 'ads' }, 'category'],
      [{ number: eva, since: 'yesterday' }, 'since'],
      [{ number: eva, since: soon }, 'since'],
    ] as const) {
      const { status, body } = await add(given);
      expect([status, body.errors?.[0]?.field ?? body.error]).toEqual([400, field]);
    }
    expect(await get()).toEqual({ optOuts: [] });
  });

  test('[OPT-3] A file is checked, imported once however often it comes, and is what an export gives', async () => {
    const csv = [
      'Number;Category;Since;Proof;Note',
      `0701740601;;2025-03-01;"Wrote ""no; thanks""";x`,
      `+46 70 174 06 02;Marketing;2026-01-02T10:00+01:00;;`,
      `${adam};marketing;2026-01-05;later;`,
      `${adam};all;;;`,
    ].join('\r\n');
    const counts = { rows: 3, unchanged: 0, faulty: 0, faults: [] };
    expect(await upload(csv, '?dryRun=true')).toEqual({ status: 200, ...counts, added: 3 });
    expect(await numbers()).toEqual([]);
    expect(await upload(csv)).toEqual({ status: 200, ...counts, added: 3 });
    expect(await upload(csv, '?dryRun=true')).toMatchObject({ added: 0, unchanged: 3 });
    expect(await upload(csv)).toMatchObject({ added: 0, unchanged: 3 });
    expect(await numbers()).toEqual([adam, adam, eva]);
    expect(await numbers({ number: '0701740602', category: 'all' })).toEqual([adam]);
    expect(await numbers({ source: 'file', until: '2026-01-01T00:00Z' })).toEqual([eva]);
    expect(await numbers({ since: '2026-01-01T00:00Z', source: 'api' })).toEqual([]);

    const exported = await app.as(alice).get(`${path}.csv`, { until: '2026-02-01T00:00Z' });
    expect(exported.headers.get('content-type')).toBe('text/csv; charset=utf-8');
    expect(exported.text).toBe(
      [
        'number,category,since,source,word,proof,to,addedBy',
        `${adam},marketing,2026-01-02T09:00:00.000Z,file,,,,alice`,
        `${eva},all,2025-03-01T00:00:00.000Z,file,,"Wrote ""no; thanks""",,alice`,
        '',
      ].join('\n'),
    );
    expect(await audited('optout.export')).toHaveLength(1);
    expect(await upload(exported.text)).toMatchObject({ rows: 2, added: 0, unchanged: 2 });
  });

  test('[OPT-3] [PORT-10] A day without a time begins in the time zone of the company', async () => {
    const here = '46701740651';
    expect((await app.as(alice).patch('/api/v1/company', { timeZone: 'Europe/Stockholm' })).status).toBe(200);
    expect(await upload(`number,since\n${here},2025-07-01\n`)).toMatchObject({ added: 1 });
    const { optOuts } = (await app.as(alice).get(path, { number: here })).body;
    expect(optOuts).toMatchObject([{ since: '2025-06-30T22:00:00.000Z' }]);
    await app.as(alice).patch('/api/v1/company', { timeZone: '' });
  });

  test('[OPT-3] A file with faults is refused as a whole, with the line of each, unless the faulty rows are to be skipped', async () => {
    const soon = new Date(Date.now() + 2 * day).toISOString().slice(0, 10);
    const csv = [
      'telefon,kategori,datum,bevis',
      `4670174061,all,,`,
      `nobody,,,`,
      `46701740612,ads,,`,
      `46701740613,,${soon},`,
      `46701740614,,,${'x'.repeat(2_001)}`,
      `46701740615,,,`,
    ].join('\n');
    const faults = [
      { line: 3, cause: 'number' },
      { line: 4, cause: 'category' },
      { line: 5, cause: 'since' },
      { line: 6, cause: 'proof' },
    ];
    expect(await upload(csv, '?dryRun=true')).toMatchObject({ rows: 6, added: 2, faulty: 4, faults });
    const refused = await upload(csv);
    expect(refused).toMatchObject({ status: 400, code: 'invalid_value' });
    expect(refused.errors.map(({ field }: { readonly field: string }) => field)).toEqual([
      'line 3',
      'line 4',
      'line 5',
      'line 6',
    ]);
    expect(await numbers({ number: '46701740615' })).toEqual([]);
    expect(await upload(csv, '?skipFaulty=true')).toMatchObject({ added: 2, faulty: 4, faults });
    expect(await numbers({ number: '46701740615' })).toEqual(['46701740615']);
  });

  test('[OPT-3] [CONV-12] A file may be numbers alone; one without numbers, with too many rows or that is no text is refused', async () => {
    expect(await upload('46701740621\n46701740622\n')).toMatchObject({ rows: 2, added: 2 });
    for (const [csv, sentence] of [
      ['', /empty/],
      ['name,town\nEva,Lund', /no column `number`/],
      ['number\n"467', /never closed/],
      ['number\n\0', /not a text file/],
      [`number,proof\n${`46701740623,${'x'.repeat(100)}\n`.repeat(700)}46701740624,\0`, /not a text file/],
      [`number\n${'46701740623\n'.repeat(20_001)}`, /at most 20000 rows/],
    ] as const) {
      const { status, error } = await upload(csv);
      expect([status, error]).toEqual([400, expect.stringMatching(sentence)]);
    }
    expect((await upload('x'.repeat(2 * 1_048_576 + 1))).status).toBe(413);
    expect(await numbers({ number: '46701740623' })).toEqual([]);
  });

  test('[OPT-3] [PORT-4] Opt-outs are read in pages by their cursor', async () => {
    const all = await numbers();
    expect(all.length).toBeGreaterThan(4);
    const read: string[] = [];
    for (let after: string | undefined; ; ) {
      const page = await get('', { limit: 2, ...(after !== undefined && { after }) });
      expect(page.optOuts.length).toBeLessThanOrEqual(2);
      read.push(...page.optOuts.map(({ number }: Listed) => number));
      if (page.next === undefined) break;
      after = page.next;
    }
    expect(read).toEqual(all);
    expect((await app.as(alice).get(path, { after: 'x' })).status).toBe(400);
    expect(await get('/nearmisses')).toEqual({ nearMisses: [] });
  });

  test('[OPT-3] [RUN-3] A command does the same as an administrator, over the socket', async () => {
    const optOuts = async (...words: readonly string[]) => {
      const { exitCode, stdout, stderr } = await runHere(app.env, 'optouts', ...words, '--user', 'alice');
      return { exitCode, stdout, stderr };
    };
    const ok = { exitCode: 0, stderr: '' };
    const number = '46701740631';
    const added = await optOuts('add', number, '--category', 'marketing', '--proof', 'By phone');
    expect(added).toEqual({
      ...ok,
      stdout: expect.stringMatching(/^46701740631 has opted out: marketing, since /),
    });
    expect((await optOuts('add', number, '--category', 'marketing')).stdout).toContain(
      'had opted out before',
    );
    const [listed] = JSON.parse((await optOuts('list', number, '--json')).stdout);
    expect(listed).toMatchObject({ number, source: 'command', addedBy: 'alice', proof: 'By phone' });
    expect((await optOuts('list', '--category', 'marketing', '--source', 'command')).stdout).toMatch(
      /^NUMBER +NAME +CATEGORY.*\n46701740631 .* By phone\n$/s,
    );
    const file = join(app.env.CARILLON_DATA as string, 'opt-outs.csv');
    writeFileSync(file, 'number\n0701740632\nx\n');
    const faulty = 'line 3: number\n';
    expect(await optOuts('import', file, '--dry-run')).toEqual({
      exitCode: 1,
      stdout: '1 added, 0 there before, 1 with faults\n',
      stderr: `${faulty}Dry run: nothing was added.\n`,
    });
    expect((await optOuts('import', file)).exitCode).toBe(1);
    const skipping = await optOuts('import', file, '--skip-faulty');
    expect(skipping).toMatchObject({ exitCode: 0, stderr: faulty });
    const exported = await optOuts('export', '--source', 'command');
    expect(exported).toEqual({
      ...ok,
      stdout: expect.stringMatching(/^\ufeffnumber,.*\n46701740631,marketing,/s),
    });
    const reason = ['--reason', 'Signed up again'];
    expect(await optOuts('remove', number, ...reason)).toEqual({ ...ok, stdout: 'Removed: marketing.\n' });
    expect(await optOuts('remove', number, ...reason)).toEqual({
      ...ok,
      stdout: 'There was no such opt-out.\n',
    });
    expect(await optOuts('list', number)).toEqual({ ...ok, stdout: 'There are no opt-outs.\n' });
  });
});
