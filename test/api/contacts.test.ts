/**
 * Tests contacts, groups and filters as administrators manage them in the management API, and CSV files in both directions.
 */
import fc from 'fast-check';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { ifMatch } from '../harness/api-client.ts';
import { startWholeApp, type WholeApp } from '../harness/app.ts';
import { eachEngine } from '../harness/engines.ts';
import { sendPath } from '../harness/messaging.ts';

const admin = { username: 'admin', password: "admin's long password" };
const librarian = { username: 'librarian', password: "librarian's long password" };
const provisioning = `
companies:
  - name: Nordic Care
    defaultSender: NordicCare
    addressBooks:
      - id: 11
        name: Staff
        contacts: [{ id: 1, name: Managed Mia, phone: "46701740611" }]
      - { id: 12, name: Åsas bok }
    users: [{ username: admin, password: "${admin.password}", roles: [send, companyAdmin], addressBooks: [Staff], defaultAddressBook: Staff }]
  - name: Many Books
    addressBooks:
${Array.from({ length: 205 }, (_, at) => `      - { id: ${1_001 + at}, name: Book ${1_001 + at} }`).join('\n')}
    users: [{ username: librarian, password: "${librarian.password}", roles: [send, companyAdmin] }]
carriers: [{ name: sim, type: simulator }]
routes: [{ name: all, prefix: "", carriers: [sim] }]
`;
const staff = '/api/v1/addressbooks/11';
const other = '/api/v1/addressbooks/12';

eachEngine('contacts by the management API', (engine) => {
  let app: WholeApp;
  beforeAll(async () => {
    app = await startWholeApp({ engine, provisioning });
  });
  afterAll(() => app?.close());

  const get = (path: string, query: Readonly<Record<string, string>> = {}) => app.as(admin).get(path, query);
  const post = (path: string, body: object | string = {}) => app.as(admin).post(path, body);
  const patch = (path: string, body: object = {}, version?: string) =>
    app.as(admin).patch(path, body, ifMatch(version));
  const remove = (path: string, version?: string) =>
    app.as(admin).request('DELETE', path, { headers: ifMatch(version) });
  const namesFor = async (book: string, query: Readonly<Record<string, string>>) =>
    (await get(`${book}/contacts`, query)).body.contacts.map(({ name }: { name: string }) => name);
  const make = async (book: string, contact: object): Promise<string> =>
    (await post(`${book}/contacts`, contact)).body.id;

  test('[PORT-4] Any number of address books are listed page by page, and the last one works like the first', async () => {
    const by = app.as(librarian);
    const first = (await by.get('/api/v1/addressbooks', { limit: '200' })).body;
    const rest = (await by.get('/api/v1/addressbooks', { limit: '200', after: first.next })).body;
    expect(rest.next).toBeUndefined();
    const ids = [...first.addressBooks, ...rest.addressBooks].map(({ id }: { id: string }) => id);
    expect(ids).toEqual(Array.from({ length: 205 }, (_, at) => String(1_001 + at)));
    const contact = { name: 'Last', phone: '46701740699' };
    expect((await by.post('/api/v1/addressbooks/1205/contacts', contact)).status).toBe(201);
    const { contacts } = (await by.get('/api/v1/people/46701740699')).body;
    expect(contacts).toMatchObject([{ name: 'Last', addressBook: '1205' }]);
  });

  test('[PORT-4] A search of contacts finds people by the beginnings of names, words and numbers, page by page', async () => {
    const people = [
      { name: 'Anna Andersson', phone: '46701740620', tags: [{ type: 'role', value: 'nurse' }] },
      { name: 'Åsa Berg', phone: '46701740621', email: 'Asa@care.example' },
      { name: 'بشرى <b>Bold</b> 🧡', phone: '46701740622', tags: [{ type: 'role', value: 'nurse' }] },
      { phone: '4790000001' },
    ];
    for (const person of people) expect((await post(`${other}/contacts`, person)).status).toBe(201);
    const [, , odd] = people;
    expect(await namesFor(other, {})).toEqual(['', 'Anna Andersson', 'Åsa Berg', odd?.name]);
    for (const [q, name] of [
      ['an', 'Anna Andersson'],
      ['ANDERS', 'Anna Andersson'],
      ['berg', 'Åsa Berg'],
      ['åsa b', 'Åsa Berg'],
      ['070-174 06 21', 'Åsa Berg'],
      ['+46 70 174 06 21', 'Åsa Berg'],
      ['asa@', 'Åsa Berg'],
      ['بشرى', odd?.name],
      ['bold', odd?.name],
      ['090000001', ''],
    ])
      expect([q, await namesFor(other, { q: q as string })]).toEqual([q, [name]]);
    expect(await namesFor(other, { q: 'nobody' })).toEqual([]);
    expect(await namesFor(other, { filter: 'role:nurse' })).toEqual([people[0]?.name, odd?.name]);
    expect(await namesFor(other, { filter: 'role:nurse', q: 'an' })).toEqual(['Anna Andersson']);
    expect((await get(`${other}/count`, { filter: 'role:nurse|cook' })).body).toEqual({
      people: 2,
      withPhone: 2,
    });
    for (const query of [{}, { q: '0' }, { filter: 'role:nurse' }]) {
      const whole = await namesFor(other, query);
      const seen: string[] = [];
      let after = '';
      do {
        const { body } = await get(`${other}/contacts`, { ...query, after, limit: '1' });
        seen.push(...body.contacts.map(({ name }: { name: string }) => name));
        after = body.next ?? '';
      } while (after !== '');
      expect(seen).toEqual(whole);
    }
    expect((await get(`${other}/tags`)).body.tags).toEqual([{ type: 'role', value: 'nurse', contacts: 2 }]);
  });

  test('[PORT-4] Of two concurrent changes to a contact, the second is refused and shown the current contact', async () => {
    const id = await make(staff, { name: 'Eva', phone: '46701740630' });
    const path = `${staff}/contacts/${id}`;
    const { version } = (await get(path)).body;
    const first = await patch(path, { name: 'Eva Lund', tags: [{ type: 'ward', value: '7' }] }, version);
    expect(first.body).toMatchObject({
      name: 'Eva Lund',
      phone: '46701740630',
      tags: [{ type: 'ward', value: '7' }],
    });
    const second = await patch(path, { email: 'eva@care.example' }, version);
    expect([second.status, second.body.code, second.body.contact]).toEqual([
      412,
      'changed_meanwhile',
      first.body,
    ]);
    const again = await patch(path, { email: 'eva@care.example', phone: '', tags: [] }, first.body.version);
    expect(again.body).toMatchObject({ name: 'Eva Lund', email: 'eva@care.example', tags: [] });
    expect(again.body.phone).toBeUndefined();
    expect((await patch(path, { email: '' })).body.code).toBe('invalid_value');
    expect(await namesFor(staff, { q: 'lund' })).toEqual(['Eva Lund']);
    expect(await namesFor(staff, { q: '46701740630' })).toEqual([]);
    expect((await remove(path)).status).toBe(200);
    expect(await namesFor(staff, { q: 'lund' })).toEqual([]);
  });

  test('[PORT-6] A contact in the provisioning file is managed by the file, and can be edited once the file no longer names the contact', async () => {
    const { id } = (await get(`${staff}/contacts`, { q: 'mia' })).body.contacts[0];
    expect((await get(`${staff}/contacts/${id}`)).body.managed).toBe(true);
    const preview = await post(`${staff}/import/preview`, 'id,name\n1,Other\n');
    expect(preview.body).toMatchObject({ managed: 1, changed: 0 });
    expect((await post(`${staff}/contacts`, { phone: '46701740611' })).body.code).toBe('taken');
    const without = provisioning.replace(
      '{ id: 1, name: Managed Mia, phone: "46701740611" }',
      '{ id: 2, name: New }',
    );
    expect((await app.apply(without)).exitCode).toBe(0);
    expect((await get(`${staff}/contacts/${id}`)).body.managed).toBe(false);
    expect((await patch(`${staff}/contacts/${id}`, { name: 'Mine' })).body.name).toBe('Mine');
  });

  test('[SEND-8] Groups and saved filters of an address book can be made, changed, sent to and removed', async () => {
    const withId = await make(staff, { externalId: 'g1', name: 'Greta', phone: '46701740640' });
    const without = await make(staff, {
      name: 'Gil',
      phone: '46701740641',
      tags: [{ type: 'g', value: '1' }],
    });
    const add = [`contact ${withId}`, `contact ${without}`, '+46 70 174 06 49'];
    expect((await post(`${staff}/groups`, { name: 'a/b c', add })).status).toBe(201);
    expect((await post(`${staff}/groups`, { name: 'a/b c' })).body.code).toBe('taken');
    const path = `${staff}/groups/${encodeURIComponent('a/b c')}`;
    expect((await get(path)).body.members).toEqual([
      { member: `contact ${withId}`, name: 'Greta', phone: '46701740640', contact: withId },
      { member: '46701740641', name: 'Gil', phone: '46701740641', contact: without },
      { member: '46701740649', phone: '46701740649' },
    ]);
    expect((await patch(path, { rename: 'night', add, remove: ['46701740649'] })).body).toEqual({
      name: 'night',
      managed: false,
    });
    await patch(`${staff}/contacts/${withId}`, { externalId: 'g2' });
    const sent = await post(sendPath, { message: 'Hello', toaddressbookgroups: ['night'] });
    expect(sent.body.accepted.map(({ to }: { to: string }) => to)).toEqual(['46701740640', '46701740641']);
    const members = async () =>
      (await get(`${staff}/groups/night`)).body.members.map(({ member }: { member: string }) => member);
    await patch(`${staff}/contacts/${without}`, { phone: '46701740643' });
    expect(await members()).toEqual([`contact ${withId}`, '46701740643']);
    await patch(`${staff}/contacts/${without}`, { externalId: 'g3' });
    expect(await members()).toEqual([`contact ${withId}`, `contact ${without}`]);
    expect((await patch(`${staff}/contacts/${without}`, { externalId: '' })).body.externalId).toBeUndefined();
    expect(await members()).toEqual([`contact ${withId}`, '46701740643']);
    const shared = await make(staff, { externalId: 'g4', name: 'Gun', phone: '46701740644' });
    await patch(`${staff}/groups/night`, { add: ['46701740644'] });
    await remove(`${staff}/contacts/${shared}`);
    await remove(`${staff}/contacts/${without}`);
    expect(await members()).toEqual([`contact ${withId}`, '46701740644']);
    await make(staff, {
      name: 'Gil',
      phone: '46701740641',
      tags: [{ type: 'g', value: '1' }],
    });
    expect((await remove(`${staff}/groups/night`)).status).toBe(200);
    expect((await get(`${staff}/groups`)).body).toEqual({ groups: [] });

    const saved = await post(`${staff}/filters`, { name: 'g', filter: 'g:1' });
    expect(saved).toMatchObject({ status: 201, body: { name: 'g', filter: 'g:1', managed: false } });
    const changed = await patch(`${staff}/filters/g`, { filter: 'g:1|2' });
    expect((await get(`${staff}/filters`)).body.filters).toEqual([changed.body]);
    expect((await patch(`${staff}/filters/g`, { rename: 'h' })).body).toMatchObject({
      name: 'h',
      filter: 'g:1|2',
    });
    expect((await get(`${staff}/filters/g`)).body.code).toBe('not_found');
    // A cursor names at least a language and a name.
    expect((await get(`${staff}/filters`, { after: 'W10' })).body.code).toBe('invalid_value');
    expect((await post(`${staff}/filters`, { name: '..', filter: 'g:1' })).body.code).toBe('invalid_value');
    expect((await patch(`${staff}/filters/h`, { rename: 'g' })).status).toBe(200);
    const byFilter = await post(sendPath, { message: 'Hello', toaddressbooksavedtagfilters: ['g'] });
    expect(byFilter.body.accepted.length).toBe(1);
    expect((await remove(`${staff}/filters/g`)).status).toBe(200);
    expect((await remove(`${staff}/filters/g`)).status).toBe(404);
  });

  test('[PORT-4] A CSV import reads files as spreadsheets write them, shows a preview first, and can be undone', async () => {
    const kept = await make(staff, { externalId: 'i1', name: 'Before', phone: '46701740650' });
    const swedish =
      'Anstnr;Namn;Mobil;Avdelning;tag:role\ni1;Åke Öst;070-174 06 50;x;nurse\ni2;"Bo; ""B"" Ek";0701740651;x;doctor|nurse\ni3;Kort;0701;x;\n';
    const query = '?defaultCountryCode=46&file=lista.csv';
    const files = [
      Buffer.from(swedish, 'latin1'),
      Buffer.from(`\u{feff}${swedish.replaceAll(';', '\t').replace('Bo\t ""B""', 'Bo; ""B""')}`, 'utf16le'),
      Buffer.from(swedish),
    ];
    for (const body of files) {
      const { body: preview } = await app
        .as(admin)
        .request('POST', `${staff}/import/preview${query}`, { body: new Uint8Array(body) });
      expect(preview).toMatchObject({ rows: 3, created: 1, changed: 1, unchanged: 0, faulty: 1 });
      expect(preview.columns.map(({ field }: { field: string }) => field)).toEqual([
        'id',
        'name',
        'phone',
        'tag:Avdelning',
        'tag:role',
      ]);
      expect(preview.faults).toMatchObject([
        { line: 4, error: expect.stringContaining('“0701” has 5 digits') },
      ]);
      expect(preview.changes[0]).toMatchObject({
        outcome: 'changed',
        before: { name: 'Before' },
        after: { name: 'Åke Öst' },
      });
      expect(preview.changes[1].after.name).toBe('Bo; "B" Ek');
    }
    const refused = await post(`${staff}/import${query}`, swedish);
    expect([refused.status, refused.body.errors[0].field]).toEqual([400, 'line 4']);
    expect(await namesFor(staff, { q: 'åke' })).toEqual([]);
    const imported = await post(`${staff}/import${query}&skipFaulty=T`, swedish);
    expect(imported.body).toMatchObject({ created: 1, changed: 1, unchanged: 0, managed: 0, skipped: 1 });
    const again = await post(`${staff}/import${query}&skipFaulty=T`, swedish);
    expect(again.body).toMatchObject({ created: 0, changed: 0, unchanged: 2 });
    const undo = `${staff}/imports/${imported.body.id}/undo`;
    expect((await get(`${staff}/imports`)).body.imports).toMatchObject([
      { id: again.body.id, state: 'done' },
      { id: imported.body.id, state: 'done', username: 'admin', file: 'lista.csv', created: 1, changed: 1 },
    ]);
    const [bo] = (await get(`${staff}/contacts`, { q: 'bo' })).body.contacts;
    await patch(`${staff}/contacts/${bo.id}`, { name: 'Bo Changed' });
    expect((await post(undo)).body).toEqual({ undone: 1, kept: 1 });
    expect((await get(`${staff}/contacts/${kept}`)).body).toMatchObject({ name: 'Before', tags: [] });
    expect(await namesFor(staff, { q: 'bo changed' })).toEqual(['Bo Changed']);
    expect((await post(undo)).body).toEqual({ undone: 0, kept: 0 });
    expect((await post(`${staff}/imports/999/undo`)).status).toBe(404);
    const acts = (await get('/api/v1/audit')).body.entries.map(({ act }: { act: string }) => act);
    expect(acts.slice(0, 4)).toEqual([
      'contacts.undoImport',
      'contact.change',
      'contacts.import',
      'contacts.import',
    ]);
  });

  test('[PORT-4] An exported address book imports unchanged, and contains nothing that a spreadsheet takes for a formula', async () => {
    await make(other, { externalId: '=1', name: '=SUM(A1)', phone: '46701740660', app: '@me' });
    const { text, headers } = await get(`${other}/export`);
    expect(headers.get('content-disposition')).toContain("filename*=UTF-8''%C3%85sas%20bok.csv");
    expect(text).toContain("'=SUM(A1)");
    const rows = text.trim().split('\n').length - 1;
    const { body } = await post(`${other}/import/preview`, text);
    expect(body).toMatchObject({ rows, created: 0, changed: 0, unchanged: rows, faulty: 0 });
    const exported = await app.run('contacts', 'export', '--book', 'Åsas bok');
    expect(exported).toMatchObject({ exitCode: 0, stdout: expect.stringContaining("'=SUM(A1)") });
  });

  // Earlier tests cover everything that the tests below use of the store.
  if (engine === 'postgres') return;

  test('[PORT-4] A CSV import copes with spreadsheet quirks, and explains shortened numbers, title lines and open quotes', async () => {
    const preview = (csv: string, query = '') => post(`${staff}/import/preview${query}`, csv);
    for (const csv of [
      'sep=;\r\nname;phone\r\nKari;4790601007\r\n',
      'name;phone;;\r\n;;;\r\nKari;4790601007;;\r\n;;;\r\n',
      'name;phone;email\r\nKari;="4790601007"\r\n',
      'name, phone\r\nKari, "4790601007.0"\r\n',
    ]) {
      const { body } = await preview(csv);
      expect(body).toMatchObject({ rows: 1, created: 1, faulty: 0 });
      expect(body.changes[0].after).toMatchObject({ name: 'Kari', phone: '4790601007' });
    }
    const quoted = await preview(
      'name;phone\r\nKari "the boss" Nord;4790601007\r\n5" pipe store;4790601008\r\n',
    );
    expect(quoted.body.changes.map(({ after }: { after: { name: string } }) => after.name)).toEqual([
      'Kari "the boss" Nord',
      '5" pipe store',
    ]);
    const named = await preview('a;b;;\nKari;4790601007;;\n', '?columns=name,phone');
    expect(named.body).toMatchObject({ created: 1 });
    const short = await preview('name;phone\nKari;4,67E+10\n');
    expect(short.body.faults).toMatchObject([
      { line: 2, error: expect.stringContaining('spreadsheet has shortened') },
    ]);
    for (const query of ['', '?columns=name,phone', '?columns=name']) {
      const title = await preview('Staff list;\nname;phone\nKari;4790601007\n', query);
      expect(title).toMatchObject({
        status: 400,
        body: { error: expect.stringContaining('Line 1: “Staff list” seems to be a title') },
      });
    }
    const open = await preview('name;phone\nKari;"4790601007\n');
    expect(open).toMatchObject({ status: 400, body: { error: expect.stringContaining('from line 2 on') } });
  });

  test('[PORT-4] A CSV import finds or is told the line with the column names, and joins the columns of a name', async () => {
    const list =
      'Personallista;;\r\nUtskriven 2026-11-29;;\r\n;;\r\nFörnamn;Efternamn;Mobilnr\r\nÅke;Öst;070-174 06 54\r\nBo;;0701740655\r\n';
    const refused = await post(`${other}/import/preview`, list);
    expect(refused).toMatchObject({
      status: 400,
      body: { headRow: 4, error: expect.stringContaining('`headRow`') },
    });
    const preview = async (query: string, csv = list) =>
      (await post(`${other}/import/preview?${query}`, csv)).body;
    const found = await preview('headRow=4&defaultCountryCode=46');
    expect(found).toMatchObject({
      headRow: 4,
      joins: ['1-2'],
      rows: 2,
      created: 2,
      faulty: 0,
      delimiter: ';',
    });
    expect(found.columns[0]).toEqual({ head: 'Förnamn', field: 'name', samples: ['Åke', 'Bo'] });
    const namesOf = ({ changes }: { changes: { after: { name: string } }[] }) =>
      changes.map(({ after }) => after.name);
    expect(namesOf(found)).toEqual(['Åke Öst', 'Bo']);
    const backward = await preview('headRow=4&defaultCountryCode=46&columns=-,name,phone&joins=2-1');
    expect(namesOf(backward)).toEqual(['Öst Åke', 'Bo']);
    const query = '?headRow=4&defaultCountryCode=46&columns=name,-,phone&joins=1-2';
    expect((await post(`${other}/import${query}`, list)).body).toMatchObject({ created: 2 });
    expect(await namesFor(other, { q: 'öst' })).toEqual(['Åke Öst']);
    expect((await preview('headRow=9')).error).toContain('no line 9');
    expect(await preview('joins=1')).toMatchObject({ code: 'invalid_value', errors: [{ field: 'joins' }] });
    expect((await preview('headRow=4&columns=name,-,phone&joins=1-9')).error).toContain('no column 9');
    expect((await preview('columns=phone,phone', 'Mobil;Mobil\n1;2\n')).error).toContain('Two columns');
    expect((await preview('', 'PK\u0003\u0004\0\0name;phone')).error).toContain('not a text file');
  });

  test('[PORT-4] A CSV import groups what is wrong by cause, and says which country code mends the numbers', async () => {
    const rows = ['Kari;+4790601007', 'Ola;+4790601008', 'Per;+46701740656'];
    for (let at = 0; at < 294; at += 1) rows.push(`No ${at};0701741${100 + at}`);
    rows.push('Short;0701', 'Nobody;', 'Kari again;4790601007', 'Far;4790601009;;x');
    const csv = `name;phone\n${rows.join('\n')}\n`;
    const { body } = await post(`${other}/import/preview`, csv);
    expect(body).toMatchObject({ rows: 301, faulty: 298, created: 3 });
    expect(body.causes).toMatchObject([
      {
        cause: 'countryCode',
        count: 294,
        lines: [5, 6, 7, 8, 9],
        error: expect.stringContaining('begins with 0'),
        countryCode: '47',
      },
      { cause: 'number', count: 1, lines: [299], error: expect.stringContaining('0701') },
      { cause: 'noKey', count: 1, lines: [300], error: expect.stringContaining('has no id') },
      { cause: 'twice', count: 1, lines: [301], error: expect.stringContaining('already in line 2') },
      { cause: 'shifted', count: 1, lines: [302], error: expect.stringContaining('has 4 cells') },
    ]);
    const mended = (await post(`${other}/import/preview?defaultCountryCode=46`, csv)).body;
    expect(mended.causes.map(({ cause }: { cause: string }) => cause)).toEqual([
      'number',
      'noKey',
      'twice',
      'shifted',
    ]);
  });

  test('[PORT-4] A CSV import answers any file with 200 or 400, never with a server error', async () => {
    const piece = fc.constantFrom(
      ...['"', '""', ';', ',', '\t', '\r', '\n', '\r\n', '\u{feff}', '\0', ' ', '=', '="', 'sep=;', '\ud800'],
      ...[
        'phone',
        'name',
        'id',
        'tags',
        'tag:',
        'tag:a',
        'constructor',
        '__proto__',
        '4790601007',
        '.0',
        'E+10',
      ],
    );
    const text = fc.array(piece, { maxLength: 30 }).map((pieces) => pieces.join(''));
    const encoding = fc.constantFrom('utf8' as const, 'latin1' as const, 'utf16le' as const);
    const file = fc.tuple(fc.constantFrom('', 'name;phone\n', 'id,name,phone,tags\r\n'), text, encoding);
    await fc.assert(
      fc.asyncProperty(file, async ([head, rest, form]) => {
        for (const act of ['import/preview', 'import']) {
          const body = new Uint8Array(Buffer.from(head + rest, form));
          const { status } = await app.as(admin).request('POST', `${other}/${act}`, { body });
          expect([200, 400]).toContain(status);
        }
      }),
      { numRuns: 150 },
    );
  });

  test('[CONV-12] A CSV import refuses files with too many columns, rows or bytes and says why', async () => {
    const header = (count: number) =>
      Array.from({ length: count }, (_, at) => (at === 0 ? 'phone' : `c${at}`)).join(',');
    const preview = async (csv: string) => (await post(`${staff}/import/preview`, csv)).body;
    expect(await preview(`${header(300)}\n46701740670${','.repeat(299)}\n`)).toMatchObject({ created: 1 });
    expect((await preview(`${header(301)}\n`)).error).toContain('at most 300 columns');
    expect((await preview('name,ward\nA,1\n')).columns).toEqual([
      { head: 'name', field: 'name', samples: ['A'] },
      { head: 'ward', field: '-', samples: ['1'] },
    ]);
    expect((await preview('')).error).toContain('empty');
    expect((await preview(`phone\n"4670${'1'.repeat(100_000)}`)).error).toContain('not valid CSV');
    expect((await preview(`phone\n${'46701740671\n'.repeat(100_001)}`)).error).toContain(
      'at most 100000 rows',
    );
    const huge = await app.as(admin).request('POST', `${staff}/import/preview`, {
      body: new Uint8Array(33 * 1_048_576),
    });
    expect([huge.status, huge.body.error]).toEqual([413, expect.stringContaining('32 MiB')]);
  });
});
