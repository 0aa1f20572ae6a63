import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { writeCsvRows } from '../wire/csv.ts';
import { type Contact, contactAfter, tidyTags } from './contact.ts';
import { csvColumns, csvRow, decodeCsv, readCsv } from './csv.ts';

const tag = (type: string, value: string) => ({ type, value });
const left = { name: undefined, phone: undefined, email: undefined, app: undefined, tags: undefined };

describe('contacts as CSV', () => {
  test('[RUN-3] A contact CSV may have commas or semicolons, a byte order mark, and quotes and line ends in cells', () => {
    const anna = {
      externalId: '9001',
      name: 'Berg, "Anna"\nRN',
      phone: '46701000001',
      email: 'anna@care.example',
      app: '',
      tags: [tag('role', 'nurse'), tag('ward', '7'), tag('ward', '8')],
      remove: false,
    };
    for (const separator of [',', ';'])
      for (const mark of ['', '\ufeff'])
        for (const end of ['\n', '\r\n']) {
          const head = ['ID', 'Name', 'phone', 'email', 'app', 'tags'].join(separator);
          const cells = ['9001', '"Berg, ""Anna""\nRN"', '+46 70-100 00 01', 'anna@care.example', ''];
          const row = [...cells, '"role:nurse;ward:7|8"'].join(separator);
          const { changes, faults } = readCsv(`${mark}${head}${end}${row}${end}${end}`);
          // Line endings are control characters, which are not allowed in names.
          expect(faults).toEqual([{ line: 3, sentence: 'name: must not contain control characters.' }]);
          expect(changes).toEqual([]);
          const flat = readCsv(`${mark}${head}${end}${row.replace('\n', ' ')}`);
          expect(flat).toEqual({ changes: [{ ...anna, name: 'Berg, "Anna" RN' }], faults: [] });
        }
  });

  test('[RUN-3] Absent CSV columns leave fields as they are, and each tag type may have its own column', () => {
    const { changes } = readCsv('phone,tag:role,tag:ward\n0701000001,nurse|doctor,\n', '46');
    expect(changes).toEqual([
      {
        ...left,
        externalId: undefined,
        phone: '46701000001',
        remove: false,
        tags: [tag('role', 'doctor'), tag('role', 'nurse')],
      },
    ]);
    expect(readCsv('id\n7').changes).toEqual([{ ...left, externalId: '7', remove: false }]);
  });

  test('[RUN-3] [ABOOK-2] Tag types are case-sensitive, even in the names of CSV columns', () => {
    expect(readCsv('id,tag:role,tag:Role\n7,nurse,Chief')).toMatchObject({
      changes: [{ tags: [tag('Role', 'Chief'), tag('role', 'nurse')] }],
      faults: [],
    });
    expect(readCsv('id,tag:role,Tag:role\n7,nurse,Chief').faults).toEqual([
      { line: 1, sentence: 'the column “tag:role” appears twice' },
    ]);
    expect(readCsv('id,tag:role\n7,a;b').faults[0]?.sentence).toContain(
      'tag:role: the tag value “a;b” contains “;”',
    );
  });

  test('[RUN-3] Every fault of a contact CSV is reported by its line', () => {
    const { changes, faults } = readCsv(
      [
        'id,phone,email,tags',
        '1,0701000001,,',
        '2,46701000002,no address,role:a:b',
        '3,46701000003,,,,x',
        ',,,role:nurse',
        '4,46701000004,,role:nurse',
        '4,46701000005,,',
        `5,,,${'x'.repeat(200)}:y`,
        '6,,,nurse',
      ].join('\n'),
    );
    expect(changes.map(({ externalId }) => externalId)).toEqual(['4']);
    expect(faults.map(({ line, sentence }) => `${line}: ${sentence.slice(0, 60)}`)).toEqual([
      '2: phone: “0701000001” begins with 0, but no default country co',
      '3: email: must be an e-mail address such as anna@care.example.',
      '3: tags: the tag value “a:b” contains “:”, which separates tags',
      '4: has 6 cells, but the first line has 4',
      '5: has no id, phone or email to recognise the contact by',
      '7: the id 4 is already in line 6',
      `8: tags: the tag type “${'x'.repeat(40)}`,
      '9: tags: “nurse” is not a tag; a tag is a type and a value, suc',
    ]);
  });

  test.each([
    ['id,phone\n9001,46701000001\n,46701000001', 3, 'the phone 46701000001 is already in line 2; people'],
    ['id,phone\n,46701000001\n9001,46701000001', 3, 'the phone 46701000001 is already in line 2; people'],
    [
      'phone,email\n46701000001,a@b.example\n,a@b.example',
      3,
      'the e-mail a@b.example is already in line 2; people',
    ],
    ['id,email\n,a@b.example\n7,a@b.example\n7,', 3, 'the e-mail a@b.example is already in line 2; people'],
    [
      'id,phone\n7,46701000001\n8,46701000001\n,46701000001',
      4,
      'the phone 46701000001 is already in line 2; people',
    ],
  ])(
    '[RUN-3] The contact CSV %j is refused because two lines may mean one person',
    (text, line, sentence) => {
      expect(readCsv(text).faults[0]).toMatchObject({ line, sentence: expect.stringContaining(sentence) });
    },
  );

  test('[RUN-3] Imported people with ids may share a phone and an e-mail address', () => {
    const shared = '46701000001,home@b.example';
    const { changes, faults } = readCsv(`id,phone,email\n7,${shared}\n8,${shared}`);
    expect(faults).toEqual([]);
    expect(changes).toHaveLength(2);
  });

  test.each([
    ['', 'the file is empty'],
    ['id,colour\n1,red', 'unknown column “colour”; known: id, name'],
    ['name\nAnna', 'needs a column id, phone or email'],
    ['id,id\n1,2', 'the column “id” appears twice'],
    ['id,name\n1,"Anna', 'is not CSV'],
  ])('[RUN-3] The file %j is refused as a list of contacts: %s', (text, reason) => {
    expect(readCsv(text).faults[0]?.sentence).toContain(reason);
  });

  const kari = { name: 'Kari Nord', phone: '4790601007' };

  test.each([
    ['the line that names the separator', 'sep=;\r\nname;phone\r\nKari Nord;4790601007\r\n'],
    ['columns without a name', 'name;phone;;\r\nKari Nord;4790601007;;\r\n'],
    ['a column without a name before the others', ';name;phone\r\n;Kari Nord;4790601007\r\n'],
    ['rows of separators', ';;\r\nname;phone\r\n;;\r\nKari Nord;4790601007\r\n;\r\n ; \r\n'],
    ['more separators than columns', 'name;phone\r\nKari Nord;4790601007;;;\r\n'],
    ['tabs', 'name\tphone\rKari Nord\t4790601007\r'],
    ['a formula of text', 'name;phone\r\nKari Nord;="4790601007"\r\n'],
    ['a number that was taken for an amount', 'name;phone\r\nKari Nord;4790601007.0\r\n'],
    ['the same in groups', 'name;phone\r\nKari Nord;4\u00a0790\u00a0601\u00a0007.00\r\n'],
    ['the same with a comma', 'name;phone\r\nKari Nord;4790601007,0\r\n'],
    ['a space before a quote', 'name, phone\r\nKari Nord, "4790601007"\r\n'],
  ])('[RUN-3] A contact CSV is read as spreadsheets write it: %s', (_what, text) => {
    expect(readCsv(text)).toMatchObject({ changes: [kari], faults: [] });
  });

  test('[CONV-14] [RUN-3] The columns of a contact CSV are understood in Swedish too', () => {
    const { changes, faults } = readCsv(
      'Namn,Telefon,E-post,Taggar\nAnna Berg,46701740620,anna@care.example,role:nurse\n',
    );
    expect(faults).toEqual([]);
    expect(changes).toMatchObject([
      {
        name: 'Anna Berg',
        phone: '46701740620',
        email: 'anna@care.example',
        tags: [{ type: 'role', value: 'nurse' }],
      },
    ]);
  });

  test('[RUN-3] The missing last cells of a CSV row count as empty', () => {
    expect(readCsv('phone;name;email\r\n4790601007;Kari Nord')).toMatchObject({
      changes: [{ ...kari, email: '' }],
      faults: [],
    });
  });

  test('[RUN-3] A value in a CSV column without a name is reported, and so is a number that a spreadsheet has shortened', () => {
    expect(readCsv('phone;;name\n4790601007;x;Kari').faults).toEqual([
      { line: 2, sentence: 'holds “x” in column 2, which has no name' },
    ]);
    for (const short of ['4,67E+10', '4.67E+10'])
      expect(readCsv(`name;phone\nKari;${short}`).faults).toEqual([
        { line: 2, sentence: expect.stringContaining('a spreadsheet has shortened') },
      ]);
  });

  test.each([
    ['Staff list\n\nname;phone\nKari;4790601007', '“Staff list” seems to be a title', 'line 3'],
    ['Staff list 2026;;\nname;phone;\nKari;4790601007', '“Staff list 2026” seems to be a title', 'line 2'],
    ['Staff, ward 7\nname;phone\nKari;4790601007', '“Staff” seems to be a title', 'line 2'],
    ['sep=;\nStaff\nname;phone', '“Staff” seems to be a title', 'line 3'],
    ['Staff\nWho;Where\nKari;4790601007', '“Staff” seems to be a title', 'the first line names the columns'],
  ])('[RUN-3] A title above the CSV column names is reported: %j', (text, title, where) => {
    const { changes, faults } = readCsv(text);
    expect([changes, faults.length]).toEqual([[], 1]);
    expect(faults[0]?.sentence).toContain(title);
    expect(faults[0]?.sentence).toContain(where);
  });

  test('[RUN-3] A contact CSV in another encoding is refused, not garbled', () => {
    expect(decodeCsv(Buffer.from('id,name\n1,Åsa', 'latin1'))).toMatchObject({ ok: false });
    expect(decodeCsv(Buffer.from('id,name\n1,Åsa'))).toEqual({ ok: true, value: 'id,name\n1,Åsa' });
  });

  test('[RUN-3] No exported CSV cell begins a formula, not even with full-width signs', () => {
    for (const sign of '=+-@＝＋－＠') {
      expect(writeCsvRows([[`${sign}1`, `a;${sign}1`]])).toBe(`'${sign}1,a;'${sign}1\n`);
      expect(
        readCsv(
          writeCsvRows([
            ['id', 'name'],
            ['1', `${sign}1`],
          ]),
        ).changes,
      ).toMatchObject([{ name: `${sign}1` }]);
    }
  });

  test('[RUN-3] Exported contacts are imported again as they were, formulas included', () => {
    const text = fc.constantFrom(
      'Åsa',
      '=1+1',
      '-x',
      '@x',
      '＝1',
      'a;＋1',
      'a,b',
      'a;b',
      'a;=b',
      '"',
      "'=",
      '日本',
      'a|b',
    );
    const tagText = fc.constantFrom('nurse', '7', 'Åsa', 'a,b', '=x', '"q"');
    const contacts = fc.record({
      externalId: fc.uuid(),
      name: text,
      phone: fc.constantFrom(undefined, '46701000001'),
      email: fc.constantFrom(undefined, 'a@b.example'),
      app: fc.option(text, { nil: undefined }),
      tags: fc.array(fc.record({ type: tagText, value: tagText }), { maxLength: 6 }),
    });
    fc.assert(
      fc.property(fc.array(contacts, { minLength: 1, maxLength: 5 }), (drawn) => {
        const people = drawn.map((person): Contact => {
          const tags = tidyTags(person.tags);
          return { ...person, tags: tags.ok ? tags.value : [] };
        });
        const { changes, faults } = readCsv(writeCsvRows([csvColumns, ...people.map(csvRow)]));
        expect(faults).toEqual([]);
        expect(changes.map((change) => contactAfter(change))).toEqual(people);
      }),
    );
  });
});
