/**
 * The tables that people bring to the portal, as saved by spreadsheets from several vendors and in several languages,
 * and worse.
 */
import { describe, expect, test } from 'vitest';
import { formOf } from '../../portal/src/batches/table/read-rows.ts';
import { faultOf, lookAt, maxFileBytes, pick, write } from '../../portal/src/batches/table/read-table.ts';
import { cellAt } from '../../portal/src/batches/table/table.ts';

const rows = ['Mobil;Förnamn;Text', '+46 70 174 06 99;Åsa;"Hej; ""du"""', '0701740698;Bo;två\r\n'].join(
  '\r\n',
);

const utf16 = (text: string, isBig: boolean) => {
  const bytes = Buffer.from(`\u{feff}${text}`, 'utf16le');
  return new Blob([isBig ? bytes.swap16() : bytes]);
};

describe('a table', () => {
  test.each([
    ['UTF-8', new Blob([rows]), 'utf-8'],
    ['UTF-8 with a mark', new Blob([`\u{feff}${rows}`]), 'utf-8'],
    ['Latin-1', new Blob([Buffer.from(rows, 'latin1')]), 'windows-1252'],
    ['UTF-16', utf16(rows, false), 'utf-16le'],
    ['UTF-16, the other way round', utf16(rows, true), 'utf-16be'],
  ])('[PORT-4] A table in %s is read with its columns and letters', async (_, file, encoding) => {
    const table = await lookAt(file, undefined);
    expect(table).toEqual({
      encoding,
      delimiter: ';',
      hasHeader: true,
      rows: 2,
      numberColumn: 0,
      columns: ['Mobil', 'Förnamn', 'Text'],
      sample: [
        ['+46 70 174 06 99', 'Åsa', 'Hej; "du"'],
        ['0701740698', 'Bo', 'två'],
      ],
    });
  });

  test('[PORT-4] A table without column names has letters for its columns, whatever the delimiter', async () => {
    for (const delimiter of [';', '\t', ',', '|']) {
      const file = new Blob([[`Anna${delimiter}46701740699`, `Bo${delimiter}46701740698`].join('\n')]);
      const table = await lookAt(file, undefined);
      expect(table).toMatchObject({
        delimiter,
        hasHeader: false,
        rows: 2,
        numberColumn: 1,
        columns: ['A', 'B'],
      });
    }
  });

  test('[PORT-4] A table of one column needs no delimiter', async () => {
    expect(await lookAt(new Blob(['46701740699\n46701740698\n']), undefined)).toMatchObject({
      hasHeader: false,
      rows: 2,
      columns: ['A'],
    });
  });

  test('[PORT-4] A table of 300 columns, with letters beyond ASCII only far down, is read whole', async () => {
    const wide = Array.from({ length: 300 }, (_, at) => `column ${at}`).join(',');
    const line = `46701740699,${'x,'.repeat(298)}y`;
    const file = new Blob([Buffer.from(`${wide}\n${`${line}\n`.repeat(200)}46701740698,é`, 'latin1')]);
    expect(await formOf(file)).toEqual({ encoding: 'windows-1252', delimiter: ',' });
    const table = await lookAt(file, undefined);
    expect([table.columns.length, table.rows]).toEqual([300, 201]);
  });

  test('[PORT-4] A table becomes the recipients of a batch, each with its line of the file', async () => {
    const file = new Blob(['to;name\n46701740699;Anna\n\n46701740698;"Bo\nB"\n46701740697;{x}']);
    const table = await lookAt(file, undefined);
    const mapping = { number: 0, text: undefined, fields: [1] };
    const { body, lines } = await write(
      file,
      table,
      mapping,
      '{"message":"Hi {name}","holders":["{name}"]}',
      {},
    );
    expect(JSON.parse(await body.text())).toEqual({
      message: 'Hi {name}',
      holders: ['{name}'],
      batch: [
        { t: '46701740699', s: ['Anna'] },
        { t: '46701740698', s: ['Bo\nB'] },
        { t: '46701740697', s: ['{x}'] },
      ],
    });
    expect([...lines]).toEqual([2, 4, 6]);
  });

  test('[PORT-4] Cells that are changed after a table was read are written so, and its rows are found by their lines', async () => {
    const file = new Blob(['to;name;note\nshort;Anna\n\n\'+46701740698;"Bo\nB"\n46701740697']);
    const table = await lookAt(file, undefined);
    const edits = { [cellAt(2, 0)]: '+46701740699', [cellAt(6, 2)]: 'late' };
    const { body } = await write(file, table, { number: 0, text: undefined, fields: [2] }, '{}', edits);
    expect(JSON.parse(await body.text())).toEqual({
      batch: [
        { t: '+46701740699', s: [''] },
        { t: '+46701740698', s: [''] },
        { t: '46701740697', s: ['late'] },
      ],
    });
    expect(await pick(file, table, [2, 4], edits)).toEqual([
      { line: 2, cells: ['+46701740699', 'Anna'] },
      { line: 4, cells: ['+46701740698', 'Bo\nB'] },
    ]);
  });

  test('[PORT-4] A table shows how many rows lack a value that their text needs, and in which columns', async () => {
    const file = new Blob(['to;name;when;note\n46701740699;Anna;;\n46701740698;;;x\n46701740697;Bo;Ten']);
    const table = await lookAt(file, undefined);
    const blank = async (text: number | undefined, fields: readonly number[]) => {
      const { blankRows, blankColumns } = await write(file, table, { number: 0, text, fields }, '{}', {});
      return [blankRows, blankColumns];
    };
    expect(await blank(undefined, [1, 2])).toEqual([2, [2, 1]]);
    expect(await blank(undefined, [1])).toEqual([1, [1]]);
    // A row that ends before that column counts too.
    expect(await blank(undefined, [3])).toEqual([2, [3]]);
    expect(await blank(undefined, [])).toEqual([0, []]);
    expect(await blank(1, [2])).toEqual([0, []]);
  });

  const kari = { t: '4790601007', s: ['Kari Nord'] };

  test.each([
    ['the line that names the separator', 'sep=;\r\nname;phone\r\nKari Nord;4790601007\r\n', kari],
    ['a separator of its own', 'sep=#\nname#phone\nKari Nord#4790601007', kari],
    ['a formula of text', 'name;phone\r\nKari Nord;="4790601007"\r\n', kari],
    ['a space before a quote', 'name, phone\r\nKari Nord, "4790601007"\r\n', kari],
    ['a number that was taken for an amount', 'name;phone\r\nKari Nord;4790601007.0\r\n', kari],
    ['the same with a comma', 'name;phone\r\nKari Nord;4790601007,0\r\n', kari],
    ['columns without a name', 'name;phone;;\r\nKari Nord;4790601007;;\r\n', kari],
    ['rows of separators', 'name;phone\r\n;;\r\nKari Nord;4790601007\r\n;\r\n ; \r\n', kari],
    [
      'quotes within a cell',
      'name;phone\nKari "the boss" Nord;4790601007',
      { t: '4790601007', s: ['Kari "the boss" Nord'] },
    ],
    ['an inch', 'name;phone\n5" pipe, 6" pipe;4790601007', { t: '4790601007', s: ['5" pipe, 6" pipe'] }],
    ['a row without its last cell', 'phone;name\n4790601007', { t: '4790601007', s: [''] }],
  ])('[PORT-4] A table with %s is read as a spreadsheet reads it', async (_, text, recipient) => {
    const file = new Blob([text]);
    const table = await lookAt(file, undefined);
    const { columns, numberColumn, rows } = table;
    expect([[...columns].sort(), rows]).toEqual([['name', 'phone'], 1]);
    const mapping = { number: numberColumn, text: undefined, fields: [columns.indexOf('name')] };
    const { body } = await write(file, table, mapping, '{}', {});
    expect(JSON.parse(await body.text())).toEqual({ batch: [recipient] });
  });

  test('[PORT-4] A table of texts with commas is divided by the separator that divides all its rows alike', async () => {
    const file = new Blob(['4790601007\tYes, please, do\n4790601008\tNo']);
    expect(await lookAt(file, undefined)).toMatchObject({ delimiter: '\t', numberColumn: 0 });
  });

  test.each([
    ['a quote that never ends', new Blob(['a;b\n1;"x\n2;y']), { kind: 'endlessRow', line: 2 }],
    [
      'a workbook',
      new Blob([new Uint8Array([0x50, 0x4b, 3, 4, 0, 0, 1, 2, 3])]),
      { kind: 'notText', line: 1 },
    ],
    ['nothing', new Blob(['\n\n']), { kind: 'empty', line: 0 }],
    ['too many rows', new Blob(['46701740699\n'.repeat(500_002)]), { kind: 'tooManyRows', line: 0 }],
    ['too many columns', new Blob(['1,'.repeat(2_000)]), { kind: 'tooManyColumns', line: 1 }],
    ['hundreds of megabytes', { size: maxFileBytes + 1 } as Blob, { kind: 'tooLarge', line: 0 }],
  ])('[PORT-4] A file that holds %s is refused with its reason', async (_, file, fault) => {
    expect(await lookAt(file, undefined).catch(faultOf)).toEqual(fault);
  });
});
